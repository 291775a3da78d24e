#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <numbers>

#include "framework/ops/op_test_util.h"

namespace eddy::ops {

using namespace testing;

namespace {

using Real = long double;

struct Case {
  const char* name;
  Value (*emit)(Builder&, Value);
  DerivativeTable table;  ///< closed forms
  double low, high;       ///< where the derivatives are tried
  double wide;            ///< values are tried in [-wide, wide] where that is inside [domain_low, domain_high]
  double domain_low = -std::numeric_limits<double>::infinity();
  double domain_high = std::numeric_limits<double>::infinity();
};

/// Derivatives of c x^r.
std::vector<Real> power_table(Real x, Real r) {
  std::vector<Real> d;
  Real factor = 1;
  for (int k = 0; k <= 4; ++k) {
    d.push_back(factor == 0 ? 0 : factor * std::pow(x, r - k));
    factor *= r - k;
  }
  return d;
}

const std::vector<Case>& cases() {
  static const std::vector<Case> list = {
      {"exp", exp, [](Real x) { return std::vector<Real>(5, std::exp(x)); }, -2, 2, 700},
      {"expm1", expm1,
       [](Real x) {
         std::vector<Real> d(5, std::exp(x));
         d[0] = std::expm1(x);
         return d;
       },
       -2, 2, 700},
      {"log", log,
       [](Real x) {
         std::vector<Real> d = {std::log(x)};
         for (const Real y : power_table(x, -1)) d.push_back(y);
         d.resize(5);
         return d;
       },
       0.5, 3, 1e6, 0},
      {"log1p", log1p,
       [](Real x) {
         std::vector<Real> d = {std::log1p(x)};
         for (const Real y : power_table(1 + x, -1)) d.push_back(y);
         d.resize(5);
         return d;
       },
       -0.5, 3, 1e3, -1},
      {"sin", sin,
       [](Real x) {
         const Real s = std::sin(x), c = std::cos(x);
         return std::vector<Real>{s, c, -s, -c, s};
       },
       -3, 3, 1e5},
      {"cos", cos,
       [](Real x) {
         const Real s = std::sin(x), c = std::cos(x);
         return std::vector<Real>{c, -s, -c, s, c};
       },
       -3, 3, 1e5},
      {"sinh", sinh,
       [](Real x) {
         const Real s = std::sinh(x), c = std::cosh(x);
         return std::vector<Real>{s, c, s, c, s};
       },
       -2, 2, 700},
      {"cosh", cosh,
       [](Real x) {
         const Real s = std::sinh(x), c = std::cosh(x);
         return std::vector<Real>{c, s, c, s, c};
       },
       -2, 2, 700},
      {"tanh", tanh,
       [](Real x) {
         const Real t = std::tanh(x), s = 1 - t * t;
         return std::vector<Real>{t, s, -2 * t * s, s * (6 * t * t - 2), s * t * (16 - 24 * t * t)};
       },
       -2, 2, 20},
      {"sigmoid", sigmoid,
       [](Real x) {
         const Real v = 1 / (1 + std::exp(-x)), s = v * (1 - v);
         return std::vector<Real>{v, s, s * (1 - 2 * v), s * (1 - 6 * s), s * (1 - 2 * v) * (1 - 12 * s)};
       },
       -3, 3, 700},
      {"softplus", softplus,
       [](Real x) {
         const Real v = 1 / (1 + std::exp(-x)), s = v * (1 - v);
         const Real y = x > 0 ? x + std::log1p(std::exp(-x)) : std::log1p(std::exp(x));
         return std::vector<Real>{y, v, s, s * (1 - 2 * v), s * (1 - 6 * s)};
       },
       -3, 3, 700},
      {"erf", erf,
       [](Real x) {
         const Real g = 2 / std::sqrt(std::numbers::pi_v<Real>) * std::exp(-x * x);
         return std::vector<Real>{std::erf(x), g, -2 * x * g, (4 * x * x - 2) * g, (12 * x - 8 * x * x * x) * g};
       },
       -2, 2, 6},
      {"atan", atan,
       [](Real x) {
         const Real q = 1 / (1 + x * x);
         return std::vector<Real>{std::atan(x), q, -2 * x * q * q, (6 * x * x - 2) * q * q * q,
                                  24 * x * (1 - x * x) * q * q * q * q};
       },
       -3, 3, 1e3},
      {"asin", asin,
       [](Real x) {
         const Real w = 1 / std::sqrt(1 - x * x), w2 = w * w;
         return std::vector<Real>{std::asin(x), w, x * w * w2, (1 + 2 * x * x) * w * w2 * w2,
                                  (9 * x + 6 * x * x * x) * w * w2 * w2 * w2};
       },
       -0.8, 0.8, 1, -1, 1},
      {"sqrt", sqrt, [](Real x) { return power_table(x, 0.5L); }, 0.5, 3, 1e6, 0},
      {"rsqrt", rsqrt, [](Real x) { return power_table(x, -0.5L); }, 0.5, 3, 1e6, 0},
      {"cube", [](Builder& b, Value x) { return powc(b, x, 3); }, [](Real x) { return power_table(x, 3); }, -2, 2, 1e3},
      {"power 7", [](Builder& b, Value x) { return powc(b, x, 7); }, [](Real x) { return power_table(x, 7); }, -2, 2,
       1e3},
      {"power -3", [](Builder& b, Value x) { return powc(b, x, -3); }, [](Real x) { return power_table(x, -3); }, 0.5,
       2, 1e3, 0},
      {"power 2.5", [](Builder& b, Value x) { return powc(b, x, 2.5); }, [](Real x) { return power_table(x, 2.5L); },
       0.5, 2, 1e3, 0},
      {"power 0", [](Builder& b, Value x) { return powc(b, x, 0); }, [](Real x) { return power_table(x, 0); }, -2, 2,
       1e3},
      // The exponent as a tensor.
      {"pow(x, 2.5)",
       [](Builder& b, Value x) {
         return b.op("prim.pow", {x, full_like(b, x, 2.5)});
       },
       [](Real x) { return power_table(x, 2.5L); }, 0.5, 2, 1e3, 0},
      {"pow(2, x)", [](Builder& b, Value x) { return pow(b, full_like(b, x, 2), x); },
       [](Real x) {
         std::vector<Real> d;
         for (int k = 0; k <= 4; ++k) d.push_back(std::pow(2.0L, x) * std::pow(std::log(2.0L), k));
         return d;
       },
       -2, 2, 100},
  };
  return list;
}

Build build_of(const Case& c) {
  return [emit = c.emit](Builder& b, const std::vector<Value>& x) { return emit(b, x[0]); };
}

template <typename T>
void require_ulps(const Array& got, const Array& at, const DerivativeTable& table, double ulps) {
  for (std::int64_t i = 0; i < got.n_elements(); ++i) {
    const Real expected = table(at.at(i))[0];
    const T near = static_cast<T>(expected);
    const Real ulp = std::nextafter(std::abs(near), std::numeric_limits<T>::infinity()) - std::abs(near);
    INFO("at " << at.at(i) << ": " << got.at(i) << " and " << static_cast<double>(expected));
    REQUIRE(std::abs(got.at(i) - expected) <= ulps * ulp);
  }
}

}  // namespace

TEST_CASE("elementary functions: values within 4 ulp", "[ops]") {
  for (const Case& c : cases()) {
    INFO(c.name);
    for (const DType dtype : {DType::f64, DType::f32}) {
      // f32 keeps within the range of its exponent.
      const double wide = dtype == DType::f32 ? std::min(c.wide, 85.0) : c.wide;
      const Array x = random_array(dtype, {200}, std::max(-wide, c.domain_low), std::min(wide, c.domain_high));
      const Array y = apply(build_of(c), {x});
      if (dtype == DType::f32) {
        require_ulps<float>(y, x, c.table, 4);
      } else {
        require_ulps<double>(y, x, c.table, 4);
      }
    }
  }
}

TEST_CASE("elementary functions: cotangents against differences, axes", "[ops]") {
  for (const Case& c : cases()) {
    INFO(c.name);
    for (const auto& shape : shapes()) {
      const Array x = random_array(DType::f64, shape, c.low, c.high);
      check_vjp(build_of(c), {x});
      check_axes(build_of(c), {x});
    }
  }
}

TEST_CASE("elementary functions: Taylor lanes against tables of derivatives", "[ops]") {
  for (const Case& c : cases()) {
    INFO(c.name);
    check_unary_jet(build_of(c), c.table, c.low, c.high);
  }
}

TEST_CASE("integer powers are smooth at 0", "[ops]") {
  const ir::IndexSet set = full_set(1, 4);
  for (const int n : {2, 3, 5}) {
    LaneValues u;
    for (int k = 0; k <= 4; ++k) u.emplace_back(Array::scalar<double>(k));  // t + 2 t^2 + 3 t^3 + 4 t^4
    const LaneValues v = jet([&](Builder& b, const auto& x) { return powc(b, x[0], n); }, set, {u});
    Series series(set), expected(set);
    for (std::size_t k = 0; k <= 4; ++k) series[k] = static_cast<Real>(k);
    expected = series;
    for (int i = 1; i < n; ++i) expected = expected * series;
    for (std::size_t k = 0; k <= 4; ++k) REQUIRE(v[k]->item() == static_cast<double>(expected[k]));  // small integers
    check_vjp([&](Builder& b, const auto& x) { return powc(b, x[0], n); }, {Array::scalar(0.0)});
  }
}

TEST_CASE("pow by both operands", "[ops]") {
  const Build build = [](Builder& b, const std::vector<Value>& x) { return pow(b, x[0], x[1]); };
  const Array x = random_array(DType::f64, {2, 3}, 0.5, 2, 1), y = random_array(DType::f64, {2, 3}, -2, 2, 2);
  check_vjp(build, {x, y});
  // Against exp(y log x), in extended precision.
  const ir::IndexSet set = full_set(3, 4);
  const LaneValues base = random_lanes(set, x, 3), exponent = random_lanes(set, y, 4);
  const LaneValues v = jet(build, set, {base, exponent});
  for (std::int64_t i = 0; i < x.n_elements(); ++i) {
    Series a(set), p(set);
    for (std::size_t k = 0; k < set.size(); ++k) {
      a[k] = base[k]->at(i);
      p[k] = exponent[k]->at(i);
    }
    std::vector<Real> log_table = {std::log(a[0])};
    for (const Real d : power_table(a[0], -1)) log_table.push_back(d);
    log_table.resize(5);
    const Series power = p * compose(log_table, a);
    const Series expected = compose(std::vector<Real>(5, std::exp(power[0])), power);
    for (Real& d : log_table) d = std::abs(d);
    Series size = magnitude(p) * compose(log_table, magnitude(a));
    size = compose(std::vector<Real>(5, std::exp(power[0])), size);
    for (std::size_t k = 0; k < set.size(); ++k) {
      REQUIRE(std::abs(v[k]->at(i) - expected[k]) <= 1000 * 0x1p-52 * size[k]);
    }
  }
}

TEST_CASE("elementary functions at the ends of their domains", "[ops]") {
  const double inf = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
  const auto at = [](Value (*emit)(Builder&, Value), double x) {
    return apply([&](Builder& b, const std::vector<Value>& v) { return emit(b, v[0]); }, {Array::scalar(x)}).item();
  };
  REQUIRE(at(sigmoid, inf) == 1);
  REQUIRE(at(sigmoid, -inf) == 0);
  REQUIRE(at(softplus, 1000) == 1000);
  REQUIRE(at(softplus, -1000) == 0);
  REQUIRE(at(softplus, inf) == inf);
  REQUIRE(at(tanh, inf) == 1);
  REQUIRE(at(rsqrt, 0) == inf);
  REQUIRE(at(log, 0) == -inf);
  REQUIRE(at(exp, -inf) == 0);
  for (const Case& c : cases()) {
    INFO(c.name);
    const double y = at(c.emit, nan);
    // As in C: 1 to any power, and anything to the power 0.
    if (std::string(c.name) != "power 0") REQUIRE(std::isnan(y));
  }
  REQUIRE_THROWS_AS(apply([](Builder& b, const auto& v) { return exp(b, v[0]); }, {Array(DType::i64, {2})}), UserError);
}

}  // namespace eddy::ops
