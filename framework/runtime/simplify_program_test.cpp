/// What simplification makes of a whole program: the residual of Burgers' equation and its gradients.

#include <algorithm>
#include <catch2/catch.hpp>

#include "framework/autodiff/planner.h"
#include "framework/autodiff/vjp.h"
#include "framework/core/rng.h"
#include "framework/ir/printer.h"
#include "framework/ir/transforms.h"
#include "framework/ir/verifier.h"
#include "framework/ops/dialects.h"
#include "framework/ops/emit.h"
#include "framework/ops/simplify.h"
#include "framework/runtime/derivatives_test_util.h"
#include "framework/runtime/interpreter.h"

using namespace eddy;
using namespace eddy::runtime;

namespace {

using ir::Builder;
using ir::Value;
using Values = std::vector<Value>;

const Dim n = Dim::symbol("n");

ir::Type f64(Shape shape) { return ir::Type::tensor(DType::f64, std::move(shape)); }

Array random_data(ir::Type type, std::int64_t rows, std::uint64_t stream) {
  Array values(DType::f64, evaluate(type.shape(), {{"n", rows}}));
  const Rng rng(11, stream);
  for (std::size_t i = 0; i < static_cast<std::size_t>(values.n_elements()); ++i) {
    values.data<double>()[i] = 2 * rng.uniform(i) - 1;
  }
  return values;
}

bool simplify_and_merge(ir::Module& module) {
  bool changed = false;
  while (ops::simplify(module) | ir::eliminate_common_subexpressions(module)) changed = true;
  ir::verify(module);
  return changed;
}

/// u_t + u u_x - nu u_xx for 5 hidden layers of `width` with tanh: what a Burgers problem computes on its interior
/// points.
struct Burgers {
  std::unique_ptr<ir::Module> module = std::make_unique<ir::Module>(ops::default_context());
  ir::Function function;
  Values parameters;
  std::vector<autodiff::DerivativePlan> plans;

  explicit Burgers(std::int64_t width) {
    using namespace ops;
    function = module->add_function("f");
    Builder b(module->context(), function.body());
    const Value points = function.add_argument("points", f64({n, 2})), nu = function.add_argument("nu", f64({}));
    std::int64_t inputs = 2;
    for (int layer = 0; layer < 6; ++layer) {
      const std::int64_t outputs = layer < 5 ? width : 1;
      parameters.push_back(function.add_argument(fmt::format("w{}", layer), f64({inputs, outputs})));
      parameters.push_back(function.add_argument(fmt::format("b{}", layer), f64({outputs})));
      inputs = outputs;
    }
    const Value t = slice_dim(b, points, 1, 0, 1), x = slice_dim(b, points, 1, 1, 2);
    Value u = concat(b, {t, x}, 1);
    for (std::size_t layer = 0; layer < 6; ++layer) {
      u = matmul(b, u, parameters[2 * layer]);
      u = add(b, u, broadcast_to(b, parameters[2 * layer + 1], u.shape()));
      if (layer < 5) u = tanh(b, u);
    }
    const auto d = [&](int of_t, int of_x) { return autodiff::derivative(b, u, Values{t, x}, {{{of_t, of_x}, 1}}); };
    const Value u_t = d(1, 0), u_x = d(0, 1), u_xx = d(0, 2);
    const Value diffusion = mul(b, broadcast(b, nu, {n, 1}, {}), u_xx);
    function.set_results({"residual"}, Values{sub(b, add(b, u_t, mul(b, u, u_x)), diffusion)});
    plans = autodiff::expand_derivatives(function);
    ir::eliminate_common_subexpressions(*module);
    ir::eliminate_dead_code(*module);
  }

  /// Adds the gradients of the sum of squares as results.
  void add_gradients() {
    Builder b(module->context(), function.body(), function.body().terminator());
    Values results = function.results();
    const Value total = ops::reduce_sum(b, ops::square(b, results[0]), {0, 1});
    const Values gradients = autodiff::vjp(b, Values{total}, Values{ops::scalar(b, DType::f64, 1)}, parameters);
    std::vector<std::string> names = function.result_names();
    for (std::size_t i = 0; i < gradients.size(); ++i) {
      REQUIRE(gradients[i]);
      names.push_back(fmt::format("g{}", i));
      results.push_back(gradients[i]);
    }
    function.set_results(names, results);
    ir::eliminate_common_subexpressions(*module);
    ir::eliminate_dead_code(*module);
  }

  std::vector<Array> run(std::int64_t rows) const {
    std::vector<Array> arguments;
    for (std::size_t i = 0; i < function.n_arguments(); ++i) {
      arguments.push_back(random_data(function.argument(i).type(), rows, i));
    }
    return runtime::interpret(function, arguments);
  }

  int count(std::string_view name = {}) const {
    int n_found = 0;
    for (const ir::Operation* op : function.body().operations()) n_found += name.empty() || op->is(name);
    return n_found;
  }
};

}  // namespace

TEST_CASE("Burgers' residual keeps its bits and gets cheaper", "[simplify]") {
  Burgers burgers(7);
  REQUIRE(burgers.plans.at(0).lanes.n_lanes() == 4);  // u, u_t, u_x, u_xx
  const int n_before = burgers.count();
  const std::vector<Array> values[] = {burgers.run(0), burgers.run(1), burgers.run(9)};
  CHECK(simplify_and_merge(*burgers.module));
  INFO(ir::print(*burgers.module));
  for (int i = 0; i < 3; ++i) CHECK(burgers.run(std::vector{0, 1, 9}[i])[0].identical(values[i][0]));
  CHECK(n_before == 115);
  CHECK(burgers.count() == 94);
  CHECK(burgers.count("prim.tanh") == 5);
  // Four lanes through six layers, but no second derivative through the first: its two seeds are rows of the weights.
  CHECK(burgers.count("prim.dot_general") == 23);
  int n_gemm = 0;
  for (const ir::Operation* op : burgers.function.body().operations()) {
    n_gemm += op->is("prim.dot_general") && op->result().rank() == 2;
  }
  CHECK(n_gemm == 21);
  CHECK(burgers.count("prim.concat") == 0);
  CHECK(burgers.count("prim.slice") == 0);
}

TEST_CASE("Burgers' gradients keep their values and get cheaper", "[simplify]") {
  // Simplified after the reverse transform only, and before it as well.
  for (const bool before_vjp : {false, true}) {
    Burgers burgers(7);
    if (before_vjp) simplify_and_merge(*burgers.module);
    burgers.add_gradients();
    const int n_before = burgers.count();
    const std::vector<Array> values[] = {burgers.run(0), burgers.run(1), burgers.run(9)};
    simplify_and_merge(*burgers.module);
    CHECK(burgers.count() <= (before_vjp ? 270 : 287));
    CHECK(burgers.count() < n_before);
    CHECK(burgers.count("prim.dot_general") == 64);
    INFO(ir::print(*burgers.module));
    for (int i = 0; i < 3; ++i) {
      const std::vector<Array> simplified = burgers.run(std::vector{0, 1, 9}[i]);
      REQUIRE(simplified.size() == 13);
      for (std::size_t k = 0; k < simplified.size(); ++k) {
        // Sums over the rows are rounded in another order: n eps sum|x|, of at most 9 rows, here below 1e3.
        CHECK(testing::difference(simplified[k], values[i][k]) <=
              9 * 0x1p-53 * 1e3 * std::max(1.0, testing::largest(values[i][k])));
      }
    }
  }
}
