#include "framework/runtime/executable.h"

#include <catch2/catch.hpp>
#include <cmath>

#include "framework/autodiff/derivative.h"
#include "framework/autodiff/vjp.h"
#include "framework/compiler/pipeline.h"
#include "framework/core/rng.h"
#include "framework/core/thread_pool.h"
#include "framework/ops/dialects.h"
#include "framework/ops/emit.h"
#include "framework/runtime/interpreter.h"

using namespace eddy;
using ir::Value;

namespace {

const ir::Context& context() { return ops::default_context(); }

Array random_array(DType dtype, const std::vector<std::int64_t>& shape, std::uint64_t seed) {
  Array array(DType::f64, shape);
  const Rng rng(seed, "executable_test");
  for (std::int64_t i = 0; i < array.n_elements(); ++i)
    array.data<double>()[static_cast<std::size_t>(i)] = 2 * rng.uniform(static_cast<std::uint64_t>(i)) - 1;
  return array.cast(dtype);
}

double largest(const Array& a) {
  double value = 0;
  for (std::int64_t i = 0; i < a.n_elements(); ++i) value = std::max(value, std::abs(a.at(i)));
  return value;
}

/// Sums of up to a few thousand terms in another order: relative to the largest element.
void require_near(const Array& a, const Array& b, double tolerance) {
  REQUIRE(a.shape() == b.shape());
  const double scale = std::max(largest(b), 1e-30);
  for (std::int64_t i = 0; i < a.n_elements(); ++i) {
    INFO("element " << i << ": " << a.at(i) << " and " << b.at(i));
    REQUIRE(std::abs(a.at(i) - b.at(i)) <= tolerance * scale);
  }
}

/// Burgers' residual of a network of two hidden layers with a boundary term; loss and gradients.
struct Burgers {
  ir::Module module{context(), "burgers"};
  ir::Function function = module.add_function("loss_and_grad");
  std::vector<std::vector<std::int64_t>> shapes;

  explicit Burgers(DType dtype, std::int64_t width) {
    const Dim n = Dim::symbol("n"), m = Dim::symbol("m");
    std::vector<Value> weights;
    const auto parameter = [&](const char* name, Shape shape) {
      weights.push_back(function.add_argument(name, ir::Type::tensor(dtype, shape)));
      return weights.back();
    };
    const Value w0 = parameter("w0", {2, width}), b0 = parameter("b0", {width});
    const Value w1 = parameter("w1", {width, width}), b1 = parameter("b1", {width});
    const Value w2 = parameter("w2", {width, 1}), b2 = parameter("b2", {1});
    const Value points = function.add_argument("points", ir::Type::tensor(dtype, {n, 2}));
    const Value ends = function.add_argument("ends", ir::Type::tensor(dtype, {m, 2}));
    ir::Builder b(context(), function.body());
    const auto net = [&](Value input) {
      const Value h0 = ops::tanh(
          b, ops::add(b, ops::matmul(b, input, w0), ops::broadcast(b, b0, {input.type().dim(0), width}, {1})));
      const Value h1 =
          ops::tanh(b, ops::add(b, ops::matmul(b, h0, w1), ops::broadcast(b, b1, {input.type().dim(0), width}, {1})));
      return ops::add(b, ops::matmul(b, h1, w2), ops::broadcast(b, b2, {input.type().dim(0), 1}, {1}));
    };
    const auto mean_square = [&](Value r) {
      const Value total = ops::reduce_sum(b, ops::square(b, r), {0, 1});
      return ops::div(b, total, ops::cast(b, ops::size(b, r.type().dim(0), DType::i64), dtype));
    };
    const Value t = ops::slice_dim(b, points, 1, 0, 1), x = ops::slice_dim(b, points, 1, 1, 2);
    const Value u = net(ops::concat(b, {t, x}, 1));
    const auto d = [&](std::vector<int> orders) {
      return autodiff::derivative(b, u, std::vector{t, x}, {{orders, 1.0}});
    };
    const Value residual =
        ops::sub(b, ops::add(b, d({1, 0}), ops::mul(b, u, d({0, 1}))), ops::scale(b, d({0, 2}), 0.01));
    const Value loss = ops::add(b, mean_square(residual), mean_square(net(ends)));
    function.set_results({"loss"}, std::vector{loss});
    autodiff::expand_derivatives(function);
    ir::Builder after(context(), function.body(), function.body().terminator());
    const Value one = ops::scalar(after, dtype, 1);
    std::vector<Value> results = autodiff::vjp(after, std::vector{loss}, std::vector{one}, weights);
    std::vector<std::string> names = {"g_w0", "g_b0", "g_w1", "g_b1", "g_w2", "g_b2", "loss"};
    results.push_back(loss);
    function.set_results(names, results);
  }

  std::vector<Array> arguments(std::int64_t n, std::int64_t m) const {
    std::vector<Array> all;
    std::uint64_t seed = 1;
    for (const Value argument : function.body().arguments()) {
      all.push_back(random_array(argument.dtype(), evaluate(argument.shape(), {{"n", n}, {"m", m}}), seed++));
    }
    return all;
  }
};

}  // namespace

TEST_CASE("a training loss and its gradient, compiled, equal the reference kernels") {
  ThreadPool one_thread(1), two_threads(2);
  for (const DType dtype : {DType::f64, DType::f32}) {
    Burgers burgers(dtype, 20);
    const compiler::Prepared prepared = compiler::prepare(burgers.function);
    runtime::Executable one(prepared.function(), devices::Device::open("cpu", one_thread), 1);
    runtime::Executable two(prepared.function(), devices::Device::open("cpu", two_threads), 2);
    // 1e3 terms per sum, a few hundred roundings per term.
    const double tolerance = dtype == DType::f64 ? 1e-12 : 2e-4;
    for (const auto& [n, m] : {std::pair<std::int64_t, std::int64_t>{1000, 77}, {1, 1}, {129, 5}}) {
      const std::vector<Array> arguments = burgers.arguments(n, m);
      const std::vector<Array> expected = runtime::interpret(prepared.function(), arguments);
      const std::vector<Array> results = one.run(arguments);
      const std::vector<Array> same = two.run(arguments);
      for (std::size_t i = 0; i < expected.size(); ++i) {
        require_near(results[i], expected[i], tolerance);
        CHECK(results[i].identical(same[i]));
      }
    }
  }
}

TEST_CASE("forward, derivatives and backward of a constraint are one tiled section") {
  Burgers burgers(DType::f32, 50);
  const compiler::Prepared prepared = compiler::prepare(burgers.function);
  const compiler::Schedule schedule = compiler::schedule(prepared.function());
  INFO(schedule.str());
  int tiled = 0;
  for (const compiler::Section& section : schedule.sections) tiled += section.is_tiled;
  CHECK(tiled == 2);
  CHECK(compiler::print_program(schedule, {64}).source.find("prim.tanh") != std::string::npos);
}
