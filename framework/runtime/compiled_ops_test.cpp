/// Every operation, compiled, against its meaning: the reference kernels bit by bit where rounding leaves no choice,
/// extended precision for elementary functions, derived bounds for sums and composites.

#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <set>

#include "framework/autodiff/derivative.h"
#include "framework/core/rng.h"
#include "framework/ops/emit.h"
#include "framework/runtime/compiled_test_util.h"

using namespace eddy;
using ir::Builder;
using ir::Value;

namespace {

const ir::Context& context() { return ops::default_context(); }
double epsilon(DType dtype) {
  return dtype == DType::f32 ? std::numeric_limits<float>::epsilon() : std::numeric_limits<double>::epsilon();
}

using Reference = long double (*)(long double);

/// What a result is compared with, and how near it must be.
struct Check {
  enum Kind { exact, elementary, sum, bounded } kind = exact;
  Reference reference = nullptr;
  double relative = 0, absolute = 0;  // of a bounded one, in units of epsilon
};

/// A function of whose results each has its check.
class Probe {
 public:
  explicit Probe(DType dtype) : dtype(dtype), b(context(), function_.body()) {}

  Value argument(DType type, Shape shape) {
    return function_.add_argument(fmt::format("a{}", function_.n_arguments()),
                                  ir::Type::tensor(type, std::move(shape)));
  }
  void add(Value value, Check check) {
    values_.push_back(value);
    checks_.push_back(check);
  }
  void exact(Value value) { add(value, {}); }
  void elementary(Value value, Reference reference) { add(value, {Check::elementary, reference}); }
  void sum(Value value) { add(value, {Check::sum}); }
  void bounded(Value value, double relative, double absolute = 0) {
    add(value, {Check::bounded, nullptr, relative, absolute});
  }

  const ir::Function& finish() {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < values_.size(); ++i) names.push_back(fmt::format("y{}", i));
    function_.set_results(names, values_);
    return function_;
  }
  const std::vector<Value>& values() const { return values_; }
  const std::vector<Check>& checks() const { return checks_; }

  const DType dtype;

 private:
  ir::Module module_{context(), "ops"};
  ir::Function function_ = module_.add_function("probe");
  std::vector<Value> values_;
  std::vector<Check> checks_;

 public:
  Builder b;
};

long double sigmoid_of(long double x) { return 1 / (1 + expl(-x)); }
long double softplus_of(long double x) { return x > 0 ? x + log1pl(expl(-x)) : log1pl(expl(x)); }
long double rsqrt_of(long double x) { return 1 / sqrtl(x); }

/// Elementwise operations of real numbers. `t` holds numbers that sines are made for (|t| <= 1e5).
void emit_real(Probe& probe, Value x, Value y, Value t) {
  Builder& b = probe.b;
  for (const Value v :
       {ops::add(b, x, y), ops::sub(b, x, y), ops::mul(b, x, y), ops::div(b, x, y), ops::neg(b, x), ops::sqrt(b, x),
        ops::abs(b, x), ops::sign(b, x), ops::floor(b, x), ops::max(b, x, y), ops::min(b, x, y),
        ops::stop_gradient(b, x), ops::is_finite(b, x), ops::square(b, x), ops::cast(b, x, DType::i64),
        ops::cast(b, x, DType::boolean), ops::cast(b, x, probe.dtype == DType::f32 ? DType::f64 : DType::f32)}) {
    probe.exact(v);
  }
  for (const char* direction : {"eq", "ne", "lt", "le", "gt", "ge"}) {
    const Value holds = ops::compare(b, x, y, direction);
    probe.exact(holds);
    probe.exact(ops::select(b, ops::logical_not(b, holds), x, y));
  }
  const Value below = ops::compare(b, x, y, "lt"), near = ops::compare(b, t, x, "lt");
  probe.exact(ops::logical_and(b, below, near));
  probe.exact(ops::logical_or(b, below, near));
  probe.exact(ops::compare(b, below, near, "eq"));
  probe.exact(ops::select(b, near, below, ops::logical_not(b, below)));
  probe.elementary(ops::rsqrt(b, x), rsqrt_of);
  probe.elementary(ops::exp(b, x), expl);
  probe.elementary(ops::expm1(b, x), expm1l);
  probe.elementary(ops::log(b, x), logl);
  probe.elementary(ops::log1p(b, x), log1pl);
  probe.elementary(ops::sin(b, t), sinl);
  probe.elementary(ops::cos(b, t), cosl);
  probe.elementary(ops::sinh(b, x), sinhl);
  probe.elementary(ops::cosh(b, x), coshl);
  probe.elementary(ops::tanh(b, x), tanhl);
  probe.elementary(ops::sigmoid(b, x), sigmoid_of);
  probe.elementary(ops::softplus(b, x), softplus_of);
  probe.elementary(ops::erf(b, x), erfl);
  probe.elementary(ops::atan(b, x), atanl);
  probe.elementary(ops::asin(b, x), asinl);
}

/// Powers and composites, of numbers 1e-3 <= |x| <= 4. An elementary function is wrong by 4 ulp or 4 epsilon at most,
/// in the interpreter by 1 ulp; every further operation adds half an epsilon to each. Bounds are twice the sum of
/// these, times the conditions of what follows.
void emit_moderate(Probe& probe, Value x, Value y) {
  Builder& b = probe.b;
  const Value a = ops::abs(b, x);
  probe.bounded(ops::pow(b, a, y), 10);
  for (const double exponent : {0.0, 1.0, 2.0, 3.0, -1.0, -2.0, 0.5, -0.5, 1.5, 7.0}) {
    probe.bounded(ops::powc(b, a, exponent), 10 + 2 * std::abs(exponent));  // by up to |exponent| products
  }
  probe.bounded(ops::tan(b, x), 12, 12);
  const Value inside = ops::scale(b, x, 0.25);
  probe.bounded(ops::acos(b, inside), 4, 4 * std::asin(1.0) + 4);  // pi/2 - asin
  probe.bounded(ops::atan2(b, y, x), 4, 16);                       // a sum with pi or pi/2
  probe.bounded(ops::silu(b, x), 12);
  probe.bounded(ops::gelu(b, x), 12, 12 * 4);           // x/2 (1 + erf): absolute where 1 + erf cancels
  probe.bounded(ops::gelu_tanh(b, x), 12 + 4 * 2 * 9);  // exp's argument is up to 9 and off by 4 roundings
  probe.bounded(ops::mish(b, x), 24);                   // tanh is conditioned by at most 1
  probe.bounded(ops::relu(b, x), 0);
  probe.bounded(ops::leaky_relu(b, x, 0.1), 2);
  probe.bounded(ops::elu(b, x, 0.7), 12);
  probe.bounded(ops::selu(b, x), 14);
  probe.bounded(ops::squareplus(b, x), 4, 4 * 5);  // x + sqrt cancels for x < 0
  probe.bounded(ops::stan(b, x, y), 14, 14 * 17);  // 1 + beta x cancels
}

/// Reductions, contractions and layers of x [..., 5] with elements of at most 4 in magnitude, without tolerance where
/// nothing is added up. Sums of s terms: s epsilon times the sum of magnitudes (Check::sum).
void emit_sums(Probe& probe, Value x, Value weights, Value bias) {
  Builder& b = probe.b;
  const std::size_t last = x.rank() - 1;
  const auto dim = static_cast<std::int64_t>(last);
  for (const std::int64_t d : {std::int64_t{0}, dim}) {
    probe.sum(ops::reduce_sum(b, x, {d}));
    probe.exact(ops::reduce_max(b, x, {d}));
    probe.sum(ops::cumsum(b, x, static_cast<std::size_t>(d)));
  }
  probe.sum(ops::reduce_prod(b, x, {dim}));
  probe.exact(ops::argmax(b, x, last));
  probe.sum(ops::dot_general(b, x, weights, {{}, {}, {dim}, {0}}));
  probe.sum(ops::dot_general(b, x, weights, {{}, {}, {dim}, {1}}));
  probe.sum(ops::dot_general(b, x, x, {{}, {}, {0}, {0}}));
  probe.sum(ops::dot_general(b, x, x, {{0}, {0}, {dim}, {dim}}));
  // x W + b: 7 roundings of terms up to 16, in both.
  probe.bounded(ops::linear(b, x, weights, bias), 0, 2 * 7 * 6 * 16);
  probe.bounded(ops::linear(b, x, weights, {}), 0, 2 * 6 * 5 * 16);
  probe.bounded(ops::mean(b, x, {dim}), 2, 2 * 5 * 4);
  // exp(x - max): its argument is up to 8 and rounded once; sums of 5 positive terms, one quotient.
  probe.bounded(ops::softmax(b, x, last), 2 * (4 + 5 + 8 + 5 + 1));
  probe.bounded(ops::logsumexp(b, x, last), 2, 2 * (4 + 5 + 8 + 5 + 4 + 8));
  // With variances of at least 1/4 (the data below have that): results up to sqrt(5) times 4, conditioned by at most
  // max |x| / deviation = 8 in the mean and twice that in the deviation.
  probe.bounded(ops::layer_norm(b, x, bias, bias), 64, 64 * 8);
  probe.bounded(ops::rms_norm(b, x, bias), 32);
  probe.bounded(ops::weight_norm(b, weights, bias), 32);
}

/// Integers, to the ends of their range.
void emit_integers(Probe& probe, Value k, Value l) {
  Builder& b = probe.b;
  for (const Value v : {ops::add(b, k, l),
                        ops::sub(b, k, l),
                        ops::mul(b, k, l),
                        ops::neg(b, k),
                        ops::abs(b, k),
                        ops::sign(b, k),
                        ops::floor(b, k),
                        ops::max(b, k, l),
                        ops::min(b, k, l),
                        ops::compare(b, k, l, "lt"),
                        ops::compare(b, k, l, "eq"),
                        ops::compare(b, k, l, "ge"),
                        ops::cast(b, k, probe.dtype),
                        ops::cast(b, k, DType::boolean),
                        ops::cast(b, ops::cast(b, k, DType::boolean), DType::i64),
                        ops::cast(b, ops::cast(b, k, DType::boolean), probe.dtype),
                        ops::select(b, ops::compare(b, k, l, "ne"), k, l),
                        ops::reduce_sum(b, k, {0}),
                        ops::reduce_max(b, k, {0}),
                        ops::reduce_prod(b, k, {0}),
                        ops::cumsum(b, k, 0)}) {
    probe.exact(v);
  }
}

/// Operations that move data, on x [.., .., ..] and indices.
void emit_moves(Probe& probe, Value x, Value indices, Value starts) {
  Builder& b = probe.b;
  const Shape shape = x.shape();
  probe.exact(ops::transpose(b, x, {2, 0, 1}));
  probe.exact(ops::reshape(b, x, {shape[0], shape[1] * shape[2]}));
  probe.exact(ops::reshape(b, x, {shape[0] * shape[1], shape[2], 1}));
  probe.exact(ops::reverse(b, x, {0, 2}));
  probe.exact(ops::broadcast(b, x, {shape[0], 2, shape[1], shape[2]}, {0, 2, 3}));
  probe.exact(ops::slice(b, x, {0, 1, 0}, {shape[0], 3, shape[2]}, {1, 2, 3}));
  probe.exact(ops::pad(b, x, {1, 0, 2}, {0, 1, 0}, {0, 1, 0}));
  probe.exact(ops::concat(b, {x, ops::neg(b, x), x}, 0));
  probe.exact(ops::concat(b, {x, ops::slice_dim(b, x, 2, 1, 3)}, 2));
  probe.exact(ops::gather(b, x, indices, 1));
  probe.exact(ops::scatter_add(b, indices, ops::gather(b, x, indices, 1), 1, 4));
  const Value part = ops::dynamic_slice(b, x, starts, {shape[0], 2, 3});
  probe.exact(part);
  probe.exact(ops::dynamic_update_slice(b, x, ops::neg(b, part), starts));
  probe.exact(ops::iota(b, x.type(), 0));
  probe.exact(ops::iota(b, ir::Type::tensor(DType::i64, shape), 1));
  probe.exact(ops::size(b, shape[0], DType::i64));
  probe.exact(ops::full(b, x.type(), -0.0));
  Array table(probe.dtype, {3, 2});
  visit_dtype(probe.dtype, [&](auto zero) {
    using T = decltype(zero);
    if constexpr (std::is_floating_point_v<T>) {
      table = Array::from<T>({3, 2},
                             {T(0.1), -T(0), std::numeric_limits<T>::infinity(), std::numeric_limits<T>::denorm_min(),
                              std::numeric_limits<T>::max(), std::numeric_limits<T>::quiet_NaN()});
    }
  });
  const Value constant = ops::constant(b, table);
  probe.exact(constant);
  probe.exact(ops::transpose(b, ops::neg(b, constant), {1, 0}));
  for (std::int64_t i = 0; i < 6; ++i) {
    probe.exact(ops::full(b, ir::Type::tensor(probe.dtype, {2}), table.at(i)));
  }
}

// ---- data

/// Zeros, infinities, NaN, ends of the range, then numbers of all magnitudes.
Array all_magnitudes(DType dtype, const std::vector<std::int64_t>& shape, std::uint64_t seed) {
  const bool single = dtype == DType::f32;
  const std::vector<double> special = {0.0,
                                       -0.0,
                                       INFINITY,
                                       -INFINITY,
                                       NAN,
                                       1.0,
                                       -1.0,
                                       0.5,
                                       -0.5,
                                       2.0,
                                       single ? 0x1p-149 : 0x1p-1074,
                                       single ? -0x1p-126 : -0x1p-1022,
                                       single ? 3e38 : 1e308,
                                       single ? 88.7 : 709.7,
                                       single ? -103.9 : -745.1,
                                       1e5};
  Array array(DType::f64, shape);
  const Rng rng(seed, "compiled_ops_test");
  const double decades = single ? 37 : 300;
  for (std::size_t i = 0; i < array.data<double>().size(); ++i) {
    const double u = rng.uniform(2 * i), v = rng.uniform(2 * i + 1);
    // Half of them where functions bend.
    const double magnitude = i % 2 ? std::pow(10, 4 * v - 3) : std::pow(10, decades * (2 * v - 1));
    array.data<double>()[i] = rng.below(i, 3) == 0 && i < 200 ? special[rng.below(i + 1000, special.size())]
                                                              : (u < 0.5 ? -magnitude : magnitude);
  }
  return array.cast(dtype);
}

/// Signs times 10^(from ... to).
Array magnitudes(DType dtype, const std::vector<std::int64_t>& shape, double from, double to, std::uint64_t seed) {
  Array array(DType::f64, shape);
  const Rng rng(seed, "compiled_ops_test");
  for (std::size_t i = 0; i < array.data<double>().size(); ++i) {
    const double x = std::pow(10, from + (to - from) * rng.uniform(2 * i));
    array.data<double>()[i] = rng.uniform(2 * i + 1) < 0.5 ? -x : x;
  }
  return array.cast(dtype);
}

/// Rows that spread: alternating signs, |x| from 1 to 4.
Array spread(DType dtype, const std::vector<std::int64_t>& shape, std::uint64_t seed) {
  Array array(DType::f64, shape);
  const Rng rng(seed, "compiled_ops_test");
  for (std::size_t i = 0; i < array.data<double>().size(); ++i) {
    array.data<double>()[i] = (1 + 3 * rng.uniform(i)) * (i % 2 ? -1 : 1);
  }
  return array.cast(dtype);
}

Array integers(const std::vector<std::int64_t>& shape, bool is_wild, std::uint64_t seed) {
  Array array(DType::i64, shape);
  const Rng rng(seed, "compiled_ops_test");
  using Limits = std::numeric_limits<std::int64_t>;
  const std::int64_t special[] = {0, 1, -1, Limits::max(), Limits::min(), Limits::min() + 1};
  for (std::size_t i = 0; i < array.data<std::int64_t>().size(); ++i) {
    array.data<std::int64_t>()[i] = !is_wild     ? static_cast<std::int64_t>(rng.below(i, 9)) - 2
                                    : i % 2 == 0 ? special[rng.below(i, std::size(special))]
                                                 : static_cast<std::int64_t>(rng.bits(i));
  }
  return array;
}

// ---- comparison

/// Error in units of the last place of `expected`, of the least subnormal where it is smaller; infinity counts as the
/// power of two after the largest number.
double ulps(DType dtype, double got, long double expected) {
  if (std::isnan(got) || std::isnan(expected)) return std::isnan(got) && std::isnan(expected) ? 0 : INFINITY;
  const bool single = dtype == DType::f32;
  const long double beyond = ldexpl(1, single ? 128 : 1024);
  const auto finite = [&](long double v) { return fabsl(v) >= beyond ? copysignl(beyond, v) : v; };
  const long double e = finite(expected);
  const int exponent = std::max(e == 0 ? -10000 : ilogbl(e) + 1, single ? -125 : -1021);
  return static_cast<double>(fabsl(finite(got) - e) / ldexpl(1, exponent - (single ? 24 : 53)));
}

Array magnitude_of(const Array& x) {
  Array result(DType::f64, x.shape());
  for (std::int64_t i = 0; i < x.n_elements(); ++i)
    result.data<double>()[static_cast<std::size_t>(i)] = std::abs(x.at(i));
  return result.cast(x.dtype());
}

/// Bits, but that one NaN is as good as another.
bool same(const Array& a, const Array& b, std::int64_t i) {
  const double x = a.at(i), y = b.at(i);
  if (a.dtype() == DType::i64) {
    return a.data<std::int64_t>()[static_cast<std::size_t>(i)] == b.data<std::int64_t>()[static_cast<std::size_t>(i)];
  }
  return std::isnan(x) ? std::isnan(y) : x == y && std::signbit(x) == std::signbit(y);
}

/// The operations that `check` has met, in all programs.
std::set<std::string>& met() {
  static std::set<std::string> names;
  return names;
}

class Checker {
 public:
  explicit Checker(Probe& probe) : probe_(probe), compiled_(probe.finish()) {
    for (const auto& function : {probe.finish(), compiled_.prepared()}) {
      for (const ir::Operation* op : function.body().operations()) met().insert(op->name());
    }
    for (std::size_t i = 0; i < probe.values().size(); ++i) check_of_.emplace(probe.values()[i], i);
  }

  void run(const std::vector<Array>& arguments) {
    references_.assign(probe_.values().size(), {});
    magnitudes_.assign(probe_.values().size(), Array());
    n_terms_.assign(probe_.values().size(), 0);
    runtime::InterpreterOptions options;
    options.library = [&](const ops::KernelArgs& args) {
      note(args);
      return false;
    };
    runtime::interpret(probe_.finish(), arguments, options);
    const auto results = compiled_.run(arguments);
    for (std::size_t r = 0; r < probe_.checks().size(); ++r) {
      const Array& got = results.one_thread[r];
      const Array& expected = results.interpreted[r];
      const ir::Operation* op = probe_.values()[r].defining_op();
      INFO(name(probe_.dtype) << ' ' << op->name() << " : " << op->result().type().str());
      REQUIRE(got.shape() == expected.shape());
      CHECK(got.identical(results.two_threads[r]));
      for (std::int64_t i = 0; i < got.n_elements(); ++i) {
        if (!is_near(r, i, got, expected)) {
          INFO("element " << i << ", kind " << probe_.checks()[r].kind << ", error "
                          << (references_[r].empty()
                                  ? 0
                                  : ulps(got.dtype(), got.at(i), references_[r][static_cast<std::size_t>(i)])));
          CHECK(got.at(i) == expected.at(i));
          break;
        }
      }
    }
  }

 private:
  void note(const ops::KernelArgs& args) {
    const auto found = check_of_.find(args.op.result());
    if (found == check_of_.end()) return;
    const std::size_t r = found->second;
    const Check& check = probe_.checks()[r];
    if (check.kind == Check::elementary) {
      for (std::int64_t i = 0; i < args.operands[0].n_elements(); ++i) {
        references_[r].push_back(check.reference(args.operands[0].at(i)));
      }
    } else if (check.kind == Check::sum) {
      // The same sum of magnitudes; no sum has more terms than an operand has elements.
      std::vector<Array> operands;
      for (const Array& operand : args.operands) {
        operands.push_back(is_real(operand.dtype()) ? magnitude_of(operand) : operand);
        n_terms_[r] = std::max(n_terms_[r], static_cast<double>(operand.n_elements()));
      }
      std::vector<Array> results = {Array(args.results[0].dtype(), args.results[0].shape())};
      args.op.info().get<ops::ReferenceKernel>()->run({args.op, operands, results, args.dims});
      magnitudes_[r] = results[0];
    }
  }

  bool is_near(std::size_t r, std::int64_t i, const Array& got, const Array& expected) const {
    const Check& check = probe_.checks()[r];
    const double eps = epsilon(probe_.dtype), e = expected.at(i);
    switch (check.kind) {
      case Check::exact: return same(got, expected, i);
      case Check::elementary: return ulps(got.dtype(), got.at(i), references_[r][static_cast<std::size_t>(i)]) <= 4;
      case Check::sum: return std::abs(got.at(i) - e) <= n_terms_[r] * eps * magnitudes_[r].at(i);
      case Check::bounded: return std::abs(got.at(i) - e) <= eps * (check.relative * std::abs(e) + check.absolute);
    }
    return false;
  }

  Probe& probe_;
  runtime::testing::Compiled compiled_;
  std::map<Value, std::size_t> check_of_;
  std::vector<std::vector<long double>> references_;
  std::vector<Array> magnitudes_;
  std::vector<double> n_terms_;
};

void check_batches(DType dtype) {
  const Dim n = Dim::symbol("n");
  Probe probe(dtype);
  Builder& b = probe.b;
  // Operands as they are; turned and reversed; stretched, and cut out of a wider one.
  const Value x = probe.argument(dtype, {n, 4}), y = probe.argument(dtype, {n, 4}), t = probe.argument(dtype, {n, 4});
  const Value turned = probe.argument(dtype, {4, n}), row = probe.argument(dtype, {4}),
              wide = probe.argument(dtype, {n, 9});
  const Value moderate = probe.argument(dtype, {n, 4}), other = probe.argument(dtype, {n, 4});
  const Value rows = probe.argument(dtype, {n, 5}), weights = probe.argument(dtype, {5, 5}),
              bias = probe.argument(dtype, {5});
  const Value k = probe.argument(DType::i64, {n}), l = probe.argument(DType::i64, {n});
  const Value blocks = probe.argument(dtype, {n, 4, 5});
  const Value indices = probe.argument(DType::i64, {3}), starts = probe.argument(DType::i64, {3});
  emit_real(probe, x, y, t);
  const Value cut = ops::slice(b, wide, {0, 1}, {n, 9}, {1, 2});
  const Value from_turned = ops::reverse(b, ops::transpose(b, turned, {1, 0}), {0});
  emit_real(probe, from_turned, cut, ops::broadcast(b, row, {n, 4}, {1}));
  emit_moderate(probe, moderate, other);
  emit_sums(probe, rows, weights, bias);
  emit_integers(probe, k, l);
  emit_moves(probe, blocks, indices, starts);
  Checker checker(probe);
  for (const std::int64_t size : {0, 1, 17, 200}) {
    INFO("n = " << size);
    checker.run({all_magnitudes(dtype, {size, 4}, 1), all_magnitudes(dtype, {size, 4}, 2),
                 magnitudes(dtype, {size, 4}, -6, 5, 3), all_magnitudes(dtype, {4, size}, 4),
                 magnitudes(dtype, {4}, -1, 1, 5), all_magnitudes(dtype, {size, 9}, 6),
                 magnitudes(dtype, {size, 4}, -3, 0.6, 7), magnitudes(dtype, {size, 4}, -3, 0.6, 8),
                 spread(dtype, {size, 5}, 9), spread(dtype, {5, 5}, 10), spread(dtype, {5}, 11),
                 integers({size}, true, 12), integers({size}, true, 13), all_magnitudes(dtype, {size, 4, 5}, 14),
                 integers({3}, false, 15), integers({3}, false, 16)});
  }
}

void check_static(DType dtype) {
  Probe probe(dtype);
  std::vector<Array> arguments;
  const auto argument = [&](const Array& data) {
    arguments.push_back(data);
    return probe.argument(data.dtype(), Shape(data.shape().begin(), data.shape().end()));
  };
  std::uint64_t seed = 100;
  using Sizes = std::vector<std::int64_t>;
  const auto any = [&](const Sizes& shape) { return argument(all_magnitudes(dtype, shape, ++seed)); };
  const auto moderate = [&](const Sizes& shape) { return argument(magnitudes(dtype, shape, -3, 0.6, ++seed)); };
  const auto spreading = [&](const Sizes& shape) { return argument(spread(dtype, shape, ++seed)); };
  const auto whole = [&](const Sizes& shape, bool is_wild) { return argument(integers(shape, is_wild, ++seed)); };
  for (const Sizes& shape : std::vector<Sizes>{{}, {1}, {0, 3}, {2, 1, 5}, {3, 2, 2, 4}}) {
    const Value x = any(shape), y = any(shape), t = argument(magnitudes(dtype, shape, -6, 5, ++seed));
    emit_real(probe, x, y, t);
    const Value u = moderate(shape), v = moderate(shape);
    emit_moderate(probe, u, v);
  }
  for (const Sizes& shape : std::vector<Sizes>{{7, 5}, {1, 5}, {0, 5}, {2, 3, 5}}) {
    const Value x = spreading(shape), weights = spreading({5, 5}), bias = spreading({5});
    emit_sums(probe, x, weights, bias);
  }
  const Value k = whole({40}, true), l = whole({40}, true);
  emit_integers(probe, k, l);
  const Value blocks = any({3, 4, 5}), indices = whole({2, 2}, false), starts = whole({3}, false);
  emit_moves(probe, blocks, indices, starts);
  Checker(probe).run(arguments);
}

}  // namespace

TEST_CASE("every operation on batches, compiled", "[compiled]") {
  check_batches(DType::f64);
  check_batches(DType::f32);
}

TEST_CASE("every operation on tensors of fixed sizes, compiled", "[compiled]") {
  check_static(DType::f64);
  check_static(DType::f32);
}

TEST_CASE("what is not compiled is refused by name", "[compiled]") {
  ThreadPool pool(1);
  const devices::Device device = devices::Device::open("cpu", pool);
  const auto refuses = [&](const std::string& name, ir::Type type, const std::function<Value(Builder&, Value)>& emit) {
    met().insert(name);
    ir::Module module(context(), "refused");
    ir::Function function = module.add_function("f");
    const Value x = function.add_argument("x", type);
    Builder b(context(), function.body());
    function.set_results({"y"}, std::vector{emit(b, x)});
    REQUIRE_THROWS_AS(runtime::Executable(function, device, 1), RuntimeError);
    REQUIRE_THROWS_WITH(runtime::Executable(function, device, 1), Catch::Contains(name));
  };
  const ir::Type counter = ir::Type::tensor(DType::i64), reals = ir::Type::tensor(DType::f64, {3}),
                 complexes = ir::Type::tensor(DType::c128, {3});
  refuses("prim.rng_uniform", counter, [&](Builder& b, Value x) { return ops::rng_uniform(b, x, reals, 1, 2); });
  refuses("prim.rng_normal", counter, [&](Builder& b, Value x) { return ops::rng_normal(b, x, reals, 1, 2); });
  refuses("prim.complex", reals, [](Builder& b, Value x) { return ops::complex(b, x, x); });
  refuses("prim.real", complexes, [](Builder& b, Value x) { return ops::real(b, x); });
  refuses("prim.imag", complexes, [](Builder& b, Value x) { return ops::imag(b, x); });
  refuses("prim.conj", complexes, [](Builder& b, Value x) { return ops::conj(b, x); });
  refuses("prim.add", complexes, [](Builder& b, Value x) { return ops::add(b, x, x); });
  // Composites and requests for derivatives are expanded by compiler::prepare before.
  refuses("nn.silu", reals, [](Builder& b, Value x) { return ops::silu(b, x); });
  refuses(std::string(autodiff::kDerivativeOp), reals, [](Builder& b, Value x) {
    return autodiff::derivative(b, ops::square(b, x), std::vector{x}, {{{1}, 1.0}});
  });
}

TEST_CASE("no operation is left out", "[compiled]") {
  for (const std::string& name : context().op_names()) {
    if (name.rfind("builtin.", 0) == 0) continue;
    INFO(name);
    CHECK(met().count(name) == 1);
  }
}

TEST_CASE("names from files stay text in compiled programs", "[compiled]") {
  const std::vector<std::string> names = {"*/ int main(void) { return 1; } /*",
                                          "a\"b'c",
                                          "line\nend\r\n#error",
                                          "?\?/",
                                          "back\\",
                                          "\xc3\xa9\xe2\x80\xa8",
                                          std::string("nul\0inside", 10),
                                          "//",
                                          "*/*/"};
  ir::Module module(context(), names[0]);
  ir::Function function = module.add_function(names[0]);
  Builder b(context(), function.body());
  std::vector<Value> results;
  std::vector<Array> arguments;
  for (const std::string& name : names) {
    const Value x = function.add_argument(name, ir::Type::tensor(DType::f64, {Dim::symbol("n"), 2}));
    Value y = ops::reduce_sum(b, ops::exp(b, x), {0});
    y.set_hint(name);
    results.push_back(y);
    arguments.emplace_back(DType::f64, std::vector<std::int64_t>{3, 2});
  }
  function.set_results(names, results);
  runtime::testing::Compiled compiled(function);
  for (const Array& sum : compiled.run(arguments).one_thread) CHECK(sum.at(0) == 3);
}
