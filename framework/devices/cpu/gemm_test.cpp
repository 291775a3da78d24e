#include "framework/devices/cpu/gemm.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

using namespace eddy::devices::cpu;

namespace {

/// Right but for the last element of products with a long sum: as a kernel with a wrong tail would be.
void wrong_at_one_place(const EddyGemm& g) {
  naive_library().f64(g);
  if (g.k > 1000) static_cast<double*>(g.c)[(g.m - 1) * g.ldc + g.n - 1] *= 1 + 1e-10;
}
void wrong_when_transposed(const EddyGemm& g) {
  EddyGemm plain = g;
  if (g.transpose_a && g.transpose_b && g.m == g.k && g.lda >= g.m) plain.transpose_a = 0;
  naive_library().f64(plain);
}
void ignores_accumulation(const EddyGemm& g) {
  EddyGemm plain = g;
  plain.accumulate = 0;
  naive_library().f64(plain);
}
void writes_into_the_gap(const EddyGemm& g) {
  naive_library().f64(g);
  if (g.ldc > g.n) static_cast<double*>(g.c)[g.n] = 0;
}
void reads_what_it_overwrites(const EddyGemm& g) {
  EddyGemm added = g;
  added.accumulate = 1;
  if (!g.accumulate) {
    for (std::int64_t i = 0; i < g.m * g.ldc; ++i) {
      if (i % g.ldc < g.n) static_cast<double*>(g.c)[i] *= 0;
    }
  }
  naive_library().f64(added);
}

}  // namespace

TEST_CASE("every library that was built in agrees with the reference") {
  for (const GemmLibrary& library : {dnnl_library(), blis_library(), naive_library()}) {
    INFO(library.name);
    if (library.f32 != nullptr) CHECK(agrees_with_reference(library.f32, EDDY_F32));
    if (library.f64 != nullptr) CHECK(agrees_with_reference(library.f64, EDDY_F64));
  }
  CHECK(chosen_library(EDDY_F32).f32 != nullptr);
  CHECK(chosen_library(EDDY_F64).f64 != nullptr);
}

TEST_CASE("the check finds what libraries get wrong") {
  CHECK_FALSE(agrees_with_reference(wrong_at_one_place, EDDY_F64));
  CHECK_FALSE(agrees_with_reference(wrong_when_transposed, EDDY_F64));
  CHECK_FALSE(agrees_with_reference(ignores_accumulation, EDDY_F64));
  CHECK_FALSE(agrees_with_reference(writes_into_the_gap, EDDY_F64));
  CHECK_FALSE(agrees_with_reference(reads_what_it_overwrites, EDDY_F64));
}

TEST_CASE("empty products") {
  std::vector<double> c{1, 2, 3, 4};
  EddyGemm g{sizeof(EddyGemm), EDDY_F64, 0, 0, 1, 2, 2, 0, nullptr, 0, nullptr, 2, c.data(), 2};
  gemm(g);
  CHECK(c == std::vector<double>{1, 2, 3, 4});
  g.accumulate = 0;
  gemm(g);
  CHECK(c == std::vector<double>{0, 0, 0, 0});
  g.m = 0;
  g.c = nullptr;
  gemm(g);
}
