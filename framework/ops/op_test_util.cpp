#include "framework/ops/op_test_util.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <map>
#include <random>
#include <set>

#include "framework/ops/dialects.h"
#include "framework/ops/kernel.h"

namespace eddy::ops::testing {

namespace {

constexpr double kEpsilon = 0x1p-52;

/// Replaces composite operations by primitives until none is left. Returns what `value` became.
Value decompose_all(const ir::Context& context, ir::Block& block, Value value) {
  for (bool changed = true; changed;) {
    changed = false;
    for (ir::Operation* op : block.operations()) {
      const auto* rule = op->info().get<ir::DecomposeRule>();
      if (!rule) continue;
      Builder b = Builder::before(context, op);
      const std::vector<Value> results = rule->decompose(b, *op);
      REQUIRE(results.size() == op->n_results());
      for (std::size_t i = 0; i < results.size(); ++i) {
        INFO(op->name() << " decomposes");
        REQUIRE(results[i].type() == op->result(i).type());
        if (value == op->result(i)) value = results[i];
        op->result(i).replace_all_uses_with(results[i]);
      }
      op->erase();
      changed = true;
    }
  }
  return value;
}

/// The operations' cotangent rules, last to first: what the reverse transform does.
std::vector<Value> pull_back(Traced& program, Value seed) {
  Builder& b = program.builder;
  std::set<Value> active(program.arguments.begin(), program.arguments.end());
  const std::vector<ir::Operation*> ops = program.function.body().operations();
  for (const ir::Operation* op : ops) {
    if (op->info().has_trait(ir::Trait::zero_derivative)) continue;
    const std::vector<Value> operands = op->operands();
    if (std::any_of(operands.begin(), operands.end(), [&](Value x) { return active.count(x) > 0; })) {
      for (const Value result : op->results()) {
        if (is_inexact(result.dtype())) active.insert(result);
      }
    }
  }
  std::map<Value, Value> cotangent = {{program.result, seed}};
  for (auto it = ops.rbegin(); it != ops.rend(); ++it) {
    const ir::Operation& op = **it;
    std::vector<Value> of_results;
    bool any = false;
    for (const Value result : op.results()) {
      of_results.push_back(active.count(result) > 0 ? cotangent[result] : Value());
      any |= static_cast<bool>(of_results.back());
    }
    if (!any) continue;
    std::vector<char> needed;
    for (const Value operand : op.operands()) needed.push_back(active.count(operand) > 0);
    const auto* rule = op.info().get<ir::VjpRule>();
    INFO(op.name());
    REQUIRE(rule != nullptr);
    const std::vector<Value> of_operands = rule->vjp({b, op, of_results, needed});
    REQUIRE(of_operands.size() == op.n_operands());
    for (std::size_t i = 0; i < of_operands.size(); ++i) {
      if (!needed[i] || !of_operands[i]) continue;
      REQUIRE(of_operands[i].type() == op.operand(i).type());
      Value& total = cotangent[op.operand(i)];
      total = total ? add(b, total, of_operands[i]) : of_operands[i];
    }
  }
  std::vector<Value> result;
  for (const Value argument : program.arguments) result.push_back(cotangent[argument]);
  return result;
}

/// Element i of the result along `dim` is element order[i] of `array`.
Array permuted(const Array& array, const std::vector<std::size_t>& dims, const std::vector<std::int64_t>& order) {
  Array result(array.dtype(), array.shape());
  const std::size_t bytes = size_of(array.dtype());
  std::vector<std::int64_t> stride(array.rank(), 1);
  for (std::size_t d = array.rank(); d-- > 1;) stride[d - 1] = stride[d] * array.shape()[d];
  for (std::int64_t i = 0; i < array.n_elements(); ++i) {
    std::int64_t source = i;
    for (const std::size_t d : dims) {
      const std::int64_t at = i / stride[d] % array.shape()[d];
      source += (order[static_cast<std::size_t>(at)] - at) * stride[d];
    }
    std::copy_n(static_cast<const char*>(array.raw()) + static_cast<std::size_t>(source) * bytes, bytes,
                static_cast<char*>(result.raw()) + static_cast<std::size_t>(i) * bytes);
  }
  return result;
}

std::vector<std::size_t> dims_with(const std::vector<int>& labels, int label) {
  std::vector<std::size_t> dims;
  for (std::size_t d = 0; d < labels.size(); ++d) {
    if (labels[d] == label) dims.push_back(d);
  }
  return dims;
}

void check_axes_of(const ir::Operation& op, const std::vector<Array>& operands) {
  INFO(op.name());
  const auto* rule = op.info().get<ir::AxesRule>();
  REQUIRE(rule != nullptr);
  const ir::AxesMap map = rule->axes(op);
  REQUIRE(map.operands.size() == op.n_operands());
  REQUIRE(map.results.size() == op.n_results());
  const std::vector<Array> before = run_kernel(op, operands);
  std::map<int, std::int64_t> extents;
  std::set<int> in_operands, in_results;
  const auto enter = [&](const std::vector<int>& labels, const Array& array, std::set<int>& where) {
    REQUIRE(labels.size() == array.rank());
    for (std::size_t d = 0; d < labels.size(); ++d) {
      if (labels[d] == ir::AxesMap::kOpaque) continue;
      const auto [known, is_new] = extents.emplace(labels[d], array.shape()[d]);
      CHECK((is_new || known->second == array.shape()[d]));
      where.insert(labels[d]);
    }
  };
  for (std::size_t i = 0; i < operands.size(); ++i) enter(map.operands[i], operands[i], in_operands);
  for (std::size_t i = 0; i < before.size(); ++i) enter(map.results[i], before[i], in_results);
  for (const auto& [label, extent] : extents) {
    std::vector<std::int64_t> order;
    for (std::int64_t i = 0; i < extent; ++i) order.push_back((i + 1) % extent);  // a shift is no symmetry of anything
    std::vector<Array> moved;
    for (std::size_t i = 0; i < operands.size(); ++i) {
      moved.push_back(permuted(operands[i], dims_with(map.operands[i], label), order));
    }
    const std::vector<Array> after = run_kernel(op, moved);
    const bool is_reduced = in_results.count(label) == 0;
    for (std::size_t i = 0; i < after.size(); ++i) {
      const Array expected = permuted(before[i], dims_with(map.results[i], label), order);
      // A reduced axis is summed in another order: n eps sum|x|, here of numbers of order one.
      if (is_reduced && is_inexact(after[i].dtype())) {
        require_close(after[i], expected,
                      8 * static_cast<double>(extent) *
                          (is_real(after[i].dtype()) && after[i].dtype() == DType::f32 ? 0x1p-23 : kEpsilon));
      } else {
        REQUIRE(after[i].identical(expected));
      }
    }
  }
}

}  // namespace

const ir::Context& context() { return default_context(); }

ir::Type type_of(const Array& array) {
  return ir::Type::tensor(array.dtype(), Shape(array.shape().begin(), array.shape().end()));
}

std::vector<ir::Type> types_of(std::span<const Array> arrays) {
  std::vector<ir::Type> types;
  for (const Array& array : arrays) types.push_back(type_of(array));
  return types;
}

Traced::Traced(const Build& build, const std::vector<ir::Type>& types)
    : module(std::make_unique<ir::Module>(context())),
      function(module->add_function("f")),
      builder(context(), function.body()) {
  for (std::size_t i = 0; i < types.size(); ++i) {
    arguments.push_back(function.add_argument("x" + std::to_string(i), types[i]));
  }
  result = build(builder, arguments);
  result = decompose_all(context(), function.body(), result);
}

std::vector<Array> run_kernel(const ir::Operation& op, std::span<const Array> operands, const DimBindings& dims) {
  const auto* kernel = op.info().get<ReferenceKernel>();
  INFO(op.name());
  REQUIRE(kernel != nullptr);
  std::vector<Array> results;
  for (const Value result : op.results()) results.emplace_back(result.dtype(), eddy::evaluate(result.shape(), dims));
  kernel->run({op, operands, results, dims});
  return results;
}

std::vector<std::optional<Array>> Traced::evaluate(std::span<const Array> values, const std::vector<Value>& wanted,
                                                   const DimBindings& dims) const {
  std::map<Value, Array> known;
  REQUIRE(values.size() == arguments.size());
  for (std::size_t i = 0; i < values.size(); ++i) known[arguments[i]] = values[i];
  for (const ir::Operation* op : function.body().operations()) {
    std::vector<Array> operands;
    for (const Value operand : op->operands()) operands.push_back(known.at(operand));
    const std::vector<Array> results = run_kernel(*op, operands, dims);
    for (std::size_t i = 0; i < results.size(); ++i) known[op->result(i)] = results[i];
  }
  std::vector<std::optional<Array>> found;
  for (const Value value : wanted) found.push_back(value ? std::optional(known.at(value)) : std::nullopt);
  return found;
}

Array apply(const Build& build, const std::vector<Array>& arguments, const DimBindings& dims) {
  const Traced program(build, types_of(arguments));
  return *program.evaluate(arguments, {program.result}, dims)[0];
}

Array random_array(DType dtype, const std::vector<std::int64_t>& shape, double low, double high, unsigned seed) {
  std::mt19937_64 generator(seed);
  std::uniform_real_distribution<double> uniform(low, high);
  Array array(DType::f64, shape);
  for (double& x : array.data<double>()) x = uniform(generator);
  return dtype == DType::f64 ? array : array.cast(dtype);
}

const std::vector<std::vector<std::int64_t>>& shapes() {
  static const std::vector<std::vector<std::int64_t>> list = {{}, {0}, {1}, {5}, {2, 3}, {2, 0, 3}, {2, 1, 3}};
  return list;
}

void require_close(const Array& a, const Array& b, double tolerance) {
  REQUIRE(a.dtype() == b.dtype());
  REQUIRE(a.shape() == b.shape());
  for (std::int64_t i = 0; i < a.n_elements(); ++i) {
    const double x = a.at(i), y = b.at(i);
    if (std::isnan(x) && std::isnan(y)) continue;
    if (x == y) continue;
    INFO("element " << i << ": " << x << " and " << y);
    REQUIRE(std::abs(x - y) <= tolerance * std::max(1.0, std::abs(y)));
  }
}

void check_vjp(const Build& build, const std::vector<Array>& arguments) {
  Traced program(build, types_of(arguments));
  const std::size_t n = arguments.size();
  // The scalar that is differentiated: a random combination of the result's elements.
  const Array weights = random_array(DType::f64, eddy::evaluate(program.result.shape(), {}), -1, 1, 77);
  const auto objective = [&](const std::vector<Array>& at, long double& size) {
    const Array y = *program.evaluate(at, {program.result})[0];
    long double total = 0;
    size = 0;
    for (std::int64_t i = 0; i < y.n_elements(); ++i) {
      total += static_cast<long double>(weights.at(i)) * y.at(i);
      size += std::abs(weights.at(i) * y.at(i));
    }
    return total;
  };
  Traced reverse(build, types_of(arguments));
  const std::vector<Value> gradients = pull_back(reverse, constant(reverse.builder, weights));
  const auto values = reverse.evaluate(arguments, gradients);
  for (std::size_t a = 0; a < n; ++a) {
    if (arguments[a].dtype() != DType::f64) continue;
    for (std::int64_t i = 0; i < arguments[a].n_elements(); ++i) {
      const double x = arguments[a].at(i);
      const double step = std::cbrt(kEpsilon) * std::max(1.0, std::abs(x));
      long double size = 0;
      const auto slope = [&](double h) {
        std::vector<Array> at = arguments;
        at[a] = arguments[a].clone();
        auto data = at[a].data<double>();
        const auto k = static_cast<std::size_t>(i);
        const double up = x + h, down = x - h;
        data[k] = up;
        const long double above = objective(at, size);
        data[k] = down;
        const long double below = objective(at, size);
        return (above - below) / (static_cast<long double>(up) - down);
      };
      const long double fine = slope(step), coarse = slope(2 * step);
      const long double tolerance = std::abs(coarse - fine) + 16 * kEpsilon * (size + 1) / step;
      const double got = values[a] ? values[a]->at(i) : 0.0;
      INFO("argument " << a << ", element " << i << " at " << x << ": rule " << got << ", differences "
                       << static_cast<double>(fine));
      REQUIRE(std::abs(got - fine) <= tolerance);
    }
  }
}

void check_axes(const Build& build, const std::vector<Array>& arguments) {
  const Traced program(build, types_of(arguments));
  for (const ir::Operation* op : program.function.body().operations()) {
    std::vector<Array> operands;
    for (const auto& operand : program.evaluate(arguments, op->operands())) operands.push_back(*operand);
    check_axes_of(*op, operands);
  }
}

LaneValues jet(const Build& build, const ir::IndexSet& set, const std::vector<LaneValues>& arguments) {
  // The lanes of the arguments are arguments too.
  std::vector<Array> values;
  for (const LaneValues& lanes : arguments) values.push_back(*lanes[0]);
  Traced program(build, types_of(values));
  const std::vector<ir::Operation*> ops = program.function.body().operations();
  std::map<Value, Lanes> lanes_of;
  for (std::size_t a = 0; a < arguments.size(); ++a) {
    Lanes lanes(set.size());
    lanes[0] = program.arguments[a];
    for (std::size_t k = 1; k < set.size(); ++k) {
      if (!arguments[a][k]) continue;
      lanes[k] = program.function.add_argument(fmt::format("x{}_{}", a, k), type_of(*arguments[a][k]));
      values.push_back(*arguments[a][k]);
    }
    lanes_of[lanes[0]] = lanes;
  }
  program.arguments = program.function.body().arguments();
  for (const ir::Operation* op : ops) {
    std::vector<Lanes> operands;
    bool is_active = false;
    for (const Value operand : op->operands()) {
      if (lanes_of.count(operand) == 0) {
        lanes_of[operand] = Lanes(set.size());
        lanes_of[operand][0] = operand;
      }
      operands.push_back(lanes_of[operand]);
      is_active |= std::any_of(operands.back().begin() + 1, operands.back().end(), [](Value x) { return bool(x); });
    }
    if (!is_active || op->info().has_trait(ir::Trait::zero_derivative)) continue;
    const auto* rule = op->info().get<ir::JetRule>();
    INFO(op->name());
    REQUIRE(rule != nullptr);
    const std::vector<Lanes> results = rule->jet({program.builder, *op, set, operands});
    REQUIRE(results.size() == op->n_results());
    for (std::size_t i = 0; i < results.size(); ++i) {
      REQUIRE(results[i].size() == set.size());
      REQUIRE(results[i][0] == op->result(i));
      for (const Value lane : results[i]) REQUIRE((!lane || lane.type() == op->result(i).type()));
      lanes_of[op->result(i)] = results[i];
    }
  }
  Lanes wanted = lanes_of.count(program.result) ? lanes_of[program.result] : Lanes(set.size());
  wanted[0] = program.result;
  return program.evaluate(values, wanted);
}

LaneValues random_lanes(const ir::IndexSet& set, const Array& value, unsigned seed) {
  LaneValues lanes = {value};
  for (std::size_t k = 1; k < set.size(); ++k) {
    lanes.emplace_back(random_array(value.dtype(), value.shape(), -1, 1, seed * 1000 + static_cast<unsigned>(k)));
  }
  return lanes;
}

ir::IndexSet full_set(std::size_t n_directions, int order) {
  std::vector<ir::MultiIndex> indices;
  ir::MultiIndex index(n_directions, 0);
  const std::function<void(std::size_t, int)> fill = [&](std::size_t d, int left) {
    if (d == n_directions) {
      indices.push_back(index);
      return;
    }
    for (index[d] = 0; index[d] <= left; ++index[d]) fill(d + 1, left - index[d]);
    index[d] = 0;
  };
  fill(0, order);
  return ir::IndexSet::closure(n_directions, indices);
}

Series operator+(const Series& a, const Series& b) {
  Series sum = a;
  for (std::size_t k = 0; k < sum.size(); ++k) sum[k] += b[k];
  return sum;
}

Series operator*(const Series& a, const Series& b) {
  Series product(*a.set_);
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (std::size_t j = 0; j < b.size(); ++j) {
      if (const auto k = a.set_->find(ir::sum((*a.set_)[i], (*a.set_)[j]))) product[*k] += a[i] * b[j];
    }
  }
  return product;
}

Series compose(const std::vector<long double>& derivatives, const Series& u) {
  Series rest = u, power(*u.set_), total(*u.set_);
  rest[0] = 0;
  power[0] = 1;
  long double factorial = 1;
  for (std::size_t n = 0; n < derivatives.size(); ++n) {
    if (n > 0) {
      power = power * rest;
      factorial *= static_cast<long double>(n);
    }
    for (std::size_t k = 0; k < total.size(); ++k) total[k] += derivatives[n] / factorial * power[k];
  }
  return total;
}

Series magnitude(const Series& a) {
  Series result = a;
  for (std::size_t k = 0; k < a.size(); ++k) result[k] = std::abs(a[k]);
  return result;
}

void check_unary_jet(const Build& build, const DerivativeTable& table, double low, double high) {
  const ir::IndexSet set = full_set(3, 4);
  const Array value = random_array(DType::f64, {7}, low, high, 5);
  const LaneValues u = random_lanes(set, value);
  const LaneValues v = jet(build, set, {u});
  for (std::int64_t i = 0; i < value.n_elements(); ++i) {
    Series series(set);
    for (std::size_t k = 0; k < set.size(); ++k) series[k] = u[k]->at(i);
    std::vector<long double> derivatives = table(value.at(i));
    const Series expected = compose(derivatives, series);
    // The recurrences add at most a few dozen products of the terms of the expansion, all taken positive: 1000 eps of
    // that sum bounds their rounding.
    for (long double& d : derivatives) d = std::abs(d);
    const Series size = compose(derivatives, magnitude(series));
    for (std::size_t k = 0; k < set.size(); ++k) {
      const double got = v[k] ? v[k]->at(i) : 0.0;
      INFO("coefficient " << k << " at " << value.at(i) << ": " << got << " and " << static_cast<double>(expected[k]));
      REQUIRE(std::abs(got - expected[k]) <= 1000 * kEpsilon * (size[k] + std::abs(derivatives[0])));
    }
  }
  // An argument that varies in the first direction only: no lane in another direction.
  LaneValues sparse = u;
  for (std::size_t k = 1; k < set.size(); ++k) {
    if (set[k][1] + set[k][2] > 0) sparse[k].reset();
  }
  const LaneValues along = jet(build, set, {sparse});
  for (std::size_t k = 1; k < set.size(); ++k) {
    if (!sparse[k]) REQUIRE(!along[k]);
  }
}

}  // namespace eddy::ops::testing
