/// reduce_sum, reduce_max, reduce_prod, cumsum, argmax.

#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

#include "framework/ops/op_test_util.h"

namespace eddy::ops {

using namespace testing;

namespace {

using Index = std::vector<std::int64_t>;
using Reduce = Value (*)(Builder&, Value, std::vector<std::int64_t>);

Build over(Reduce f, const Index& dims) {
  return [=](Builder& b, const std::vector<Value>& x) { return f(b, x[0], dims); };
}

/// Folds the elements of x over `dims`, in index order, one result element after another.
Array folded(const Array& x, const Index& dims, double start, const std::function<double(double, double)>& fold) {
  Index kept;
  std::vector<char> is_reduced(x.rank(), 0);
  for (const std::int64_t dim : dims) is_reduced[static_cast<std::size_t>(dim)] = 1;
  for (std::size_t d = 0; d < x.rank(); ++d) {
    if (!is_reduced[d]) kept.push_back(x.shape()[d]);
  }
  Array result(DType::f64, kept);
  for (std::int64_t p = 0; p < result.n_elements(); ++p) {
    double total = start;
    for (std::int64_t q = 0; q < x.n_elements(); ++q) {
      std::int64_t rest = q, at = 0, scale = 1;
      for (std::size_t d = x.rank(); d-- > 0;) {
        if (!is_reduced[d]) {
          at += rest % x.shape()[d] * scale;
          scale *= x.shape()[d];
        }
        rest /= x.shape()[d];
      }
      if (at == p) total = fold(total, x.at(q));
    }
    result.data<double>()[static_cast<std::size_t>(p)] = total;
  }
  return result;
}

struct Case {
  Index shape, dims;
};
const std::vector<Case>& cases() {
  static const std::vector<Case> list = {{{5}, {0}},       {{2, 3}, {0}},       {{2, 3}, {1}}, {{2, 3}, {0, 1}},
                                         {{2, 5, 3}, {1}}, {{2, 4, 3}, {0, 2}}, {{0}, {0}},    {{0, 3}, {0}},
                                         {{3, 0}, {0}},    {{1, 3}, {0}},       {{2, 7}, {1}}};
  return list;
}

}  // namespace

TEST_CASE("reduce_sum", "[ops]") {
  for (const auto& [shape, dims] : cases()) {
    const Array x = random_array(DType::f64, shape, -2, 2);
    const Build build = over(reduce_sum, dims);
    REQUIRE(apply(build, {x}).identical(folded(x, dims, 0, [](double a, double b) { return a + b; })));
    check_vjp(build, {x});
    check_axes(build, {x});
    check_lowering(build, {x});
    check_linear_jet(build, {x});
  }
  const Array x = Array::from<std::int64_t>({2}, {INT64_MAX, 1});
  CHECK(apply(over(reduce_sum, {0}), {x}).data<std::int64_t>()[0] == INT64_MIN);
  CHECK_THROWS_AS(apply(over(reduce_sum, {1}), {x}), UserError);
  CHECK_THROWS_AS(apply(over(reduce_sum, {0, 0}), {x}), UserError);
  CHECK_THROWS_AS(apply(over(reduce_sum, {0}), {Array(DType::boolean, {2})}), UserError);
}

TEST_CASE("reduce_max", "[ops]") {
  const double inf = std::numeric_limits<double>::infinity(), nan = std::nan("");
  for (const auto& [shape, dims] : cases()) {
    const Array x = random_array(DType::f64, shape, -2, 2);
    const Build build = over(reduce_max, dims);
    REQUIRE(apply(build, {x}).identical(folded(x, dims, -inf, [](double a, double b) { return std::max(a, b); })));
    check_vjp(build, {x});
    check_axes(build, {x});
    check_lowering(build, {x});
  }
  const Array odd = Array::from<double>({3, 2}, {1, -inf, nan, -inf, 2, -inf});
  const Array y = apply(over(reduce_max, {0}), {odd});
  CHECK((std::isnan(y.at(0)) && y.at(1) == -inf));
  check_lowering(over(reduce_max, {0}), {odd});
  const Array integers = Array::from<std::int64_t>({3}, {-7, -3, INT64_MIN});
  CHECK(apply(over(reduce_max, {0}), {integers}).at(0) == -3);
  CHECK(apply(over(reduce_max, {0}), {Array(DType::i64, {0})}).data<std::int64_t>()[0] == INT64_MIN);
  check_lowering(over(reduce_max, {0}), {integers});
  // Lanes are those of the greatest element; of several equal ones, their mean.
  const ir::IndexSet set = full_set(2, 3);
  const Array value = Array::from<double>({2, 3}, {1, 4, 4, -1, -3, -2});
  const LaneValues x = random_lanes(set, value);
  const LaneValues v = jet(over(reduce_max, {1}), set, {x});
  for (std::size_t k = 1; k < set.size(); ++k) {
    CHECK(v[k]->at(0) == 0.5 * x[k]->at(1) + 0.5 * x[k]->at(2));
    CHECK(v[k]->at(1) == x[k]->at(3));
  }
  CHECK_THROWS_AS(apply(over(reduce_max, {0}), {Array(DType::c64, {2})}), UserError);
}

TEST_CASE("reduce_prod: right at zeros, to any order", "[ops]") {
  for (const auto& [shape, dims] : cases()) {
    for (const int n_zeros : {0, 1, 2}) {
      const Array x = random_array(DType::f64, shape, 0.5, 2);
      for (std::int64_t i = 0; i < std::min<std::int64_t>(n_zeros, x.n_elements()); ++i) {
        Array(x).data<double>()[static_cast<std::size_t>(i)] = 0;
      }
      const Build build = over(reduce_prod, dims);
      REQUIRE(apply(build, {x}).identical(folded(x, dims, 1, [](double a, double b) { return a * b; })));
      check_vjp(build, {x});
      check_axes(build, {x});
      check_lowering(build, {x});
    }
  }
  // Lanes against power series.
  const ir::IndexSet set = full_set(3, 4);
  for (const std::int64_t n : {1, 2, 3, 7}) {
    Array value = random_array(DType::f64, {n, 2}, -2, 2);
    value.data<double>()[0] = 0;
    const LaneValues x = random_lanes(set, value);
    const LaneValues y = jet(over(reduce_prod, {0}), set, {x});
    for (std::int64_t j = 0; j < 2; ++j) {
      Series product(set), bound(set);
      product[0] = bound[0] = 1;
      for (std::int64_t i = 0; i < n; ++i) {
        Series factor(set);
        for (std::size_t k = 0; k < set.size(); ++k) factor[k] = x[k]->at(2 * i + j);
        product = product * factor;
        bound = bound * magnitude(factor);
      }
      for (std::size_t k = 0; k < set.size(); ++k) {
        // Each of the n - 1 products rounds sums of at most 35 terms.
        REQUIRE(std::abs(y[k]->at(j) - product[k]) <= 36 * static_cast<double>(n) * 0x1p-52 * bound[k]);
      }
    }
  }
  const Dim n = Dim::symbol("n");
  const Build sum_of_lanes = over(reduce_prod, {0});
  Traced program(sum_of_lanes, {ir::Type::tensor(DType::f64, {n})});
  const ir::Operation* op = program.result.defining_op();
  const std::vector<Value> g = {program.result};
  const std::vector<char> needed = {1};
  CHECK_THROWS_AS(op->info().get<ir::VjpRule>()->vjp({program.builder, *op, g, needed}), UserError);
}

TEST_CASE("cumsum", "[ops]") {
  for (const Index& shape : {Index{5}, Index{3, 4, 2}, Index{0, 3}, Index{2, 0}, Index{1, 1}}) {
    for (std::size_t dim = 0; dim < shape.size(); ++dim) {
      const Array x = random_array(DType::f64, shape, -2, 2);
      const Build build = [&](Builder& b, const std::vector<Value>& v) { return cumsum(b, v[0], dim); };
      const Array y = apply(build, {x});
      std::int64_t step = 1;
      for (std::size_t d = shape.size(); d-- > dim + 1;) step *= shape[d];
      for (std::int64_t i = 0; i < x.n_elements(); ++i) {
        REQUIRE(y.at(i) == x.at(i) + (i / step % shape[dim] > 0 ? y.at(i - step) : 0.0));
      }
      check_vjp(build, {x});
      check_axes(build, {x});
      check_lowering(build, {x});
      check_linear_jet(build, {x});
    }
  }
}

TEST_CASE("argmax is the first of the greatest, or the first NaN", "[ops]") {
  const double nan = std::nan(""), inf = std::numeric_limits<double>::infinity();
  const auto along = [](std::size_t dim) {
    return [=](Builder& b, const std::vector<Value>& v) { return argmax(b, v[0], dim); };
  };
  const Array x = Array::from<double>({4, 3}, {1, 3, 3, nan, 2, nan, -inf, -inf, -inf, 0, -1, inf});
  REQUIRE(apply(along(1), {x}).identical(Array::from<std::int64_t>({4}, {1, 0, 0, 2})));
  REQUIRE(apply(along(0), {x}).identical(Array::from<std::int64_t>({3}, {1, 0, 1})));
  for (const std::size_t dim : {0, 1}) {
    check_axes(along(1 - dim), {random_array(DType::f64, {3, 4}, -1, 1)});
    check_lowering(along(dim), {x});
    check_lowering(along(dim), {Array::from<std::int64_t>({2, 2}, {4, 4, -1, 7})});
  }
  REQUIRE(apply(along(1), {Array(DType::f64, {0, 3})}).shape() == Index{0});
  CHECK_THROWS_AS(apply(along(0), {Array(DType::f64, {0, 3})}), UserError);
  CHECK_THROWS_AS(apply(along(2), {x}), UserError);
}

}  // namespace eddy::ops
