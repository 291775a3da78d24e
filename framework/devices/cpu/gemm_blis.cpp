#include <blis.h>
#include <cstdlib>
#include <string>

#include "framework/devices/cpu/gemm.h"

namespace eddy::devices::cpu {

namespace {

/// BLIS 0.9 does not recognize processors newer than itself and then takes kernels for older ones. It reads the hint
/// when it is first called; a user's own wins.
void name_architecture() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512vl")) {
    setenv("BLIS_ARCH_TYPE", std::to_string(BLIS_ARCH_SKX).c_str(), 0);
  }
#endif
}

rntm_t single_threaded() {
  rntm_t settings;
  bli_rntm_init(&settings);
  bli_rntm_set_num_threads(1, &settings);
  return settings;
}

template <typename T, typename F>
void multiply(const EddyGemm& g, F function) {
  T one = 1, beta = g.accumulate ? T{1} : T{0};
  rntm_t settings = single_threaded();
  const auto transposed = [](int flag) { return flag ? BLIS_TRANSPOSE : BLIS_NO_TRANSPOSE; };
  // BLIS takes its operands without const and does not write to them.
  function(transposed(g.transpose_a), transposed(g.transpose_b), g.m, g.n, g.k, &one,
           const_cast<T*>(static_cast<const T*>(g.a)), g.lda, 1, const_cast<T*>(static_cast<const T*>(g.b)), g.ldb, 1,
           &beta, static_cast<T*>(g.c), g.ldc, 1, nullptr, &settings);
}

}  // namespace

GemmLibrary blis_library() {
  name_architecture();
  return {"BLIS", [](const EddyGemm& g) { multiply<float>(g, bli_sgemm_ex); },
          [](const EddyGemm& g) { multiply<double>(g, bli_dgemm_ex); }};
}

}  // namespace eddy::devices::cpu
