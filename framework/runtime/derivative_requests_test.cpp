/// Requests for derivatives as the planner expands them: collapsed lanes, nesting, zeros, gradients, independent rows.

#include <catch2/catch.hpp>
#include <cmath>

#include "framework/autodiff/planner.h"
#include "framework/autodiff/vjp.h"
#include "framework/ir/printer.h"
#include "framework/ir/transforms.h"
#include "framework/ops/decompose.h"
#include "framework/ops/dialects.h"
#include "framework/runtime/derivatives_test_util.h"
#include "framework/runtime/interpreter.h"

using namespace eddy;
using namespace eddy::runtime::testing;

namespace {

const Dim n = Dim::symbol("n");

MultiIndex unit(std::size_t n_coordinates, std::size_t d, int order) {
  MultiIndex index(n_coordinates, 0);
  index[d] = order;
  return index;
}

Terms laplacian(std::size_t n_coordinates) {
  Terms terms;
  for (std::size_t d = 0; d < n_coordinates; ++d) terms.push_back({unit(n_coordinates, d, 2), 1});
  return terms;
}

std::vector<autodiff::DerivativePlan> plans_of(ir::Module& module) {
  return autodiff::expand_derivatives(module.function("f"));
}

/// Requires that a sum of derivatives, next to other requests, equals the sum of separate requests for its terms, to
/// 1e-10 of the largest summand, and that the plan has that many lanes and collapsed ones among them.
void check_sum(std::size_t n_coordinates, const Expression& expression, const Terms& terms, std::size_t n_lanes,
               std::size_t n_collapsed, const std::vector<Terms>& others = {}) {
  std::vector<Terms> sums = {terms};
  sums.insert(sums.end(), others.begin(), others.end());
  const auto module = coordinate_program(n_coordinates, expression, requests(sums));
  const auto plans = plans_of(*module);
  REQUIRE(plans.size() == 1);
  INFO(plans[0].str());
  CHECK(plans[0].lanes.n_lanes() == n_lanes);
  CHECK(plans[0].lanes.combinations.size() == n_collapsed);
  const Array sum = runtime::interpret(module->function("f"), coordinates_of(n_coordinates, 4))[0];

  Array total(DType::f64, {4, 1});
  double scale = 0;
  for (const autodiff::DerivativeTerm& term : terms) {
    const Array part = derivatives(n_coordinates, expression, {{{term.orders, 1}}})[0];
    scale = std::max(scale, std::abs(term.weight) * largest(part));
    for (std::size_t row = 0; row < 4; ++row) total.data<double>()[row] += term.weight * part.data<double>()[row];
  }
  REQUIRE(scale > 1e-3);
  CHECK(difference(sum, total) <= 1e-10 * scale);
}

Value wave(Builder& b, const Values& x) {
  using namespace ops;
  const Value product = mul(b, sin(b, add(b, x[0], scale(b, x[1], 2))), exp(b, mul(b, x[0], x[1])));
  return div(b, product, shift(b, square(b, x.back()), 1));
}

int count(const ir::Module& module, std::string_view name = {}) {
  int n_found = 0;
  for (const ir::Operation* op : module.function("f").body().operations()) n_found += name.empty() || op->is(name);
  return n_found;
}

}  // namespace

TEST_CASE("A collapsed Laplacian equals the sum of second derivatives and takes 2 + D lanes", "[derivatives]") {
  for (const std::size_t dims : {2, 3, 10}) {
    INFO("in " << dims << " coordinates");
    check_sum(dims, network(ops::tanh), laplacian(dims), 2 + dims, 1);
    check_sum(dims, network(ops::gelu), laplacian(dims), 2 + dims, 1);
    check_sum(dims, wave, laplacian(dims), 2 + dims, 1);
  }
}

TEST_CASE("Collapsed lanes carry weights, mixed derivatives and higher orders", "[derivatives]") {
  const std::vector<Expression> expressions = {network(ops::tanh), network(ops::silu), wave};
  for (const Expression& u : expressions) {
    check_sum(3, u, {{{2, 0, 0}, 0.3}, {{0, 2, 0}, -2}, {{0, 0, 2}, 1e3}}, 5, 1);
    check_sum(2, u, {{{2, 0}, 1}, {{1, 1}, -3}, {{0, 2}, 0.5}}, 4, 1);
    // The biharmonic operator: below its terms lie all ten indices to order 3.
    const Terms biharmonic = {{{4, 0}, 1}, {{2, 2}, 2}, {{0, 4}, 1}};
    check_sum(2, u, biharmonic, 10 + 1, 1);
    // Terms of different orders: u_t - u_xx, of which u_t is carried anyway.
    check_sum(2, u, {{{1, 0}, 1}, {{0, 2}, -0.7}, {{2, 0}, 0.1}}, 4, 1);
    // u_xxx + u_yy + u_xxy/2, of orders 2 and 3.
    check_sum(2, u, {{{3, 0}, 1}, {{0, 2}, 1}, {{2, 1}, 0.5}}, 5 + 1, 1);
  }
}

TEST_CASE("A combination whose terms are carried anyway", "[derivatives]") {
  for (const Expression& u : {network(ops::tanh), Expression(wave)}) {
    // One of three terms is a lane of its own, in either order of the requests.
    check_sum(3, u, laplacian(3), 1 + 3 + 1 + 1, 1, {{{{2, 0, 0}, 1}}});
    // All but one: no lane is saved, so it is a sum.
    check_sum(3, u, laplacian(3), 1 + 3 + 3, 0, {{{{2, 0, 0}, 1}}, {{{0, 2, 0}, 1}}});
    // A higher derivative carries one term as an inner lane.
    check_sum(3, u, laplacian(3), 1 + 3 + 2 + 1, 1, {{{{0, 3, 0}, 1}}});
    // Terms without a lane of their own to save are added: the value itself, a first derivative. The rest is shared.
    check_sum(2, u, {{{0, 0}, 4}, {{2, 0}, 1}, {{0, 2}, 1}}, 4, 1, {laplacian(2)});
    check_sum(3, u, {{{0, 0, 1}, -1}, {{2, 0, 0}, 1}, {{0, 2, 0}, 1}, {{0, 0, 2}, 1}}, 5, 1, {laplacian(3)});
    // A sum that saves nothing makes a term of another one a lane of its own.
    check_sum(2, u, laplacian(2), 1 + 2 + 2, 0, {{{{1, 0}, 1}, {{2, 0}, 1}}});
    check_sum(3, u, laplacian(3), 1 + 3 + 1 + 1, 1, {{{{1, 0, 0}, 1}, {{2, 0, 0}, 1}}});
    // Directional derivatives are collapsed, too.
    check_sum(3, u, {{{1, 0, 0}, 1}, {{0, 1, 0}, 2}, {{0, 0, 1}, 3}}, 2, 1);
    // A term that comes twice counts once.
    check_sum(2, u, {{{2, 0}, 1}, {{2, 0}, 2}}, 3, 0);
    // Two combinations share all lanes but their own.
    check_sum(2, u, laplacian(2), 1 + 2 + 2, 2, {{{{2, 0}, 1}, {{1, 1}, 4}}});
    // Twice the same one.
    check_sum(2, u, laplacian(2), 4, 1, {laplacian(2)});
  }
}

TEST_CASE("Requests of derivatives of derivatives", "[derivatives]") {
  using namespace ops;
  const auto d = [](Builder& b, Value u, const Values& x, const MultiIndex& index) {
    return autodiff::derivative(b, u, x, {{index, 1}});
  };
  const std::vector<Array> x = coordinates_of(2, 4);
  const auto check = [&](const Wanted& wanted, const std::function<double(double x, double y)>& expected) {
    // u = sin(x) exp(2 y)
    const auto module = coordinate_program(
        2, [](Builder& b, const Values& x) { return mul(b, sin(b, x[0]), exp(b, scale(b, x[1], 2))); }, wanted);
    const Array result = runtime::interpret(module->function("f"), x).at(0);
    for (std::int64_t row = 0; row < 4; ++row) {
      const double exact = expected(x[0].at(row), x[1].at(row));
      CHECK(result.at(row) == Approx(exact).epsilon(1e-13).margin(1e-13));
    }
  };
  // d(u_x u, y) = 4 sin cos exp(4 y)
  check(
      [&](Builder& b, Value u, const Values& x) {
        return Values{d(b, mul(b, d(b, u, x, {1, 0}), u), x, {0, 1})};
      },
      [](double x, double y) { return 4 * std::sin(x) * std::cos(x) * std::exp(4 * y); });
  // The same by requests that name one coordinate each.
  check(
      [&](Builder& b, Value u, const Values& x) { return Values{d(b, mul(b, d(b, u, {x[0]}, {1}), u), {x[1]}, {1})}; },
      [](double x, double y) { return 4 * std::sin(x) * std::cos(x) * std::exp(4 * y); });
  // d(lap u, x), lap u = 3 u
  check(
      [&](Builder& b, Value u, const Values& x) {
        return Values{d(b, autodiff::derivative(b, u, x, laplacian(2)), x, {1, 0})};
      },
      [](double x, double y) { return 3 * std::cos(x) * std::exp(2 * y); });
  // lap(lap u) = 9 u
  check(
      [&](Builder& b, Value u, const Values& x) {
        return Values{autodiff::derivative(b, autodiff::derivative(b, u, x, laplacian(2)), x, laplacian(2))};
      },
      [](double x, double y) { return 9 * std::sin(x) * std::exp(2 * y); });
  // div(u grad u) = (u u_x)_x + (u u_y)_y, next to a Laplacian of its own
  check(
      [&](Builder& b, Value u, const Values& x) {
        const Value flux_x = mul(b, u, d(b, u, x, {1, 0})), flux_y = mul(b, u, d(b, u, x, {0, 1}));
        return Values{add(b, d(b, flux_x, x, {1, 0}), d(b, flux_y, x, {0, 1})),
                      autodiff::derivative(b, u, x, laplacian(2))};
      },
      [](double x, double y) { return (std::cos(2 * x) + 8 * std::sin(x) * std::sin(x)) * std::exp(4 * y); });
  // Three levels: d(d(d(u, x) u, y) x, x)
  check(
      [&](Builder& b, Value u, const Values& x) {
        const Value inner = d(b, mul(b, d(b, u, x, {1, 0}), u), x, {0, 1});
        return Values{d(b, mul(b, inner, x[0]), x, {1, 0})};
      },
      [](double x, double y) { return (4 * std::sin(x) * std::cos(x) + 4 * x * std::cos(2 * x)) * std::exp(4 * y); });
}

TEST_CASE("Derivatives by coordinates that do not occur are zero", "[derivatives]") {
  using namespace ops;
  const Expression of_x0 = [](Builder& b, const Values& x) { return tanh(b, x[0]); };
  const std::vector<Terms> sums = {{{{0, 1}, 1}}, {{{1, 1}, 1}}, {{{0, 2}, 1}}, {{{0, 2}, 1}, {{1, 1}, 3}}};
  for (const Array& zero : derivatives(2, of_x0, sums)) CHECK(largest(zero) == 0);
  const Expression constant = [](Builder& b, const Values& x) { return full_like(b, x[0], 3); };
  for (const Array& zero : derivatives(2, constant, {{{{1, 0}, 1}}, laplacian(2)})) {
    CHECK(zero.shape() == std::vector<std::int64_t>{4, 1});
    CHECK(largest(zero) == 0);
  }
  // The derivative of no order is the value.
  CHECK(derivatives(2, of_x0, {{{{0, 0}, 1}}})[0].at(0) == std::tanh(coordinates_of(2, 4)[0].at(0)));
  CHECK(largest(derivatives(2, of_x0, {{{{2, 0}, 0}}})[0]) == 0);
}

TEST_CASE("Lanes that are zero cost nothing", "[derivatives]") {
  using namespace ops;
  const auto expanded = [](std::size_t n_coordinates, const Expression& u, const Terms& terms) {
    auto module = coordinate_program(n_coordinates, u, requests({terms}));
    plans_of(*module);
    ir::eliminate_common_subexpressions(*module);
    ir::eliminate_dead_code(*module);
    return module;
  };
  // Second derivatives of a linear map: neither the map nor its lanes remain.
  const auto linear_map = [](Builder& b, const Values& x) {
    return matmul(b, concat(b, x, 1), weights(b, {2, 1}, 1, 1));
  };
  CHECK(count(*expanded(2, linear_map, {{{2, 0}, 1}}), "prim.dot_general") == 0);
  CHECK(count(*expanded(2, linear_map, laplacian(2)), "prim.dot_general") == 0);
  // First ones: the seed alone passes.
  CHECK(count(*expanded(2, linear_map, {{{1, 0}, 1}}), "prim.dot_general") == 1);
  // (sin(x) y)_x needs one product, not that with the derivative of y.
  const auto product =
      expanded(2, [](Builder& b, const Values& x) { return mul(b, sin(b, x[0]), x[1]); }, {{{1, 0}, 1}});
  INFO(ir::print(*product));
  CHECK(count(*product, "prim.sin") == 0);
  CHECK(count(*product, "prim.add") == 0);
  CHECK(count(*product, "prim.mul") <= 2);  // with the seed of ones
  // What does not depend on x is not differentiated: (tanh(y) + x)_x.
  const auto sum = expanded(2, [](Builder& b, const Values& x) { return add(b, tanh(b, x[1]), x[0]); }, {{{1, 0}, 1}});
  CHECK(count(*sum, "prim.tanh") == 0);
  // u + u_xx of a network: u, u_x in the first layer, all three in the second, u and the sum's lane in the last.
  CHECK(count(*expanded(1, network(ops::tanh), {{{0}, 1}, {{2}, 1}}), "prim.dot_general") == 7);
}

TEST_CASE("Gradients through expanded requests equal differences", "[derivatives]") {
  using namespace ops;
  // loss = sum r^2, r = u_t + u u_x - 0.3 lap(u) + d(u_x u, t) of a network with weights as arguments.
  const auto build = [](bool with_gradient) {
    auto module = std::make_unique<ir::Module>(ops::default_context());
    ir::Function f = module->add_function("f");
    const auto type = [](Shape shape) { return ir::Type::tensor(DType::f64, std::move(shape)); };
    const Values x = {f.add_argument("t", type({n, 1})), f.add_argument("x", type({n, 1}))};
    const Values w = {f.add_argument("w0", type({2, 4})), f.add_argument("b0", type({4})),
                      f.add_argument("w1", type({4, 4})), f.add_argument("w2", type({4, 1}))};
    Builder b(module->context(), f.body());
    Value u = tanh(b, linear(b, concat(b, x, 1), w[0], w[1]));
    u = matmul(b, silu(b, matmul(b, u, w[2])), w[3]);
    const Value u_x = autodiff::derivative(b, u, x, {{{0, 1}, 1}});
    Value r = add(b, autodiff::derivative(b, u, x, {{{1, 0}, 1}}), mul(b, u, u_x));
    r = sub(b, r, scale(b, autodiff::derivative(b, u, x, laplacian(2)), 0.3));
    r = add(b, r, autodiff::derivative(b, mul(b, u_x, u), x, {{{1, 0}, 1}}));
    f.set_results({"loss"}, Values{reduce_sum(b, square(b, r), {0, 1})});
    ops::decompose_composites(f);
    plans_of(*module);
    if (with_gradient) {
      b.set_insertion_point(f.body(), f.body().terminator());
      Values results = autodiff::vjp(b, f.results(), Values{scalar(b, DType::f64, 1)}, w);
      f.set_results({"g0", "g1", "g2", "g3"}, results);
    }
    return module;
  };
  const auto loss = build(false), gradient = build(true);
  std::vector<Array> arguments = coordinates_of(2, 3);
  for (std::uint64_t i = 0; i < 4; ++i) {
    const std::vector<std::int64_t> shapes[] = {{2, 4}, {4}, {4, 4}, {4, 1}};
    Array w(DType::f64, shapes[i]);
    for (std::size_t k = 0; k < static_cast<std::size_t>(w.n_elements()); ++k) {
      w.data<double>()[k] = std::sin(1.0 + 3.7 * double(k) + double(i));
    }
    arguments.push_back(w);
  }
  const std::vector<Array> g = runtime::interpret(gradient->function("f"), arguments);
  const auto loss_at = [&](std::size_t argument, std::size_t element, double step) {
    std::vector<Array> moved = arguments;
    moved[argument] = moved[argument].clone();
    moved[argument].data<double>()[element] += step;
    return runtime::interpret(loss->function("f"), moved)[0].item();
  };
  // Richardson's extrapolation of central differences: an error of order h^4 = 1e-12 in the derivatives of order 5, and
  // rounding of 1e-16 loss/h.
  const double h = 1e-3;
  for (std::size_t a = 0; a < 4; ++a) {
    for (std::size_t k = 0; k < static_cast<std::size_t>(g[a].n_elements()); ++k) {
      const double coarse = (loss_at(a + 2, k, 2 * h) - loss_at(a + 2, k, -2 * h)) / (4 * h);
      const double fine = (loss_at(a + 2, k, h) - loss_at(a + 2, k, -h)) / (2 * h);
      INFO("argument " << a << " element " << k);
      CHECK(std::abs(g[a].at(std::int64_t(k)) - (4 * fine - coarse) / 3) <= 1e-8 * std::max(1.0, largest(g[a])));
    }
  }
}

namespace {

void check_rejected(const Expression& expression, const std::string& op) {
  const auto module = coordinate_program(2, expression, [](Builder& b, Value u, const Values& x) {
    b.set_location({std::make_shared<const std::string>("problem.yaml"), 7, 12});
    return Values{autodiff::derivative(b, u, x, {{{1, 0}, 1}})};
  });
  INFO(op);
  try {
    plans_of(*module);
    FAIL_CHECK("accepted");
  } catch (const UserError& error) {
    CHECK(error.where().str() == "problem.yaml:7:12");
    CHECK_THAT(error.message(), Catch::Contains("cannot differentiate by a coordinate") && Catch::Contains(op));
    CHECK_FALSE(error.hint().empty());
  }
}

}  // namespace

TEST_CASE("Rows that depend on each other are rejected at the request", "[derivatives]") {
  using namespace ops;
  check_rejected(
      [](Builder& b, const Values& x) {
        return broadcast(b, reduce_sum(b, x[0], {0}), {n, 1}, {1});
      },
      "prim.reduce_sum reduces over the rows");
  check_rejected(
      [](Builder& b, const Values& x) {
        return mul(b, x[0], broadcast(b, reduce_max(b, x[0], {0}), {n, 1}, {1}));
      },
      "prim.reduce_max reduces over the rows");
  check_rejected([](Builder& b, const Values& x) { return cumsum(b, x[0], 0); }, "prim.cumsum moves the rows");
  check_rejected([](Builder& b, const Values& x) { return add(b, x[0], reverse(b, x[0], {0})); },
                 "prim.reverse moves the rows");
  check_rejected(
      [](Builder& b, const Values& x) {
        return matmul(b, full(b, ir::Type::tensor(DType::f64, {n, n}), 1), x[0]);
      },
      "prim.dot_general reduces over the rows");
  check_rejected([](Builder& b, const Values& x) { return softmax(b, x[0], 0); }, "the rows");
  check_rejected(
      [](Builder& b, const Values& x) {
        return slice_dim(b, concat(b, {x[0], x[1]}, 0), 0, n, 2 * n);
      },
      "prim.concat moves the rows");
  check_rejected(
      [](Builder& b, const Values& x) { return gather(b, x[0], iota(b, ir::Type::tensor(DType::i64, {n}), 0), 0); },
      "prim.gather moves the rows");
  // x_i y_j has the rows of both along two dims.
  check_rejected(
      [](Builder& b, const Values& x) {
        return dot_general(b, x[0], x[1], {{}, {}, {1}, {1}});
      },
      "the rows");
  // Element (i, j) is x_j: its rows are another coordinate's.
  check_rejected(
      [](Builder& b, const Values& x) {
        return broadcast(b, x[0], {n, n, 1}, {1, 2});
      },
      "prim.broadcast moves the rows");
}

TEST_CASE("Rows that do not depend on each other are accepted", "[derivatives]") {
  using namespace ops;
  const std::vector<Expression> expressions = {
      [](Builder& b, const Values& x) {
        return transpose(b, cumsum(b, transpose(b, concat(b, x, 1), {1, 0}), 0), {1, 0});
      },
      [](Builder& b, const Values& x) {
        return reshape(b, reduce_sum(b, concat(b, x, 1), {1}), {n, 1});
      },
      // Statistics of the rows of what is no function of the coordinates.
      [](Builder& b, const Values& x) {
        const Value other = iota(b, ir::Type::tensor(DType::f64, {n, 1}), 0);
        return mul(b, x[0], broadcast(b, reduce_sum(b, other, {0}), {n, 1}, {1}));
      },
      [](Builder& b, const Values& x) { return softmax(b, concat(b, x, 1), 1); }};
  for (const Expression& u : expressions) {
    const auto module = coordinate_program(2, u, requests({{{{1, 0}, 1}}}));
    CHECK_NOTHROW(plans_of(*module));
  }
}
