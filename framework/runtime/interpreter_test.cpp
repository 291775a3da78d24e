#include "framework/runtime/interpreter.h"

#include <catch2/catch.hpp>
#include <cmath>

#include "framework/autodiff/derivative.h"
#include "framework/ir/dialect.h"
#include "framework/ops/dialects.h"
#include "framework/ops/emit.h"

using namespace eddy;
using namespace eddy::runtime;

namespace {

using Build = std::function<std::vector<ir::Value>(ir::Builder&, const std::vector<ir::Value>&)>;

/// A program of one function, "f", with arguments "x0", "x1", ...
std::unique_ptr<ir::Module> program(const std::vector<ir::Type>& types, const Build& build) {
  auto module = std::make_unique<ir::Module>(ops::default_context());
  ir::Function function = module->add_function("f");
  for (std::size_t i = 0; i < types.size(); ++i) function.add_argument(fmt::format("x{}", i), types[i]);
  ir::Builder b(module->context(), function.body());
  const std::vector<ir::Value> results = build(b, function.body().arguments());
  std::vector<std::string> names;
  for (std::size_t i = 0; i < results.size(); ++i) names.push_back(fmt::format("y{}", i));
  function.set_results(names, results);
  return module;
}

ir::Type f64(Shape shape) { return ir::Type::tensor(DType::f64, std::move(shape)); }

const Dim n = Dim::symbol("n"), m = Dim::symbol("m");

std::string error_of(const std::function<void()>& f) {
  try {
    f();
  } catch (const UserError& error) {
    return error.what();
  }
  return "no error";
}

}  // namespace

TEST_CASE("One program serves 0, 1 and many rows", "[interpreter]") {
  const auto module = program({f64({n, 2}), f64({2, 3}), f64({3})}, [](ir::Builder& b, const auto& x) {
    const ir::Value y = ops::matmul(b, x[0], x[1]);
    const ir::Value z = ops::add(b, y, ops::broadcast_to(b, x[2], y.shape()));
    return std::vector{ops::tanh(b, z), ops::reduce_sum(b, z, {0}), x[2]};
  });
  const Array w = Array::from<double>({2, 3}, {1, 2, 3, 4, 5, 6}), c = Array::from<double>({3}, {0.5, -0.5, 0});
  for (const std::int64_t rows : {0, 1, 5}) {
    Array x(DType::f64, {rows, 2});
    for (std::int64_t i = 0; i < 2 * rows; ++i) x.data<double>()[static_cast<std::size_t>(i)] = 0.1 * double(i) - 0.3;
    const std::vector<Array> results = interpret(module->function("f"), std::vector{x, w, c});
    REQUIRE(results[0].shape() == std::vector<std::int64_t>{rows, 3});
    for (std::int64_t j = 0; j < 3; ++j) {
      double total = 0;
      for (std::int64_t i = 0; i < rows; ++i) {
        const double z = 0 + x.at(2 * i) * w.at(j) + x.at(2 * i + 1) * w.at(3 + j) + c.at(j);
        REQUIRE(results[0].at(3 * i + j) == std::tanh(z));
        total += z;
      }
      REQUIRE(results[1].at(j) == total);
    }
    REQUIRE(results[2].identical(c));
  }
}

TEST_CASE("Sizes are bound from polynomials, in any order", "[interpreter]") {
  const auto module = program({f64({2 * n + 1, m}), f64({n * m}), f64({m})},
                              [](ir::Builder&, const auto& x) { return std::vector{x[0]}; });
  const ir::Function f = module->function("f");
  const auto run = [&](std::int64_t a, std::int64_t b, std::int64_t c, std::int64_t d) {
    interpret(f, std::vector{Array(DType::f64, {a, b}), Array(DType::f64, {c}), Array(DType::f64, {d})});
  };
  CHECK_NOTHROW(run(7, 4, 12, 4));
  CHECK_NOTHROW(run(1, 0, 0, 0));
  CHECK_THAT(error_of([&] { run(7, 4, 12, 5); }),
             Catch::Contains("argument 'x2' of 'f' has size 5 in dim 0, where m is expected") &&
                 Catch::Contains("m = 4 by argument 'x0' of 'f'"));
  CHECK_THAT(error_of([&] { run(6, 4, 12, 4); }), Catch::Contains("'x0' of 'f' has size 6 in dim 0, where 2*n + 1"));
  CHECK_THAT(error_of([&] { run(7, 4, 11, 4); }), Catch::Contains("'x1' of 'f' has size 11 in dim 0"));
  // A product alone does not tell its factors.
  const auto product = program({f64({n * m})}, [](ir::Builder&, const auto& x) { return std::vector{x[0]}; });
  CHECK_THAT(error_of([&] { interpret(product->function("f"), std::vector{Array(DType::f64, {6})}); }),
             Catch::Contains("n is not known"));
}

TEST_CASE("Arguments that do not fit are named", "[interpreter]") {
  const auto module = program({f64({n}), f64({3})}, [](ir::Builder& b, const auto& x) {
    return std::vector{ops::slice_dim(b, x[0], 0, 2, n)};
  });
  const ir::Function f = module->function("f");
  const auto run = [&](const std::vector<Array>& arguments) { interpret(f, arguments); };
  const Array three(DType::f64, {3});
  CHECK_NOTHROW(run({three, three}));
  CHECK(error_of([&] { run({three}); }) == "'f' takes 2 arguments, not 1");
  CHECK_THAT(error_of([&] { run({three, Array(DType::f32, {3})}); }), Catch::Contains("'x1' of 'f' has dtype f32"));
  CHECK_THAT(error_of([&] { run({Array(DType::f64, {3, 1}), three}); }), Catch::Contains("'x0' of 'f' has 2 dims"));
  CHECK_THAT(error_of([&] { run({three, Array(DType::f64, {4})}); }), Catch::Contains("size 4 in dim 0, where 3"));
  // A condition on sizes that only the run can decide.
  CHECK_THAT(error_of([&] {
               run({Array(DType::f64, {1}), three});
             }),
             Catch::Contains("prim.slice in 'f'") && Catch::Contains("n = 1"));
}

TEST_CASE("A library may take operations over", "[interpreter]") {
  const auto module = program({f64({2, 2}), f64({2, 2})}, [](ir::Builder& b, const auto& x) {
    return std::vector{ops::tanh(b, ops::matmul(b, x[0], x[1]))};
  });
  int n_calls = 0;
  InterpreterOptions options;
  options.library = [&](const ops::KernelArgs& args) {
    if (!args.op.is("prim.dot_general")) return false;
    ++n_calls;
    for (double& x : args.results[0].data<double>()) x = 0.25;
    return true;
  };
  const Array x(DType::f64, {2, 2});
  const Array y = interpret(module->function("f"), std::vector{x, x}, options)[0];
  CHECK(n_calls == 1);
  CHECK(y.at(3) == std::tanh(0.25));
}

TEST_CASE("Requests for derivatives are expanded", "[interpreter]") {
  const auto module = program({f64({n, 1})}, [](ir::Builder& b, const auto& x) {
    const ir::Value u = ops::sin(b, x[0]);
    return std::vector{autodiff::derivative(b, u, std::vector{x[0]}, {{{2}, 1}})};
  });
  const Array x = Array::from<double>({3, 1}, {-0.5, 0, 2});
  const Array y = interpret(module->function("f"), std::vector{x})[0];
  // sin'' = -sin; a handful of products of rounded values.
  for (std::int64_t i = 0; i < 3; ++i) CHECK(std::abs(y.at(i) + std::sin(x.at(i))) <= 8 * 0x1p-52);
  CHECK(module->function("f").body().front()->next()->is("ad.derivative"));  // the program itself stays
}
