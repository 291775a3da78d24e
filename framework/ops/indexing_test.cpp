#include <algorithm>
#include <catch2/catch.hpp>

#include "framework/ops/op_test_util.h"

namespace eddy::ops {

using namespace testing;

namespace {

using Index = std::vector<std::int64_t>;

std::int64_t inside(std::int64_t index, std::int64_t n) { return std::max<std::int64_t>(0, std::min(index, n - 1)); }

/// The rules of a map that is linear in its f64 arguments.
void check_linear(const Build& build, const std::vector<Array>& arguments) {
  check_vjp(build, arguments);
  check_lowering(build, arguments);
  check_linear_jet(build, arguments);
  check_axes(build, arguments);
}

}  // namespace

TEST_CASE("gather takes rows, scatter_add is its adjoint", "[ops]") {
  // Indices -3 and 9 are outside and mean the nearest row.
  const auto [shape, dim] = GENERATE(std::pair(Index{4}, 0), std::pair(Index{4, 3}, 0), std::pair(Index{2, 4, 3}, 1),
                                     std::pair(Index{3, 4}, 1), std::pair(Index{0, 4}, 1));
  const Array indices = GENERATE(Array::from<std::int64_t>({}, {2}),
                                 Array::from<std::int64_t>({2, 3}, {0, 3, 1, 1, -3, 9}), Array(DType::i64, {0}));
  const auto d = static_cast<std::size_t>(dim);
  const Array data = random_array(DType::f64, shape, -2, 2);
  const Build take = [&](Builder& b, const std::vector<Value>& x) { return gather(b, x[0], x[1], d); };
  const Array rows = apply(take, {data, indices});
  std::int64_t before = 1, after = 1;
  Index expected_shape;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (i < d) before *= shape[i];
    if (i > d) after *= shape[i];
    if (i != d) expected_shape.push_back(shape[i]);
    if (i == d) expected_shape.insert(expected_shape.end(), indices.shape().begin(), indices.shape().end());
  }
  REQUIRE(rows.shape() == expected_shape);
  const std::int64_t n = shape[d], n_indices = indices.n_elements();
  Array summed(DType::f64, shape);
  for (std::int64_t p = 0; p < before; ++p) {
    for (std::int64_t k = 0; k < n_indices; ++k) {
      const std::int64_t row = inside(indices.data<std::int64_t>()[static_cast<std::size_t>(k)], n);
      for (std::int64_t s = 0; s < after; ++s) {
        const std::int64_t from = (p * n + row) * after + s, to = (p * n_indices + k) * after + s;
        REQUIRE(rows.at(to) == data.at(from));
        summed.data<double>()[static_cast<std::size_t>(from)] += rows.at(to);
      }
    }
  }
  check_linear(take, {data, indices});
  const Build put = [&](Builder& b, const std::vector<Value>& x) { return scatter_add(b, x[0], x[1], d, n); };
  REQUIRE(apply(put, {indices, rows}).identical(summed));
  check_linear(put, {indices, rows});
}

TEST_CASE("gather and scatter_add: what does not fit", "[ops]") {
  const Array indices(DType::i64, {2}), data(DType::f64, {3, 2});
  const auto take = [](std::size_t dim) {
    return [=](Builder& b, const std::vector<Value>& x) { return gather(b, x[0], x[1], dim); };
  };
  CHECK_THROWS_AS(apply(take(2), {data, indices}), UserError);
  CHECK_THROWS_AS(apply(take(0), {data, Array(DType::f64, {2})}), UserError);
  CHECK_THROWS_AS(apply(take(0), {Array(DType::f64, {0, 2}), indices}), UserError);
  const auto put = [](Dim size) {
    return [=](Builder& b, const std::vector<Value>& x) { return scatter_add(b, x[0], x[1], 0, size); };
  };
  CHECK_THROWS_AS(apply(put(4), {indices, data}), UserError);
  CHECK_THROWS_AS(apply(put(0), {indices, Array(DType::f64, {2, 2})}), UserError);
  CHECK_THROWS_AS(apply(put(4), {indices, Array(DType::boolean, {2, 2})}), UserError);
  CHECK_THROWS_AS(apply(put(4), {indices, Array(DType::f64, {})}), UserError);
  const std::int64_t big = INT64_MAX;
  const Array sums = apply(put(1), {indices, Array::from<std::int64_t>({2}, {big, 1})});
  CHECK(sums.data<std::int64_t>()[0] == INT64_MIN);  // wraps, as add does
}

TEST_CASE("dynamic slices move inwards", "[ops]") {
  const Array starts = GENERATE(Array::from<std::int64_t>({2}, {1, 2}), Array::from<std::int64_t>({2}, {-4, 3}),
                                Array::from<std::int64_t>({2}, {7, 0}));
  const Index window = GENERATE(Index{2, 3}, Index{4, 1}, Index{1, 5}, Index{4, 5}, Index{0, 2});
  const Array x = random_array(DType::f64, {4, 5}, -2, 2, 1), update = random_array(DType::f64, window, -2, 2, 2);
  const Index at = {inside(starts.data<std::int64_t>()[0], 4 - window[0] + 1),
                    inside(starts.data<std::int64_t>()[1], 5 - window[1] + 1)};
  const Build cut = [&](Builder& b, const std::vector<Value>& v) {
    return dynamic_slice(b, v[0], v[1], Shape(window.begin(), window.end()));
  };
  const Array part = apply(cut, {x, starts});
  for (std::int64_t i = 0; i < window[0]; ++i) {
    for (std::int64_t j = 0; j < window[1]; ++j) {
      REQUIRE(part.at(i * window[1] + j) == x.at((at[0] + i) * 5 + at[1] + j));
    }
  }
  check_linear(cut, {x, starts});
  const Build put = [](Builder& b, const std::vector<Value>& v) { return dynamic_update_slice(b, v[0], v[1], v[2]); };
  const Array replaced = apply(put, {x, update, starts});
  for (std::int64_t i = 0; i < 4; ++i) {
    for (std::int64_t j = 0; j < 5; ++j) {
      const std::int64_t k = i - at[0], l = j - at[1];
      const bool is_replaced = k >= 0 && k < window[0] && l >= 0 && l < window[1];
      REQUIRE(replaced.at(i * 5 + j) == (is_replaced ? update.at(k * window[1] + l) : x.at(i * 5 + j)));
    }
  }
  check_linear(put, {x, update, starts});
}

TEST_CASE("dynamic slices: what does not fit", "[ops]") {
  const Build cut = [](Builder& b, const std::vector<Value>& v) { return dynamic_slice(b, v[0], v[1], {3}); };
  CHECK_THROWS_AS(apply(cut, {Array(DType::f64, {2}), Array(DType::i64, {1})}), UserError);
  CHECK_THROWS_AS(apply(cut, {Array(DType::f64, {4}), Array(DType::i64, {2})}), UserError);
  CHECK_THROWS_AS(apply(cut, {Array(DType::f64, {4}), Array(DType::f64, {1})}), UserError);
  CHECK_THROWS_AS(apply(cut, {Array(DType::f64, {4, 4}), Array(DType::i64, {2})}), UserError);
}

}  // namespace eddy::ops
