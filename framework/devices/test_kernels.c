/* Kernels as generated code would contain them, for device_test.cpp. */

#include "framework/devices/device_api.h"

struct scale_context {
  const double* in;
  double* out;
  double factor;
};

static void scale_one(void* context, int64_t index, int thread) {
  const struct scale_context* c = (const struct scale_context*)context;
  (void)thread;
  c->out[index] = c->factor * c->in[index];
}

/* args: in [n], out [n], factor, n */
void scale(const EddyKernelHost* host, void* const* args) {
  struct scale_context context;
  context.in = (const double*)args[0];
  context.out = (double*)args[1];
  context.factor = *(const double*)args[2];
  host->threads.parallel_for(host->threads.context, *(const int64_t*)args[3], scale_one, &context);
}

/* args: a [2, 2], b [2, 2], c [2, 2] */
void product(const EddyKernelHost* host, void* const* args) {
  EddyGemm gemm = {sizeof(EddyGemm), EDDY_F64, 0, 0, 0, 2, 2, 2, args[0], 2, args[1], 2, args[2], 2};
  host->gemm(&gemm);
}
