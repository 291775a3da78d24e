#include "science/sampling/sobol.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <set>

#include "framework/core/errors.h"

using namespace eddy;
using namespace eddy::sampling;

TEST_CASE("the first Sobol points are the published ones") {
  // The first ten points in three dimensions as printed by Joe and Kuo's own program.
  const double expected[10][3] = {{0, 0, 0},
                                  {0.5, 0.5, 0.5},
                                  {0.75, 0.25, 0.25},
                                  {0.25, 0.75, 0.75},
                                  {0.375, 0.375, 0.625},
                                  {0.875, 0.875, 0.125},
                                  {0.625, 0.125, 0.875},
                                  {0.125, 0.625, 0.375},
                                  {0.1875, 0.3125, 0.9375},
                                  {0.6875, 0.8125, 0.4375}};
  for (int dim = 0; dim < 3; ++dim) {
    const auto directions = Sobol::directions(dim);
    for (std::uint32_t i = 0; i < 10; ++i) CHECK(std::ldexp(Sobol::digits(directions, i), -32) == expected[i][dim]);
  }
}

TEST_CASE("direction numbers solve the recurrence of a primitive polynomial") {
  // The leading digits of direction k are those of m_k / 2^k, m_k odd and below 2^k: each coordinate alone is even.
  // Column k of a coordinate with a primitive polynomial of degree s follows from the s before it; found again here
  // from the columns themselves: the recurrence is linear over GF(2), so columns k >= s determine the polynomial by
  // search.
  std::set<std::uint32_t> polynomials;
  for (int dim = 1; dim < Sobol::kMaxDims; ++dim) {
    const auto v = Sobol::directions(dim);
    for (std::size_t k = 0; k < v.size(); ++k) {
      CHECK((v[k] & ((std::uint32_t{1} << (31 - k)) - 1)) == 0);
      CHECK((v[k] >> (31 - k) & 1) == 1);
    }
    std::uint32_t found = 0;
    for (int s = 1; s <= 7 && found == 0; ++s) {
      for (std::uint32_t a = 0; a < std::uint32_t{1} << (s - 1) && found == 0; ++a) {
        bool holds = true;
        for (int k = s; k < 32 && holds; ++k) {
          std::uint32_t next = v[k - s] ^ (v[k - s] >> s);
          for (int i = 1; i < s; ++i) next ^= (a >> (s - 1 - i) & 1) * v[k - i];
          holds = next == v[k];
        }
        if (holds) found = std::uint32_t{1} << s | a << 1 | 1;
      }
    }
    REQUIRE(found != 0);
    CHECK(polynomials.insert(found).second);  // no polynomial twice
    // Primitive: x generates all 2^s - 1 non-zero residues.
    const int s = 31 - __builtin_clz(found);
    std::uint32_t power = 1, order = 0;
    do {
      power <<= 1;
      if (power >> s & 1) power ^= found;
      ++order;
    } while (power != 1);
    CHECK(order == (std::uint32_t{1} << s) - 1);
  }
}

TEST_CASE("2^m scrambled points are even in every coordinate, and a net in the plane") {
  for (const std::uint64_t seed : {0, 1, 2}) {
    const int m = 10, d = Sobol::kMaxDims;
    const std::int64_t n = 1 << m;
    const auto points = draw_unit(Sobol(d, seed, 3), n, n, nullptr);  // any aligned block, not only the first
    for (int dim = 0; dim < d; ++dim) {
      std::set<int> cells;
      for (std::int64_t i = 0; i < n; ++i) cells.insert(static_cast<int>(points[i * d + dim] * n));
      CHECK(static_cast<std::int64_t>(cells.size()) == n);
    }
    // (0, m, 2)-net: every elementary interval 2^-a x 2^(a-m) of the first two coordinates holds exactly one point.
    for (int a = 0; a <= m; ++a) {
      std::set<int> cells;
      for (std::int64_t i = 0; i < n; ++i) {
        const int row = static_cast<int>(points[i * d] * (1 << a));
        cells.insert(row * (1 << (m - a)) + static_cast<int>(points[i * d + 1] * (1 << (m - a))));
      }
      CHECK(static_cast<std::int64_t>(cells.size()) == n);
    }
  }
}

TEST_CASE("scrambled points are uniform over seeds") {
  // Over seeds the first point's coordinate is uniform in [0, 1]: mean 1/2 and variance 1/12, within five standard
  // errors (of the variance: sqrt((1/80 - 1/144) / n)).
  const int n = 2000;
  double sum = 0, squares = 0;
  for (int seed = 0; seed < n; ++seed) {
    const double x = draw_unit(Sobol(2, static_cast<std::uint64_t>(seed), 0), 0, 1, nullptr)[1] - 0.5;
    sum += x;
    squares += x * x;
  }
  CHECK(std::abs(sum / n) < 5 * std::sqrt(1.0 / 12 / n));
  CHECK(std::abs(squares / n - 1.0 / 12) < 5 * std::sqrt((1.0 / 80 - 1.0 / 144) / n));
}

TEST_CASE("Sobol points end somewhere") {
  CHECK_THROWS_AS(Sobol(Sobol::kMaxDims + 1, 0, 0), UserError);
  double point[1];
  CHECK_NOTHROW(Sobol(1, 0, 0).points((std::uint64_t{1} << 32) - 1, 1, point));
  CHECK_THROWS_AS(Sobol(1, 0, 0).points(std::uint64_t{1} << 32, 1, point), InternalError);
}
