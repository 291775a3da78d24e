#pragma once
/// Matrix products on the host: which library does them, and that it does them right.

#include <string>

#include "framework/devices/device_api.h"

namespace eddy::devices::cpu {

/// A matrix product on the calling thread alone; the arguments were checked and no size is 0.
using GemmFunction = void (*)(const EddyGemm& gemm);

/// A library's products; null where it has none for the dtype or was not built in.
struct GemmLibrary {
  const char* name;
  GemmFunction f32, f64;
  GemmFunction function(EddyDType dtype) const { return dtype == EDDY_F32 ? f32 : f64; }
};

GemmLibrary dnnl_library();
GemmLibrary blis_library();
/// Plain loops: right everywhere, slow.
GemmLibrary naive_library();

/// Compares `function` with sums in higher precision at shapes that reach blocking, tails, transposition, accumulation
/// and rows with gaps. Each element must be within the classical bound (k + 1) eps sum |a b| (Higham, "Accuracy and
/// Stability of Numerical Algorithms", 2nd ed., section 3.5), and nothing outside c may change.
bool agrees_with_reference(GemmFunction function, EddyDType dtype);

/// The first library that agrees with the reference, found once per process: oneDNN, BLIS, else plain loops with a
/// warning.
const GemmLibrary& chosen_library(EddyDType dtype);

/// A product on the calling thread by the chosen library; any sizes.
void gemm(const EddyGemm& gemm);

/// As gemm(), by row tiles of a fixed size on `threads`: the bits do not depend on their number.
void parallel_gemm(const EddyGemm& gemm, const EddyThreads& threads);

}  // namespace eddy::devices::cpu
