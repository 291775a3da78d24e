#include "science/sampling/region_sampler.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <numbers>

#include "science/geometry/box.h"
#include "science/geometry/point_cloud.h"

using namespace eddy;
using namespace eddy::geometry;
using namespace eddy::sampling;

namespace {
const SamplerKind kAllKinds[] = {SamplerKind::uniform, SamplerKind::latin_hypercube, SamplerKind::halton,
                                 SamplerKind::sobol};

std::shared_ptr<const Geometry> rectangle() {
  return std::make_shared<Box>(std::vector<double>{-1, 0}, std::vector<double>{2, 2});
}
Domain interior_in_time() {
  return Domain(Region::interior("box", rectangle()), {"t", "x", "y"}, TimeRange{"t", 0, 4});
}
Domain boundary() { return Domain(Region::boundary("box.boundary", rectangle()), {"x", "y"}); }

/// Probability that chi-square with an even number of degrees of freedom exceeds x: exp(-x/2) sum_k (x/2)^k / k!.
double chi_square_tail(double x, int degrees) {
  double term = std::exp(-x / 2), sum = 0;
  for (int k = 0; k < degrees / 2; ++k) {
    sum += term;
    term *= x / 2 / (k + 1);
  }
  return sum;
}
double p_value(const std::vector<int>& counts) {
  double n = 0, chi_square = 0;
  for (const int count : counts) n += count;
  const double expected = n / static_cast<double>(counts.size());
  for (const int count : counts) chi_square += (count - expected) * (count - expected) / expected;
  return chi_square_tail(chi_square, static_cast<int>(counts.size()) - 1);
}
/// Keeps x > `limit`.
Criterion right_of(double limit) {
  return [limit](const PointSet& points, std::vector<char>& keep) {
    for (std::size_t i = 0; i < keep.size(); ++i) keep[i] = keep[i] && points.column("x")[i] > limit;
  };
}
/// Keeps x == value to the tolerance of conditions.
Criterion at_x(double value, double size) {
  return [=](const PointSet& points, std::vector<char>& keep) {
    for (std::size_t i = 0; i < keep.size(); ++i) {
      keep[i] = keep[i] && std::abs(points.column("x")[i] - value) <= kRelativeTolerance * size;
    }
  };
}
double sum(const std::vector<double>& values) {
  double total = 0;
  for (const double value : values) total += value;
  return total;
}
}  // namespace

TEST_CASE("the tail of chi-square") {
  CHECK(chi_square_tail(2 * std::log(2.0), 2) == Approx(0.5));
  CHECK(chi_square_tail(112.329, 80) == Approx(0.01).epsilon(1e-3));  // a table's 99 % point
}

TEST_CASE("uniform points fill interior, time and boundary evenly") {
  const RegionSampler inside(interior_in_time(), SamplerKind::uniform), around(boundary(), SamplerKind::uniform);
  int rejected_inside = 0, rejected_around = 0;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    std::vector<int> cells(125), arcs(101);
    const PointSet a = inside.draw(10000, seed, "a"), b = around.draw(10000, seed, "b");
    for (std::size_t i = 0; i < 10000; ++i) {
      const int t = static_cast<int>(a.column("t")[i] / 4 * 5), x = static_cast<int>((a.column("x")[i] + 1) / 3 * 5),
                y = static_cast<int>(a.column("y")[i] / 2 * 5);
      ++cells[25 * t + 5 * x + y];
      // Arc length, counter-clockwise from the corner (-1, 0), over the whole length 10.
      const double bx = b.column("x")[i], by = b.column("y")[i], nx = b.column("nx")[i], ny = b.column("ny")[i];
      const double arc = ny < 0 ? bx + 1 : nx > 0 ? 3 + by : ny > 0 ? 5 + (2 - bx) : 8 + (2 - by);
      ++arcs[static_cast<int>(arc / 10 * 101)];
    }
    rejected_inside += p_value(cells) < 0.01;
    rejected_around += p_value(arcs) < 0.01;
  }
  // Twenty tests at the 1 % level fail twice or more with probability 1.7 %.
  CHECK(rejected_inside <= 1);
  CHECK(rejected_around <= 1);
}

TEST_CASE("boundary integrals converge with every low-discrepancy sampler") {
  // Divergence theorem: the integral of F . n with F = (x^3, x y^2) is that of 3 x^2 + 2 x y over the rectangle
  // (-1, 2) x (0, 2): 18 + 6 = 24.
  for (const SamplerKind kind : {SamplerKind::halton, SamplerKind::sobol}) {
    const RegionSampler around(boundary(), kind);
    const auto error = [&](std::int64_t n) {
      double squares = 0;
      for (std::uint64_t seed = 0; seed < 8; ++seed) {
        const PointSet set = around.draw(n, seed, "flux");
        double flux = 0;
        for (std::size_t i = 0; i < static_cast<std::size_t>(n); ++i) {
          const double x = set.column("x")[i], y = set.column("y")[i];
          flux += set.area[i] * (x * x * x * set.column("nx")[i] + x * y * y * set.column("ny")[i]);
        }
        squares += (flux - 24) * (flux - 24) / 8;
      }
      return std::sqrt(squares);
    };
    // Multiples of 10 split exactly over edges of 2, 2, 3, 3.
    const double slope = std::log2(error(10240) / error(160)) / 6;
    CHECK(slope < -0.8);
  }
}

TEST_CASE("exactly as many points as asked, each part with its share") {
  for (const SamplerKind kind : kAllKinds) {
    const RegionSampler around(boundary(), kind);
    for (const std::int64_t n : {0, 1, 3, 10, 101}) {
      const PointSet set = around.draw(n, 1, "s");
      CHECK(set.n_points == n);
      CHECK(set.column("x").size() == static_cast<std::size_t>(n));
      if (n > 0) CHECK(sum(set.area) == Approx(10));
    }
    const PointSet set = around.draw(100, 1, "s");
    CHECK(std::count(set.column("nx").begin(), set.column("nx").end(), -1.0) == 20);
    CHECK(std::count(set.column("ny").begin(), set.column("ny").end(), 1.0) == 30);
  }
}

TEST_CASE("a criterion keeps the number and scales the area") {
  for (const SamplerKind kind : kAllKinds) {
    const RegionSampler half(interior_in_time(), kind, right_of(0.5));
    // The fraction 1/2 is resolved to 2^-14 by construction of the pilot's points.
    CHECK(half.measure() == Approx(3).epsilon(1e-4));
    const PointSet set = half.draw(777, 2, "half");
    CHECK(set.n_points == 777);
    CHECK(sum(set.area) == Approx(half.measure()));
    const auto& x = set.column("x");
    CHECK(*std::min_element(x.begin(), x.end()) > 0.5);
    CHECK(sum(x) / 777 == Approx(1.25).margin(5 * std::sqrt(1.5 * 1.5 / 12 / 777)));
  }
  // On a boundary the shares follow what is kept: of 10, the upper and lower edges keep 1.5 each, the right one 2.
  const RegionSampler right(boundary(), SamplerKind::sobol, right_of(0.5));
  CHECK(right.measure() == Approx(5).epsilon(1e-4));
  const PointSet set = right.draw(50, 0, "right");
  CHECK(std::count(set.column("nx").begin(), set.column("nx").end(), 1.0) == 20);
  CHECK(std::count(set.column("nx").begin(), set.column("nx").end(), -1.0) == 0);
  // An exact coordinate picks a face out of the boundary.
  const RegionSampler face(boundary(), SamplerKind::sobol, at_x(2, boundary().size()));
  CHECK(face.measure() == 2);
  // A small part, 1e-4 of the whole, is found and filled. Its edge is resolved to one of the pilot's 2^20 points.
  const RegionSampler sliver(interior_in_time(), SamplerKind::uniform, right_of(2 - 3e-4));
  CHECK(sliver.measure() == Approx(6e-4).margin(6.0 / (1 << 20)));
  CHECK(sliver.draw(20, 0, "sliver").n_points == 20);
}

TEST_CASE("a region without points is the user's error, at its place") {
  const SourceLocation where{std::make_shared<std::string>("case.yaml"), 12, 9};
  const auto complaint = [&](const Domain& domain, const Criterion& criterion) {
    try {
      RegionSampler(domain, SamplerKind::sobol, criterion, where);
    } catch (const UserError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  CHECK(complaint(boundary(), right_of(5)).find("case.yaml:12:9: region 'box.boundary' holds no points") == 0);
  CHECK(complaint(interior_in_time(), right_of(5)).find("holds no points") != std::string::npos);
  CHECK(complaint(boundary(), right_of(0)).empty());

  // A criterion that changes its mind must not make the draw run for ever.
  bool open = true;
  const RegionSampler fickle(interior_in_time(), SamplerKind::uniform, [&](const PointSet&, std::vector<char>& keep) {
    if (!open) std::fill(keep.begin(), keep.end(), char{0});
  });
  open = false;
  CHECK_THROWS_AS(fickle.draw(10, 0, "fickle"), UserError);
}

TEST_CASE("points do not depend on threads; points in a list are shared out evenly") {
  ThreadPool two(2), three(3);
  for (const SamplerKind kind : kAllKinds) {
    const RegionSampler sampler(interior_in_time(), kind, right_of(0.1));
    const PointSet serial = sampler.draw(5000, 3, "threads");
    for (ThreadPool* pool : {&two, &three}) {
      const PointSet parallel = sampler.draw(5000, 3, "threads", pool);
      for (const char* column : {"t", "x", "y", "sdf"}) CHECK(parallel.column(column) == serial.column(column));
    }
  }
  const auto cloud = std::make_shared<PointCloud>(1, std::vector<double>{5, 7, 9});
  const RegionSampler steady(Domain(Region::interior("sensors", cloud), {"x"}), SamplerKind::sobol);
  CHECK(steady.draw(3, 0, "s").column("x") == std::vector<double>{5, 7, 9});
  CHECK(steady.measure() == 3);
  const RegionSampler unsteady(Domain(Region::interior("sensors", cloud), {"x", "t"}, TimeRange{"t", 0, 1}),
                               SamplerKind::sobol);
  const PointSet set = unsteady.draw(9, 0, "s");
  CHECK(std::count(set.column("x").begin(), set.column("x").end(), 7.0) == 3);
  CHECK(set.column("t")[0] != set.column("t")[1]);
}

namespace {
/// A disk as a shape of a later kind would do it: its interior rejects corners of the bounding square, its rim is
/// exact.
class Disk final : public Geometry {
 public:
  int n_dims() const override { return 2; }
  const Bounds& bounds() const override { return bounds_; }
  double measure() const override { return std::numbers::pi; }
  void signed_distance(std::span<const double> points, std::span<double> distance) const override {
    for (std::size_t i = 0; i < distance.size(); ++i) distance[i] = 1 - std::hypot(points[2 * i], points[2 * i + 1]);
  }
  const std::vector<std::shared_ptr<const Piece>>& interior() const override { return interior_; }
  const std::vector<std::shared_ptr<const Piece>>& faces() const override { return faces_; }
  void face_at(std::span<const double>, double, std::span<int>) const override {}

 private:
  struct Inside final : Piece {
    std::string none;
    const std::string& name() const override { return none; }
    int dimension() const override { return 2; }
    int n_parameters() const override { return 2; }
    double measure() const override { return 4; }
    bool has_normals() const override { return false; }
    void map(std::span<const double> unit, std::span<double> points, std::span<double>,
             std::span<char> keep) const override {
      for (std::size_t i = 0; i < points.size(); ++i) points[i] = 2 * unit[i] - 1;
      for (std::size_t i = 0; i < keep.size(); ++i) keep[i] = std::hypot(points[2 * i], points[2 * i + 1]) < 1;
    }
  };
  Bounds bounds_{{-1, -1}, {1, 1}};
  std::vector<std::shared_ptr<const Piece>> interior_{std::make_shared<Inside>()}, faces_;
};
}  // namespace

TEST_CASE("pieces that reject candidates are filled like any other") {
  const RegionSampler disk(Domain(Region::interior("disk", std::make_shared<Disk>()), {"x", "y"}), SamplerKind::sobol);
  // 2^14 net points: the rim crosses at most 4 * 128 of the square cells of side 1/64 that hold one point each.
  CHECK(std::abs(disk.measure() - std::numbers::pi) < 4.0 * 512 / 16384);
  const PointSet set = disk.draw(1000, 0, "disk");
  CHECK(set.n_points == 1000);
  CHECK(*std::min_element(set.sdf.begin(), set.sdf.end()) > 0);
}
