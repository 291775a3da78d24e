#include "science/geometry/point_set.h"

#include <catch2/catch.hpp>

#include "framework/core/errors.h"

using namespace eddy;
using namespace eddy::geometry;
using Counts = std::vector<std::int64_t>;

TEST_CASE("points are apportioned by largest remainder and never lost") {
  CHECK(apportion(10, std::vector<double>{1, 1}) == Counts{5, 5});
  CHECK(apportion(3, std::vector<double>{1, 1}) == Counts{2, 1});
  CHECK(apportion(10, std::vector<double>{0.6, 0.3, 0.1}) == Counts{6, 3, 1});
  CHECK(apportion(7, std::vector<double>{2, 3, 5}) == Counts{1, 2, 4});  // 1.4, 2.1, 3.5
  CHECK(apportion(5, std::vector<double>{0, 1, 0}) == Counts{0, 5, 0});
  CHECK(apportion(0, std::vector<double>{1, 2}) == Counts{0, 0});
  CHECK_THROWS_AS(apportion(5, std::vector<double>{0, 0}), InternalError);
  for (std::int64_t n = 0; n < 200; ++n) {
    const std::vector<double> shares{0.1, 0.7, 0.3, 1e-9};
    const Counts parts = apportion(n, shares);
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      sum += parts[i];
      CHECK(std::abs(static_cast<double>(parts[i]) - static_cast<double>(n) * shares[i] / (1.1 + 1e-9)) < 1);
    }
    CHECK(sum == n);
  }
}

TEST_CASE("selected points keep their mean total area") {
  PointSet set;
  set.n_points = 4;
  set.coordinates = {{"x", {0, 1, 2, 3}}};
  set.normals = {{"nx", {1, 1, -1, -1}}};
  set.area = {0.5, 0.5, 0.5, 0.5};
  set.sdf = {0, 0, 0, 0};
  const PointSet chosen = set.select(std::vector<std::int64_t>{3, 0});
  CHECK(chosen.n_points == 2);
  CHECK(chosen.column("x") == std::vector<double>{3, 0});
  CHECK(chosen.column("nx") == std::vector<double>{-1, 1});
  CHECK(chosen.column("area") == std::vector<double>{1, 1});
  CHECK(chosen.find("y") == nullptr);
  CHECK_THROWS_AS(chosen.column("y"), InternalError);
  set.append(chosen);
  CHECK(set.n_points == 6);
  CHECK(set.column("x") == std::vector<double>{0, 1, 2, 3, 3, 0});
}
