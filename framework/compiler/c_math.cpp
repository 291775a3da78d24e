#include "framework/compiler/c_math.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <fmt/format.h>
#include <set>

#include "framework/core/errors.h"

namespace eddy::compiler {
namespace {

// Texts are written once for both dtypes: $R is the real type, $U the unsigned integer of its size, $T the suffix of
// names,
// $(0.5) a literal, $NAME a constant of the table below.
struct Function {
  std::string_view name;
  std::string_view text;
  bool called_by_programs = true;
};

struct Constant {
  std::string_view name, f64, f32;
};

constexpr Constant constants[] = {
    // Adding it to |t| < 2^(mantissa - 1) rounds t to an integer, which then stands in the low bits.
    {"ROUND", "0x1.8p52", "0x1.8p23f"},
    {"TWO_TO_MANTISSA", "0x1p52", "0x1p23f"},
    {"MANTISSA", "52", "23"},
    {"MANTISSA_MASK", "0xfffffffffffffull", "0x7fffffu"},
    {"SIGN_SHIFT", "62", "30"},  // moves bit 1 to the sign
    {"BIAS", "1023", "127"},
    {"BITS_OF_ONE", "0x3ff0000000000000ull", "0x3f800000u"},
    {"BITS_OF_SQRT_HALF", "0x3fe6a09e667f3bcdull", "0x3f3504f3u"},
    {"LEAST_NORMAL", "0x1p-1022", "0x1p-126f"},
    {"SUBNORMAL_SCALE", "0x1p54", "0x1p25f"},
    {"SUBNORMAL_EXPONENT", "54.0", "25.0f"},
    {"LOG2E", "0x1.71547652b82fep+0", "0x1.715476p+0f"},
    {"LN2_HI", "0x1.62e42fefa39efp-1", "0x1.62e43p-1f"},
    {"LN2_LO", "0x1.abc9e3b39803fp-56", "-0x1.05c61p-29f"},
    {"TWO_OVER_PI", "0x1.45f306dc9c883p-1", "0x1.45f306p-1f"},
    // pi/2 in three parts, all positive: then x - 0 pi/2 keeps the sign of x = -0.
    {"PI_HALVES_1", "0x1.921fb54442d18p+0", "0x1.921fb4p+0f"},
    {"PI_HALVES_2", "0x1.1a62633145c06p-54", "0x1.4442dp-24f"},
    {"PI_HALVES_3", "0x1.c1cd129024e08p-107", "0x1.846988p-48f"},
    {"PI_QUARTER_1", "0x1.921fb54442d18p-1", "0x1.921fb6p-1f"},
    {"PI_QUARTER_2", "0x1.1a62633145c07p-55", "-0x1.777a5cp-26f"},
    // exp is 0 below EXP_MIN and infinite above EXP_MAX; both leave the exponent's two halves in range.
    {"EXP_MIN", "-746.0", "-104.0f"},
    {"EXP_MAX", "711.0", "90.0f"},
    // expm1 is infinite above EXPM1_MAX, where 2^(n-1) is still finite, and rounds to -1 below EXPM1_MIN.
    {"EXPM1_MIN", "-38.0", "-18.0f"},
    {"EXPM1_MAX", "710.0", "89.0f"},
    {"SINH_MAX", "710.5", "89.5f"},  // sinh overflows before, and 2^(n-2) is still finite
    {"SINH_TINY", "0x1p-27", "0x1p-12f"},
    {"TANH_MAX", "20.0", "10.0f"},  // tanh rounds to 1
    {"LOG1P_BIG", "0x1p54", "0x1p25f"},
    {"LOG1P_SCALE", "0x1p-64", "0x1p-32f"},
    {"LOG1P_EXPONENT", "64.0", "32.0f"},
    {"ERF_MAX", "5.93", "3.93f"},  // erf rounds to 1
};

// Minimax-like polynomials by weighted least squares at Chebyshev nodes, coefficients rounded one after the other and
// the rest fitted again. `error` bounds the relative error of the function assembled from it, before rounding of the
// evaluation.
struct Polynomial {
  std::string_view name, comment;
  std::vector<double> f64, f32;
};

const std::vector<Polynomial>& polynomials() {
  static const std::vector<Polynomial> table = {
      {"poly_expm1",
       "(e^r - 1 - r) / r^2 for |r| <= ln(2)/2; error of e^r - 1 below 2^-55.5 (f64), 2^-26.0 (f32)",
       {0x1.0000000000005p-1, 0x1.555555555553dp-3, 0x1.5555555552109p-5, 0x1.1111111118209p-7, 0x1.6c16c17f3156ap-10,
        0x1.a01a017989e54p-13, 0x1.a019a6966ef8ep-16, 0x1.71de7e5652f86p-19, 0x1.28a29df94b8a6p-22,
        0x1.ae7aaebae4521p-26},
       {0x1.fffffep-2, 0x1.5554aep-3, 0x1.555722p-5, 0x1.1228d2p-7, 0x1.6b6550p-10}},
      {"poly_log",
       "(2 atanh(s) - 2 s) / s^3 with z = s^2 <= 0.0295; error of 2 atanh(s) below 2^-59 (f64), 2^-30 (f32)",
       {0x1.5555555555594p-1, 0x1.999999997f6eep-2, 0x1.24924942423edp-2, 0x1.c71c51ceeacd2p-3, 0x1.746649e261b8dp-3,
        0x1.39a0b1c03dbcbp-3, 0x1.2f0f4cbb2f684p-3},
       {0x1.55557ap-1, 0x1.995ed6p-2, 0x1.31e09ep-2}},
      {"poly_sin",
       "(sin(r) - r) / r^3 with z = r^2, |r| <= 0.79; error of sin below 2^-57 (f64), 2^-27 (f32)",
       {-0x1.5555555555548p-3, 0x1.111111110f70ep-7, -0x1.a01a019be18d2p-13, 0x1.71de354c35a5ap-19,
        -0x1.ae5e42e8804b6p-26, 0x1.5d8870330dd53p-33},
       {-0x1.555544p-3, 0x1.1106dap-7, -0x1.99262p-13}},
      {"poly_cos",
       "(cos(r) - 1 + r^2/2) / r^4 with z = r^2, |r| <= 0.79; error of cos below 2^-63 (f64), 2^-32 (f32)",
       {0x1.555555555554ap-5, -0x1.6c16c16c14e2ap-10, 0x1.a01a019c6284ap-16, -0x1.27e4f7d297c40p-22,
        0x1.1ee9c72c121b7p-29, -0x1.8f9be8eed0bcap-37},
       {0x1.55554ap-5, -0x1.6c0c24p-10, 0x1.99e5c4p-16}},
      {"poly_atan",
       "(atan(t) - t) / t^3 with z = t^2, |t| <= sqrt(2) - 1; error of atan below 2^-59 (f64), 2^-30 (f32)",
       {-0x1.555555555553bp-2, 0x1.99999999954ecp-3, -0x1.249249229b088p-3, 0x1.c71c70dfd428bp-4, -0x1.745cf83c70f44p-4,
        0x1.3b110f02f05b2p-4, -0x1.10eb4ea9a167bp-4, 0x1.df09b7a3e46e2p-5, -0x1.9cbb391a02d56p-5, 0x1.379d633b41bdcp-5,
        -0x1.24f5be7dff754p-6},
       {-0x1.555548p-2, 0x1.999128p-3, -0x1.23ae5ap-3, 0x1.b194ecp-4, -0x1.f062aep-5}},
      {"poly_asin",
       "(asin(s) - s) / s^3 with z = s^2, |s| <= 1/2; error of asin below 2^-55.7 (f64), 2^-27.5 (f32)",
       {0x1.555555555538fp-3, 0x1.333333336e26ep-4, 0x1.6db6db42dc591p-5, 0x1.f1c72c11f4231p-6, 0x1.6e89f854cb40cp-6,
        0x1.1c6ba01d12ba5p-6, 0x1.c70301426e89fp-7, 0x1.8e9fc706c0035p-7, 0x1.ad03736b32243p-8, 0x1.3f20db16c41c1p-6,
        -0x1.0886b73fe9912p-6, 0x1.04fbd5f5a0bcfp-5},
       {0x1.5555cap-3, 0x1.3301acp-4, 0x1.74808cp-5, 0x1.8c2538p-6, 0x1.59652cp-5}},
      {"poly_erf",
       "erf(x) / x - 1 with z = x^2, |x| <= 1; error of erf below 2^-56 (f64), 2^-29 (f32)",
       {0x1.06eba8214db68p-3, -0x1.812746b0379b1p-2, 0x1.ce2f21a04082ep-4, -0x1.b82ce311eba5fp-6, 0x1.565bccf79918cp-8,
        -0x1.c02db00a4932ep-11, 0x1.f9a2b66c1a280p-14, -0x1.f4ca130bd4b37p-17, 0x1.b97dc7cd14904p-20,
        -0x1.5bfb9f8386962p-23, 0x1.d6d1129df1c7dp-27, -0x1.aadfed8c5cab7p-31},
       {0x1.06eba8p-3, -0x1.81273ep-2, 0x1.ce2cfp-4, -0x1.b7f858p-6, 0x1.53ff92p-8, -0x1.a3c95cp-11, 0x1.48edeep-14}},
      {"poly_log_erfc",
       "log(erfc(x)) for 1 <= x <= 5.93 (f64), 3.93 (f32), weighted for 1 - erfc(x): error of erf below 2^-54.6, "
       "2^-25.8",
       {-0x1.2503fc05e6297p-20, -0x1.20dcc15b351d3p+0, -0x1.45f96ea8df3fdp-1, -0x1.a464824013ab9p-4,
        0x1.3502e8630f7b9p-6, 0x1.3578520907d88p-11, -0x1.13e088c647985p-9, 0x1.e4a6c60b5e29bp-11,
        -0x1.e9167cc64b2cfp-13, 0x1.e90990913bfddp-16, 0x1.aefe66fb12e02p-19, -0x1.587900c2481c3p-19,
        0x1.65cb901663548p-21, -0x1.c37f8c6067e83p-24, 0x1.6c0710a598c6ep-27, -0x1.5bfba4a0f7cf9p-31,
        0x1.2e2150dd749bdp-36},
       {-0x1.5477fap-9, -0x1.1e21a6p+0, -0x1.4ee966p-1, -0x1.6c0fb6p-4, 0x1.e6f498p-7, -0x1.306594p-10}},
  };
  return table;
}

// Callees before callers. What a test finds by its name: eddy_<name>_$T.
constexpr Function functions[] = {
    {"scale", R"(
/* p 2^n for integer-valued n: two factors, so that only the last product rounds, over- or underflows. */
EDDY_FN $R eddy_scale_$T($R p, $R n) {
  $R h = n * $(0.5) + $ROUND;
  $U half = eddy_bits_$T(h), rest = eddy_bits_$T(n + $ROUND) - half;
  return p * eddy_from_bits_$T((half + $BIAS) << $MANTISSA) * eddy_from_bits_$T((rest + $BIAS) << $MANTISSA);
}
)",
     false},
    {"exp_reduce", R"(
/* x = n ln(2) + r, |r| <= ln(2)/2: stores n, returns e^r - 1. */
EDDY_FN $R eddy_exp_reduce_$T($R x, $R* n) {
  $R k = eddy_fma_$T(x, $LOG2E, $ROUND) - $ROUND;
  $R r = eddy_fma_$T(-k, $LN2_LO, eddy_fma_$T(-k, $LN2_HI, x));
  *n = k;
  return eddy_fma_$T(r * r, eddy_poly_expm1_$T(r), r);
}
)",
     false},
    {"exp", R"(
EDDY_FN $R eddy_exp_$T($R x) {
  $R n, p, y = x > $EXP_MAX ? $EXP_MAX : x;
  y = y < $EXP_MIN ? $EXP_MIN : y;
  p = eddy_exp_reduce_$T(y, &n);
  return eddy_scale_$T($(1.0) + p, n);
}
)"},
    {"expm1", R"(
/* 2^n p + (2^n - 1), at half size so that n = 1024 (128) stays finite; p itself where n = 0 keeps subnormals. */
EDDY_FN $R eddy_expm1_$T($R x) {
  $R n, p, s, y = x > $EXPM1_MAX ? $EXPM1_MAX : x;
  y = y < $EXPM1_MIN ? $EXPM1_MIN : y;
  p = eddy_exp_reduce_$T(y, &n);
  s = eddy_scale_$T($(0.5), n);
  return eddy_copysign_$T(n == $(0.0) ? p : $(2.0) * eddy_fma_$T(s, p, s - $(0.5)), x);
}
)"},
    {"log_core", R"(
/* log(1 + f) + n ln(2) for 1 + f in [sqrt(1/2), sqrt(2)]: log(1 + f) = f - (f^2/2 - s (f^2/2 + R)), s = f/(2 + f). */
EDDY_FN $R eddy_log_core_$T($R f, $R n) {
  $R s = f / ($(2.0) + f), z = s * s, h = $(0.5) * f * f;
  $R t = eddy_fma_$T(s, h + z * eddy_poly_log_$T(z), n * $LN2_LO);
  return eddy_fma_$T(n, $LN2_HI, f - (h - t));
}
)",
     false},
    {"log", R"(
EDDY_FN $R eddy_log_$T($R x) {
  $R y = x < $LEAST_NORMAL ? x * $SUBNORMAL_SCALE : x;
  $R shift = x < $LEAST_NORMAL ? $SUBNORMAL_EXPONENT : $(0.0);
  $U u = eddy_bits_$T(y) + ($BITS_OF_ONE - $BITS_OF_SQRT_HALF);
  $R n = eddy_from_bits_$T((u >> $MANTISSA) | eddy_bits_$T($TWO_TO_MANTISSA)) - ($TWO_TO_MANTISSA + $(1.0) * $BIAS) - shift;
  $R r = eddy_log_core_$T(eddy_from_bits_$T((u & $MANTISSA_MASK) + $BITS_OF_SQRT_HALF) - $(1.0), n);
  r = x < eddy_inf_$T ? r : x;
  r = x < $(0.0) ? eddy_nan_$T : r;
  return x == $(0.0) ? -eddy_inf_$T : r;
}
)"},
    {"log1p", R"(
/* f = 2^-n (1 + x) - 1 in one rounding, 2^n next to 1 + x; for large x the 1 is nothing and x is scaled down first. */
EDDY_FN $R eddy_log1p_$T($R x) {
  $R y = x > $LOG1P_BIG ? x * $LOG1P_SCALE : x;
  $R shift = x > $LOG1P_BIG ? $LOG1P_EXPONENT : $(0.0);
  $R one = x > $LOG1P_BIG ? $(0.0) : $(1.0);
  $U e = (eddy_bits_$T(one + y) + ($BITS_OF_ONE - $BITS_OF_SQRT_HALF)) >> $MANTISSA;
  $R n = eddy_from_bits_$T(e | eddy_bits_$T($TWO_TO_MANTISSA)) - ($TWO_TO_MANTISSA + $(1.0) * $BIAS);
  $R s = eddy_from_bits_$T((2u * $BIAS - e) << $MANTISSA);
  $R r = eddy_log_core_$T(eddy_fma_$T(y, s, s * one - $(1.0)), n + shift);
  r = x < eddy_inf_$T ? eddy_copysign_$T(r, x) : x;
  r = x < $(-1.0) ? eddy_nan_$T : r;
  return x == $(-1.0) ? -eddy_inf_$T : r;
}
)"},
    {"trig_reduce", R"(
/* x - n pi/2, clamped where x is too large for n to be right. The first step is exact for |x| <= 1e5, the second where it matters. */
EDDY_FN $R eddy_trig_reduce_$T($R x, $R n) {
  $R r = eddy_fma_$T(-n, $PI_HALVES_3, eddy_fma_$T(-n, $PI_HALVES_2, eddy_fma_$T(-n, $PI_HALVES_1, x)));
  r = r > $(1.0) ? $(1.0) : r;
  return r < $(-1.0) ? $(-1.0) : r;
}
)",
     false},
    {"sin_core", R"(
EDDY_FN $R eddy_sin_core_$T($R r) {
  $R z = r * r;
  return eddy_copysign_$T(eddy_fma_$T(r * z, eddy_poly_sin_$T(z), r), r);
}
)",
     false},
    {"cos_core", R"(
EDDY_FN $R eddy_cos_core_$T($R r) {
  $R z = r * r;
  return eddy_fma_$T(z * z, eddy_poly_cos_$T(z), eddy_fma_$T($(-0.5), z, $(1.0)));
}
)",
     false},
    {"sincos", R"(
EDDY_FN void eddy_sincos_$T($R x, $R* sine, $R* cosine) {
  $R k = eddy_fma_$T(x, $TWO_OVER_PI, $ROUND);
  $R r = eddy_trig_reduce_$T(x, k - $ROUND);
  $R s = eddy_sin_core_$T(r), c = eddy_cos_core_$T(r);
  $U q = eddy_bits_$T(k);
  *sine = eddy_from_bits_$T(eddy_bits_$T((q & 1u) != 0u ? c : s) ^ ((q & 2u) << $SIGN_SHIFT));
  *cosine = eddy_from_bits_$T(eddy_bits_$T((q & 1u) != 0u ? s : c) ^ (((q + 1u) & 2u) << $SIGN_SHIFT));
}
)"},
    {"sin", R"(
EDDY_FN $R eddy_sin_$T($R x) {
  $R s, c;
  eddy_sincos_$T(x, &s, &c);
  return s;
}
)"},
    {"cos", R"(
EDDY_FN $R eddy_cos_$T($R x) {
  $R s, c;
  eddy_sincos_$T(x, &s, &c);
  return c;
}
)"},
    {"sinh", R"(
/* With m = e^|x| - 1 and h = m/4, which stays finite: sinh = (m + m/(m + 1))/2 = 2 h + h/(2 h + 1/2). */
EDDY_FN $R eddy_sinh_$T($R x) {
  $R a = eddy_fabs_$T(x), y = a > $SINH_MAX ? $SINH_MAX : a, n;
  $R p = eddy_exp_reduce_$T(y, &n);
  $R s = eddy_scale_$T($(0.25), n);
  $R h = eddy_fma_$T(s, p, s - $(0.25));
  return eddy_copysign_$T(a < $SINH_TINY ? a : $(2.0) * h + h / eddy_fma_$T($(2.0), h, $(0.5)), x);
}
)"},
    {"cosh", R"(
EDDY_FN $R eddy_cosh_$T($R x) {
  $R a = eddy_fabs_$T(x), y = a > $EXP_MAX ? $EXP_MAX : a, n;
  $R p = eddy_exp_reduce_$T(y, &n);
  $R h = eddy_scale_$T($(1.0) + p, n - $(1.0));
  return h + $(0.25) / h;
}
)"},
    {"tanh", R"(
/* m/(m + 2) with m = e^(2|x|) - 1. One step of reduction is enough: the error n (ln(2) - LN2_HI) in r is damped by 2 e^y/(e^(2 y) - 1). */
EDDY_FN $R eddy_tanh_$T($R x) {
  $R a = eddy_fabs_$T(x), b = a > $TANH_MAX ? $TANH_MAX : a, y = b + b;
  $R k = eddy_fma_$T(y, $LOG2E, $ROUND);
  $R r = eddy_fma_$T($ROUND - k, $LN2_HI, y);
  $R p = eddy_fma_$T(r * r, eddy_poly_expm1_$T(r), r);
  $R s = eddy_from_bits_$T((eddy_bits_$T(k) + $BIAS) << $MANTISSA);
  return eddy_copysign_$T(eddy_fma_$T(s, p, s - $(1.0)) / eddy_fma_$T(s, p, s + $(1.0)), x);
}
)"},
    {"sigmoid", R"(
EDDY_FN $R eddy_sigmoid_$T($R x) {
  $R e = eddy_exp_$T(-eddy_fabs_$T(x));
  return (x >= $(0.0) ? $(1.0) : e) / ($(1.0) + e);
}
)"},
    {"softplus", R"(
EDDY_FN $R eddy_softplus_$T($R x) {
  return (x > $(0.0) ? x : $(0.0)) + eddy_log1p_$T(eddy_exp_$T(-eddy_fabs_$T(x)));
}
)"},
    {"erf", R"(
EDDY_FN $R eddy_erf_$T($R x) {
  $R a = eddy_fabs_$T(x), b = a > $ERF_MAX ? $ERF_MAX : a;
  $R inner = eddy_fma_$T(a, eddy_poly_erf_$T(a * a), a);
  $R outer = $(1.0) - eddy_exp_$T(eddy_poly_log_erfc_$T(b));
  return eddy_copysign_$T(a < $(1.0) ? inner : outer, x);
}
)"},
    {"atan", R"(
/* atan(a) = b + atan(t): t = a, b = 0 up to sqrt(2) - 1; t = (a - 1)/(a + 1), b = pi/4 up to sqrt(2) + 1; then t = -1/a, b = pi/2. */
EDDY_FN $R eddy_atan_$T($R x) {
  $R a = eddy_fabs_$T(x);
  $R top = a > $(2.41421356) ? $(-1.0) : (a < $(0.41421356) ? a : a - $(1.0));
  $R bottom = a > $(2.41421356) ? a : (a < $(0.41421356) ? $(1.0) : a + $(1.0));
  $R high = a > $(2.41421356) ? $PI_HALVES_1 : (a < $(0.41421356) ? $(0.0) : $PI_QUARTER_1);
  $R low = a > $(2.41421356) ? $PI_HALVES_2 : (a < $(0.41421356) ? $(0.0) : $PI_QUARTER_2);
  $R t = top / bottom, z = t * t;
  return eddy_copysign_$T(high + (eddy_fma_$T(t * z, eddy_poly_atan_$T(z), t) + low), x);
}
)"},
    {"asin", R"(
/* asin(a) = pi/2 - 2 asin(sqrt((1 - a)/2)) above 1/2. */
EDDY_FN $R eddy_asin_$T($R x) {
  $R a = eddy_fabs_$T(x);
  $R z = a > $(0.5) ? eddy_fma_$T($(-0.5), a, $(0.5)) : a * a;
  $R s = a > $(0.5) ? eddy_sqrt_$T(z) : a;
  $R y = eddy_fma_$T(s * z, eddy_poly_asin_$T(z), s);
  return eddy_copysign_$T(a > $(0.5) ? $PI_HALVES_1 - ($(2.0) * y - $PI_HALVES_2) : y, x);
}
)"},
    {"rsqrt", R"(
EDDY_FN $R eddy_rsqrt_$T($R x) { return $(1.0) / eddy_sqrt_$T(x); }
)"},
    {"max", R"(
EDDY_FN $R eddy_max_$T($R a, $R b) { return a > b || a != a ? a : b; }
)"},
    {"min", R"(
EDDY_FN $R eddy_min_$T($R a, $R b) { return a < b || a != a ? a : b; }
)"},
    {"sign", R"(
EDDY_FN $R eddy_sign_$T($R x) { return x > $(0.0) ? $(1.0) : (x < $(0.0) ? $(-1.0) : x); }
)"},
};

// pow is the one function whose two dtypes differ.
constexpr std::string_view pow_f64 = R"(
EDDY_FN double eddy_pow_f64(double x, double y) { return eddy_libm_pow_f64(x, y); }
)";
constexpr std::string_view pow_f32 = R"(
/* |x|^y = e^(y log|x|) in double: 88 units of error at most, far below one of float. The sign and the domain by hand. */
EDDY_FN float eddy_pow_f32(float x, float y) {
  float a = eddy_fabs_f32(x), half = 0.5f * y;
  double m = eddy_exp_f64((double)y * eddy_log_f64((double)a));
  float r = a == 1.0f ? 1.0f : (float)m;
  float odd = eddy_floor_f32(y) == y && eddy_floor_f32(half) != half ? -1.0f : 1.0f;
  r = eddy_copysign_f32(1.0f, x) < 0.0f ? odd * r : r;
  r = x < 0.0f && eddy_floor_f32(y) != y && a < eddy_inf_f32 ? eddy_nan_f32 : r;
  return x == 1.0f || y == 0.0f ? 1.0f : r;
}
)";

// One operation of the target each: defined by c_math_builtins.
constexpr std::string_view builtin_functions[] = {"sqrt", "abs", "floor"};

constexpr std::string_view builtins = R"(#define EDDY_FN static inline __attribute__((always_inline, unused))
typedef unsigned long long eddy_u64;
typedef unsigned int eddy_u32;
#define eddy_fma_f64 __builtin_fma
#define eddy_fma_f32 __builtin_fmaf
#define eddy_sqrt_f64 __builtin_sqrt
#define eddy_sqrt_f32 __builtin_sqrtf
#define eddy_floor_f64 __builtin_floor
#define eddy_floor_f32 __builtin_floorf
#define eddy_fabs_f64 __builtin_fabs
#define eddy_fabs_f32 __builtin_fabsf
#define eddy_abs_f64 __builtin_fabs
#define eddy_abs_f32 __builtin_fabsf
#define eddy_copysign_f64 __builtin_copysign
#define eddy_copysign_f32 __builtin_copysignf
#define eddy_libm_pow_f64 __builtin_pow
#define eddy_inf_f64 __builtin_inf()
#define eddy_inf_f32 __builtin_inff()
#define eddy_nan_f64 __builtin_nan("")
#define eddy_nan_f32 __builtin_nanf("")
EDDY_FN eddy_u64 eddy_bits_f64(double x) { eddy_u64 u; __builtin_memcpy(&u, &x, 8); return u; }
EDDY_FN eddy_u32 eddy_bits_f32(float x) { eddy_u32 u; __builtin_memcpy(&u, &x, 4); return u; }
EDDY_FN double eddy_from_bits_f64(eddy_u64 u) { double x; __builtin_memcpy(&x, &u, 8); return x; }
EDDY_FN float eddy_from_bits_f32(eddy_u32 u) { float x; __builtin_memcpy(&x, &u, 4); return x; }
)";

bool is_name_char(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

std::string instantiate(std::string_view text, DType dtype) {
  const bool f64 = dtype == DType::f64;
  std::string out;
  for (std::size_t i = 0; i < text.size();) {
    if (text[i] != '$') {
      out += text[i++];
      continue;
    }
    ++i;
    if (text[i] == '(') {
      const std::size_t end = text.find(')', i);
      out += text.substr(i + 1, end - i - 1);
      if (!f64) out += 'f';
      i = end + 1;
      continue;
    }
    std::size_t end = i;
    while (end < text.size() && is_name_char(text[end])) ++end;
    const std::string_view token = text.substr(i, end - i);
    i = end;
    if (token == "R") {
      out += f64 ? "double" : "float";
    } else if (token == "U") {
      out += f64 ? "eddy_u64" : "eddy_u32";
    } else if (token == "T") {
      out += name(dtype);
    } else {
      const auto* constant =
          std::find_if(std::begin(constants), std::end(constants), [&](const Constant& c) { return c.name == token; });
      EDDY_CHECK(constant != std::end(constants), "no constant '{}'", token);
      out += f64 ? constant->f64 : constant->f32;
    }
  }
  return out;
}

std::string polynomial_text(const Polynomial& polynomial, DType dtype) {
  const bool f64 = dtype == DType::f64;
  const auto& c = f64 ? polynomial.f64 : polynomial.f32;
  const char* type = f64 ? "double" : "float";
  const auto literal = [&](double value) { return fmt::format("{:a}{}", value, f64 ? "" : "f"); };
  std::string out = fmt::format("\n/* {} */\nEDDY_FN {} eddy_{}_{}({} z) {{\n  {} p = {};\n", polynomial.comment, type,
                                polynomial.name, name(dtype), type, type, literal(c.back()));
  for (std::size_t i = c.size() - 1; i-- > 0;)
    out += fmt::format("  p = eddy_fma_{}(p, z, {});\n", name(dtype), literal(c[i]));
  return out + "  return p;\n}\n";
}

// Everything that can be printed, callees first.
struct Printed {
  std::string symbol, text;
};

const std::vector<Printed>& all_printed() {
  static const std::vector<Printed> all = [] {
    std::vector<Printed> list;
    for (const DType dtype : {DType::f64, DType::f32}) {
      for (const auto& p : polynomials())
        list.push_back({fmt::format("eddy_{}_{}", p.name, name(dtype)), polynomial_text(p, dtype)});
      for (const auto& f : functions)
        list.push_back({fmt::format("eddy_{}_{}", f.name, name(dtype)), instantiate(f.text, dtype)});
    }
    list.push_back({"eddy_pow_f64", std::string(pow_f64)});
    list.push_back({"eddy_pow_f32", std::string(pow_f32)});
    return list;
  }();
  return all;
}

// The functions that `text` calls: eddy_<name>(.
std::set<std::string> calls_in(std::string_view text) {
  std::set<std::string> found;
  for (std::size_t at = text.find("eddy_"); at != std::string_view::npos; at = text.find("eddy_", at + 1)) {
    std::size_t end = at;
    while (end < text.size() && is_name_char(text[end])) ++end;
    if (end < text.size() && text[end] == '(') found.emplace(text.substr(at, end - at));
  }
  return found;
}

}  // namespace

const std::vector<std::string_view>& c_math_functions() {
  static const std::vector<std::string_view> names = [] {
    std::vector<std::string_view> list;
    for (const auto& f : functions)
      if (f.called_by_programs) list.push_back(f.name);
    list.push_back("pow");
    list.insert(list.end(), std::begin(builtin_functions), std::end(builtin_functions));
    return list;
  }();
  return names;
}

std::string c_math_name(std::string_view function, DType dtype) {
  const auto& names = c_math_functions();
  EDDY_CHECK(std::find(names.begin(), names.end(), function) != names.end(), "no C function for '{}'", function);
  EDDY_CHECK(is_real(dtype), "no C function '{}' for {}", function, name(dtype));
  return fmt::format("eddy_{}_{}", function, name(dtype));
}

std::string c_math_prelude(std::span<const MathUse> uses) {
  std::set<std::string> wanted;
  for (const auto& use : uses) wanted.insert(c_math_name(use.function, use.dtype));
  // Callers stand behind callees in the list, so one walk from its end finds all.
  const auto& all = all_printed();
  std::vector<const Printed*> picked;
  for (auto it = all.rbegin(); it != all.rend(); ++it) {
    if (!wanted.contains(it->symbol)) continue;
    picked.push_back(&*it);
    wanted.merge(calls_in(it->text));
  }
  std::string out;
  for (auto it = picked.rbegin(); it != picked.rend(); ++it) out += (*it)->text;
  return out;
}

std::string_view c_math_builtins() { return builtins; }

}  // namespace eddy::compiler
