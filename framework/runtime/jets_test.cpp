/// Derivatives of any order: Taylor jets against nested reverse mode and against closed forms.

#include <catch2/catch.hpp>
#include <cmath>

#include "framework/autodiff/planner.h"
#include "framework/autodiff/vjp.h"
#include "framework/ir/transforms.h"
#include "framework/ops/simplify.h"
#include "framework/runtime/derivatives_test_util.h"
#include "framework/runtime/interpreter.h"

using namespace eddy;
using namespace eddy::runtime::testing;

namespace {

constexpr std::size_t kCoordinates = 3;
constexpr int kOrder = 4;

std::string str(const MultiIndex& index) { return fmt::format("({}, {}, {})", index[0], index[1], index[2]); }

/// Each derivative by the reverse mode of one that is one order lower; the rows are independent, so a cotangent of ones
/// gives each row its own derivative.
Values nested_vjp(Builder& b, Value expression, const Values& coordinates, const std::vector<MultiIndex>& indices) {
  std::map<MultiIndex, Value> known = {{MultiIndex(coordinates.size(), 0), expression}};
  Values results;
  for (const MultiIndex& index : indices) {
    if (ir::order(index) > 0) {
      MultiIndex lower = index;
      std::size_t d = 0;
      while (lower[d] == 0) ++d;
      --lower[d];
      const Value from = known.at(lower);
      if (from) {
        known[index] = autodiff::vjp(b, Values{from}, Values{ops::full_like(b, from, 1)}, Values{coordinates[d]})[0];
      } else {
        known[index] = {};
      }
    }
    results.push_back(known[index] ? known[index] : ops::full_like(b, expression, 0));
  }
  return results;
}

/// All derivatives to order 4 by 3 coordinates: jets equal nested reverse mode to 1e-10 of the lane's largest value.
void check_jets(const std::string& name, const Expression& expression) {
  const std::vector<MultiIndex> indices = all_indices(kCoordinates, kOrder);
  REQUIRE(indices.size() == 35);
  const std::vector<Array> coordinates = coordinates_of(kCoordinates, 4);
  const auto nested = coordinate_program(
      kCoordinates, expression, [&](Builder& b, Value u, const Values& x) { return nested_vjp(b, u, x, indices); });
  ir::eliminate_common_subexpressions(*nested);
  ir::eliminate_dead_code(*nested);
  const std::vector<Array> expected = runtime::interpret(nested->function("f"), coordinates);
  std::vector<Terms> sums;
  for (const MultiIndex& index : indices) sums.push_back({{index, 1}});
  const auto program = coordinate_program(kCoordinates, expression, requests(sums));
  autodiff::expand_derivatives(program->function("f"));
  const std::vector<Array> jets = runtime::interpret(program->function("f"), coordinates);
  // Both stay within that after simplification.
  ops::simplify(*program);
  ops::simplify(*nested);
  const std::vector<Array> simple_jets = runtime::interpret(program->function("f"), coordinates);
  const std::vector<Array> simple_nested = runtime::interpret(nested->function("f"), coordinates);
  for (std::size_t k = 0; k < indices.size(); ++k) {
    INFO(name << " by " << str(indices[k]));
    REQUIRE(std::isfinite(largest(expected[k])));
    const double tolerance = 1e-10 * largest(expected[k]);
    CHECK(difference(jets[k], expected[k]) <= tolerance);
    CHECK(difference(simple_jets[k], expected[k]) <= tolerance);
    CHECK(difference(simple_nested[k], expected[k]) <= tolerance);
  }
}

/// A curved function of the coordinates with values in (0.25, 0.75).
Value inner(Builder& b, const Values& x) {
  using namespace ops;
  const Value curved = add(b, scale(b, mul(b, x[1], x[2]), 0.07), scale(b, mul(b, x[0], x[0]), 0.06));
  return shift(b, add(b, add(b, scale(b, x[0], 0.05), scale(b, x[1], -0.04)), add(b, curved, scale(b, x[2], 0.02))),
               0.5);
}

/// Two columns with values in (0.25, 0.75), and three.
Value columns(Builder& b, const Values& x, std::size_t n = 2) {
  const Value u = inner(b, x);
  Values all = {u, ops::mul(b, u, ops::cos(b, x[1])), ops::sin(b, ops::add(b, u, x[2]))};
  all.resize(n);
  return ops::concat(b, all, 1);
}

}  // namespace

TEST_CASE("Jets equal nested reverse mode: activations", "[jets]") {
  using namespace ops;
  const std::vector<std::pair<std::string, std::function<Value(Builder&, Value)>>> activations = {
      {"tanh", ops::tanh},
      {"sigmoid", ops::sigmoid},
      {"softplus", ops::softplus},
      {"sin", ops::sin},
      {"cos", ops::cos},
      {"silu", ops::silu},
      {"gelu", ops::gelu},
      {"gelu_tanh", ops::gelu_tanh},
      {"mish", ops::mish},
      {"relu", ops::relu},
      {"selu", ops::selu},
      {"erf", ops::erf},
      {"atan", ops::atan},
      {"exp", ops::exp},
      {"leaky_relu", [](Builder& b, Value x) { return leaky_relu(b, x, 0.1); }},
      {"elu", [](Builder& b, Value x) { return elu(b, x, 0.7); }},
      {"squareplus", [](Builder& b, Value x) { return squareplus(b, x); }},
      {"stan", [](Builder& b, Value x) { return stan(b, x, weights(b, {4}, 1, 9)); }},
      {"softmax", [](Builder& b, Value x) { return softmax(b, x, 1); }},
      {"rms_norm", [](Builder& b, Value x) { return rms_norm(b, x, weights(b, {4}, 1, 9)); }},
  };
  for (const auto& [name, activation] : activations) check_jets(name, network(activation));
}

TEST_CASE("Jets equal nested reverse mode: elementwise operations", "[jets]") {
  using namespace ops;
  const std::vector<std::pair<std::string, std::function<Value(Builder&, Value)>>> functions = {
      {"neg", ops::neg},
      {"sqrt", ops::sqrt},
      {"rsqrt", ops::rsqrt},
      {"expm1", ops::expm1},
      {"log", ops::log},
      {"log1p", ops::log1p},
      {"sinh", ops::sinh},
      {"cosh", ops::cosh},
      {"asin", ops::asin},
      {"acos", ops::acos},
      {"tan", ops::tan},
      {"abs", ops::abs},
      {"square", ops::square},
      {"floor", ops::floor},
      {"sign", ops::sign},
      {"powc 3", [](Builder& b, Value x) { return powc(b, x, 3); }},
      {"powc -2", [](Builder& b, Value x) { return powc(b, x, -2); }},
      {"powc 0.7", [](Builder& b, Value x) { return powc(b, x, 0.7); }},
      {"powc 0", [](Builder& b, Value x) { return powc(b, x, 0); }},
      {"1/x", [](Builder& b, Value x) { return div(b, full_like(b, x, 1), x); }},
  };
  for (const auto& [name, f] : functions) {
    check_jets(name, [&f = f](Builder& b, const Values& x) { return f(b, inner(b, x)); });
  }
  const std::vector<std::pair<std::string, std::function<Value(Builder&, Value, Value)>>> binary = {
      {"add", ops::add},
      {"sub", ops::sub},
      {"mul", ops::mul},
      {"div", ops::div},
      {"pow", ops::pow},
      {"max", ops::max},
      {"min", ops::min},
      {"atan2", ops::atan2},
      {"select", [](Builder& b, Value x, Value y) { return select(b, compare(b, x, y, "lt"), x, mul(b, y, y)); }},
  };
  for (const auto& [name, f] : binary) {
    check_jets(name, [&f = f](Builder& b, const Values& x) {
      return f(b, inner(b, x), scale(b, exp(b, mul(b, x[0], x[2])), 0.5));
    });
  }
}

TEST_CASE("Jets equal nested reverse mode: operations that move, add up or contract", "[jets]") {
  using namespace ops;
  const Dim n = Dim::symbol("n");
  const std::vector<std::pair<std::string, Expression>> expressions = {
      {"transpose, batched contraction of lanes with lanes",
       [&](Builder& b, const Values& x) {
         const Value u = reshape(b, columns(b, x), {n, 1, 2}),
                     v = transpose(b, reshape(b, columns(b, x), {n, 2, 1}), {0, 2, 1});
         return reshape(b, dot_general(b, u, v, {{0}, {0}, {2}, {2}}), {n, 1});
       }},
      {"slice, pad, reverse",
       [&](Builder& b, const Values& x) {
         const Value u = pad(b, columns(b, x), {0, 1}, {0, 0}, {0, 1});
         return mul(b, slice_dim(b, reverse(b, u, {1}), 1, 0, 1), slice_dim(b, u, 1, 1, 2));
       }},
      {"cumsum, reduce_sum",
       [&](Builder& b, const Values& x) {
         const Value u = cumsum(b, columns(b, x, 3), 1);
         return square(b, broadcast(b, reduce_sum(b, square(b, u), {1}), {n, 1}, {0}));
       }},
      {"reduce_prod",
       [&](Builder& b, const Values& x) {
         return reshape(b, reduce_prod(b, columns(b, x, 3), {1}), {n, 1});
       }},
      {"reduce_max",
       [&](Builder& b, const Values& x) {
         return reshape(b, square(b, reduce_max(b, columns(b, x, 3), {1})), {n, 1});
       }},
      {"logsumexp",
       [&](Builder& b, const Values& x) {
         return reshape(b, logsumexp(b, columns(b, x, 3), 1), {n, 1});
       }},
      {"gather, scatter_add",
       [&](Builder& b, const Values& x) {
         const Value indices = constant(b, Array::from<std::int64_t>({3}, {1, 0, 1}));
         const Value u = gather(b, columns(b, x), indices, 1);
         return slice_dim(b, scatter_add(b, indices, square(b, u), 1, 2), 1, 1, 2);
       }},
      {"dynamic_slice, dynamic_update_slice",
       [&](Builder& b, const Values& x) {
         const Value starts = constant(b, Array::from<std::int64_t>({2}, {0, 1}));
         const Value u = columns(b, x, 3);
         const Value v = dynamic_update_slice(b, square(b, u), dynamic_slice(b, u, starts, {n, 1}), starts);
         return reshape(b, reduce_prod(b, v, {1}), {n, 1});
       }},
      {"layer_norm",
       [&](Builder& b, const Values& x) {
         return slice_dim(b, layer_norm(b, columns(b, x, 3), weights(b, {3}, 1, 1), weights(b, {3}, 1, 2)), 1, 1, 2);
       }},
      {"stop_gradient", [](Builder& b, const Values& x) { return mul(b, inner(b, x), stop_gradient(b, inner(b, x))); }},
      {"composed",
       [](Builder& b, const Values& x) {
         const Value u = tanh(b, mul(b, inner(b, x), exp(b, x[1])));
         return div(b, sin(b, add(b, u, mul(b, x[0], x[2]))), add(b, cosh(b, u), sqrt(b, inner(b, x))));
       }},
  };
  for (const auto& [name, expression] : expressions) check_jets(name, expression);
}

namespace {

/// f, f', ..., f'''' at s.
using Table = std::function<std::vector<double>(double s)>;

std::vector<double> sin_table(double s) { return {std::sin(s), std::cos(s), -std::sin(s), -std::cos(s), std::sin(s)}; }
std::vector<double> exp_table(double s) { return std::vector<double>(5, std::exp(s)); }
std::vector<double> tanh_table(double s) {
  // T' = 1 - T^2; derivatives are polynomials in T.
  const double t = std::tanh(s), e = 1 - t * t;
  return {t, e, -2 * t * e, e * (6 * t * t - 2), e * t * (16 - 24 * t * t)};
}
std::vector<double> inverse_table(double s) {
  return {1 / s, -1 / (s * s), 2 / (s * s * s), -6 / std::pow(s, 4), 24 / std::pow(s, 5)};
}
/// exp(-s^2/2): (-1)^k He_k(s) exp(-s^2/2).
std::vector<double> gauss_table(double s) {
  const double g = std::exp(-s * s / 2);
  return {g, -s * g, (s * s - 1) * g, -(s * s * s - 3 * s) * g, (s * s * s * s - 6 * s * s + 3) * g};
}
std::vector<double> cube_table(double s) { return {s * s * s, 3 * s * s, 6 * s, 6, 0}; }

/// Compares all derivatives with `expected(index, x)`. Sums of at most a few dozen products of numbers no larger than
/// the lane's largest value times 100, each rounded to 2^-53: below 1e-12 of it.
void check_closed_form(const Expression& expression,
                       const std::function<double(const MultiIndex&, const std::vector<double>&)>& expected) {
  const std::vector<MultiIndex> indices = all_indices(kCoordinates, kOrder);
  std::vector<Terms> sums;
  for (const MultiIndex& index : indices) sums.push_back({{index, 1}});
  const std::vector<Array> jets = derivatives(kCoordinates, expression, sums);
  const std::vector<Array> x = coordinates_of(kCoordinates, 4);
  for (std::size_t k = 0; k < indices.size(); ++k) {
    Array values(DType::f64, {4, 1});
    for (std::size_t row = 0; row < 4; ++row) {
      std::vector<double> point;
      for (const Array& coordinate : x) point.push_back(coordinate.data<double>()[row]);
      values.data<double>()[row] = expected(indices[k], point);
    }
    INFO(str(indices[k]));
    CHECK(difference(jets[k], values) <= 1e-12 * std::max(largest(values), 1e-3));
  }
}

}  // namespace

TEST_CASE("Jets equal closed forms: functions of a x + b y + c z", "[jets]") {
  using namespace ops;
  const double a = 0.7, c1 = -1.1, c2 = 0.4, offset = 2.5;
  const std::vector<std::pair<std::function<Value(Builder&, Value)>, Table>> functions = {
      {ops::sin, sin_table},
      {ops::exp, exp_table},
      {ops::tanh, tanh_table},
      {[](Builder& b, Value s) { return div(b, full_like(b, s, 1), s); }, inverse_table},
      {[](Builder& b, Value s) { return exp(b, scale(b, square(b, s), -0.5)); }, gauss_table},
      {[](Builder& b, Value s) { return powc(b, s, 3); }, cube_table},
  };
  for (std::size_t i = 0; i < functions.size(); ++i) {
    INFO("function " << i);
    check_closed_form(
        [&](Builder& b, const Values& x) {
          const Value s = add(b, add(b, scale(b, x[0], a), scale(b, x[1], c1)), scale(b, x[2], c2));
          return functions[i].first(b, shift(b, s, offset));
        },
        [&](const MultiIndex& k, const std::vector<double>& x) {
          const double s = a * x[0] + c1 * x[1] + c2 * x[2] + offset;
          return std::pow(a, k[0]) * std::pow(c1, k[1]) * std::pow(c2, k[2]) *
                 functions[i].second(s)[static_cast<std::size_t>(ir::order(k))];
        });
  }
}

TEST_CASE("Jets equal closed forms: products of functions of one coordinate", "[jets]") {
  using namespace ops;
  const auto product = [](Table f, Table g, Table h) {
    return [=](const MultiIndex& k, const std::vector<double>& x) {
      return f(x[0]).at(static_cast<std::size_t>(k[0])) * g(x[1]).at(static_cast<std::size_t>(k[1])) *
             h(x[2]).at(static_cast<std::size_t>(k[2]));
    };
  };
  check_closed_form(
      [](Builder& b, const Values& x) { return mul(b, mul(b, sin(b, x[0]), exp(b, x[1])), tanh(b, x[2])); },
      product(sin_table, exp_table, tanh_table));
  // A quotient: sin(x) y^3 / exp(-z).
  check_closed_form(
      [](Builder& b, const Values& x) {
        return div(b, mul(b, sin(b, x[0]), mul(b, x[1], square(b, x[1]))), exp(b, neg(b, x[2])));
      },
      product(sin_table, cube_table, exp_table));
  // The Gaussian exp(-(x^2 + y^2 + z^2)/2).
  check_closed_form(
      [](Builder& b, const Values& x) {
        return exp(b, scale(b, add(b, add(b, square(b, x[0]), square(b, x[1])), square(b, x[2])), -0.5));
      },
      product(gauss_table, gauss_table, gauss_table));
}
