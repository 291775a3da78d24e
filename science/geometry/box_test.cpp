#include "science/geometry/box.h"

#include <catch2/catch.hpp>
#include <cmath>

#include "framework/core/errors.h"
#include "framework/core/rng.h"
#include "science/geometry/point_cloud.h"

using namespace eddy;
using namespace eddy::geometry;

namespace {
double distance_at(const Geometry& shape, std::vector<double> point) {
  std::vector<double> distance(1);
  shape.signed_distance(point, distance);
  return distance[0];
}
std::vector<std::string> face_names(const Geometry& shape) {
  std::vector<std::string> names;
  for (const auto& face : shape.faces()) names.push_back(face->name());
  return names;
}
using Names = std::vector<std::string>;
}  // namespace

TEST_CASE("measures of boxes and their faces are exact") {
  const Box interval({-1}, {1}), rectangle({0, 1}, {2, 4}), box({0, 0, 0}, {1, 2, 4});
  CHECK(interval.measure() == 2);
  CHECK(rectangle.measure() == 6);
  CHECK(box.measure() == 8);
  const auto face_measures = [](const Box& shape) {
    std::vector<double> measures;
    for (const auto& face : shape.faces()) measures.push_back(face->measure());
    return measures;
  };
  CHECK(face_measures(interval) == std::vector<double>{1, 1});
  CHECK(face_measures(rectangle) == std::vector<double>{3, 3, 2, 2});
  CHECK(face_measures(box) == std::vector<double>{8, 8, 4, 4, 2, 2});
  for (int d = 1; d <= 10; ++d) {
    const Box cube(std::vector<double>(d, -1), std::vector<double>(d, 1));
    CHECK(cube.measure() == std::ldexp(1.0, d));
    CHECK(cube.faces().size() == static_cast<std::size_t>(2 * d));
    for (const auto& face : cube.faces()) CHECK(face->measure() == std::ldexp(1.0, d - 1));
  }
}

TEST_CASE("faces are called as documented") {
  CHECK(face_names(Box({0}, {1})) == Names{"left", "right"});
  CHECK(face_names(Box({0, 0}, {1, 1})) == Names{"left", "right", "bottom", "top"});
  const Box box({0, 0, 0}, {1, 1, 1});
  CHECK(face_names(box) == Names{"left", "right", "bottom", "top", "back", "front"});
  CHECK(box.find_face("z_max") == box.faces()[5]);
  CHECK(box.find_face("x1_min") == box.faces()[2]);
  CHECK(box.find_face("w_min") == nullptr);
  CHECK(Box({0, 0}, {1, 1}, {"r", "z"}).find_face("z_min")->name() == "bottom");
  const Box four({0, 0, 0, 0}, {1, 1, 1, 1});
  CHECK(four.faces()[7]->name() == "x3_max");
  CHECK(Box({0, 0, 0, 0}, {1, 1, 1, 1}, {"a", "b", "c", "d"}).faces()[7]->name() == "d_max");
}

TEST_CASE("samples of a piece lie on it, with its outward normal") {
  const Box box({-1, 0, 2}, {1, 5, 2.5});
  const Rng rng(3, "pieces");
  const std::int64_t n = 200;
  for (std::size_t f = 0; f < box.faces().size(); ++f) {
    std::vector<double> unit(2 * n), points(3 * n), normals(3 * n), distance(n);
    std::vector<char> keep(n, 1);
    std::vector<int> face(n);
    for (std::size_t i = 0; i < unit.size(); ++i) unit[i] = rng.uniform(i + 1000 * f);
    box.faces()[f]->map(unit, points, normals, keep);
    box.signed_distance(points, distance);
    box.face_at(points, 0, face);
    for (std::int64_t i = 0; i < n; ++i) {
      CHECK(distance[i] == 0);
      CHECK(face[i] == static_cast<int>(f));
      // One step along the normal leaves the box by just that step: it is outward and of unit length.
      std::vector<double> outside(3);
      for (int axis = 0; axis < 3; ++axis) outside[axis] = points[3 * i + axis] + 0.25 * normals[3 * i + axis];
      CHECK(distance_at(box, outside) == -0.25);
    }
  }
  std::vector<double> unit{0, 0, 0, 1, 1, 1}, points(6), distance(2);
  std::vector<char> keep(2, 1);
  box.interior()[0]->map(unit, points, {}, keep);
  box.signed_distance(points, distance);
  CHECK(distance[0] > 0);  // even the cube's corners go to interior points
  CHECK(distance[1] > 0);
}

TEST_CASE("signed distance of a rectangle against closed forms") {
  const Box rectangle({0, 0}, {4, 2});
  CHECK(distance_at(rectangle, {1, 1}) == 1);
  CHECK(distance_at(rectangle, {0.25, 1}) == 0.25);
  CHECK(distance_at(rectangle, {2, 1.5}) == 0.5);
  CHECK(distance_at(rectangle, {0, 0}) == 0);
  CHECK(distance_at(rectangle, {2, 2}) == 0);
  CHECK(distance_at(rectangle, {5, 1}) == -1);
  CHECK(distance_at(rectangle, {7, 6}) == -5);  // 3-4-5
  CHECK(distance_at(rectangle, {-3, -4}) == -5);
  CHECK(distance_at(Box({0, 0, 0}, {1, 1, 1}), {3, 3, 2}) == -3);  // 2-2-1
}

TEST_CASE("signed distance agrees with the nearest of many boundary points") {
  // Points on a grid of spacing h along each edge are at most h / 2 from the nearest boundary point, along the edge.
  const Box rectangle({-1, 0}, {1, 3});
  const double h = 1e-3;
  std::vector<std::array<double, 2>> boundary;
  for (int i = 0; i <= 2000; ++i) boundary.insert(boundary.end(), {{-1 + i * h, 0}, {-1 + i * h, 3}});
  for (int i = 0; i <= 3000; ++i) boundary.insert(boundary.end(), {{-1, i * h}, {1, i * h}});
  const Rng rng(5, "distance");
  for (int i = 0; i < 50; ++i) {
    const double x = 6 * rng.uniform(2 * i) - 3, y = 7 * rng.uniform(2 * i + 1) - 2;
    double nearest = 1e9;
    for (const auto& [bx, by] : boundary) nearest = std::min(nearest, std::hypot(x - bx, y - by));
    const double distance = distance_at(rectangle, {x, y});
    CHECK((distance > 0) == (std::abs(x) < 1 && y > 0 && y < 3));
    CHECK(std::abs(distance) <= nearest + 1e-15);
    CHECK(nearest <= std::abs(distance) + h / 2);
  }
}

TEST_CASE("a corner belongs to the first of its faces, other points to none") {
  const Box square({0, 0}, {1, 1});
  const std::vector<double> points{0, 0, 1, 0, 1, 1, 0.5, 1, 0.5, 0.5, 1 + 1e-7, 0.5, 2, 1};
  std::vector<int> face(7);
  square.face_at(points, 1e-6, face);
  CHECK(face == std::vector<int>{0, 1, 1, 3, -1, 1, -1});
  std::vector<char> inside(7);
  square.contains(points, 1e-6, inside);
  CHECK(inside == std::vector<char>{1, 1, 1, 1, 1, 1, 0});
}

TEST_CASE("impossible boxes are refused") {
  CHECK_THROWS_AS(Box({1}, {1}), UserError);
  CHECK_THROWS_AS(Box({2, 0}, {1, 1}), UserError);
  CHECK_THROWS_AS(Box({0}, {1, 1}), UserError);
  CHECK_THROWS_AS(Box({}, {}), UserError);
  CHECK_THROWS_AS(Box({std::nan("")}, {1}), UserError);
  CHECK_THROWS_AS(Box({0}, {INFINITY}), UserError);
  CHECK_THROWS_AS(Box({1}, {std::nextafter(1, 2)}), UserError);
  CHECK_THROWS_AS(Box(std::vector<double>(5, 0), std::vector<double>(5, 1e200)), UserError);
}

TEST_CASE("a list of points") {
  const PointCloud cloud(2, {0, 0, 3, 4});
  CHECK(cloud.n_points() == 2);
  CHECK(cloud.size() == 4);
  CHECK(distance_at(cloud, {3, 4}) == 0);
  CHECK(distance_at(cloud, {3, 6}) == -2);
  CHECK_THROWS_AS(PointCloud(2, {}), UserError);
  CHECK_THROWS_AS(PointCloud(2, {1, 2, 3}), UserError);
  CHECK_THROWS_AS(PointCloud(1, {std::nan("")}), UserError);
}
