/// Random programs: compiled, they give exactly what the interpreter gives.
///
/// All numbers are integers that stay far below the mantissa's range (a bound on every value's magnitude is carried
/// along, and values are taken modulo 8 where it grows), so every sum is exact in whatever order it is done and results
/// can be compared without a tolerance.

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <numeric>

#include "framework/core/rng.h"
#include "framework/ir/printer.h"
#include "framework/ops/emit.h"
#include "framework/runtime/compiled_test_util.h"

using namespace eddy;
using ir::Value;

namespace {

/// No batch is larger; sums over rows are bounded by it.
constexpr std::int64_t kMostRows = 300;

class Generator {
 public:
  Generator(std::uint64_t seed, DType dtype, int n_operations)
      : rng_(seed, "compiled_random_test"), dtype_(dtype), builder_(ops::default_context(), function_.body()) {
    add_arguments();
    while (n_done_ < n_operations) {
      if ((this->*kOperations[below(std::size(kOperations))])()) ++n_done_;
    }
    choose_results();
  }

  ir::Function function() const { return function_; }
  /// Some operations have no meaning on empty batches.
  bool needs_rows() const { return needs_rows_; }

  std::vector<Array> arguments(std::int64_t n, std::int64_t m) {
    std::vector<Array> all;
    for (const Value argument : function_.body().arguments()) {
      all.push_back(random_integers(argument.dtype(), evaluate(argument.shape(), {{"n", n}, {"m", m}})));
    }
    return all;
  }

 private:
  struct Entry {
    Value value;
    double bound;  // of the elements' magnitude
  };
  using Operation = bool (Generator::*)();
  using Dims = std::vector<std::int64_t>;

  std::size_t below(std::size_t n) { return static_cast<std::size_t>(rng_.below(next_++, n)); }
  bool one_in(std::size_t n) { return below(n) == 0; }
  const Dim n_ = Dim::symbol("n"), m_ = Dim::symbol("m");

  Array random_integers(DType dtype, const std::vector<std::int64_t>& shape) {
    Array array(DType::i64, shape);
    for (std::int64_t& x : array.data<std::int64_t>()) x = static_cast<std::int64_t>(below(7)) - 3;
    return array.cast(dtype);
  }

  void add_arguments() {
    const std::vector<Shape> shapes = {{n_, 4}, {n_, 4},  {n_, 1}, {n_},    {n_, 3, 2}, {m_, 4},  {m_, 3}, {m_, 1},
                                       {4},     {3},      {4, 4},  {4, 3},  {3, 4},     {4, 1},   {},      {1},
                                       {4, n_}, {n_, m_}, {0, 4},  {n_, 0}, {20, 4},    {n_, 33}, {33, 4}};
    for (std::size_t i = 0; i < shapes.size(); ++i) {
      pool_.push_back({function_.add_argument(fmt::format("a{}", i), ir::Type::tensor(dtype_, shapes[i])), 3});
    }
    for (const Shape& shape : {Shape{n_}, Shape{m_}, Shape{5}, Shape{}}) {
      indices_.push_back(
          function_.add_argument(fmt::format("k{}", indices_.size()), ir::Type::tensor(DType::i64, shape)));
    }
  }

  /// One of the values that fit, of recent ones rather.
  std::optional<Entry> pick(const std::function<bool(Value)>& fits) {
    for (const std::size_t n_last :
         {one_in(3) ? pool_.size() : std::min<std::size_t>(16, pool_.size()), pool_.size()}) {
      std::vector<Entry> found;
      std::copy_if(pool_.end() - static_cast<std::ptrdiff_t>(n_last), pool_.end(), std::back_inserter(found),
                   [&](const Entry& entry) { return fits(entry.value); });
      if (!found.empty()) return found[below(found.size())];
    }
    return std::nullopt;
  }
  Entry any() {
    return *pick([](Value) { return true; });
  }

  /// Takes a value up; back into small numbers when it could be large.
  bool keep(Value value, double bound) {
    REQUIRE(bound < (dtype_ == DType::f32 ? 0x1p23 : 0x1p50));
    if (bound > 16) {
      sums_.push_back(value);
      const Value eighths = ops::floor(builder_, ops::scale(builder_, value, 0.125));
      value = ops::sub(builder_, value, ops::scale(builder_, eighths, 8));
      bound = 8;
    }
    pool_.push_back({value, bound});
    return true;
  }
  static double most(Dim dim) {
    double product = 0;
    for (const Dim::Term& term : dim.terms()) {
      product += static_cast<double>(std::abs(term.coefficient)) *
                 std::pow(static_cast<double>(kMostRows), static_cast<double>(term.symbols.size()));
    }
    return product;
  }
  /// Whether tensors of that shape stay cheap, and sums over them exact.
  static bool is_small(const Shape& shape) { return most(n_elements(shape)) <= 1.5e4; }
  std::size_t random_dim(Value x) { return below(x.rank()); }

  bool unary() {
    const Entry x = any();
    switch (below(4)) {
      case 0: return keep(ops::neg(builder_, x.value), x.bound);
      case 1: return keep(ops::abs(builder_, x.value), x.bound);
      case 2: return keep(ops::square(builder_, x.value), x.bound * x.bound);
      default: return keep(ops::shift(builder_, x.value, 1), x.bound + 1);
    }
  }
  bool binary() {
    const Entry x = any(), y = *pick([&](Value v) { return v.type() == x.value.type(); });
    switch (below(5)) {
      case 0: return keep(ops::add(builder_, x.value, y.value), x.bound + y.bound);
      case 1: return keep(ops::sub(builder_, x.value, y.value), x.bound + y.bound);
      case 2: return keep(ops::mul(builder_, x.value, y.value), x.bound * y.bound);
      case 3: return keep(ops::max(builder_, x.value, y.value), std::max(x.bound, y.bound));
      default: return keep(ops::min(builder_, x.value, y.value), std::max(x.bound, y.bound));
    }
  }
  bool choice() {
    const Entry x = any();
    const auto other = [&] { return *pick([&](Value v) { return v.type() == x.value.type(); }); };
    static constexpr const char* kDirections[] = {"lt", "le", "eq", "ne", "gt", "ge"};
    const Entry y = other(), z = other();
    Value where = ops::compare(builder_, x.value, y.value, kDirections[below(6)]);
    if (one_in(3)) where = ops::logical_not(builder_, where);
    if (one_in(3)) where = ops::logical_or(builder_, where, ops::compare(builder_, z.value, x.value, "lt"));
    return keep(ops::select(builder_, where, z.value, y.value), std::max(y.bound, z.bound));
  }
  /// Onto the shape of another value, so that the result meets it later.
  bool broadcast() {
    const Entry x = any(), to = any();
    Dims dims;
    std::size_t next = 0;
    for (std::size_t d = 0; d < to.value.rank() && next < x.value.rank(); ++d) {
      if (to.value.type().dim(d) == x.value.type().dim(next) &&
          !(one_in(3) && to.value.rank() - d > x.value.rank() - next)) {
        dims.push_back(static_cast<std::int64_t>(d));
        ++next;
      }
    }
    if (next < x.value.rank() || to.value.rank() == next) return false;
    const Value stretched = ops::broadcast(builder_, x.value, to.value.shape(), dims);
    return one_in(3) ? keep(stretched, x.bound) : keep(ops::mul(builder_, stretched, to.value), x.bound * to.bound);
  }
  /// A new dim in front or behind: rows against rows included.
  bool stretch() {
    const Entry x = any();
    Shape shape = x.value.shape();
    Dims dims(shape.size());
    const bool in_front = one_in(2);
    std::iota(dims.begin(), dims.end(), in_front ? 1 : 0);
    static const std::vector<Dim> kExtents = {Dim(1), Dim(2), Dim::symbol("n"), Dim::symbol("m")};
    shape.insert(in_front ? shape.begin() : shape.end(), kExtents[below(kExtents.size())]);
    if (most(n_elements(shape)) > 1e5 || shape.size() > 4) return false;
    return keep(ops::broadcast(builder_, x.value, shape, dims), x.bound);
  }
  bool shape_change() {
    const Entry x = any();
    const std::size_t rank = x.value.rank();
    const Shape& shape = x.value.shape();
    switch (below(5)) {
      case 0: {
        Dims permutation(rank);
        std::iota(permutation.begin(), permutation.end(), 0);
        if (rank > 1) std::swap(permutation[below(rank)], permutation[below(rank)]);
        return keep(ops::transpose(builder_, x.value, permutation), x.bound);
      }
      case 1:
        return rank > 0 &&
               keep(ops::reverse(builder_, x.value, {static_cast<std::int64_t>(random_dim(x.value))}), x.bound);
      case 2: {  // a dim of 1 comes or goes
        Shape other = shape;
        const auto one = std::find(other.begin(), other.end(), Dim(1));
        if (one != other.end())
          other.erase(one);
        else
          other.insert(other.begin() + static_cast<std::ptrdiff_t>(below(rank + 1)), Dim(1));
        return other.size() <= 4 && keep(ops::reshape(builder_, x.value, other), x.bound);
      }
      case 3: {  // two dims become one
        if (rank < 2) return false;
        const std::size_t at = below(rank - 1);
        Shape other = shape;
        other[at] = other[at] * other[at + 1];
        other.erase(other.begin() + static_cast<std::ptrdiff_t>(at) + 1);
        return keep(ops::reshape(builder_, x.value, other), x.bound);
      }
      default: {  // one dim becomes two
        if (rank == 0 || rank > 3) return false;
        const std::size_t at = random_dim(x.value);
        const auto half = shape[at].divide_exactly(Dim(2));
        if (!half) return false;
        Shape other = shape;
        other[at] = *half;
        other.insert(other.begin() + static_cast<std::ptrdiff_t>(at) + 1, Dim(2));
        return keep(ops::reshape(builder_, x.value, other), x.bound);
      }
    }
  }
  bool slice() {
    const Entry x = any();
    if (x.value.rank() == 0) return false;
    const std::size_t dim = random_dim(x.value);
    const Dim size = x.value.type().dim(dim);
    if (!size.is_constant()) {
      // Back to one batch where two were joined.
      if (size != n_ + m_) return false;
      return keep(one_in(2) ? ops::slice_dim(builder_, x.value, dim, 0, n_)
                            : ops::slice_dim(builder_, x.value, dim, n_, n_ + m_),
                  x.bound);
    }
    if (size.constant() < 2) return false;
    const auto start = static_cast<std::int64_t>(below(static_cast<std::size_t>(size.constant())));
    const auto limit = start + 1 + static_cast<std::int64_t>(below(static_cast<std::size_t>(size.constant() - start)));
    if (one_in(2)) return keep(ops::slice_dim(builder_, x.value, dim, start, limit), x.bound);
    Shape starts(x.value.rank(), 0), limits = x.value.shape();
    Dims strides(x.value.rank(), 1);
    starts[dim] = start;
    limits[dim] = limit;
    strides[dim] = 2;
    return keep(ops::slice(builder_, x.value, starts, limits, strides), x.bound);
  }
  bool join() {
    const Entry x = any();
    if (x.value.rank() == 0) return false;
    const std::size_t dim = random_dim(x.value);
    const auto y = pick([&](Value v) {
      if (v.rank() != x.value.rank()) return false;
      for (std::size_t i = 0; i < v.rank(); ++i) {
        if (i != dim && v.type().dim(i) != x.value.type().dim(i)) return false;
      }
      return true;
    });
    const Dim size = x.value.type().dim(dim) + y->value.type().dim(dim);
    if (most(size) > 700 || (size.is_constant() && size.constant() > 40)) return false;
    return keep(ops::concat(builder_, {x.value, y->value}, dim), std::max(x.bound, y->bound));
  }
  bool pad() {
    const Entry x = any();
    if (x.value.rank() == 0) return false;
    const std::size_t dim = random_dim(x.value);
    const Dim size = x.value.type().dim(dim);
    if (most(size) > 300 || (size.is_constant() && size.constant() > 20)) return false;
    Shape low(x.value.rank(), 0), high = low;
    Dims interior(x.value.rank(), 0);
    low[dim] = static_cast<std::int64_t>(below(2));
    high[dim] = static_cast<std::int64_t>(below(3));
    if (size.is_constant() && size.constant() > 0) interior[dim] = static_cast<std::int64_t>(below(2));
    return keep(ops::pad(builder_, x.value, low, high, interior), x.bound);
  }
  bool reduce() {
    const Entry x = any();
    Dims dims;
    Dim count = 1;
    for (std::size_t d = 0; d < x.value.rank(); ++d) {
      if (!one_in(2)) continue;
      dims.push_back(static_cast<std::int64_t>(d));
      count = count * x.value.type().dim(d);
    }
    if (dims.empty()) return false;
    if (one_in(4)) {
      // Of nothing it is -inf: only where something is there.
      const bool has_some = std::all_of(dims.begin(), dims.end(), [&](std::int64_t d) {
        const Dim size = x.value.type().dim(static_cast<std::size_t>(d));
        return size.is_constant() && size.constant() > 0;
      });
      return has_some && keep(ops::reduce_max(builder_, x.value, dims), x.bound);
    }
    return most(count) <= 1.5e4 && keep(ops::reduce_sum(builder_, x.value, dims), x.bound * most(count));
  }
  bool contract() {
    const Entry x = any();
    if (x.value.rank() == 0) return false;
    const std::size_t dim = random_dim(x.value);
    const Dim size = x.value.type().dim(dim);
    const auto y = pick([&](Value v) { return std::count(v.shape().begin(), v.shape().end(), size) > 0; });
    std::vector<std::int64_t> other;
    for (std::size_t d = 0; d < y->value.rank(); ++d) {
      if (y->value.type().dim(d) == size) other.push_back(static_cast<std::int64_t>(d));
    }
    const ops::DotDims dims{{}, {}, {static_cast<std::int64_t>(dim)}, {other[below(other.size())]}};
    Dim cost = n_elements(x.value.shape());
    for (std::size_t d = 0; d < y->value.rank(); ++d) {
      if (static_cast<std::int64_t>(d) != dims.contract_rhs[0]) cost = cost * y->value.type().dim(d);
    }
    if (most(size) > 700 || most(cost) > 1e5 || x.value.rank() + y->value.rank() > 6) return false;
    Value product = ops::dot_general(builder_, x.value, y->value, dims);
    double bound = x.bound * y->bound * most(size);
    if (one_in(2) && product.rank() == 2) {
      const auto bias = pick([&](Value v) { return v.rank() == 1 && v.type().dim(0) == product.type().dim(1); });
      if (bias) {
        product = ops::add(builder_, product, ops::broadcast(builder_, bias->value, product.shape(), {1}));
        bound += bias->bound;
      }
    }
    return keep(product, bound);
  }
  /// With a batch dim.
  bool contract_batch() {
    const auto x = pick([](Value v) { return v.rank() >= 2; });
    const auto y = pick([&](Value v) {
      return v.rank() >= 2 && v.type().dim(0) == x->value.type().dim(0) && v.type().dim(1) == x->value.type().dim(1);
    });
    if (!y || x->value.rank() + y->value.rank() > 5 || most(x->value.type().dim(1)) > 700) return false;
    return keep(ops::dot_general(builder_, x->value, y->value, {{0}, {0}, {1}, {1}}),
                x->bound * y->bound * most(x->value.type().dim(1)));
  }
  /// x W + b, and what its backward pass makes of it.
  bool layer() {
    const auto x =
        pick([](Value v) { return v.rank() == 2 && !v.type().dim(0).is_constant() && v.type().dim(1).is_constant(); });
    const auto w = pick(
        [&](Value v) { return v.rank() == 2 && is_static(v.shape()) && v.type().dim(0) == x->value.type().dim(1); });
    if (!w) return false;
    Value y = ops::matmul(builder_, x->value, w->value);
    double bound = x->bound * w->bound * most(x->value.type().dim(1));
    const auto b = pick([&](Value v) { return v.rank() == 1 && v.type().dim(0) == y.type().dim(1); });
    if (b && one_in(2)) {
      y = ops::linear(builder_, x->value, w->value, b->value);
      bound += b->bound;
    }
    const auto g = pick([&](Value v) { return v.type() == y.type(); });
    if (g && most(x->value.type().dim(0)) <= 700) {
      keep(ops::dot_general(builder_, x->value, g->value, {{}, {}, {0}, {0}}),
           x->bound * g->bound * most(x->value.type().dim(0)));
      keep(ops::dot_general(builder_, g->value, w->value, {{}, {}, {1}, {1}}),
           g->bound * w->bound * most(y.type().dim(1)));
    }
    return keep(y, bound);
  }
  /// Sums over batches, added: of the same batch and of others.
  bool sum_of_sums() {
    const auto is_batch = [](Value v) {
      return v.rank() >= 1 && !v.type().dim(0).is_constant() && most(v.type().dim(0)) <= 700;
    };
    const auto x = pick(is_batch);
    if (!x) return false;
    Value total = ops::reduce_sum(builder_, x->value, {0});
    double bound = x->bound * most(x->value.type().dim(0));
    for (std::size_t i = 1 + below(3); i-- > 0;) {
      const auto y =
          pick([&](Value v) { return is_batch(v) && Shape(v.shape().begin() + 1, v.shape().end()) == total.shape(); });
      if (!y) break;
      const Value sum = ops::reduce_sum(builder_, y->value, {0});
      total = one_in(2) ? ops::add(builder_, total, sum) : ops::add(builder_, sum, total);
      bound += y->bound * most(y->value.type().dim(0));
    }
    return keep(total, bound);
  }
  bool sum_of_gradients() {
    const auto is_batch = [](Value v) {
      return v.rank() == 2 && !v.type().dim(0).is_constant() && v.type().dim(1).is_constant() &&
             most(v.type().dim(0)) <= 700;
    };
    Value total;
    double bound = 0;
    for (std::size_t i = 2 + below(2); i-- > 0;) {
      const auto x = pick([&](Value v) { return is_batch(v) && (!total || v.type().dim(1) == total.type().dim(0)); });
      if (!x) break;
      const auto y = pick([&](Value v) {
        return is_batch(v) && v.type().dim(0) == x->value.type().dim(0) &&
               (!total || v.type().dim(1) == total.type().dim(1));
      });
      if (!y) break;
      const Value product = ops::dot_general(builder_, x->value, y->value, {{}, {}, {0}, {0}});
      bound += x->bound * y->bound * most(x->value.type().dim(0));
      total = total ? ops::add(builder_, total, product) : product;
    }
    return total && keep(total, bound);
  }
  bool source() {
    switch (below(4)) {
      case 0: {
        const Entry like = any();
        if (!is_static(like.value.shape())) return false;
        return keep(ops::constant(builder_, random_integers(dtype_, evaluate(like.value.shape(), {}))), 3);
      }
      case 1: return keep(ops::scalar(builder_, dtype_, 2), 2);
      case 2: {
        const Entry like = any();
        if (like.value.rank() == 0) return false;
        const std::size_t dim = random_dim(like.value);
        return keep(ops::iota(builder_, like.value.type(), dim), most(like.value.type().dim(dim)));
      }
      default: return keep(ops::size(builder_, one_in(2) ? n_ : m_, dtype_), kMostRows);
    }
  }
  bool integers() {
    const Entry x = any();
    const Value k = ops::cast(builder_, x.value, DType::i64);
    const Value two = ops::full_like(builder_, k, 2);
    return keep(ops::cast(builder_, ops::sub(builder_, ops::mul(builder_, k, two), ops::max(builder_, k, two)), dtype_),
                3 * x.bound + 2);
  }
  bool gather() {
    const Entry x = any();
    const Value k = indices_[below(indices_.size())];
    if (x.value.rank() == 0 || x.value.rank() + k.rank() > 4) return false;
    const std::size_t dim = random_dim(x.value);
    const Dim size = x.value.type().dim(dim);
    if (size == Dim(0) ||
        (most(n_elements(x.value.shape())) > 2e3 && !k.type().shape().empty() && !k.type().dim(0).is_constant()))
      return false;
    if (!size.is_constant()) {
      if (!one_in(4)) return false;
      needs_rows_ = true;
    }
    return keep(ops::gather(builder_, x.value, k, dim), x.bound);
  }
  bool scatter() {
    const Value k = indices_[below(3)];
    const auto x = pick([&](Value v) { return v.rank() >= 1 && v.type().dim(0) == k.type().dim(0); });
    if (!x) return false;
    return keep(ops::scatter_add(builder_, k, x->value, 0, 6), x->bound * most(k.type().dim(0)));
  }
  bool scan() {
    const Entry x = any();
    if (x.value.rank() == 0) return false;
    const std::size_t dim = random_dim(x.value);
    const Dim size = x.value.type().dim(dim);
    if (most(size) > 700) return false;
    if (one_in(2)) return keep(ops::cumsum(builder_, x.value, dim), x.bound * std::max(1.0, most(size)));
    if (!size.is_constant() || size == Dim(0)) return false;
    return keep(ops::cast(builder_, ops::argmax(builder_, x.value, dim), dtype_), most(size));
  }
  bool window() {
    const Entry x = any();
    Shape sizes = x.value.shape();
    for (Dim& size : sizes) {
      if (size.is_constant() && size.constant() > 1) size = size - Dim(1);
    }
    const auto starts = pick(
        [&](Value v) { return v.rank() == 1 && v.type().dim(0) == Dim(static_cast<std::int64_t>(x.value.rank())); });
    if (!starts) return false;
    const Value at = ops::cast(builder_, starts->value, DType::i64);
    const Value part = ops::dynamic_slice(builder_, x.value, at, sizes);
    return keep(one_in(2) ? part : ops::dynamic_update_slice(builder_, x.value, part, ops::neg(builder_, at)), x.bound);
  }

  static constexpr Operation kOperations[] = {
      &Generator::unary,    &Generator::binary,         &Generator::binary,
      &Generator::choice,   &Generator::broadcast,      &Generator::broadcast,
      &Generator::stretch,  &Generator::shape_change,   &Generator::shape_change,
      &Generator::slice,    &Generator::join,           &Generator::pad,
      &Generator::reduce,   &Generator::reduce,         &Generator::contract,
      &Generator::contract, &Generator::contract_batch, &Generator::layer,
      &Generator::layer,    &Generator::sum_of_sums,    &Generator::sum_of_gradients,
      &Generator::source,   &Generator::integers,       &Generator::gather,
      &Generator::scatter,  &Generator::scan,           &Generator::window};

  /// The last values, some others, arguments among them, one twice, and sums as they are accumulated.
  void choose_results() {
    std::vector<Value> results;
    for (std::size_t i = 1; i <= 6; ++i) results.push_back(pool_[pool_.size() - i].value);
    for (int i = 0; i < 8; ++i) results.push_back(pool_[below(pool_.size())].value);
    for (int i = 0; i < 3 && !sums_.empty(); ++i) results.push_back(sums_[below(sums_.size())]);
    results.push_back(results[below(results.size())]);
    results.push_back(indices_[0]);
    std::vector<std::string> names;
    for (std::size_t i = 0; i < results.size(); ++i) names.push_back(fmt::format("y{}", i));
    function_.set_results(names, results);
  }

  Rng rng_;
  std::uint64_t next_ = 0;
  DType dtype_;
  ir::Module module_{ops::default_context(), "random"};
  ir::Function function_ = module_.add_function("program");
  ir::Builder builder_;
  int n_done_ = 0;
  bool needs_rows_ = false;
  std::vector<Entry> pool_;
  std::vector<Value> indices_, sums_;
};

/// Equal numbers; 0 and -0 are, since sums may begin with a zero or with their first term.
void require_equal(const Array& a, const Array& b) {
  REQUIRE(a.shape() == b.shape());
  for (std::int64_t i = 0; i < a.n_elements(); ++i) {
    if (a.at(i) == b.at(i)) continue;
    INFO("element " << i);
    REQUIRE(a.at(i) == b.at(i));
  }
}

void check_program(std::uint64_t seed, DType dtype, int n_operations) {
  Generator program(seed, dtype, n_operations);
  INFO("seed " << seed << ' ' << name(dtype));
  runtime::testing::Compiled compiled(program.function());
  INFO(ir::print(compiled.prepared()));
  // Tiles have up to 128 rows.
  for (const auto& [n, m] :
       {std::pair<std::int64_t, std::int64_t>{0, 5}, {1, 0}, {3, 1}, {127, 16}, {128, 129}, {kMostRows, 17}}) {
    if (program.needs_rows() && (n == 0 || m == 0)) continue;
    const auto results = compiled.run(program.arguments(n, m));
    for (std::size_t i = 0; i < results.interpreted.size(); ++i) {
      INFO("n = " << n << ", m = " << m << ", result " << i << ' ' << compiled.prepared().results()[i].type().str());
      require_equal(results.one_thread[i], results.interpreted[i]);
      CHECK(results.two_threads[i].identical(results.one_thread[i]));
    }
  }
}

}  // namespace

TEST_CASE("random programs, compiled, equal the interpreter") {
  for (std::uint64_t seed = 0; seed < 12; ++seed) check_program(seed, seed % 3 ? DType::f64 : DType::f32, 40);
}

/// For long runs: EDDY_FUZZ_FROM and EDDY_FUZZ_TO are the seeds.
TEST_CASE("more random programs", "[.fuzz]") {
  const auto number = [](const char* name, std::uint64_t otherwise) {
    const char* text = std::getenv(name);
    return text ? std::stoull(text) : otherwise;
  };
  const std::uint64_t to = number("EDDY_FUZZ_TO", 200);
  for (std::uint64_t seed = number("EDDY_FUZZ_FROM", 100); seed < to; ++seed) {
    check_program(seed, seed % 3 ? DType::f64 : DType::f32, 20 + static_cast<int>(seed % 100));
  }
}
