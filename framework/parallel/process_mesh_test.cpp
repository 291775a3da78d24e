#include "framework/parallel/process_mesh.h"

#include <catch2/catch.hpp>

#include "framework/core/errors.h"

using namespace eddy;
using namespace eddy::parallel;
using Ranks = std::vector<std::int64_t>;

TEST_CASE("ranks, coordinates and lines of a mesh") {
  const ProcessMesh mesh({{"data", 2}, {"model", 3}});
  CHECK(mesh.n_ranks() == 6);
  CHECK(mesh.axis("model") == 1);
  CHECK_THROWS_AS(mesh.axis("modle"), UserError);
  CHECK(mesh.coordinates(5) == Ranks{1, 2});
  CHECK(mesh.line(4, 0) == Ranks{1, 4});
  CHECK(mesh.line(4, 1) == Ranks{3, 4, 5});
  CHECK(mesh.contains(5));
  CHECK_FALSE(mesh.contains(6));
  CHECK_THROWS_AS(mesh.coordinates(6), InternalError);

  const ProcessMesh shuffled({{"data", 2}, {"model", 2}}, {0, 2, 1, 3});
  CHECK(shuffled.coordinates(1) == Ranks{1, 0});
  CHECK(shuffled.line(1, 0) == Ranks{0, 1});
}

TEST_CASE("meshes read back as printed") {
  for (const ProcessMesh& mesh : {ProcessMesh({{"data", 1}}), ProcessMesh({{"data", 4}, {"model", 2}}),
                                  ProcessMesh({{"a", 2}, {"b", 2}}, {7, 5, 3, 1})}) {
    CHECK(ProcessMesh::parse(mesh.str()) == mesh);
  }
  CHECK(ProcessMesh({{"data", 4}, {"model", 2}}).str() == "mesh<data=4, model=2>");
  CHECK(ProcessMesh({{"a", 2}, {"b", 2}}, {7, 5, 3, 1}).str() == "mesh<a=2, b=2; 7 5 3 1>");
}

TEST_CASE("what is no mesh is refused") {
  for (const char* text : {"", "mesh<>", "mesh<data>", "mesh<data=>", "mesh<data=0>", "mesh<data=2", "mesh<data=2>>",
                           "mesh<data=2, data=2>", "mesh<2=2>", "mesh<data=2; 0>", "mesh<data=2; 0 0>",
                           "mesh<data=2; 0 -1>", "mesh<data=2;>", "mesh<a=1000000, b=1000000>"}) {
    INFO(text);
    CHECK_THROWS_AS(ProcessMesh::parse(text), UserError);
  }
  CHECK_THROWS_AS(ProcessMesh({}), UserError);
  CHECK_THROWS_AS(ProcessMesh({{"a", std::int64_t{1} << 40}, {"b", std::int64_t{1} << 40}}), RuntimeError);
}
