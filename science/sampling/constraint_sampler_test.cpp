#include "science/sampling/constraint_sampler.h"

#include <catch2/catch.hpp>
#include <set>

#include "science/geometry/box.h"

using namespace eddy;
using namespace eddy::geometry;
using namespace eddy::sampling;

namespace {
ConstraintSampler make(BatchPlan plan, std::uint64_t seed = 0, const std::string& name = "interior") {
  const auto line = std::make_shared<Box>(std::vector<double>{-1}, std::vector<double>{1});
  return ConstraintSampler(
      RegionSampler(Domain(Region::interior("line", line), {"t", "x"}, TimeRange{"t", 0, 1}), SamplerKind::sobol), plan,
      seed, name);
}
}  // namespace

TEST_CASE("a fixed pool is the same at every step") {
  auto sampler = make({.batch = 100});
  const auto first = sampler.batch(0).column("x");
  CHECK(sampler.batch(57).column("x") == first);
  CHECK(sampler.changes_at(0));
  CHECK_FALSE(sampler.changes_at(57));
  CHECK(make({.batch = 100}, 0, "other").batch(0).column("x") != first);
  CHECK(make({.batch = 100}, 1).batch(0).column("x") != first);
}

TEST_CASE("mini-batches go through the pool once per epoch") {
  auto sampler = make({.batch = 32, .pool = 100});  // three batches an epoch, four points sit out
  std::multiset<double> pool_x;
  auto whole = make({.batch = 100});
  for (const double x : whole.batch(0).column("x")) pool_x.insert(x);
  std::set<double> first_epoch;
  for (std::uint64_t k = 0; k < 3; ++k) {
    const PointSet& batch = sampler.batch(k);
    CHECK(batch.n_points == 32);
    CHECK(batch.area[0] == Approx(2.0 / 32));
    for (const double x : batch.column("x")) {
      CHECK(first_epoch.insert(x).second);
      CHECK(pool_x.count(x) == 1);
    }
  }
  std::set<double> second_epoch;
  for (std::uint64_t k = 3; k < 6; ++k) {
    for (const double x : sampler.batch(k).column("x")) CHECK(second_epoch.insert(x).second);
  }
  CHECK(first_epoch != second_epoch);
  CHECK(sampler.changes_at(1));
}

TEST_CASE("resampling draws the pool anew") {
  auto sampler = make({.batch = 64, .resample_every = 10});
  const auto first = sampler.batch(0).column("x");
  CHECK(sampler.batch(9).column("x") == first);
  CHECK(sampler.batch(10).column("x") != first);
  CHECK(sampler.changes_at(10));
  CHECK_FALSE(sampler.changes_at(11));
}

TEST_CASE("batch k does not depend on which batches came before") {
  for (const BatchPlan plan :
       {BatchPlan{50, 0, 0}, BatchPlan{50, 170, 0}, BatchPlan{50, 170, 7}, BatchPlan{50, 0, 3}}) {
    auto running = make(plan);
    std::vector<std::vector<double>> seen;
    for (std::uint64_t k = 0; k < 25; ++k) seen.push_back(running.batch(k).column("x"));
    for (const std::uint64_t k : {24, 3, 14, 7, 6}) {
      CHECK(make(plan).batch(k).column("x") == seen[k]);  // resumed
      CHECK(running.batch(k).column("x") == seen[k]);     // gone back to
      CHECK(running.changes_at(k) == (seen[k] != seen[k - 1]));
    }
  }
}

TEST_CASE("impossible plans are refused") {
  CHECK_THROWS_AS(make({.batch = 0}), UserError);
  CHECK_THROWS_AS(make({.batch = 10, .pool = 5}), UserError);
  CHECK_THROWS_AS(make({.batch = 10, .pool = 0, .resample_every = -1}), UserError);
}
