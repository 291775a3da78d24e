#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <numbers>

#include "framework/ops/op_test_util.h"

namespace eddy::ops {

using namespace testing;

namespace {

using Real = long double;

/// Each composite is a chain of at most a dozen operations on numbers of order one, each within 2 ulp, whose
/// derivatives are of order one: 64 eps.
constexpr double kTolerance = 64 * 0x1p-52;

Real logistic(Real x) { return 1 / (1 + std::exp(-x)); }

struct Case {
  const char* name;
  Value (*emit)(Builder&, Value);
  Real (*value)(Real);
  double low = -3, high = 3;
};

const std::vector<Case>& cases() {
  static const std::vector<Case> list = {
      {"tan", tan, [](Real x) { return std::tan(x); }, -1, 1},
      {"acos", acos, [](Real x) { return std::acos(x); }, -0.9, 0.9},
      {"silu", silu, [](Real x) { return x * logistic(x); }},
      {"gelu", gelu, [](Real x) { return x / 2 * (1 + std::erf(x / std::sqrt(2.0L))); }},
      {"gelu_tanh", gelu_tanh,
       [](Real x) {
         return x / 2 * (1 + std::tanh(std::sqrt(2 / std::numbers::pi_v<Real>) * (x + 0.044715L * x * x * x)));
       }},
      {"mish", mish, [](Real x) { return x * std::tanh(std::log1p(std::exp(x))); }},
      {"relu", relu, [](Real x) { return std::max(x, 0.0L); }},
      {"leaky_relu", [](Builder& b, Value x) { return leaky_relu(b, x, 0.125); },
       [](Real x) { return x > 0 ? x : 0.125L * x; }},
      {"elu", [](Builder& b, Value x) { return elu(b, x, 1.5); },
       [](Real x) { return x > 0 ? x : 1.5L * std::expm1(x); }},
      {"selu", selu,
       [](Real x) {
         const Real scale = 1.0507009873554804934L, alpha = 1.6732632423543772848L;
         return scale * (x > 0 ? x : alpha * std::expm1(x));
       }},
      {"squareplus", [](Builder& b, Value x) { return squareplus(b, x); },
       [](Real x) { return (x + std::sqrt(x * x + 4)) / 2; }},
  };
  return list;
}

Build build_of(const Case& c) {
  return [emit = c.emit](Builder& b, const std::vector<Value>& x) { return emit(b, x[0]); };
}

}  // namespace

TEST_CASE("activations: values, cotangents, lowering", "[ops]") {
  for (const Case& c : cases()) {
    INFO(c.name);
    for (const auto& shape : shapes()) {
      const Array x = random_array(DType::f64, shape, c.low, c.high, 12);
      const Array y = apply(build_of(c), {x});
      for (std::int64_t i = 0; i < y.n_elements(); ++i) {
        REQUIRE(std::abs(y.at(i) - c.value(x.at(i))) <= kTolerance * std::max(1.0L, std::abs(c.value(x.at(i)))));
      }
      check_vjp(build_of(c), {x});
    }
    check_lowering(build_of(c), {random_array(DType::f32, {7}, c.low, c.high)});
  }
}

TEST_CASE("activations: no overflow, NaN goes through, derivatives at the kink", "[ops]") {
  const auto slope = [](const Case& c, double x) {
    const ir::IndexSet set = full_set(1, 1);
    const LaneValues v = jet(build_of(c), set, {{Array::scalar(x), Array::scalar(1.0)}});
    return v[1] ? v[1]->item() : 0.0;
  };
  for (const Case& c : cases()) {
    INFO(c.name);
    REQUIRE(std::isnan(apply(build_of(c), {Array::scalar(std::numeric_limits<double>::quiet_NaN())}).item()));
    if (c.high < 3) continue;
    for (const double x : {-1000.0, 1000.0}) {
      REQUIRE(apply(build_of(c), {Array::scalar(x)}).item() == Approx(static_cast<double>(c.value(x))).margin(1e-12));
      REQUIRE(std::isfinite(slope(c, x)));
    }
  }
  const std::vector<std::pair<std::string, double>> kinks = {{"relu", 0}, {"leaky_relu", 0.125}, {"elu", 1.5}};
  for (const Case& c : cases()) {
    for (const auto& [name, expected] : kinks) {
      if (name == c.name) REQUIRE(slope(c, 0) == expected);
    }
  }
}

TEST_CASE("silu: Taylor lanes against its table of derivatives", "[ops]") {
  check_unary_jet(
      [](Builder& b, const auto& x) { return silu(b, x[0]); },
      [](Real x) {
        const Real v = logistic(x), s = v * (1 - v);
        const std::vector<Real> d = {v, s, s * (1 - 2 * v), s * (1 - 6 * s), s * (1 - 2 * v) * (1 - 12 * s)};
        std::vector<Real> table = {x * v};
        for (std::size_t k = 1; k <= 4; ++k) table.push_back(x * d[k] + static_cast<Real>(k) * d[k - 1]);
        return table;
      },
      -3, 3);
}

TEST_CASE("atan2 in all sectors", "[ops]") {
  const Build build = [](Builder& b, const std::vector<Value>& x) { return atan2(b, x[0], x[1]); };
  std::vector<double> y, x;
  for (int i = 0; i < 48; ++i) {
    const double angle = (i + 0.5) * std::numbers::pi / 24;
    y.push_back(2 * std::sin(angle));
    x.push_back(2 * std::cos(angle));
  }
  const Array ys = Array::from<double>({48}, y), xs = Array::from<double>({48}, x);
  const Array angles = apply(build, {ys, xs});
  for (std::size_t i = 0; i < 48; ++i) {
    REQUIRE(angles.at(static_cast<std::int64_t>(i)) == Approx(std::atan2(y[i], x[i])).epsilon(kTolerance));
  }
  // The branch cut is the negative x axis only.
  std::vector<double> y_smooth, x_smooth;
  for (std::size_t i = 0; i < 48; ++i) {
    if (x[i] > 0 || std::abs(y[i]) > 0.1) {
      y_smooth.push_back(y[i]);
      x_smooth.push_back(x[i]);
    }
  }
  const auto n = static_cast<std::int64_t>(x_smooth.size());
  check_vjp(build, {Array::from<double>({n}, y_smooth), Array::from<double>({n}, x_smooth)});
  const auto at = [&](double a, double b) { return apply(build, {Array::scalar(a), Array::scalar(b)}).item(); };
  REQUIRE(at(0, 0) == 0);
  REQUIRE(at(1, 0) == Approx(std::numbers::pi / 2));
  REQUIRE(at(-1, 0) == Approx(-std::numbers::pi / 2));
  REQUIRE(at(0, -1) == Approx(std::numbers::pi));
  REQUIRE(at(0, 1) == 0);
}

TEST_CASE("softmax and logsumexp", "[ops]") {
  for (const std::size_t dim : {0u, 1u}) {
    const Build soft = [&](Builder& b, const auto& x) { return softmax(b, x[0], dim); };
    const Build total = [&](Builder& b, const auto& x) { return logsumexp(b, x[0], dim); };
    const Array x = random_array(DType::f64, {3, 4}, -2, 2);
    const Array p = apply(soft, {x}), l = apply(total, {x});
    const std::int64_t extent = x.shape()[dim], other = 12 / extent;
    for (std::int64_t j = 0; j < other; ++j) {
      const auto at = [&](std::int64_t i) { return dim == 0 ? i * 4 + j : j * 4 + i; };
      Real sum = 0;
      for (std::int64_t i = 0; i < extent; ++i) sum += std::exp(static_cast<Real>(x.at(at(i))));
      REQUIRE(std::abs(l.at(j) - std::log(sum)) <= kTolerance);
      for (std::int64_t i = 0; i < extent; ++i) {
        REQUIRE(std::abs(p.at(at(i)) - std::exp(static_cast<Real>(x.at(at(i)))) / sum) <= kTolerance);
      }
    }
    check_vjp(soft, {x});
    check_vjp(total, {x});
    check_vjp(total, {Array::from<double>({2, 2}, {1, 1, 1, 1})});  // all are largest: no kink
    check_lowering(soft, {x});
  }
  const double inf = std::numeric_limits<double>::infinity();
  const Build total = [](Builder& b, const auto& x) { return logsumexp(b, x[0], 0); };
  REQUIRE(apply(total, {Array::from<double>({2}, {1000, 1000})}).item() == Approx(1000 + std::log(2)));
  REQUIRE(apply(total, {Array::from<double>({2}, {-inf, -inf})}).item() == -inf);
  REQUIRE(apply(total, {Array(DType::f64, {0})}).item() == -inf);
  // Second derivatives: d^2/dx_0^2 of logsumexp is p (1 - p).
  const ir::IndexSet set = full_set(1, 2);
  const LaneValues v =
      jet(total, set, {{Array::from<double>({2}, {0.3, -0.2}), Array::from<double>({2}, {1, 0}), std::nullopt}});
  const double p = static_cast<double>(logistic(0.5));
  REQUIRE(v[1]->item() == Approx(p).epsilon(1e-14));
  REQUIRE(2 * v[2]->item() == Approx(p * (1 - p)).epsilon(1e-14));
}

TEST_CASE("normalizations and linear layers", "[ops]") {
  const Array x = random_array(DType::f64, {3, 4}, -2, 2, 1), g = random_array(DType::f64, {4}, 0.5, 2, 2);
  const Array o = random_array(DType::f64, {4}, -1, 1, 3);
  const Build layer = [](Builder& b, const auto& v) { return layer_norm(b, v[0], v[1], v[2], 0.125); };
  const Build rms = [](Builder& b, const auto& v) { return rms_norm(b, v[0], v[1], 0.125); };
  const Array y = apply(layer, {x, g, o}), z = apply(rms, {x, g});
  for (std::int64_t i = 0; i < 3; ++i) {
    Real mean_value = 0, variance = 0, power = 0;
    for (std::int64_t j = 0; j < 4; ++j) mean_value += static_cast<Real>(x.at(i * 4 + j)) / 4;
    for (std::int64_t j = 0; j < 4; ++j) {
      const Real e = x.at(i * 4 + j);
      variance += (e - mean_value) * (e - mean_value) / 4;
      power += e * e / 4;
    }
    for (std::int64_t j = 0; j < 4; ++j) {
      const Real e = x.at(i * 4 + j);
      REQUIRE(std::abs(y.at(i * 4 + j) - ((e - mean_value) / std::sqrt(variance + 0.125L) * g.at(j) + o.at(j))) <=
              kTolerance);
      REQUIRE(std::abs(z.at(i * 4 + j) - e / std::sqrt(power + 0.125L) * g.at(j)) <= kTolerance);
    }
  }
  check_vjp(layer, {x, g, o});
  check_vjp(rms, {x, g});

  const Build weights = [](Builder& b, const auto& v) { return weight_norm(b, v[0], v[1]); };
  const Array w = apply(weights, {x, g});
  for (std::int64_t j = 0; j < 4; ++j) {
    Real length = 0;
    for (std::int64_t i = 0; i < 3; ++i) length += static_cast<Real>(x.at(i * 4 + j)) * x.at(i * 4 + j);
    for (std::int64_t i = 0; i < 3; ++i) {
      REQUIRE(std::abs(w.at(i * 4 + j) - g.at(j) * x.at(i * 4 + j) / std::sqrt(length)) <= kTolerance);
    }
  }
  check_vjp(weights, {x, g});

  const Build affine = [](Builder& b, const auto& v) { return linear(b, v[0], v[1], v[2]); };
  const Array input = random_array(DType::f64, {2, 5, 3}, -1, 1, 4);
  const Array out = apply(affine, {input, x, o});
  REQUIRE(out.shape() == std::vector<std::int64_t>{2, 5, 4});
  for (std::int64_t r = 0; r < 10; ++r) {
    for (std::int64_t j = 0; j < 4; ++j) {
      Real sum = o.at(j);
      for (std::int64_t i = 0; i < 3; ++i) sum += static_cast<Real>(input.at(r * 3 + i)) * x.at(i * 4 + j);
      REQUIRE(std::abs(out.at(r * 4 + j) - sum) <= kTolerance);
    }
  }
  check_vjp(affine, {random_array(DType::f64, {2, 3}, -1, 1, 5), x, o});
  check_vjp([](Builder& b, const auto& v) { return stan(b, v[0], v[1]); }, {x, g});
  check_vjp([](Builder& b, const auto& v) { return mean(b, v[0], {0, 1}); }, {x});
  REQUIRE_THROWS_AS(apply(affine, {input, x, Array(DType::f64, {3})}), UserError);
  REQUIRE_THROWS_AS(apply(rms, {x, Array(DType::f64, {3})}), UserError);
  REQUIRE_THROWS_AS(apply(weights, {g, g}), UserError);
}

TEST_CASE("normalization of a symbolic dim", "[ops]") {
  const Dim n = Dim::symbol("n");
  const Traced program([](Builder& b, const auto& v) { return rms_norm(b, v[0], v[1], 0); },
                       {ir::Type::tensor(DType::f64, {2, n}), ir::Type::tensor(DType::f64, {n})});
  const Array x = Array::from<double>({2, 3}, {1, 2, 2, 3, 0, 4}), one = Array::from<double>({3}, {1, 1, 1});
  const Array y = *program.evaluate(std::vector{x, one}, {program.result}, {{"n", 3}})[0];
  for (std::int64_t i = 0; i < 3; ++i) {
    REQUIRE(y.at(i) == Approx(x.at(i) / std::sqrt(3.0)));
    REQUIRE(y.at(3 + i) == Approx(x.at(3 + i) / std::sqrt(25.0 / 3)));
  }
}

}  // namespace eddy::ops
