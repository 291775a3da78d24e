/// Simplification changes programs as it says and keeps what they compute.

#include "framework/ops/simplify.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <fmt/ranges.h>
#include <iterator>
#include <limits>
#include <set>
#include <sstream>

#include "framework/autodiff/derivative.h"
#include "framework/core/rng.h"
#include "framework/ir/dialect.h"
#include "framework/ir/printer.h"
#include "framework/ir/verifier.h"
#include "framework/ops/dialects.h"
#include "framework/ops/emit.h"
#include "framework/runtime/interpreter.h"

using namespace eddy;

namespace {

using ir::Builder;
using ir::Value;
using Values = std::vector<Value>;
using Build = std::function<Value(Builder&, const Values&)>;

const Dim n = Dim::symbol("n");

ir::Type f64(Shape shape) { return ir::Type::tensor(DType::f64, std::move(shape)); }
ir::Type f32(Shape shape) { return ir::Type::tensor(DType::f32, std::move(shape)); }

std::unique_ptr<ir::Module> program(const std::vector<ir::Type>& types, const Build& build) {
  auto module = std::make_unique<ir::Module>(ops::default_context());
  ir::Function function = module->add_function("f");
  for (std::size_t i = 0; i < types.size(); ++i) function.add_argument(fmt::format("x{}", i), types[i]);
  Builder b(module->context(), function.body());
  function.set_results({"y"}, std::vector{build(b, function.body().arguments())});
  return module;
}

/// Sorts words, separated by spaces.
std::string sorted(const std::string& text) {
  std::istringstream stream(text);
  std::multiset<std::string> words{std::istream_iterator<std::string>(stream), {}};
  return fmt::format("{}", fmt::join(words, " "));
}

/// The operations by name, dialect and return left out.
std::string operations(const ir::Module& module) {
  std::string text;
  for (const ir::Operation* op : module.function("f").body().operations()) {
    if (!op->is(ir::kReturnOp)) text += " " + op->name().substr(op->name().find('.') + 1);
  }
  return sorted(text);
}

enum class Data { random, special };

/// Numbers without zeros, or zeros of both signs, infinities, NaN and the ends of the range as well.
Array data(ir::Type type, std::int64_t rows, Data kind, std::uint64_t stream) {
  Array values(DType::f64, evaluate(type.shape(), {{"n", rows}}));
  const Rng rng(11, stream);
  constexpr double kInf = std::numeric_limits<double>::infinity();
  const double special[] = {0.0, -0.0, 1.0, -1.0, kInf, -kInf, std::nan(""), 1e-30, 1e30, -2.5};
  auto all = values.data<double>();
  for (std::size_t i = 0; i < all.size(); ++i) {
    const double u = rng.uniform(i);
    all[i] = kind == Data::random ? (u < 0.5 ? -0.1 - u : u) : special[static_cast<std::size_t>(u * 10)];
  }
  return values.cast(type.dtype());
}

/// Whether two results are equal as numbers: zeros of either sign are one, NaNs too.
bool same_numbers(const Array& a, const Array& b) {
  bool same = a.shape() == b.shape() && a.dtype() == b.dtype();
  for (std::int64_t i = 0; same && i < a.n_elements(); ++i) {
    same = a.at(i) == b.at(i) || (std::isnan(a.at(i)) && std::isnan(b.at(i)));
  }
  return same;
}

/// |a - b| <= tolerance max(1, |b|).
bool close(const Array& a, const Array& b, double tolerance) {
  bool is_close = a.shape() == b.shape();
  for (std::int64_t i = 0; is_close && i < a.n_elements(); ++i) {
    is_close = std::abs(a.at(i) - b.at(i)) <= tolerance * std::max(1.0, std::abs(b.at(i)));
  }
  return is_close;
}

/// Simplifies the program, requires `expected` operations, and compares results on 0, 1 and 5 rows: bit by bit on
/// numbers without zeros and as numbers on special ones; with a tolerance on the former only.
void check(const std::vector<ir::Type>& types, const Build& build, const std::string& expected, double tolerance = 0) {
  const auto before = program(types, build);
  const auto after = before->clone();
  const bool changed = ops::simplify(*after);
  ir::verify(*after);
  INFO(ir::print(*before) << ir::print(*after));
  CHECK(operations(*after) == sorted(expected));
  CHECK(changed == (ir::print(*before) != ir::print(*after)));
  CHECK_FALSE(ops::simplify(*after));
  for (const std::int64_t rows : {0, 1, 5}) {
    for (const Data kind : {Data::random, Data::special}) {
      std::vector<Array> arguments;
      for (std::size_t i = 0; i < types.size(); ++i) arguments.push_back(data(types[i], rows, kind, i));
      const Array a = runtime::interpret(after->function("f"), arguments).at(0);
      const Array b = runtime::interpret(before->function("f"), arguments).at(0);
      if (tolerance > 0) {
        if (kind == Data::random) CHECK(close(a, b, tolerance));
      } else {
        CHECK((kind == Data::random ? a.identical(b) : same_numbers(a, b)));
      }
    }
  }
}

Array f64_data(std::vector<std::int64_t> shape, const std::vector<double>& values) {
  return Array::from<double>(std::move(shape), values);
}

}  // namespace

TEST_CASE("Neutral elements go", "[simplify]") {
  for (const auto& type : {f64({n, 3}), f32({n, 3})}) {
    const auto with = [&](const std::function<Value(Builder&, Value)>& f, const std::string& expected) {
      check(
          {type}, [&](Builder& b, const Values& x) { return f(b, x[0]); }, expected);
    };
    with([](Builder& b, Value x) { return ops::mul(b, ops::full_like(b, x, 1), x); }, "");
    with([](Builder& b, Value x) { return ops::div(b, x, ops::full_like(b, x, 1)); }, "");
    with([](Builder& b, Value x) { return ops::add(b, x, ops::full_like(b, x, 0)); }, "");
    with([](Builder& b, Value x) { return ops::add(b, ops::full_like(b, x, -0.0), x); }, "");
    with([](Builder& b, Value x) { return ops::sub(b, x, ops::full_like(b, x, 0)); }, "");
    with([](Builder& b, Value x) { return ops::sub(b, ops::full_like(b, x, 0), x); }, "neg");
    with([](Builder& b, Value x) { return ops::mul(b, x, ops::full_like(b, x, -1)); }, "neg");
    with([](Builder& b, Value x) { return ops::div(b, x, ops::full_like(b, x, -1)); }, "neg");
    with([](Builder& b, Value x) { return ops::powc(b, x, 1); }, "");
    // Not finite operands make these differ from 0 and 1.
    with([](Builder& b, Value x) { return ops::mul(b, x, ops::full_like(b, x, 0)); }, "constant broadcast mul");
    with([](Builder& b, Value x) { return ops::sub(b, x, x); }, "sub");
    with([](Builder& b, Value x) { return ops::div(b, x, x); }, "div");
  }
}

TEST_CASE("Signs move outwards and vanish", "[simplify]") {
  const auto with = [&](const std::function<Value(Builder&, Value, Value)>& f, const std::string& expected) {
    check(
        {f64({n, 2}), f64({n, 2})}, [&](Builder& b, const Values& x) { return f(b, x[0], x[1]); }, expected);
  };
  using namespace ops;
  with([](Builder& b, Value x, Value y) { return add(b, neg(b, neg(b, x)), y); }, "add");
  with([](Builder& b, Value x, Value y) { return add(b, neg(b, x), y); }, "sub");
  with([](Builder& b, Value x, Value y) { return sub(b, x, neg(b, y)); }, "add");
  with([](Builder& b, Value x, Value y) { return neg(b, sub(b, x, y)); }, "sub");
  with([](Builder& b, Value x, Value y) { return mul(b, neg(b, x), neg(b, y)); }, "mul");
  with([](Builder& b, Value x, Value y) { return div(b, neg(b, x), neg(b, y)); }, "div");
  with([](Builder& b, Value x, Value y) { return div(b, x, neg(b, y)); }, "div neg");
  with([](Builder& b, Value x, Value y) { return sub(b, x, mul(b, neg(b, x), y)); }, "mul add");
  with([](Builder& b, Value x, Value y) { return add(b, ops::abs(b, neg(b, x)), y); }, "abs add");
  // A sign that something else needs, too, stays where it is.
  with(
      [](Builder& b, Value x, Value y) {
        const Value negative = neg(b, x);
        return mul(b, mul(b, negative, y), exp(b, negative));
      },
      "neg mul exp mul");
  with([](Builder& b, Value x, Value y) { return mul(b, neg(b, x), scale(b, y, 3)); },
       "constant broadcast mul mul neg");
}

TEST_CASE("Factors merge where a power of two makes that exact", "[simplify]") {
  const auto with = [&](ir::Type type, const std::function<Value(Builder&, Value)>& f, const std::string& expected) {
    check(
        {type}, [&](Builder& b, const Values& x) { return f(b, x[0]); }, expected);
  };
  using namespace ops;
  const ir::Type d = f64({n}), s = f32({n});
  with(
      d, [](Builder& b, Value x) { return scale(b, scale(b, x, 0.5), 0.3); }, "constant broadcast mul");
  with(
      s, [](Builder& b, Value x) { return scale(b, scale(b, x, 0.3), 4); }, "constant broadcast mul");
  with(
      d, [](Builder& b, Value x) { return scale(b, scale(b, x, 0.5), 2); }, "");
  with(
      d, [](Builder& b, Value x) { return neg(b, scale(b, x, 0.3)); }, "constant broadcast mul");
  with(
      d, [](Builder& b, Value x) { return scale(b, neg(b, x), 0.3); }, "constant broadcast mul");
  with(
      d, [](Builder& b, Value x) { return div(b, x, full_like(b, x, 8)); }, "constant broadcast mul");
  with(
      d, [](Builder& b, Value x) { return div(b, x, full_like(b, x, 3)); }, "constant broadcast div");
  with(
      d, [](Builder& b, Value x) { return scale(b, scale(b, x, 0.7), 0.3); },
      "constant broadcast mul constant broadcast mul");
  // Powers of two leave products, to meet what cancels them.
  with(
      d, [](Builder& b, Value x) { return scale(b, mul(b, exp(b, x), scale(b, x, -2)), 0.5); }, "exp mul neg");
  with(
      d, [](Builder& b, Value x) { return mul(b, exp(b, x), scale(b, x, 3)); }, "exp constant broadcast mul mul");
  // The inverse of 2^-127 is subnormal in single precision, the product of 2^100 twice beyond its range.
  with(
      s, [](Builder& b, Value x) { return div(b, x, full_like(b, x, 0x1p127)); }, "constant broadcast div");
  with(
      s, [](Builder& b, Value x) { return scale(b, scale(b, x, 0x1p100), 0x1p100); },
      "constant broadcast mul constant broadcast mul");
}

TEST_CASE("Selections by known predicates", "[simplify]") {
  using namespace ops;
  const auto with = [&](const std::function<Value(Builder&, Value, Value)>& f, const std::string& expected) {
    check(
        {f64({n, 2}), f64({n, 2})}, [&](Builder& b, const Values& x) { return f(b, x[0], x[1]); }, expected);
  };
  const auto known = [](Builder& b, Value like, bool value) {
    return full(b, like.type().with_dtype(DType::boolean), value);
  };
  with([&](Builder& b, Value x, Value y) { return select(b, known(b, x, true), x, y); }, "");
  with([&](Builder& b, Value x, Value y) { return select(b, known(b, x, false), exp(b, x), y); }, "");
  with([&](Builder& b, Value x, Value y) { return select(b, compare(b, x, y, "lt"), x, x); }, "");
  with([&](Builder& b, Value x, Value y) { return select(b, logical_not(b, compare(b, x, y, "lt")), x, y); },
       "compare select");
  with(
      [&](Builder& b, Value x, Value y) {
        const Value p = logical_and(b, compare(b, x, y, "lt"), known(b, x, true));
        return select(b, logical_or(b, logical_not(b, logical_not(b, p)), known(b, x, false)), x, y);
      },
      "compare select");
  // The predicate follows from constants.
  with([&](Builder& b, Value x,
           Value y) { return select(b, compare(b, full_like(b, x, 1), full_like(b, x, 2), "lt"), x, y); },
       "");
}

TEST_CASE("Small constants are computed", "[simplify]") {
  using namespace ops;
  const Array w = f64_data({2, 2}, {1, 2, 3, 4}), v = f64_data({2}, {0.5, -1});
  const auto with = [&](const Build& f, const std::string& expected) { check({f64({n, 2})}, f, expected); };
  with([&](Builder& b, const Values& x) { return matmul(b, x[0], tanh(b, matmul(b, constant(b, w), constant(b, w)))); },
       "constant dot_general");
  with(
      [&](Builder& b, const Values& x) {
        return add(b, x[0], broadcast_to(b, slice_dim(b, reverse(b, constant(b, v), {0}), 0, 0, 1), x[0].shape()));
      },
      "constant broadcast add");
  // A constant with equal elements is a number.
  with(
      [&](Builder& b, const Values& x) {
        return mul(b, x[0], broadcast_to(b, constant(b, f64_data({2}, {1, 1})), x[0].shape()));
      },
      "");
  // Whatever is large or has a symbolic size stays.
  with(
      [&](Builder& b, const Values& x) {
        const Value big = iota(b, f64({300, 300}), 0);
        return add(b, x[0], broadcast_to(b, reduce_sum(b, tanh(b, big), {0, 1}), x[0].shape()));
      },
      "iota tanh reduce_sum broadcast add");
}

TEST_CASE("Movements merge", "[simplify]") {
  using namespace ops;
  const ir::Type t = f64({n, 2, 3});
  const auto with = [&](const Build& f, const std::string& expected) { check({t, t}, f, expected); };
  with([](Builder& b, const Values& x) { return transpose(b, transpose(b, x[0], {1, 2, 0}), {2, 0, 1}); }, "");
  with([](Builder& b, const Values& x) { return transpose(b, transpose(b, x[0], {1, 2, 0}), {1, 0, 2}); }, "transpose");
  with([](Builder& b, const Values& x) { return reshape(b, reshape(b, x[0], {6 * n}), {n, 2, 3}); }, "");
  with([](Builder& b, const Values& x) { return reshape(b, reshape(b, x[0], {n, 6}), {n, 3, 2}); }, "reshape");
  with(
      [](Builder& b, const Values& x) {
        return broadcast(b, broadcast(b, x[0], {4, n, 2, 3}, {1, 2, 3}), {4, n, 5, 2, 3}, {0, 1, 3, 4});
      },
      "broadcast");
  with(
      [](Builder& b, const Values& x) {
        const Value y = slice(b, x[0], {0, 0, 1}, {n, 2, 3}, {1, 1, 1});
        return slice(b, y, {0, 1, 0}, {n, 2, 2}, {1, 1, 2});
      },
      "slice");
  with(
      [](Builder& b, const Values& x) {
        const Value y = slice(b, x[0], {0, 0, 0}, {n, 2, 3}, {1, 1, 2});
        return slice_dim(b, y, 1, 1, 2);
      },
      "slice");
  with(
      [](Builder& b, const Values& x) {
        const Value y = slice(b, x[0], {0, 0, 0}, {n, 2, 3}, {1, 1, 2});
        return slice_dim(b, y, 2, 1, 2);
      },
      "slice slice");
  with([](Builder& b, const Values& x) { return slice_dim(b, concat(b, {x[0], x[1]}, 2), 2, 3, 6); }, "");
  with([](Builder& b, const Values& x) { return slice_dim(b, concat(b, {x[0], x[1]}, 2), 2, 1, 3); }, "slice");
  with([](Builder& b, const Values& x) { return slice_dim(b, concat(b, {x[0], x[1]}, 2), 2, 2, 4); }, "concat slice");
  with([](Builder& b, const Values& x) { return slice_dim(b, concat(b, {x[0], x[1]}, 0), 0, n, 2 * n); }, "");
  with(
      [](Builder& b, const Values& x) {
        return concat(b, {slice_dim(b, x[0], 2, 0, 1), slice_dim(b, x[0], 2, 1, 2), slice_dim(b, x[0], 2, 2, 3)}, 2);
      },
      "");
  with(
      [](Builder& b, const Values& x) {
        return concat(b, {slice_dim(b, x[0], 2, 0, 1), slice_dim(b, x[0], 2, 1, 2), x[1]}, 2);
      },
      "slice concat");
  with(
      [](Builder& b, const Values& x) {
        return concat(b, {slice_dim(b, x[0], 2, 1, 2), slice_dim(b, x[0], 2, 0, 1)}, 2);
      },
      "slice slice concat");
}

TEST_CASE("Contractions read transposed operands in place", "[simplify]") {
  using namespace ops;
  check(
      {f64({n, 3}), f64({4, 3})},
      [](Builder& b, const Values& x) {
        return matmul(b, x[0], transpose(b, x[1], {1, 0}));
      },
      "dot_general");
  check(
      {f64({3, n}), f64({3, 4})},
      [](Builder& b, const Values& x) {
        return matmul(b, transpose(b, x[0], {1, 0}), x[1]);
      },
      "dot_general");
  check(
      {f64({n, 2, 3}), f64({2, 3, 4})},
      [](Builder& b, const Values& x) {
        return dot_general(b, transpose(b, x[0], {1, 2, 0}), transpose(b, x[1], {2, 0, 1}), {{0}, {1}, {1}, {2}});
      },
      "dot_general");
  // The free dims of the result would change places.
  check(
      {f64({n, 2, 3}), f64({3})},
      [](Builder& b, const Values& x) {
        return dot_general(b, transpose(b, x[0], {1, 0, 2}), x[1], {{}, {}, {2}, {0}});
      },
      "transpose dot_general");
}

TEST_CASE("What is constant along an axis is computed before it is stretched", "[simplify]") {
  using namespace ops;
  const auto rows = [](Builder& b, Value x) { return broadcast(b, x, {n, x.shape()[0]}, {1}); };
  const auto with = [&](const Build& f, const std::string& expected, double tolerance = 0) {
    check({f64({3}), f64({3}), f64({3, 2}), f64({n, 3}), f64({n})}, f, expected, tolerance);
  };
  with([&](Builder& b, const Values& x) { return tanh(b, mul(b, rows(b, x[0]), rows(b, x[1]))); },
       "mul tanh broadcast");
  with(
      [&](Builder& b, const Values& x) {
        return mul(b, rows(b, x[0]), full(b, f64({n, 3}), 3));
      },
      "constant broadcast mul broadcast");
  with([&](Builder& b, const Values& x) { return concat(b, {rows(b, x[0]), rows(b, x[1])}, 1); }, "concat broadcast");
  with([&](Builder& b, const Values& x) { return matmul(b, rows(b, x[0]), x[2]); }, "dot_general broadcast");
  with([&](Builder& b, const Values& x) { return transpose(b, rows(b, x[0]), {1, 0}); }, "broadcast");
  with([&](Builder& b, const Values& x) { return reduce_sum(b, rows(b, x[0]), {1}); }, "reduce_sum broadcast");
  with([&](Builder& b, const Values& x) { return reduce_max(b, rows(b, x[0]), {1}); }, "reduce_max broadcast");
  with([&](Builder& b, const Values& x) { return slice_dim(b, rows(b, x[0]), 1, 0, 2); }, "slice broadcast");
  with([&](Builder& b, const Values& x) { return reverse(b, rows(b, x[0]), {1}); }, "reverse broadcast");
  with([&](Builder& b, const Values& x) { return reshape(b, rows(b, x[0]), {n, 3, 1}); }, "reshape broadcast");
  with([&](Builder& b, const Values& x) { return cumsum(b, rows(b, x[0]), 1); }, "cumsum broadcast");
  with([&](Builder& b,
           const Values& x) { return select(b, compare(b, rows(b, x[0]), rows(b, x[1]), "lt"), rows(b, x[0]), x[3]); },
       "broadcast compare broadcast select");
  // Along different axes: an outer product, nothing to gain.
  with(
      [&](Builder& b, const Values& x) {
        return add(b, rows(b, x[0]), broadcast(b, x[4], {n, 3}, {0}));
      },
      "broadcast broadcast add");
  with([&](Builder& b, const Values& x) { return add(b, rows(b, x[0]), x[3]); }, "broadcast add");
}

TEST_CASE("Sums along which something is constant", "[simplify]") {
  using namespace ops;
  // Up to n + 1 roundings of 2^-53 of sums of at most 5 terms below 1 in size.
  constexpr double kTolerance = 32 * 0x1p-53;
  check(
      {f64({2}), f64({n, 3})},
      [](Builder& b, const Values& x) {
        return dot_general(b, broadcast(b, x[0], {n, 2}, {1}), x[1], {{}, {}, {0}, {0}});
      },
      "reduce_sum broadcast broadcast mul", kTolerance);
  check(
      {f64({n, 3}), f64({2})},
      [](Builder& b, const Values& x) {
        return dot_general(b, x[0], broadcast(b, x[1], {n, 2}, {1}), {{}, {}, {0}, {0}});
      },
      "reduce_sum broadcast broadcast mul", kTolerance);
  check(
      {f64({2}), f64({3})},
      [](Builder& b, const Values& x) {
        return matmul(b, broadcast(b, x[0], {2, 4}, {0}), broadcast(b, x[1], {4, 3}, {1}));
      },
      "constant broadcast mul broadcast broadcast mul", kTolerance);
  check(
      {f64({n})},
      [](Builder& b, const Values& x) {
        return reduce_sum(b, broadcast(b, x[0], {3, n, 2}, {1}), {0, 1, 2});
      },
      "reduce_sum constant mul", kTolerance);
  check(
      {f64({}), f64({n})},
      [](Builder& b, const Values& x) {
        return reduce_sum(b, broadcast(b, x[0], {n, 4}, {}), {0, 1});
      },
      "broadcast reduce_sum constant mul", kTolerance);
  // The sum of nothing is 0 also where the number is not finite.
  check(
      {f64({n})},
      [](Builder& b, const Values& x) {
        return reduce_sum(b, broadcast(b, x[0], {n, 0}, {0}), {1});
      },
      "broadcast reduce_sum");
}

TEST_CASE("Requests for derivatives must have been expanded", "[simplify]") {
  // Joining the columns again would bypass them.
  const auto module = program({f64({n, 2})}, [](Builder& b, const Values& x) {
    const Value t = ops::slice_dim(b, x[0], 1, 0, 1), y = ops::slice_dim(b, x[0], 1, 1, 2);
    return autodiff::derivative(b, ops::exp(b, ops::concat(b, {t, y}, 1)), Values{t}, {{{1}, 1}});
  });
  CHECK_THROWS_AS(ops::simplify(*module), InternalError);
}
