#include "science/geometry/region.h"

#include <catch2/catch.hpp>

#include "science/geometry/box.h"
#include "science/geometry/point_cloud.h"

using namespace eddy;
using namespace eddy::geometry;

namespace {
Shapes make_shapes() {
  Shapes shapes;
  shapes.add("line", std::make_shared<Box>(std::vector<double>{-1}, std::vector<double>{1}));
  shapes.add("cavity", std::make_shared<Box>(std::vector<double>{0, 0}, std::vector<double>{1, 2}));
  shapes.add("sensors", std::make_shared<PointCloud>(2, std::vector<double>{0, 0, 1, 1}));
  return shapes;
}
/// Message and hint of the UserError that looking up `name` gives.
std::string complaint(const Shapes& shapes, const std::string& name) {
  const SourceLocation where{std::make_shared<std::string>("case.yaml"), 7, 3};
  try {
    shapes.region(name, where);
  } catch (const UserError& error) {
    return error.what();
  }
  return {};
}
}  // namespace

TEST_CASE("regions are found by dotted names") {
  const Shapes shapes = make_shapes();
  CHECK(shapes.region("line").measure() == 2);
  CHECK_FALSE(shapes.region("line").has_normals());
  CHECK(shapes.region("line.boundary").measure() == 2);
  CHECK(shapes.region("line.boundary").has_normals());
  CHECK(shapes.region("cavity.top").measure() == 1);
  CHECK(shapes.region("cavity.y_max").parts()[0].piece == shapes.region("cavity.top").parts()[0].piece);
  CHECK(shapes.region("cavity.boundary").measure() == 6);
  CHECK(shapes.region("cavity").size() == 2);
  CHECK(shapes.region("sensors").parts().size() == 2);
}

TEST_CASE("a wrong name is answered with the nearest right one, at its place") {
  const Shapes shapes = make_shapes();
  CHECK(complaint(shapes, "cavty.top") == "case.yaml:7:3: there is no shape called 'cavty'\n  did you mean 'cavity'?");
  CHECK(complaint(shapes, "cavity.topp") == "case.yaml:7:3: 'cavity' has no face called 'topp'\n  did you mean 'top'?");
  CHECK(complaint(shapes, "cavity.boundry").find("did you mean 'boundary'?") != std::string::npos);
  CHECK(complaint(shapes, "cavity.xyzzyx").find("there are: boundary, left, right, bottom, top") != std::string::npos);
  CHECK(complaint(shapes, "sensors.boundary").find("there are none") != std::string::npos);
}

TEST_CASE("regions join when they are of one kind") {
  Shapes shapes = make_shapes();
  const auto join = [&](std::initializer_list<const char*> names) {
    std::vector<Region> regions;
    for (const char* name : names) regions.push_back(shapes.region(name));
    return Region::join(regions);
  };
  const Region walls = join({"cavity.left", "cavity.right", "cavity.bottom"});
  CHECK(walls.name() == "cavity.left, cavity.right, cavity.bottom");
  CHECK(walls.measure() == 5);
  CHECK_THROWS_AS(join({"cavity", "cavity.top"}), UserError);
  CHECK_THROWS_AS(join({"cavity", "line"}), UserError);
  CHECK_THROWS_AS(join({"sensors", "cavity.top"}), UserError);
  CHECK_THROWS_AS(join({"cavity.boundary", "cavity.top"}), UserError);
  CHECK_THROWS_AS(join({}), UserError);
  CHECK_THROWS_AS(shapes.add("line", std::make_shared<PointCloud>(1, std::vector<double>{0})), UserError);
  CHECK_THROWS_AS(shapes.add("a.b", std::make_shared<PointCloud>(1, std::vector<double>{0})), UserError);
}
