#include "framework/compiler/c_math.h"

#include <bit>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstdio>
#include <fmt/format.h>
#include <limits>
#include <random>

#include "framework/compiler/c_test_library.h"

namespace eddy::compiler {
namespace {

using Reference = long double (*)(long double);

struct Case {
  std::string_view name;
  Reference reference;  // long double: 11 bits more than f64, so its own error is below 1/1000 ulp
  double range = std::numeric_limits<double>::infinity();  // |x| up to which 4 ulp are promised
};

long double sigmoid(long double x) { return 1 / (1 + expl(-x)); }
long double softplus(long double x) { return x > 0 ? x + log1pl(expl(-x)) : log1pl(expl(x)); }
long double rsqrt(long double x) { return 1 / sqrtl(x); }
long double sign(long double x) { return x > 0 ? 1 : x < 0 ? -1 : x; }

const Case cases[] = {
    {"exp", expl},          {"expm1", expm1l}, {"log", logl},   {"log1p", log1pl}, {"sin", sinl, 1e5},
    {"cos", cosl, 1e5},     {"sinh", sinhl},   {"cosh", coshl}, {"tanh", tanhl},   {"sigmoid", sigmoid},
    {"softplus", softplus}, {"erf", erfl},     {"atan", atanl}, {"asin", asinl},   {"sqrt", sqrtl},
    {"rsqrt", rsqrt},       {"abs", fabsl},    {"sign", sign},  {"floor", floorl},
};
constexpr std::string_view binary[] = {"max", "min", "pow"};

template <typename T>
using Bits = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;
template <typename T>
using Map = void(const T*, T*, long);
template <typename T>
using Map2 = void(const T*, const T*, T*, long);

// One loop a line for each function and dtype; line_of says where.
struct Program {
  std::string text;
  std::vector<std::pair<std::string, int>> line_of;
};

Program program() {
  std::vector<MathUse> uses;
  for (const auto dtype : {DType::f32, DType::f64})
    for (const auto function : c_math_functions()) uses.push_back({function, dtype});
  Program p{std::string(c_math_builtins()) + c_math_prelude(uses), {}};
  for (const auto& [function, dtype] : uses) {
    const std::string f = c_math_name(function, dtype), t = dtype == DType::f64 ? "double" : "float";
    p.line_of.emplace_back(f, 1 + static_cast<int>(std::count(p.text.begin(), p.text.end(), '\n')));
    if (function == "sincos") {
      p.text += fmt::format(
          "void map_{0}(const {1}* restrict x, {1}* restrict y, {1}* restrict z, long n) "
          "{{ for (long i = 0; i < n; ++i) {0}(x[i], y + i, z + i); }}\n",
          f, t);
    } else if (std::find(std::begin(binary), std::end(binary), function) != std::end(binary)) {
      p.text += fmt::format(
          "void map_{0}(const {1}* restrict x, const {1}* restrict y, {1}* restrict z, long n) "
          "{{ for (long i = 0; i < n; ++i) z[i] = {0}(x[i], y[i]); }}\n",
          f, t);
    } else {
      p.text += fmt::format(
          "void map_{0}(const {1}* restrict x, {1}* restrict y, long n) "
          "{{ for (long i = 0; i < n; ++i) y[i] = {0}(x[i]); }}\n",
          f, t);
    }
  }
  return p;
}

const CTestLibrary& native() {
  static const CTestLibrary library = [] {
    auto flags = native_flags();
    flags.push_back("-fopt-info-vec-optimized");
    return CTestLibrary(program().text, flags);
  }();
  return library;
}

template <typename T>
T from_bits(Bits<T> bits) {
  return std::bit_cast<T>(bits);
}

// Error in units of the last place of the reference; where it is subnormal, of the least subnormal. Infinity counts as
// the power of two after the largest number.
template <typename T>
double ulps(T got, long double expected) {
  if (std::isnan(got) || std::isnan(expected)) return std::isnan(got) && std::isnan(expected) ? 0 : INFINITY;
  const long double beyond = ldexpl(1, std::numeric_limits<T>::max_exponent);
  const auto finite = [&](long double v) { return fabsl(v) >= beyond ? copysignl(beyond, v) : v; };
  const long double e = finite(expected);
  const int exponent =
      e == 0 ? std::numeric_limits<T>::min_exponent : std::max(ilogbl(e) + 1, std::numeric_limits<T>::min_exponent);
  return static_cast<double>(fabsl(finite(got) - e) / ldexpl(1, exponent - std::numeric_limits<T>::digits));
}

template <typename T>
std::vector<T> special_values() {
  using L = std::numeric_limits<T>;
  std::vector<T> v = {0, L::infinity(), L::quiet_NaN(), L::min(), L::max(), L::denorm_min(), L::epsilon()};
  for (const double x : {0.25,
                         0.3465735902799726,
                         0.41421356237,
                         0.5,
                         0.6931471805599453,
                         1.0,
                         1.5707963267948966,
                         2.0,
                         2.41421356237,
                         3.0,
                         3.141592653589793,
                         3.93,
                         5.93,
                         10.0,
                         20.0,
                         38.0,
                         88.72283905,
                         89.41598629,
                         103.97208,
                         700.0,
                         709.782712893384,
                         710.4758600739439,
                         745.1332191019411,
                         1e5,
                         16777216.0,
                         33554432.0}) {
    T low = static_cast<T>(x), high = low;
    v.push_back(low);
    for (int i = 0; i < 4; ++i) {
      v.push_back(low = std::nextafter(low, T(0)));
      v.push_back(high = std::nextafter(high, L::infinity()));
    }
  }
  for (std::size_t i = 0, n = v.size(); i < n; ++i) v.push_back(-v[i]);
  return v;
}

// Special values, random bit patterns (all exponents), dense grids near 0 and over the middle range, neighbours of
// multiples of pi/2.
template <typename T>
std::vector<T> arguments() {
  std::vector<T> v = special_values<T>();
  std::mt19937_64 random(1);
  for (int i = 0; i < 100000; ++i) v.push_back(from_bits<T>(static_cast<Bits<T>>(random())));
  std::uniform_real_distribution<double> unit(-1, 1);
  for (const double width : {1e-3, 0.05, 1.0, 1.0, 5.0, 30.0, 120.0, 800.0, 1e5, 0x1p22, 0x1p45, 0x1p49})
    for (int i = 0; i < 30000; ++i) v.push_back(static_cast<T>(width * unit(random)));
  for (int n = -63661; n <= 63661; ++n) v.push_back(static_cast<T>(n * 1.57079632679489661923L));
  return v;
}

template <typename T>
std::vector<T> evaluate(const CTestLibrary& library, std::string_view function, const std::vector<T>& x) {
  std::vector<T> y(x.size());
  library.symbol<Map<T>>("map_" + c_math_name(function, dtype_of<T>()))(x.data(), y.data(),
                                                                        static_cast<long>(x.size()));
  return y;
}

template <typename T>
void check_accuracy() {
  const auto x = arguments<T>();
  for (const auto& c : cases) {
    const auto y = evaluate(native(), c.name, x);
    double worst = 0;
    T at = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      if (std::isfinite(x[i]) && std::fabs(x[i]) > c.range) {
        if (!(std::fabs(y[i]) <= 1)) FAIL(c.name << " of a large argument leaves [-1, 1]");
        const bool f64 = sizeof(T) == 8;
        if (std::fabs(x[i]) <= std::exp2(f64 ? 49 : 22) && !(fabsl(y[i] - c.reference(x[i])) <= exp2l(f64 ? -50 : -21)))
          FAIL(c.name << " of a large argument at " << x[i]);
        continue;
      }
      const long double expected = c.reference(static_cast<long double>(x[i]));
      const double error = ulps(y[i], expected);
      if (error > worst) worst = error, at = x[i];
      if (expected == 0 && std::signbit(expected) != std::signbit(y[i]))
        FAIL(c.name << ": wrong sign of zero at " << x[i]);
    }
    std::printf("  %-8s %s  max %.3f ulp at %a\n", std::string(c.name).c_str(),
                std::string(name(dtype_of<T>())).c_str(), worst, static_cast<double>(at));
    INFO(c.name << " at " << at);
    CHECK(worst <= 4);
  }
}

bool same(double a, double b) { return std::isnan(a) ? std::isnan(b) : a == b && std::signbit(a) == std::signbit(b); }

template <typename T>
void check_vector_and_scalar_agree(const CTestLibrary& other) {
  const auto x = arguments<T>();
  for (const auto& c : cases) {
    const auto whole = evaluate(native(), c.name, x), apart = evaluate(other, c.name, x);
    for (std::size_t i = 0; i < x.size(); ++i)
      if (!same(whole[i], apart[i])) FAIL(c.name << " differs at " << x[i]);
    auto* map = native().symbol<Map<T>>("map_" + c_math_name(c.name, dtype_of<T>()));
    std::size_t begin = 0;
    for (long length = 1; length <= 40; ++length)
      for (std::size_t offset = 0; offset < 20; ++offset, begin = (begin + 997) % (x.size() - 64)) {
        std::vector<T> y(static_cast<std::size_t>(length) + offset);
        map(x.data() + begin, y.data() + offset, length);
        for (long i = 0; i < length; ++i)
          if (!same(y[offset + i], whole[begin + i])) FAIL(c.name << " depends on the position at " << x[begin + i]);
      }
  }
}

template <typename T>
void check_pow() {
  std::vector<T> x, y;
  std::mt19937_64 random(2);
  std::uniform_real_distribution<double> unit(-1, 1);
  for (int i = 0; i < 200000; ++i) {
    x.push_back(static_cast<T>(std::exp2(20 * unit(random)) * (i % 3 == 0 ? -1 : 1)));
    y.push_back(static_cast<T>(i % 2 == 0 ? std::floor(20 * unit(random)) : 8 * unit(random)));
    x.push_back(from_bits<T>(static_cast<Bits<T>>(random())));
    y.push_back(static_cast<T>(unit(random)));
  }
  const T inf = std::numeric_limits<T>::infinity();
  const T specials[] = {0, 1, 2, 3, 0.5, 0.75, 2.5, 16777215, 1e30, inf, std::numeric_limits<T>::quiet_NaN()};
  for (const T a : specials)
    for (const T b : specials)
      for (const T s : {T(1), T(-1)})
        for (const T t : {T(1), T(-1)}) x.push_back(s * a), y.push_back(t * b);
  std::vector<T> z(x.size());
  native().symbol<Map2<T>>("map_" + c_math_name("pow", dtype_of<T>()))(x.data(), y.data(), z.data(),
                                                                       static_cast<long>(x.size()));
  double worst = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const long double expected = powl(x[i], y[i]);
    INFO(x[i] << " ^ " << y[i] << " = " << z[i]);
    const double error = ulps(z[i], expected);
    worst = std::max(worst, error);
    if (!(error <= 4)) FAIL("pow");
    if (expected == 0 && std::signbit(expected) != std::signbit(z[i])) FAIL("sign of zero");
  }
  std::printf("  %-8s %s  max %.3f ulp\n", "pow", std::string(name(dtype_of<T>())).c_str(), worst);
}

template <typename T>
void check_max_min_sincos() {
  const T nan = std::numeric_limits<T>::quiet_NaN(), inf = std::numeric_limits<T>::infinity();
  std::vector<T> x, y;
  for (const T a : {T(-1), T(0), T(2), inf, -inf, nan})
    for (const T b : {T(-1), T(0), T(2), inf, -inf, nan}) x.push_back(a), y.push_back(b);
  std::vector<T> high(x.size()), low(x.size());
  native().symbol<Map2<T>>("map_" + c_math_name("max", dtype_of<T>()))(x.data(), y.data(), high.data(),
                                                                       static_cast<long>(x.size()));
  native().symbol<Map2<T>>("map_" + c_math_name("min", dtype_of<T>()))(x.data(), y.data(), low.data(),
                                                                       static_cast<long>(x.size()));
  for (std::size_t i = 0; i < x.size(); ++i) {
    const bool is_nan = std::isnan(x[i]) || std::isnan(y[i]);
    CHECK(same(high[i], is_nan ? nan : std::max(x[i], y[i])));
    CHECK(same(low[i], is_nan ? nan : std::min(x[i], y[i])));
  }
  const auto a = arguments<T>();
  std::vector<T> s(a.size()), c(a.size());
  native().symbol<void(const T*, T*, T*, long)>("map_" + c_math_name("sincos", dtype_of<T>()))(
      a.data(), s.data(), c.data(), static_cast<long>(a.size()));
  const auto sine = evaluate(native(), "sin", a), cosine = evaluate(native(), "cos", a);
  for (std::size_t i = 0; i < a.size(); ++i)
    if (!same(s[i], sine[i]) || !same(c[i], cosine[i])) FAIL("sincos differs at " << a[i]);
}

}  // namespace

TEST_CASE("printed functions are within 4 ulp of extended precision", "[c_math]") {
  check_accuracy<float>();
  check_accuracy<double>();
}

TEST_CASE("pow keeps to the C standard's special values", "[c_math]") {
  check_pow<float>();
  check_pow<double>();
}

TEST_CASE("max, min and sincos", "[c_math]") {
  check_max_min_sincos<float>();
  check_max_min_sincos<double>();
}

TEST_CASE("bits depend neither on vector width nor on the place in an array", "[c_math]") {
  // Scalar code without any extension of the instruction set (fma is then the C library's).
  const CTestLibrary scalar(program().text, {"-O1", "-fno-tree-vectorize", "-ffp-contract=off", "-fno-math-errno"});
  check_vector_and_scalar_agree<float>(scalar);
  check_vector_and_scalar_agree<double>(scalar);
}

TEST_CASE("the host compiler turns every loop into vector code", "[c_math]") {
#if defined(__AVX2__) || defined(__x86_64__)
  if (!__builtin_cpu_supports("avx2")) {
    WARN("skipped: rounding and shifts of vectors need AVX2");
    return;
  }
#endif
  for (const auto& [function, line] : program().line_of) {
    if (function == "eddy_pow_f64") continue;  // a call per element, as documented
    INFO(function);
    CHECK(native().remarks().find(fmt::format("text.c:{}:", line)) != std::string::npos);
  }
}

TEST_CASE("the prelude holds what is used, callees first, and nothing else", "[c_math]") {
  const MathUse uses[] = {{"tanh", DType::f64}};
  const std::string text = c_math_prelude(uses);
  const auto poly = text.find("eddy_poly_expm1_f64(double"), tanh = text.find("eddy_tanh_f64(double");
  CHECK(poly < tanh);
  CHECK(tanh != std::string::npos);
  CHECK(text.find("_f32") == std::string::npos);
  CHECK(text.find("eddy_exp_reduce") == std::string::npos);
  const MathUse both[] = {{"sin", DType::f32}, {"exp", DType::f64}, {"sin", DType::f32}};
  const MathUse swapped[] = {{"exp", DType::f64}, {"sin", DType::f32}};
  CHECK(c_math_prelude(both) == c_math_prelude(swapped));
  CHECK_THROWS_AS(c_math_name("tan", DType::f64), InternalError);
  CHECK_THROWS_AS(c_math_name("sin", DType::i64), InternalError);
}

}  // namespace eddy::compiler
