#include <omp.h>
#include <oneapi/dnnl/dnnl.h>

#include "framework/core/log.h"
#include "framework/devices/cpu/gemm.h"

namespace eddy::devices::cpu {

namespace {

void dnnl_f32(const EddyGemm& g) {
  // oneDNN would start an OpenMP team inside each of our threads. The setting is OpenMP's own per-thread state.
  thread_local const bool single_threaded = (omp_set_num_threads(1), true);
  static_cast<void>(single_threaded);
  const auto transposed = [](int flag) { return flag ? 'T' : 'N'; };
  const dnnl_status_t status = dnnl_sgemm(transposed(g.transpose_a), transposed(g.transpose_b), g.m, g.n, g.k, 1.0f,
                                          static_cast<const float*>(g.a), g.lda, static_cast<const float*>(g.b), g.ldb,
                                          g.accumulate ? 1.0f : 0.0f, static_cast<float*>(g.c), g.ldc);
  if (status == dnnl_success) return;
  log::warning_once("dnnl_sgemm", "oneDNN refused a matrix product (out of memory?): plain loops do it");
  naive_library().f32(g);
}

}  // namespace

GemmLibrary dnnl_library() { return {"oneDNN", dnnl_f32, nullptr}; }

}  // namespace eddy::devices::cpu
