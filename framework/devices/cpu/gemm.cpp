#include "framework/devices/cpu/gemm.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <fmt/core.h>
#include <limits>
#include <type_traits>
#include <vector>

#include "framework/core/log.h"

namespace eddy::devices::cpu {

namespace {

template <typename T>
void naive_gemm(const EddyGemm& g) {
  const auto* a = static_cast<const T*>(g.a);
  const auto* b = static_cast<const T*>(g.b);
  auto* c = static_cast<T*>(g.c);
  const std::int64_t a_row = g.transpose_a ? 1 : g.lda, a_column = g.transpose_a ? g.lda : 1;
  const std::int64_t b_row = g.transpose_b ? 1 : g.ldb, b_column = g.transpose_b ? g.ldb : 1;
  for (std::int64_t i = 0; i < g.m; ++i) {
    T* row = c + i * g.ldc;
    if (!g.accumulate) std::fill(row, row + g.n, T{0});
    for (std::int64_t p = 0; p < g.k; ++p) {
      const T factor = a[i * a_row + p * a_column];
      for (std::int64_t j = 0; j < g.n; ++j) row[j] += factor * b[p * b_row + j * b_column];
    }
  }
}

// Rows of a tile of parallel_gemm: fewer cost a fifth of the speed in f64, more leave threads idle (measured).
constexpr std::int64_t kRows = 256;

struct CheckShape {
  std::int64_t m, n, k;
};
// One of each kind: single numbers, below and above a register block, odd tails, the widths of our networks, more rows
// and longer sums than a cache block. Small, because every start pays for them.
constexpr CheckShape kCheckShapes[] = {{1, 1, 1},    {3, 5, 7},    {1, 50, 50},  {50, 1, 3},   {17, 31, 65},
                                       {64, 33, 64}, {99, 18, 50}, {400, 10, 9}, {20, 70, 20}, {9, 17, 1100}};

/// Numbers in [-1, 1] with all bits in use, the same every time.
template <typename T>
void fill_pattern(std::vector<T>& values, std::uint64_t seed) {
  std::uint64_t state = seed;
  for (T& value : values) {
    state = state * 6364136223846793005u + 1442695040888963407u;  // Knuth's MMIX generator
    value = static_cast<T>(static_cast<double>(state >> 11) * 0x1p-52 - 1.0);
  }
}

template <typename T>
bool agrees(GemmFunction function, const CheckShape& shape, int variant) {
  using Wide = std::conditional_t<std::is_same_v<T, float>, double, long double>;
  const bool transpose_a = variant & 1, transpose_b = variant & 2, accumulate = variant & 4;
  const std::int64_t gap = variant % 3;  // columns that belong to somebody else
  const std::int64_t rows_a = transpose_a ? shape.k : shape.m, lda = (transpose_a ? shape.m : shape.k) + gap;
  const std::int64_t rows_b = transpose_b ? shape.n : shape.k, ldb = (transpose_b ? shape.k : shape.n) + gap;
  const std::int64_t ldc = shape.n + gap;
  std::vector<T> a(static_cast<std::size_t>(rows_a * lda)), b(static_cast<std::size_t>(rows_b * ldb)),
      c(static_cast<std::size_t>(shape.m * ldc));
  fill_pattern(a, 1);
  fill_pattern(b, 2);
  fill_pattern(c, 3);
  const std::vector<T> before = c;
  // What was in c must not matter where it is overwritten, not even a NaN.
  if (!accumulate) {
    for (std::int64_t i = 0; i < shape.m; ++i) {
      std::fill_n(c.begin() + i * ldc, shape.n, std::numeric_limits<T>::quiet_NaN());
    }
  }
  const EddyGemm g{sizeof(EddyGemm), std::is_same_v<T, float> ? EDDY_F32 : EDDY_F64,
                   transpose_a,      transpose_b,
                   accumulate,       shape.m,
                   shape.n,          shape.k,
                   a.data(),         lda,
                   b.data(),         ldb,
                   c.data(),         ldc};
  function(g);
  // (k + 1) eps with unit roundoff eps / 2 leaves a factor 2 for the reference's own rounding.
  const Wide bound = static_cast<Wide>(shape.k + 1) * std::numeric_limits<T>::epsilon();
  for (std::int64_t i = 0; i < shape.m; ++i) {
    for (std::int64_t j = 0; j < ldc; ++j) {
      const auto at = static_cast<std::size_t>(i * ldc + j);
      if (j >= shape.n) {
        if (std::memcmp(&c[at], &before[at], sizeof(T)) != 0) return false;
        continue;
      }
      Wide sum = accumulate ? before[at] : Wide{0}, magnitude = std::abs(sum);
      for (std::int64_t p = 0; p < shape.k; ++p) {
        const Wide term = static_cast<Wide>(a[static_cast<std::size_t>(transpose_a ? p * lda + i : i * lda + p)]) *
                          b[static_cast<std::size_t>(transpose_b ? j * ldb + p : p * ldb + j)];
        sum += term;
        magnitude += std::abs(term);
      }
      if (!(std::abs(c[at] - sum) <= bound * magnitude)) return false;
    }
  }
  return true;
}

GemmLibrary choose(EddyDType dtype) {
  for (const GemmLibrary& library : {dnnl_library(), blis_library()}) {
    const GemmFunction function = library.function(dtype);
    if (function == nullptr) continue;
    if (agrees_with_reference(function, dtype)) return library;
    log::warning(fmt::format("{} computes wrong matrix products ({}) on this processor and is not used", library.name,
                             dtype == EDDY_F32 ? "f32" : "f64"));
  }
  log::warning(fmt::format("no library multiplies {} matrices: plain loops are used, which are slow",
                           dtype == EDDY_F32 ? "f32" : "f64"));
  return naive_library();
}

}  // namespace

GemmLibrary naive_library() { return {"plain loops", naive_gemm<float>, naive_gemm<double>}; }

bool agrees_with_reference(GemmFunction function, EddyDType dtype) {
  int variant = 0;
  for (const CheckShape& shape : kCheckShapes) {
    for (int round = 0; round < 8; ++round, ++variant) {
      const bool ok = dtype == EDDY_F32 ? agrees<float>(function, shape, variant % 8)
                                        : agrees<double>(function, shape, variant % 8);
      if (!ok) return false;
    }
  }
  return true;
}

const GemmLibrary& chosen_library(EddyDType dtype) {
  static const GemmLibrary f32 = choose(EDDY_F32), f64 = choose(EDDY_F64);
  return dtype == EDDY_F32 ? f32 : f64;
}

void gemm(const EddyGemm& g) {
  if (g.m == 0 || g.n == 0) return;
  if (g.k == 0) {  // an empty sum; libraries differ on whether they clear c
    naive_library().function(g.dtype)(g);
    return;
  }
  chosen_library(g.dtype).function(g.dtype)(g);
}

void parallel_gemm(const EddyGemm& g, const EddyThreads& threads) {
  struct Loop {
    const EddyGemm& whole;
    std::int64_t size_of_number;
  } loop{g, g.dtype == EDDY_F32 ? 4 : 8};
  const auto tile = [](void* context, std::int64_t index, int) {
    const auto& [whole, size_of_number] = *static_cast<const Loop*>(context);
    EddyGemm part = whole;
    const std::int64_t first = index * kRows;
    part.m = std::min(kRows, whole.m - first);
    if (part.m > 0 && whole.k > 0) {
      const std::int64_t offset = whole.transpose_a ? first : first * whole.lda;
      part.a = static_cast<const char*>(whole.a) + offset * size_of_number;
    }
    part.c = static_cast<char*>(whole.c) + first * whole.ldc * size_of_number;
    gemm(part);
  };
  threads.parallel_for(threads.context, g.n == 0 ? 0 : (g.m + kRows - 1) / kRows, tile, &loop);
}

}  // namespace eddy::devices::cpu
