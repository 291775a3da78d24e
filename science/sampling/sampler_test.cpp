#include "science/sampling/sampler.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <map>
#include <set>

#include "framework/core/errors.h"
#include "framework/core/rng.h"
#include "science/sampling/permutation.h"

using namespace eddy;
using namespace eddy::sampling;

namespace {
const SamplerKind kAllKinds[] = {SamplerKind::uniform, SamplerKind::latin_hypercube, SamplerKind::halton,
                                 SamplerKind::sobol};

/// Root mean square over 16 randomizations of the error of the mean of prod_i exp(x_i) / (e - 1) over the cube (exactly
/// 1).
double rms_error(SamplerKind kind, int n_dims, std::int64_t n) {
  double sum = 0;
  for (std::uint64_t seed = 0; seed < 16; ++seed) {
    const auto points = draw_unit(*make_sampler(kind, n_dims, n, seed, 1), 0, n, nullptr);
    double mean = 0;
    for (std::int64_t i = 0; i < n; ++i) {
      double f = 1;
      for (int d = 0; d < n_dims; ++d) f *= std::exp(points[i * n_dims + d]) / (std::exp(1.0) - 1);
      mean += f / static_cast<double>(n);
    }
    sum += (mean - 1) * (mean - 1);
  }
  return std::sqrt(sum / 16);
}

/// Slope of the least-squares line through log2(error) over log2(n), n = 2^6 ... 2^13.
double convergence_order(SamplerKind kind, int n_dims) {
  double sx = 0, sy = 0, sxx = 0, sxy = 0;
  for (int m = 6; m <= 13; ++m) {
    const double y = std::log2(rms_error(kind, n_dims, std::int64_t{1} << m));
    sx += m;
    sy += y;
    sxx += m * m;
    sxy += m * y;
  }
  return (8 * sxy - sx * sy) / (8 * sxx - sx * sx);
}
}  // namespace

TEST_CASE("samplers are found by name") {
  for (const SamplerKind kind : kAllKinds) CHECK(sampler_kind_from_name(name(kind)) == kind);
  CHECK_FALSE(sampler_kind_from_name("sobl"));
  CHECK(sampler_names().size() == 4);
}

TEST_CASE("a point depends on seed, stream and index alone") {
  ThreadPool two(2), three(3);
  for (const SamplerKind kind : kAllKinds) {
    const auto sampler = make_sampler(kind, 3, 1000, 7, 9);
    const auto all = draw_unit(*sampler, 0, 5000, nullptr);
    CHECK(draw_unit(*sampler, 0, 5000, &two) == all);
    CHECK(draw_unit(*sampler, 0, 5000, &three) == all);
    CHECK(draw_unit(*sampler, 1234, 2000, &two) == std::vector<double>(all.begin() + 3 * 1234, all.begin() + 3 * 3234));
    CHECK(draw_unit(*make_sampler(kind, 3, 1000, 7, 9), 0, 5000, nullptr) == all);
    CHECK(draw_unit(*make_sampler(kind, 3, 1000, 8, 9), 0, 5000, nullptr) != all);
    CHECK(draw_unit(*make_sampler(kind, 3, 1000, 7, 10), 0, 5000, nullptr) != all);
    CHECK(std::all_of(all.begin(), all.end(), [](double u) { return u > 0 && u < 1; }));
    CHECK(std::set<double>(all.begin(), all.end()).size() > all.size() - 3);  // no systematic repetition
    CHECK(draw_unit(*make_sampler(kind, 0, 1, 0, 0), 0, 10, nullptr).empty());
  }
}

TEST_CASE("Latin hypercubes are exactly stratified") {
  for (const std::int64_t n : {1, 2, 3, 7, 100, 1000}) {
    const int d = 5;
    const auto points = draw_unit(*make_sampler(SamplerKind::latin_hypercube, d, n, 3, 4), 0, 2 * n, nullptr);
    for (std::int64_t block = 0; block < 2; ++block) {
      for (int dim = 0; dim < d; ++dim) {
        std::set<std::int64_t> cells;
        for (std::int64_t i = 0; i < n; ++i) {
          cells.insert(static_cast<std::int64_t>(points[(block * n + i) * d + dim] * static_cast<double>(n)));
        }
        CHECK(static_cast<std::int64_t>(cells.size()) == n);
        CHECK(*cells.rbegin() == n - 1);
      }
    }
  }
}

TEST_CASE("Halton points fall evenly into intervals of their bases") {
  const int d = 4;
  const std::int64_t bases[d] = {2, 3, 5, 7};
  const std::int64_t n = 7 * 7 * 7 * 8;
  const auto points = draw_unit(*make_sampler(SamplerKind::halton, d, 1, 5, 6), 0, n, nullptr);
  for (int dim = 0; dim < d; ++dim) {
    for (std::int64_t cells = bases[dim]; cells <= 343; cells *= bases[dim]) {
      for (std::int64_t first = 0; first + cells <= n; first += cells) {
        std::set<std::int64_t> hit;
        for (std::int64_t i = 0; i < cells; ++i) {
          hit.insert(static_cast<std::int64_t>(points[(first + i) * d + dim] * static_cast<double>(cells)));
        }
        REQUIRE(static_cast<std::int64_t>(hit.size()) == cells);
      }
    }
  }
  // In the plane: 2^a 3^b successive points, one in each cell of 2^a x 3^b (a = 3, b = 2).
  std::set<std::int64_t> hit;
  for (std::int64_t i = 0; i < 72; ++i) {
    hit.insert(static_cast<std::int64_t>(points[i * d] * 8) * 9 + static_cast<std::int64_t>(points[i * d + 1] * 9));
  }
  CHECK(hit.size() == 72);
}

TEST_CASE("integration errors fall as they should") {
  // Theory for smooth integrands: uniform -1/2; Halton -1 up to logarithms; scrambled Sobol -3/2 up to logarithms;
  // Latin hypercube -3/2 in one dimension and -1/2, with a smaller constant, in more.
  for (const int d : {2, 3}) {
    CHECK(convergence_order(SamplerKind::halton, d) < -0.8);
    CHECK(convergence_order(SamplerKind::sobol, d) < -1.2);
    CHECK(std::abs(convergence_order(SamplerKind::uniform, d) + 0.5) < 0.2);
    CHECK(rms_error(SamplerKind::latin_hypercube, d, 1024) < 0.5 * rms_error(SamplerKind::uniform, d, 1024));
  }
  CHECK(convergence_order(SamplerKind::latin_hypercube, 1) < -1.2);
}

TEST_CASE("permutations are permutations and near to uniform") {
  for (const std::uint64_t size : {1, 2, 3, 4, 5, 16, 17, 100, 4097}) {
    const Permutation order(size, 11);
    std::set<std::uint64_t> images;
    for (std::uint64_t i = 0; i < size; ++i) images.insert(order(i));
    CHECK(images.size() == size);
    CHECK(*images.rbegin() == size - 1);
  }
  // Over 6000 keys each of the 24 orders of 4 things comes about 250 times. Chi-square with 23 degrees of freedom
  // exceeds 49.7 with probability 0.001.
  std::map<std::uint64_t, int> counts;
  const Rng keys(1, "keys");
  for (std::uint64_t k = 0; k < 6000; ++k) {
    const Permutation order(4, keys.bits(k));
    ++counts[order(0) * 64 + order(1) * 16 + order(2) * 4 + order(3)];
  }
  CHECK(counts.size() == 24);
  double chi_square = 0;
  for (const auto& [order, count] : counts) chi_square += (count - 250.0) * (count - 250.0) / 250.0;
  CHECK(chi_square < 49.7);
}
