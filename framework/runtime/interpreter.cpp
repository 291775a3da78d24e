#include "framework/runtime/interpreter.h"

#include <unordered_map>

#include "framework/autodiff/planner.h"
#include "framework/ir/binding.h"
#include "framework/ir/dialect.h"
#include "framework/ir/rules.h"
#include "framework/ops/decompose.h"

namespace eddy::runtime {

namespace {

std::vector<Array> run_body(const ir::Function& function, std::span<const Array> arguments, const DimBindings& dims,
                            const InterpreterOptions& options);

/// Runs a composite operation as a function of its own.
std::vector<Array> run_composite(const ir::Context& context, const ir::Operation& op, const ir::DecomposeRule& rule,
                                 std::span<const Array> operands, const DimBindings& dims,
                                 const InterpreterOptions& options) {
  ir::Module module(context, "composite");
  ir::Function function = module.add_function(op.name());
  ir::ValueMap map;
  for (std::size_t i = 0; i < op.n_operands(); ++i) {
    const ir::Value argument = function.add_argument(fmt::format("x{}", i), op.operand(i).type());
    map.emplace(op.operand(i), argument);  // an operand that comes twice is one value
  }
  ir::Builder builder(context, function.body());
  ir::Operation* copy = builder.clone(op, map);
  builder.set_location(op.location());
  const std::vector<ir::Value> results = rule.decompose(builder, *copy);
  EDDY_CHECK(results.size() == op.n_results(), "{}", op.name());
  for (std::size_t i = 0; i < results.size(); ++i) copy->result(i).replace_all_uses_with(results[i]);
  copy->erase();
  std::vector<std::string> names;
  for (std::size_t i = 0; i < results.size(); ++i) names.push_back(fmt::format("y{}", i));
  function.set_results(names, results);
  return run_body(function, operands, dims, options);
}

std::vector<Array> run_operation(const ir::Context& context, const ir::Operation& op, std::span<const Array> operands,
                                 const DimBindings& dims, const InterpreterOptions& options) {
  const auto* kernel = op.info().get<ops::ReferenceKernel>();
  if (!kernel) {
    if (const auto* rule = op.info().get<ir::DecomposeRule>()) {
      return run_composite(context, op, *rule, operands, dims, options);
    }
    throw RuntimeError(fmt::format("{} is not there yet: it has no reference kernel", op.name()));
  }
  std::vector<Array> results;
  for (const ir::Value result : op.results()) results.emplace_back(result.dtype(), evaluate(result.shape(), dims));
  const ops::KernelArgs args{op, operands, results, dims};
  if (!options.library || !options.library(args)) kernel->run(args);
  return results;
}

std::vector<Array> run_body(const ir::Function& function, std::span<const Array> arguments, const DimBindings& dims,
                            const InterpreterOptions& options) {
  struct Entry {
    Array array;
    std::size_t n_uses;  // still to come
  };
  std::unordered_map<const ir::detail::ValueImpl*, Entry> live;
  const auto enter = [&](ir::Value value, Array array) {
    if (const std::size_t n_uses = value.n_uses()) live.emplace(value.impl(), Entry{std::move(array), n_uses});
  };
  const auto take = [&](ir::Value value) {
    const auto found = live.find(value.impl());
    EDDY_CHECK(found != live.end(), "a value is used before it is defined");
    if (--found->second.n_uses > 0) return found->second.array;
    Array array = std::move(found->second.array);
    live.erase(found);
    return array;
  };
  for (std::size_t i = 0; i < arguments.size(); ++i) enter(function.argument(i), arguments[i]);
  const ir::Operation* terminator = function.body().terminator();
  EDDY_CHECK(terminator != nullptr, "the function '{}' does not return", function.name());
  for (const ir::Operation* op = function.body().front(); op != terminator; op = op->next()) {
    std::vector<Array> operands;
    operands.reserve(op->n_operands());
    for (const ir::Value operand : op->operands()) operands.push_back(take(operand));
    std::vector<Array> results = run_operation(function.context(), *op, operands, dims, options);
    for (std::size_t i = 0; i < results.size(); ++i) enter(op->result(i), std::move(results[i]));
  }
  std::vector<Array> results;
  for (const ir::Value value : terminator->operands()) results.push_back(take(value));
  return results;
}

bool has_requests(const ir::Function& function) {
  for (const ir::Operation* op = function.body().front(); op; op = op->next()) {
    if (op->is(autodiff::kDerivativeOp)) return true;
  }
  return false;
}

}  // namespace

std::vector<Array> interpret(const ir::Function& function, std::span<const Array> arguments,
                             const InterpreterOptions& options) {
  if (has_requests(function)) {
    ir::Module expanded(function.context(), "expanded");
    ir::ValueMap map;
    ir::Operation* copy = ir::Builder(function.context(), expanded.body()).clone(*function.op(), map);
    const ir::Function primitive(function.context(), copy);
    ops::decompose_composites(primitive);
    autodiff::expand_derivatives(primitive);
    return run_body(primitive, arguments, ir::bind_arguments(primitive, arguments), options);
  }
  return run_body(function, arguments, ir::bind_arguments(function, arguments), options);
}

}  // namespace eddy::runtime
