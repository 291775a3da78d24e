#include "framework/loops/evaluate.h"

#include <catch2/catch.hpp>
#include <cmath>

using namespace eddy;
using namespace eddy::loops;

namespace {

double real(const Expr& e, const Environment& environment = {}) { return evaluate(e, environment).floating; }
std::int64_t integer(const Expr& e, const Environment& environment = {}) { return evaluate(e, environment).integer; }

Expr f64(double value) { return constant(DType::f64, value); }
Expr i(const char* name) { return variable(name); }

}  // namespace

TEST_CASE("Integer expressions round down and wrap", "[evaluate]") {
  Environment environment;
  for (const std::int64_t a : {-7, -6, -1, 0, 1, 5, 6}) {
    environment.variables["a"] = {DType::i64, 0, a};
    CHECK(integer(floor_div(i("a"), 3), environment) == std::int64_t(std::floor(double(a) / 3)));
    CHECK(integer(floor_mod(i("a"), 3), environment) == ((a % 3) + 3) % 3);
    CHECK(integer(-i("a"), environment) == -a);
  }
  environment.variables["a"] = {DType::i64, 0, INT64_MAX};
  CHECK(integer(i("a") + 1, environment) == INT64_MIN);
  CHECK_THROWS_AS(integer(floor_div(i("a"), i("a") - i("a")), environment), InternalError);
}

TEST_CASE("Floating expressions round to their dtype", "[evaluate]") {
  Environment environment;
  environment.variables["x"] = {DType::f32, 1.0f / 3, 0};
  const Expr x = variable("x", DType::f32);
  CHECK(real(x * x, environment) == double((1.0f / 3) * (1.0f / 3)));
  CHECK(real(fma(x, x, -x), environment) == double(std::fma(1.0f / 3, 1.0f / 3, -(1.0f / 3))));
  CHECK(real(call("tanh", {x}), environment) == double(std::tanh(1.0f / 3)));
  CHECK(real(cast(DType::f64, x), environment) == double(1.0f / 3));
  CHECK(integer(cast(DType::i64, f64(-2.7))) == -2);
  CHECK(real(call("pow", {f64(2), f64(0.5)})) == std::pow(2.0, 0.5));
  CHECK(real(call("sigmoid", {f64(-1000)})) == 0);
  CHECK(real(call("softplus", {f64(1000)})) == 1000);
  CHECK(std::signbit(real(-f64(0))));
  CHECK_THROWS_AS(real(call("gamma", {f64(1)})), InternalError);
}

TEST_CASE("max and min hand on NaN", "[evaluate]") {
  const double nan = std::nan("");
  for (const auto& [a, b] : {std::pair(nan, 1.0), std::pair(1.0, nan)}) {
    CHECK(std::isnan(real(maximum(f64(a), f64(b)))));
    CHECK(std::isnan(real(minimum(f64(a), f64(b)))));
  }
  CHECK(real(maximum(f64(2), f64(3))) == 3);
  CHECK(real(minimum(f64(2), f64(3))) == 2);
}

TEST_CASE("Statements: a matrix product with symbolic sizes", "[evaluate]") {
  Environment environment;
  environment.sizes = {{"n", 2}, {"k", 3}};
  environment.buffers["a"] = Array::from<double>({2, 3}, {1, 2, 3, 4, 5, 6});
  environment.buffers["b"] = Array::from<double>({3, 2}, {1, 0, 0, 1, 2, -1});
  environment.buffers["c"] = Array(DType::f64, {2, 2});
  const Expr summand = load("a", DType::f64, {i("i"), i("s")}) * load("b", DType::f64, {i("s"), i("j")});
  const Expr total = variable("total", DType::f64);
  const Stmt nest = loop("i", size(Dim::symbol("n")),
                         loop("j", 2,
                              block({comment("one element"), let("total", f64(0), true),
                                     loop("s", size(Dim::symbol("k")), assign("total", total + summand)),
                                     branch(compare(ExprKind::lt, i("i"), 2), store("c", {i("i"), i("j")}, total))})));
  execute(nest, environment);
  CHECK(environment.buffers["c"].identical(Array::from<double>({2, 2}, {7, -1, 16, -1})));
  CHECK(environment.variables.empty());
}

TEST_CASE("Wrong programs are reported", "[evaluate]") {
  Environment environment;
  environment.buffers["a"] = Array(DType::f64, {2, 3});
  CHECK_THROWS_AS(evaluate(load("a", DType::f64, {2, 0}), environment), InternalError);
  CHECK_THROWS_AS(evaluate(load("a", DType::f64, {0}), environment), InternalError);
  CHECK_THROWS_AS(evaluate(load("a", DType::f32, {0, 0}), environment), InternalError);
  CHECK_THROWS_AS(evaluate(load("b", DType::f64, {0}), environment), InternalError);
  CHECK_THROWS_AS(evaluate(i("k"), environment), InternalError);
  // Both branches of a select are evaluated.
  environment.variables["k"] = {DType::i64, 0, 5};
  const Expr guarded =
      loops::select(compare(ExprKind::lt, i("k"), 2), load("a", DType::f64, {i("k"), 0}), constant(DType::f64, 0));
  CHECK_THROWS_AS(evaluate(guarded, environment), InternalError);
  CHECK_THROWS_AS(execute(call_kernel("gemm", {}), environment), InternalError);
  CHECK_THROWS_AS(execute(store("a", {0, 0}, 1), environment), InternalError);
}
