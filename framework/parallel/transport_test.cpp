#include "framework/parallel/transport.h"

#include <catch2/catch.hpp>

#include "framework/core/errors.h"

using namespace eddy;
using namespace eddy::parallel;

TEST_CASE("one process alone communicates with itself") {
  CHECK(transport_names() == std::vector<std::string>{"self"});
  CHECK_THROWS_AS(open_transport("mpi"), UserError);
  const auto transport = open_transport("self");
  CHECK(transport->n_ranks() == 1);
  const auto group = transport->communicator(ProcessMesh({{"data", 1}, {"model", 1}}), 1);
  CHECK(group->n_ranks() == 1);
  CHECK(group->rank() == 0);

  const std::vector<double> in{1, -2, 3};
  std::vector<double> out(3);
  const auto check_and_clear = [&] {
    CHECK(out == in);
    out.assign(3, 0);
  };
  for (const Reduction reduction : {Reduction::sum, Reduction::mean, Reduction::max}) {
    group->all_reduce(in.data(), out.data(), 3, DType::f64, reduction);
    check_and_clear();
    group->reduce_scatter(in.data(), out.data(), 3, DType::f64, reduction);
    check_and_clear();
  }
  group->all_gather(in.data(), out.data(), 3, DType::f64);
  check_and_clear();
  group->all_to_all(in.data(), out.data(), 3, DType::f64);
  check_and_clear();
  out = in;
  group->broadcast(out.data(), 3, DType::f64, 0);
  check_and_clear();
  group->barrier();
}

TEST_CASE("what more ranks could not do is refused for one") {
  const auto transport = open_transport("self");
  CHECK_THROWS_AS(transport->communicator(ProcessMesh({{"data", 2}}), 0), UserError);
  CHECK_THROWS_AS(transport->communicator(ProcessMesh({{"data", 1}}, {3}), 0), UserError);
  const auto group = transport->communicator(ProcessMesh({{"data", 1}}), 0);
  std::vector<std::int64_t> data(4);
  CHECK_THROWS_AS(group->all_reduce(data.data(), data.data(), 4, DType::i64, Reduction::mean), InternalError);
  CHECK_THROWS_AS(group->all_reduce(data.data(), data.data(), 1, DType::c128, Reduction::max), InternalError);
  CHECK_THROWS_AS(group->all_reduce(data.data(), data.data(), 4, DType::boolean, Reduction::sum), InternalError);
  CHECK_THROWS_AS(group->broadcast(data.data(), 4, DType::i64, 1), InternalError);
  CHECK_NOTHROW(group->all_reduce(data.data(), data.data(), 4, DType::i64, Reduction::sum));
}
