/// broadcast, reshape, transpose, reverse, slice, pad, concat.

#include <catch2/catch.hpp>
#include <numeric>

#include "framework/ops/op_test_util.h"

namespace eddy::ops {

using namespace testing;

namespace {

using Index = std::vector<std::int64_t>;

Build unary(std::function<Value(Builder&, Value)> f) {
  return [f](Builder& b, const std::vector<Value>& x) { return f(b, x[0]); };
}

std::int64_t position(const Index& shape, const Index& index) {
  std::int64_t at = 0;
  for (std::size_t d = 0; d < shape.size(); ++d) at = at * shape[d] + index[d];
  return at;
}

/// Requires result[i] == expected(i) for all indices.
void require_elements(const Array& result, const std::function<double(const Index&)>& expected) {
  for (std::int64_t p = 0; p < result.n_elements(); ++p) {
    Index index(result.rank());
    std::int64_t rest = p;
    for (std::size_t d = result.rank(); d-- > 0;) {
      index[d] = rest % result.shape()[d];
      rest /= result.shape()[d];
    }
    INFO("element " << p);
    REQUIRE(result.at(p) == expected(index));
  }
}

/// The rules of a linear map against each other.
void check_linear(const Build& build, const std::vector<Array>& arguments) {
  check_vjp(build, arguments);
  check_axes(build, arguments);
  check_lowering(build, arguments);
  check_linear_jet(build, arguments);
}

/// All dtypes move in the same way.
void check_dtypes(const Build& build, const Array& argument) {
  const Array expected = apply(build, {argument});
  for (const DType dtype : {DType::boolean, DType::i64, DType::f32, DType::c64, DType::c128}) {
    REQUIRE(apply(build, {argument.cast(dtype)}).identical(expected.cast(dtype)));
  }
}

}  // namespace

TEST_CASE("broadcast puts operand dims among new ones", "[ops]") {
  struct Case {
    Index operand, shape, dims;
  };
  const auto [operand, shape, dims] =
      GENERATE(Case{{}, {}, {}}, Case{{}, {2, 3}, {}}, Case{{3}, {2, 3}, {1}}, Case{{3}, {3, 2}, {0}},
               Case{{2, 3}, {2, 4, 3}, {0, 2}}, Case{{0}, {0, 2}, {0}}, Case{{3}, {0, 3}, {1}}, Case{{1}, {1, 4}, {0}});
  const Array x = random_array(DType::f64, operand, -2, 2);
  const Build build =
      unary([&](Builder& b, Value v) { return broadcast(b, v, Shape(shape.begin(), shape.end()), dims); });
  const Array y = apply(build, {x});
  REQUIRE(y.shape() == shape);
  require_elements(y, [&](const Index& i) {
    Index own;
    for (const std::int64_t dim : dims) own.push_back(i[static_cast<std::size_t>(dim)]);
    return x.at(position(operand, own));
  });
  check_linear(build, {x});
  check_dtypes(build, x);
}

TEST_CASE("NumPy's stretching", "[ops]") {
  const Dim n = Dim::symbol("n");
  CHECK(broadcast_shape({n, 1}, {3}) == Shape{n, 3});
  CHECK(broadcast_shape({}, {2, 3}) == Shape{2, 3});
  CHECK(broadcast_shape({1}, {0}) == Shape{0});
  CHECK_THROWS_AS(broadcast_shape({n}, {3}), UserError);
  const Array x = random_array(DType::f64, {2, 1, 3}, -2, 2);
  const Build build = unary([](Builder& b, Value v) { return broadcast_to(b, v, {4, 2, 5, 3}); });
  const Array y = apply(build, {x});
  require_elements(y, [&](const Index& i) { return x.at(position({2, 1, 3}, {i[1], 0, i[3]})); });
  check_linear(build, {x});
  CHECK_THROWS_AS(apply(unary([](Builder& b, Value v) { return broadcast_to(b, v, {2, 2, 4}); }), {x}), UserError);
  CHECK_THROWS_AS(apply(unary([](Builder& b, Value v) { return broadcast_to(b, v, {1, 3}); }), {x}), UserError);
}

TEST_CASE("reshape keeps the order of the elements", "[ops]") {
  struct Case {
    Index from, to;
  };
  const auto [from, to] =
      GENERATE(Case{{}, {1, 1}}, Case{{1}, {}}, Case{{6}, {2, 3}}, Case{{2, 3}, {6}}, Case{{2, 3, 4}, {6, 4}},
               Case{{4, 6}, {4, 2, 3}}, Case{{2, 6}, {3, 4}}, Case{{2, 1, 3}, {1, 2, 3, 1}}, Case{{0, 3}, {5, 0}},
               Case{{0}, {0, 7}}, Case{{3, 2, 5, 4}, {6, 20}}, Case{{1, 1}, {1}});
  const Array x = random_array(DType::f64, from, -2, 2);
  const Build build = unary([&](Builder& b, Value v) { return reshape(b, v, Shape(to.begin(), to.end())); });
  REQUIRE(apply(build, {x}).identical(x.reshaped(to)));
  check_linear(build, {x});
  check_dtypes(build, x);
}

TEST_CASE("reshape: axes that survive keep their names, with symbolic sizes also", "[ops]") {
  const Dim n = Dim::symbol("n"), m = Dim::symbol("m");
  const auto axes = [](const Shape& from, const Shape& to) {
    const Traced program(unary([&](Builder& b, Value v) { return reshape(b, v, to); }),
                         {ir::Type::tensor(DType::f64, from)});
    const ir::Operation* op = program.result.defining_op();
    return op->info().get<ir::AxesRule>()->axes(*op);
  };
  const int opaque = ir::AxesMap::kOpaque;
  const ir::AxesMap split = axes({n, 6}, {n, 2, 3});
  CHECK(split.operands[0] == std::vector{0, opaque});
  CHECK(split.results[0] == std::vector{0, opaque, opaque});
  const ir::AxesMap merged = axes({n, m, 3}, {n * m, 3});
  CHECK(merged.operands[0][2] == merged.results[0][1]);
  CHECK(merged.results[0][0] == opaque);
  const ir::AxesMap unit = axes({n, 3}, {n, 1, 3});
  CHECK(unit.operands[0][0] == unit.results[0][0]);
  CHECK(unit.operands[0][1] == unit.results[0][2]);
  CHECK(unit.results[0][1] != opaque);
  CHECK_THROWS_AS(axes({n}, {m}), UserError);
  // Sizes bound to 0, 1 and 4.
  for (const std::int64_t size : {0, 1, 4}) {
    check_lowering(unary([&](Builder& b, Value v) {
                     return reshape(b, v, {3 * n, 2, m});
                   }),
                   {ir::Type::tensor(DType::f64, {n, 6, m})}, {random_array(DType::f64, {size, 6, 2}, -1, 1)},
                   {{"n", size}, {"m", 2}});
  }
}

TEST_CASE("transpose and reverse", "[ops]") {
  const Index permutation = GENERATE(Index{0, 1, 2}, Index{2, 0, 1}, Index{1, 0, 2}, Index{2, 1, 0});
  for (const Index& shape : {Index{2, 3, 4}, Index{1, 3, 0}}) {
    const Array x = random_array(DType::f64, shape, -2, 2);
    const Build moved = unary([&](Builder& b, Value v) { return transpose(b, v, permutation); });
    const Array y = apply(moved, {x});
    require_elements(y, [&](const Index& i) {
      Index own(3);
      for (std::size_t d = 0; d < 3; ++d) own[static_cast<std::size_t>(permutation[d])] = i[d];
      return x.at(position(shape, own));
    });
    check_linear(moved, {x});
    check_dtypes(moved, x);
    const Build turned = unary([&](Builder& b, Value v) { return reverse(b, v, {0, 2}); });
    require_elements(apply(turned, {x}), [&](const Index& i) {
      return x.at(position(shape, {shape[0] - 1 - i[0], i[1], shape[2] - 1 - i[2]}));
    });
    check_linear(turned, {x});
  }
  const Array x(DType::f64, {2, 3});
  CHECK_THROWS_AS(apply(unary([](Builder& b, Value v) { return transpose(b, v, {0, 0}); }), {x}), UserError);
  CHECK_THROWS_AS(apply(unary([](Builder& b, Value v) { return transpose(b, v, {0}); }), {x}), UserError);
  CHECK_THROWS_AS(apply(unary([](Builder& b, Value v) { return reverse(b, v, {2}); }), {x}), UserError);
}

TEST_CASE("slice takes every stride-th element", "[ops]") {
  struct Case {
    Index shape, start, limit, stride;
  };
  const auto [shape, start, limit, stride] =
      GENERATE(Case{{}, {}, {}, {}}, Case{{5}, {1}, {4}, {1}}, Case{{7}, {1}, {7}, {3}}, Case{{7}, {1}, {6}, {3}},
               Case{{4, 5}, {0, 1}, {4, 4}, {2, 1}}, Case{{4}, {2}, {2}, {1}}, Case{{4}, {4}, {4}, {3}},
               Case{{3, 0}, {1, 0}, {3, 0}, {1, 2}}, Case{{3, 2}, {0, 0}, {3, 2}, {1, 1}});
  const Array x = random_array(DType::f64, shape, -2, 2);
  const Build build = unary([&](Builder& b, Value v) {
    return slice(b, v, Shape(start.begin(), start.end()), Shape(limit.begin(), limit.end()), stride);
  });
  const Array y = apply(build, {x});
  for (std::size_t d = 0; d < shape.size(); ++d) {
    std::int64_t n = 0;
    for (std::int64_t i = start[d]; i < limit[d]; i += stride[d]) ++n;
    REQUIRE(y.shape()[d] == n);
  }
  require_elements(y, [&](const Index& i) {
    Index own(i.size());
    for (std::size_t d = 0; d < i.size(); ++d) own[d] = start[d] + i[d] * stride[d];
    return x.at(position(shape, own));
  });
  check_linear(build, {x});
  check_dtypes(build, x);
}

TEST_CASE("slices of symbolic sizes", "[ops]") {
  const Dim n = Dim::symbol("n");
  const ir::Type type = ir::Type::tensor(DType::f64, {2 * n + 1});
  const auto shape_of = [&](const Build& build) { return Traced(build, {type}).result.shape(); };
  const auto cut = [](Dim start, Dim limit, std::int64_t stride) {
    return unary([=](Builder& b, Value v) { return slice(b, v, {start}, {limit}, {stride}); });
  };
  CHECK(shape_of(cut(1, 2 * n + 1, 1)) == Shape{2 * n});
  CHECK(shape_of(cut(0, 2 * n + 1, 2)) == Shape{n + 1});
  CHECK(shape_of(cut(1, 2 * n + 1, 2)) == Shape{n});
  CHECK_THROWS_AS(shape_of(cut(0, 2 * n + 1, 3)), UserError);
  CHECK_THROWS_AS(shape_of(cut(0, 2 * n + 2, 1)), UserError);
  CHECK_THROWS_AS(shape_of(cut(2, 1, 1)), UserError);
  CHECK_THROWS_AS(shape_of(cut(0, n, 0)), UserError);
  for (const std::int64_t size : {0, 1, 4}) {
    const Array x = random_array(DType::f64, {2 * size + 1}, -1, 1);
    check_lowering(cut(1, 2 * n + 1, 2), {type}, {x}, {{"n", size}});
    check_lowering(unary([&](Builder& b, Value v) { return pad(b, v, {n}, {2}, {1}); }), {type}, {x}, {{"n", size}});
  }
  // What constants cannot decide is a condition to check when n is bound.
  const Traced program(cut(3, 2 * n + 1, 1), {type});
  const ir::Operation* op = program.result.defining_op();
  std::vector<ir::Type> types = {type};
  int n_violated = 0;
  for (const auto& condition : op->info().get<ir::SizeRule>()->conditions(types, op->attributes())) {
    for (const Dim::Term& term : condition.value.terms()) {
      if (term.symbols.empty() && term.coefficient < 0) ++n_violated;  // 2n - 2 at n = 0
    }
  }
  CHECK(n_violated == 1);
}

TEST_CASE("pad puts zeros around and between", "[ops]") {
  struct Case {
    Index shape, low, high, interior;
  };
  const auto [shape, low, high, interior] =
      GENERATE(Case{{}, {}, {}, {}}, Case{{3}, {1}, {2}, {0}}, Case{{3}, {0}, {0}, {2}}, Case{{3}, {2}, {1}, {1}},
               Case{{2, 3}, {0, 1}, {1, 0}, {0, 1}}, Case{{0}, {2}, {1}, {0}}, Case{{0, 2}, {3, 0}, {1, 0}, {1, 0}},
               Case{{1}, {0}, {0}, {5}});
  const Array x = random_array(DType::f64, shape, 1, 2);
  const Build build = unary([&](Builder& b, Value v) {
    return pad(b, v, Shape(low.begin(), low.end()), Shape(high.begin(), high.end()), interior);
  });
  const Array y = apply(build, {x});
  for (std::size_t d = 0; d < shape.size(); ++d) {
    REQUIRE(y.shape()[d] == low[d] + high[d] + shape[d] + (shape[d] - 1) * interior[d]);
  }
  require_elements(y, [&](const Index& i) {
    Index own(i.size());
    for (std::size_t d = 0; d < i.size(); ++d) {
      const std::int64_t step = interior[d] + 1, at = i[d] - low[d];
      if (at < 0 || at % step != 0 || at / step >= shape[d]) return 0.0;
      own[d] = at / step;
    }
    return x.at(position(shape, own));
  });
  check_linear(build, {x});
  check_dtypes(build, x);
}

TEST_CASE("pad: negative sizes are errors", "[ops]") {
  const Array x(DType::f64, {3});
  const auto padded = [&](Dim low, std::int64_t interior) {
    return apply(unary([=](Builder& b, Value v) { return pad(b, v, {low}, {0}, {interior}); }), {x});
  };
  CHECK_THROWS_AS(padded(-1, 0), UserError);
  CHECK_THROWS_AS(padded(0, -1), UserError);
}

TEST_CASE("concat puts parts one after another", "[ops]") {
  const std::size_t dim = GENERATE(0, 1);
  std::vector<Array> made;
  for (const std::int64_t extent : {2, 0, 1, 3}) {
    Index shape = {2, 2};
    shape[dim] = extent;
    made.push_back(random_array(DType::f64, shape, -2, 2, static_cast<unsigned>(extent) + 1));
  }
  const std::vector<Array> parts = made;
  const Build build = [&](Builder& b, const std::vector<Value>& x) { return concat(b, x, dim); };
  const Array y = apply(build, parts);
  require_elements(y, [&](const Index& i) {
    Index own = i;
    for (const Array& part : parts) {
      if (own[dim] < part.shape()[dim]) return part.at(position(part.shape(), own));
      own[dim] -= part.shape()[dim];
    }
    FAIL("beyond the last part");
    return 0.0;
  });
  check_linear(build, parts);
  CHECK_THROWS_AS(apply(build, {Array(DType::f64, {2, 2}), Array(DType::f64, {3, 3})}), UserError);
  CHECK_THROWS_AS(apply(build, {Array(DType::f64, {2, 2}), Array(DType::f32, {2, 2})}), UserError);
}

}  // namespace eddy::ops
