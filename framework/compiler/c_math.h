#pragma once
/// Elementary functions as plain C text, for the programs that the compiler prints.
///
/// Every function is branch-free (selects only), so a `for` loop over it becomes vector code, and explicit about each
/// fused multiply-add, so a value has the same bits in a vector body, in its scalar tail and on every machine (of a NaN
/// only its being one is promised). The printed text must be compiled with `-ffp-contract=off -fno-math-errno
/// -fno-trapping-math` and without `-ffast-math`; the first two keep bits, the last two let GCC turn selects into
/// vector code.
///
/// Error at most 4 ulp over all finite arguments, subnormal ones and results included (c_math_test.cpp measures it);
/// infinities, NaN and signed zeros follow C's Annex F. Two exceptions:
///   sin, cos, sincos  4 ulp for |x| <= 1e5; then an absolute error below 2^-50 (f64) and 2^-21 (f32) up to |x| = 2^49
///                     and 2^22; further out the result lies in [-1, 1] and means nothing.
///   pow, f64          the C library's `pow`: precise, but a call per element (link with -lm). f32 goes through f64 and
///                     is vector code.
/// max and min hand on a NaN from either side and return the second of two equal arguments (-0 and +0 too).
/// sign(±0) = ±0.

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "framework/core/dtype.h"

namespace eddy::compiler {

/// One function that a printed program calls, e.g. {"tanh", DType::f64}.
struct MathUse {
  std::string_view function;
  DType dtype;
};

/// The functions that exist: "exp", "expm1", "log", ... All take and return one value, but for max, min and pow (two
/// arguments) and sincos, `void eddy_sincos_f64(double x, double* sine, double* cosine)`.
const std::vector<std::string_view>& c_math_functions();

/// The name to call: c_math_name("tanh", DType::f32) is "eddy_tanh_f32". InternalError for an unknown function or for a
/// dtype other than f32 and f64.
std::string c_math_name(std::string_view function, DType dtype);

/// The text of the functions named in `uses` and of what they call, each once, callees first: what a program needs
/// before its own text. Depends on the set of uses only, not on their order. Holds no builtins (see c_math_builtins).
std::string c_math_prelude(std::span<const MathUse> uses);

/// What the functions above are written in: EDDY_FN, bit casts, fma, sqrt, floor, fabs, copysign, infinity and NaN,
/// here for GCC and Clang. Printers for other targets put their own definitions of the same names in its place.
std::string_view c_math_builtins();

}  // namespace eddy::compiler
