#include "science/geometry/domain.h"

#include <catch2/catch.hpp>

#include "science/geometry/box.h"
#include "science/geometry/point_cloud.h"

using namespace eddy;
using namespace eddy::geometry;

namespace {
std::shared_ptr<const Geometry> rectangle() {
  return std::make_shared<Box>(std::vector<double>{0, 10}, std::vector<double>{2, 14});
}
}  // namespace

TEST_CASE("space-time points come in the problem's order of coordinates") {
  const Domain domain(Region::boundary("box.boundary", rectangle()), {"x", "t", "y"}, TimeRange{"t", 1, 3});
  CHECK(domain.n_parts() == 4);
  CHECK(domain.n_parameters(1) == 2);
  CHECK(domain.measure() == 12);
  std::vector<char> keep;
  const PointSet set = domain.map(1, 2, std::vector<double>{0.5, 0.25, 0.25, 0.5}, keep);  // (t, y) on the right side
  CHECK(set.n_points == 2);
  CHECK(set.column("t") == std::vector<double>{2, 1.5});
  CHECK(set.column("x") == std::vector<double>{2, 2});
  CHECK(set.column("y") == std::vector<double>{11, 12});
  CHECK(set.column("nx") == std::vector<double>{1, 1});
  CHECK(set.column("ny") == std::vector<double>{0, 0});
  CHECK(set.column("sdf") == std::vector<double>{0, 0});
  CHECK(set.find("nt") == nullptr);
  CHECK(keep == std::vector<char>{1, 1});
}

TEST_CASE("a fixed time takes no sample") {
  const Domain domain(Region::interior("box", rectangle()), {"t", "x", "y"}, TimeRange{"t", 0, 0});
  CHECK(domain.n_parameters(0) == 2);
  std::vector<char> keep;
  const PointSet set = domain.map(0, 1, std::vector<double>{0.5, 0.75}, keep);
  CHECK(set.column("t") == std::vector<double>{0});
  CHECK(set.column("x") == std::vector<double>{1});
  CHECK(set.column("y") == std::vector<double>{13});
  CHECK(set.column("sdf") == std::vector<double>{1});
  CHECK(set.normals.empty());
}

TEST_CASE("points in time, and an ordinary differential equation") {
  const auto cloud = std::make_shared<PointCloud>(1, std::vector<double>{5, 7});
  const Domain sensors(Region::interior("sensors", cloud), {"t", "x"}, TimeRange{"t", 0, 2});
  CHECK(sensors.n_parameters(1) == 1);
  std::vector<char> keep;
  const PointSet set = sensors.map(1, 2, std::vector<double>{0.25, 0.5}, keep);
  CHECK(set.column("t") == std::vector<double>{0.5, 1});
  CHECK(set.column("x") == std::vector<double>{7, 7});

  const auto times =
      std::make_shared<Box>(std::vector<double>{0}, std::vector<double>{20}, std::vector<std::string>{"t"});
  const Domain ode(Region::interior("times", times), {"t"});
  CHECK(ode.map(0, 1, std::vector<double>{0.5}, keep).column("t") == std::vector<double>{10});
}

TEST_CASE("coordinates must fit the geometry") {
  const Region region = Region::interior("box", rectangle());
  CHECK_THROWS_AS(Domain(region, {"x"}), UserError);
  CHECK_THROWS_AS(Domain(region, {"t", "x", "y"}), UserError);
  CHECK_THROWS_AS(Domain(region, {"x", "y"}, TimeRange{"t", 0, 1}), UserError);
  CHECK_THROWS_AS(Domain(region, {"t", "x", "y"}, TimeRange{"t", 1, 0}), UserError);
  CHECK_THROWS_AS(Domain(region, {"t", "x", "y"}, TimeRange{"t", 0, INFINITY}), UserError);
}
