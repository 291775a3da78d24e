#include <catch2/catch.hpp>

#include "framework/ops/op_test_util.h"

namespace eddy::ops {

using namespace testing;

namespace {

using Binary = Value (*)(Builder&, Value, Value);

Build build_of(Binary f) {
  return [f](Builder& b, const std::vector<Value>& x) { return f(b, x[0], x[1]); };
}

}  // namespace

TEST_CASE("field operations: values, cotangents, axes", "[ops]") {
  const auto [emit, f] =
      GENERATE(std::pair<Binary, double (*)(double, double)>{add, [](double a, double b) { return a + b; }},
               std::pair<Binary, double (*)(double, double)>{sub, [](double a, double b) { return a - b; }},
               std::pair<Binary, double (*)(double, double)>{mul, [](double a, double b) { return a * b; }},
               std::pair<Binary, double (*)(double, double)>{div, [](double a, double b) { return a / b; }});
  for (const auto& shape : shapes()) {
    const Array x = random_array(DType::f64, shape, -2, 2, 1), y = random_array(DType::f64, shape, 0.5, 2, 2);
    const Array z = apply(build_of(emit), {x, y});
    REQUIRE(z.shape() == shape);
    for (std::int64_t i = 0; i < z.n_elements(); ++i) REQUIRE(z.at(i) == f(x.at(i), y.at(i)));
    check_vjp(build_of(emit), {x, y});
    check_axes(build_of(emit), {x, y});
  }
}

TEST_CASE("field operations: Taylor lanes are those of power series", "[ops]") {
  const ir::IndexSet set = full_set(3, 4);
  const LaneValues x = random_lanes(set, random_array(DType::f64, {3}, -2, 2, 1), 3);
  const LaneValues y = random_lanes(set, random_array(DType::f64, {3}, 1, 2, 2), 4);
  const auto series = [&](const LaneValues& lanes, std::int64_t i) {
    Series s(set);
    for (std::size_t k = 0; k < set.size(); ++k) s[k] = lanes[k] ? lanes[k]->at(i) : 0;
    return s;
  };
  const LaneValues added = jet(build_of(add), set, {x, y}), subtracted = jet(build_of(sub), set, {x, y});
  const LaneValues product = jet(build_of(mul), set, {x, y}), quotient = jet(build_of(div), set, {x, y});
  const LaneValues negative = jet([](Builder& b, const auto& v) { return neg(b, v[0]); }, set, {x});
  const LaneValues squared = jet([](Builder& b, const auto& v) { return square(b, v[0]); }, set, {x});
  for (std::int64_t i = 0; i < 3; ++i) {
    const Series xs = series(x, i), ys = series(y, i);
    const Series xy = xs * ys, xx = xs * xs, back = series(quotient, i) * ys;
    const Series bound = magnitude(series(quotient, i)) * magnitude(ys);
    for (std::size_t k = 0; k < set.size(); ++k) {
      REQUIRE(added[k]->at(i) == x[k]->at(i) + y[k]->at(i));
      REQUIRE(subtracted[k]->at(i) == x[k]->at(i) - y[k]->at(i));
      REQUIRE(negative[k]->at(i) == -x[k]->at(i));
      // Sums of at most 35 products of numbers below 2.
      REQUIRE(product[k]->at(i) == Approx(static_cast<double>(xy[k])).margin(140 * 35 * 0x1p-52));
      REQUIRE(squared[k]->at(i) == Approx(static_cast<double>(xx[k])).margin(140 * 35 * 0x1p-52));
      // (x/y) y gives x back, but for the rounding of the sums it is made of.
      REQUIRE(std::abs(back[k] - xs[k]) <= 40 * 0x1p-52 * bound[k]);
    }
  }
  // Lanes of one operand only: no lane in the other directions, and a number times lanes is as sparse as they are.
  LaneValues sparse = x, constant = y;
  for (std::size_t k = 1; k < set.size(); ++k) {
    if (set[k][0] == 0 || set[k][1] + set[k][2] > 0) sparse[k].reset();
    constant[k].reset();
  }
  for (const Binary f : {Binary(add), Binary(sub), Binary(mul), Binary(div)}) {
    const LaneValues v = jet(build_of(f), set, {sparse, constant});
    for (std::size_t k = 1; k < set.size(); ++k) REQUIRE(v[k].has_value() == sparse[k].has_value());
  }
}

TEST_CASE("field operations on integers wrap, on booleans are errors", "[ops]") {
  const std::int64_t big = std::numeric_limits<std::int64_t>::max();
  const Array x = Array::from<std::int64_t>({2}, {big, -5}), y = Array::from<std::int64_t>({2}, {1, 3});
  REQUIRE(apply(build_of(add), {x, y}).data<std::int64_t>()[0] == std::numeric_limits<std::int64_t>::min());
  REQUIRE(apply(build_of(mul), {x, y}).data<std::int64_t>()[1] == -15);
  REQUIRE_THROWS_AS(apply(build_of(div), {x, y}), UserError);
  const Array flags(DType::boolean, {2});
  REQUIRE_THROWS_AS(apply(build_of(add), {flags, flags}), UserError);
  REQUIRE_THROWS_AS(apply(build_of(add), {Array(DType::f64, {2}), Array(DType::f64, {3})}), UserError);
}

TEST_CASE("constants and splats", "[ops]") {
  const Build build = [](Builder& b, const std::vector<Value>& x) {
    REQUIRE(splat_value(scalar(b, DType::f64, 2.5)) == 2.5);
    REQUIRE(splat_value(full_like(b, x[0], -0.5)) == -0.5);
    REQUIRE(!splat_value(x[0]));
    REQUIRE(scale(b, x[0], 1) == x[0]);
    return scale(b, shift(b, x[0], 1), 3);
  };
  for (const auto& shape : shapes()) {
    const Array x = random_array(DType::f64, shape, -2, 2);
    const Array y = apply(build, {x});
    for (std::int64_t i = 0; i < y.n_elements(); ++i) REQUIRE(y.at(i) == (x.at(i) + 1) * 3);
  }
  const Array data = random_array(DType::f32, {2, 3}, -1, 1);
  REQUIRE(apply([&](Builder& b, const auto&) { return constant(b, data); }, {}).identical(data));
}

}  // namespace eddy::ops
