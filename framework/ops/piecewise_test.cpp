#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

#include "framework/core/rng.h"
#include "framework/ops/op_test_util.h"

namespace eddy::ops {

using namespace testing;

namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

using Binary = Value (*)(Builder&, Value, Value);

Build build_of(Value (*f)(Builder&, Value)) {
  return [f](Builder& b, const std::vector<Value>& x) { return f(b, x[0]); };
}
Build build_of(Binary f) {
  return [f](Builder& b, const std::vector<Value>& x) { return f(b, x[0], x[1]); };
}
Build compare_of(const char* direction) {
  return [direction](Builder& b, const std::vector<Value>& x) { return compare(b, x[0], x[1], direction); };
}
Build cast_to(DType dtype) {
  return [dtype](Builder& b, const std::vector<Value>& x) { return cast(b, x[0], dtype); };
}

/// Ordinary numbers, ties, zeros of both signs, infinities, NaN; pairs at equal positions meet every combination.
const std::vector<double> kSpecial = {0.0, -0.0, 1.5, -2.25, 7.0, kInf, -kInf, kNan, 1e300, -1e-300};

std::pair<Array, Array> special_pairs(DType dtype) {
  std::vector<double> x, y;
  for (const double a : kSpecial) {
    for (const double b : kSpecial) {
      x.push_back(a);
      y.push_back(b);
    }
  }
  const auto n = static_cast<std::int64_t>(x.size());
  return {Array::from<double>({n}, x).cast(dtype), Array::from<double>({n}, y).cast(dtype)};
}

}  // namespace

TEST_CASE("piecewise functions: values", "[ops]") {
  const auto [x, y] = special_pairs(DType::f64);
  const Array larger = apply(build_of(max), {x, y}), smaller = apply(build_of(min), {x, y});
  const Array magnitude = apply(build_of(abs), {x}), whole = apply(build_of(floor), {x}),
              signs = apply(build_of(sign), {x});
  const Array finite = apply(build_of(is_finite), {x}), less = apply(compare_of("lt"), {x, y});
  const Array chosen =
      apply([](Builder& b, const auto& v) { return select(b, compare(b, v[0], v[1], "ge"), v[0], v[1]); }, {x, y});
  for (std::int64_t i = 0; i < x.n_elements(); ++i) {
    const double a = x.at(i), b = y.at(i);
    INFO(a << " and " << b);
    if (std::isnan(a) || std::isnan(b)) {
      REQUIRE(std::isnan(larger.at(i)));
      REQUIRE(std::isnan(smaller.at(i)));
    } else {
      REQUIRE(larger.at(i) == std::fmax(a, b));
      REQUIRE(smaller.at(i) == std::fmin(a, b));
    }
    REQUIRE(finite.at(i) == std::isfinite(a));
    REQUIRE(less.at(i) == (a < b));
    REQUIRE((chosen.at(i) == (a >= b ? a : b) || std::isnan(b)));
    if (std::isnan(a)) {
      REQUIRE((std::isnan(magnitude.at(i)) && std::isnan(whole.at(i)) && std::isnan(signs.at(i))));
    } else {
      REQUIRE(magnitude.at(i) == std::fabs(a));
      REQUIRE(whole.at(i) == std::floor(a));
      REQUIRE(signs.at(i) == (a > 0) - (a < 0));
      REQUIRE((a != 0 || std::signbit(signs.at(i)) == std::signbit(a)));
    }
  }
  const Array flags = Array::from<bool>({2}, {true, false}), others = Array::from<bool>({2}, {true, true});
  REQUIRE(apply(build_of(logical_and), {flags, others}).at(1) == 0);
  REQUIRE(apply(build_of(logical_or), {flags, others}).at(1) == 1);
  REQUIRE(apply(build_of(logical_not), {flags}).at(0) == 0);
}

TEST_CASE("piecewise functions: cotangents against differences away from kinks, axes", "[ops]") {
  const Build relay = [](Builder& b, const std::vector<Value>& x) {
    return select(b, compare(b, x[0], x[1], "lt"), square(b, x[0]), mul(b, x[0], x[1]));
  };
  for (const auto& shape : shapes()) {
    // At least 0.5 from zero and from each other, with either order.
    const Array x = random_array(DType::f64, shape, 0.5, 1, 1);
    Array y = random_array(DType::f64, shape, 1.5, 2, 2);
    for (std::size_t i = 0; i < y.data<double>().size(); i += 2) y.data<double>()[i] *= -1;
    for (const Build& build : {build_of(max), build_of(min), relay}) {
      check_vjp(build, {x, y});
      check_axes(build, {x, y});
    }
    for (const Build& build : {build_of(abs), build_of(sign), build_of(floor)}) {
      check_vjp(build, {y});
      check_axes(build, {y});
    }
  }
}

TEST_CASE("piecewise functions: lanes follow the branch, ties are halved", "[ops]") {
  const ir::IndexSet set = full_set(2, 3);
  const Array a = Array::from<double>({3}, {1, 2, 3}), c = Array::from<double>({3}, {3, 2, 1});
  const LaneValues x = random_lanes(set, a, 3), y = random_lanes(set, c, 4);
  const LaneValues larger = jet(build_of(max), set, {x, y}), smaller = jet(build_of(min), set, {x, y});
  const LaneValues magnitude = jet([](Builder& b, const auto& v) { return abs(b, neg(b, v[0])); }, set, {x});
  for (std::size_t k = 1; k < set.size(); ++k) {
    REQUIRE(larger[k]->at(0) == y[k]->at(0));
    REQUIRE(larger[k]->at(1) == 0.5 * x[k]->at(1) + 0.5 * y[k]->at(1));
    REQUIRE(larger[k]->at(2) == x[k]->at(2));
    REQUIRE(smaller[k]->at(0) == x[k]->at(0));
    REQUIRE(smaller[k]->at(1) == larger[k]->at(1));
    for (std::int64_t i = 0; i < 3; ++i) REQUIRE(magnitude[k]->at(i) == x[k]->at(i));
  }
  for (const Build& build : {build_of(sign), build_of(floor), build_of(stop_gradient), cast_to(DType::i64)}) {
    const LaneValues v = jet(build, set, {x});
    for (std::size_t k = 1; k < set.size(); ++k) REQUIRE(!v[k]);
  }
  check_linear_jet([](Builder& b, const auto& v) { return select(b, v[0], v[1], v[2]); },
                   {Array::from<bool>({3}, {true, false, true}), a, c});
  const LaneValues narrow =
      jet([](Builder& b, const auto& v) { return cast(b, cast(b, v[0], DType::f32), DType::f64); }, set, {x});
  for (std::size_t k = 1; k < set.size(); ++k) REQUIRE(narrow[k]->at(0) == static_cast<float>(x[k]->at(0)));
}

TEST_CASE("casts saturate and round", "[ops]") {
  const Array x = Array::from<double>({7}, {2.9, -2.9, 1e300, -1e300, kNan, 0.1, -0.0});
  const Array whole = apply(cast_to(DType::i64), {x});
  const auto values = whole.data<std::int64_t>();
  REQUIRE(values[0] == 2);
  REQUIRE(values[1] == -2);
  REQUIRE(values[2] == std::numeric_limits<std::int64_t>::max());
  REQUIRE(values[3] == std::numeric_limits<std::int64_t>::min());
  REQUIRE(values[4] == 0);
  REQUIRE(apply(cast_to(DType::f32), {x}).data<float>()[5] == 0.1f);
  const Array flags = apply(cast_to(DType::boolean), {x});
  REQUIRE(flags.at(4) == 1);
  REQUIRE(flags.at(6) == 0);
  REQUIRE_THROWS_AS(apply(cast_to(DType::f64), {Array(DType::c128, {2})}), UserError);
}

TEST_CASE("elementwise operations: loop lowering equals the reference kernel", "[ops]") {
  for (const DType dtype : {DType::f64, DType::f32}) {
    const auto [x, y] = special_pairs(dtype);
    for (const Binary f : {Binary(add), Binary(sub), Binary(mul), Binary(div), Binary(max), Binary(min), Binary(pow)}) {
      check_lowering(build_of(f), {x, y});
    }
    for (const char* direction : {"eq", "ne", "lt", "le", "gt", "ge"}) check_lowering(compare_of(direction), {x, y});
    for (const auto f : {neg,      exp, expm1, log,  log1p, sin,   cos, sinh, cosh,  tanh,      sigmoid,
                         softplus, erf, atan,  asin, sqrt,  rsqrt, abs, sign, floor, is_finite, stop_gradient}) {
      check_lowering(build_of(f), {x});
      check_lowering(build_of(f), {random_array(dtype, {2, 1, 3}, 0.1, 0.9)});
    }
    for (const double r : {0.0, 1.0, 2.0, 3.0, 4.0, 5.0, -1.0, -3.0, 0.5, 2.5}) {
      check_lowering(
          [&](Builder& b, const auto& v) {
            return b.op("prim.powc", {v[0]}, {{"exponent", ir::Attribute::floating(r)}});
          },
          {x});
    }
    for (const DType to : {DType::f64, DType::f32, DType::i64, DType::boolean}) check_lowering(cast_to(to), {x});
    check_lowering([](Builder& b, const auto& v) { return select(b, compare(b, v[0], v[1], "lt"), v[0], v[1]); },
                   {x, y});
  }
  const Array n = Array::from<std::int64_t>({4}, {-3, 0, 5, 1}), m = Array::from<std::int64_t>({4}, {2, 0, 7, -1});
  for (const Binary f : {Binary(add), Binary(sub), Binary(mul), Binary(max), Binary(min)}) {
    check_lowering(build_of(f), {n, m});
  }
  for (const auto f : {neg, abs, sign, floor}) check_lowering(build_of(f), {n});
  for (const DType to : {DType::f64, DType::f32, DType::boolean}) check_lowering(cast_to(to), {n});
  const Array p = Array::from<bool>({4}, {true, true, false, false}),
              q = Array::from<bool>({4}, {true, false, true, false});
  for (const Binary f : {Binary(logical_and), Binary(logical_or)}) check_lowering(build_of(f), {p, q});
  check_lowering(build_of(logical_not), {p});
  check_lowering(cast_to(DType::f32), {p});
}

TEST_CASE("operands that do not fit are errors", "[ops]") {
  const Array x(DType::f64, {2}), n(DType::i64, {2}), flags(DType::boolean, {2}), z(DType::c128, {2});
  REQUIRE_THROWS_AS(apply(compare_of("lt"), {z, z}), UserError);
  REQUIRE_THROWS_AS(apply(compare_of("lt"), {flags, flags}), UserError);
  REQUIRE_THROWS_AS(apply(compare_of("less"), {x, x}), UserError);
  REQUIRE_THROWS_AS(apply(build_of(max), {z, z}), UserError);
  REQUIRE_THROWS_AS(apply(build_of(logical_and), {x, x}), UserError);
  REQUIRE_THROWS_AS(apply(build_of(is_finite), {n}), UserError);
  REQUIRE_THROWS_AS(apply([](Builder& b, const auto& v) { return select(b, v[0], v[0], v[0]); }, {x}), UserError);
  // Complex numbers have types and derivatives, no kernels yet.
  REQUIRE_THROWS_WITH(apply(build_of(exp), {z}), Catch::Contains("prim.exp has no reference kernel for c128"));
}

TEST_CASE("iota, sizes, random numbers", "[ops]") {
  const auto type = [](DType dtype, Shape shape) { return ir::Type::tensor(dtype, std::move(shape)); };
  for (std::size_t dim = 0; dim < 3; ++dim) {
    const Build build = [&](Builder& b, const auto&) { return iota(b, type(DType::f32, {2, 3, 4}), dim); };
    const Array x = apply(build, {});
    for (std::int64_t i = 0; i < 24; ++i) {
      REQUIRE(x.at(i) == static_cast<double>(dim == 0 ? i / 12 : dim == 1 ? i / 4 % 3 : i % 4));
    }
    check_axes(build, {});
    check_lowering(build, {});
  }
  const Build count = [](Builder& b, const std::vector<Value>& x) { return size(b, x[0].shape()[0], DType::f64); };
  REQUIRE(apply(count, {Array(DType::f64, {5, 2})}).item() == 5);
  const Build symbolic = [&](Builder& b, const auto&) { return size(b, Dim::symbol("n") * 2 + 1, DType::i64); };
  REQUIRE(apply(symbolic, {}, {{"n", 4}}).item() == 9);
  check_lowering(symbolic, {}, {}, {{"n", 4}});

  for (const DType dtype : {DType::f64, DType::f32}) {
    const auto draw = [&](std::int64_t counter,
                          Value (*emit)(Builder&, Value, ir::Type, std::uint64_t, std::uint64_t)) {
      return apply(
          [&](Builder& b, const auto& v) {
            return emit(b, v[0], type(dtype, {3, 4}), 7, 9);
          },
          {Array::scalar(counter)});
    };
    const Array u = draw(100, rng_uniform), g = draw(100, rng_normal), later = draw(104, rng_uniform);
    for (std::int64_t i = 0; i < 12; ++i) {
      const auto index = static_cast<std::uint64_t>(100 + i);
      // f32 keeps the upper 24 of 53 bits.
      REQUIRE(std::abs(u.at(i) - Rng(7, 9).uniform(index)) < (dtype == DType::f32 ? 0x1p-24 : 0x1p-60));
      REQUIRE(g.at(i) == Array::scalar(Rng(7, 9).normal(index)).cast(dtype).item());
      if (i < 8) REQUIRE(later.at(i) == u.at(i + 4));
    }
  }
}

}  // namespace eddy::ops
