#include "framework/runtime/tensor.h"

#include "framework/autodiff/planner.h"
#include "framework/autodiff/vjp.h"
#include "framework/ir/dialect.h"
#include "framework/ops/decompose.h"
#include "framework/ops/dialects.h"
#include "framework/runtime/interpreter.h"

namespace eddy::runtime {

/// A function that is being recorded.
class Trace {
 public:
  Trace(const ir::Context& context, const std::string& name)
      : module(std::make_unique<ir::Module>(context)),
        function(module->add_function(name)),
        builder(context, function.body()),
        name_(name) {}

  const std::string& name() const { return name_; }

  std::unique_ptr<ir::Module> module;  ///< null once the trace has ended
  ir::Function function;
  ir::Builder builder;

 private:
  std::string name_;
};

namespace {

ir::Type type_of(const Array& array) {
  return ir::Type::tensor(array.dtype(), Shape(array.shape().begin(), array.shape().end()));
}

void check_open(const Trace& trace) {
  if (trace.module) return;
  throw UserError(fmt::format("a tensor of '{}' is used after its trace has ended", trace.name()),
                  "return it from the function instead");
}

/// The trace that the operands belong to; null when all hold data.
std::shared_ptr<Trace> common_trace(std::span<const Tensor> operands) {
  std::shared_ptr<Trace> found;
  for (const Tensor& operand : operands) {
    if (!operand.is_traced()) continue;
    check_open(*operand.trace());
    if (found && found != operand.trace()) {
      throw UserError(fmt::format("tensors of two traces, '{}' and '{}', meet in one operation", found->name(),
                                  operand.trace()->name()),
                      "pass what a function uses as its arguments");
    }
    found = operand.trace();
  }
  return found;
}

/// The operand as a value of the trace.
ir::Value value_in(Trace& trace, const Tensor& tensor) {
  return tensor.is_traced() ? tensor.value() : ops::constant(trace.builder, tensor.array());
}

std::vector<std::string> numbered(const char* prefix, std::size_t n) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < n; ++i) names.push_back(fmt::format("{}{}", prefix, i));
  return names;
}

/// Runs or inlines `function` on the operands: the step that every derivative ends with.
std::vector<Tensor> call(const ir::Function& function, std::span<const Tensor> operands) {
  const std::shared_ptr<Trace> trace = common_trace(operands);
  std::vector<Tensor> results;
  if (!trace) {
    std::vector<Array> arrays;
    for (const Tensor& operand : operands) arrays.push_back(operand.array());
    for (Array& array : interpret(function, arrays)) results.emplace_back(std::move(array));
    return results;
  }
  ir::ValueMap map;
  for (std::size_t i = 0; i < operands.size(); ++i) map[function.argument(i)] = value_in(*trace, operands[i]);
  for (const ir::Value value : trace->builder.inline_block(function.body(), map)) results.emplace_back(trace, value);
  return results;
}

}  // namespace

ir::Type Tensor::type() const {
  if (!trace_) return type_of(data_);
  check_open(*trace_);
  return value_.type();
}

const Array& Tensor::array() const {
  if (trace_) {
    throw UserError(fmt::format("the data of a tensor are not known while '{}' is traced", trace_->name()),
                    "use select() instead of a branch; return what is to be read");
  }
  return data_;
}

Tensor run_or_record(std::span<const Tensor> operands,
                     const std::function<ir::Value(ir::Builder&, std::span<const ir::Value>)>& emit) {
  std::vector<ir::Value> values;
  if (const std::shared_ptr<Trace> trace = common_trace(operands)) {
    for (const Tensor& operand : operands) values.push_back(value_in(*trace, operand));
    return {trace, emit(trace->builder, values)};
  }
  ir::Module module(ops::default_context(), "eager");
  ir::Function function = module.add_function("eager");
  std::vector<Array> arrays;
  for (const Tensor& operand : operands) {
    values.push_back(function.add_argument(fmt::format("x{}", arrays.size()), operand.type()));
    arrays.push_back(operand.array());
  }
  ir::Builder builder(module.context(), function.body());
  const std::vector<ir::Value> results = {emit(builder, values)};
  function.set_results({"y"}, results);
  return interpret(function, arrays)[0];
}

std::unique_ptr<ir::Module> trace(const ir::Context& context, const std::string& name,
                                  const std::vector<ArgumentSpec>& arguments, const TensorFunction& fn,
                                  std::vector<std::string> result_names) {
  const auto recording = std::make_shared<Trace>(context, name);
  std::vector<Tensor> tensors;
  for (const ArgumentSpec& argument : arguments) {
    tensors.emplace_back(recording, recording->function.add_argument(argument.name, argument.type));
  }
  const std::vector<Tensor> results = fn(tensors);
  std::vector<ir::Value> values;
  for (const Tensor& result : results) {
    if (result.is_traced() && result.trace() != recording) {
      throw UserError(fmt::format("'{}' returns a tensor of another trace, '{}'", name, result.trace()->name()));
    }
    values.push_back(value_in(*recording, result));
  }
  if (result_names.empty()) result_names = numbered("y", values.size());
  EDDY_CHECK(result_names.size() == values.size(), "'{}' returns {} tensors", name, values.size());
  recording->function.set_results(result_names, values);
  return std::move(recording->module);
}

TensorFunction grad(TensorFunction fn) {
  return [fn = std::move(fn)](const std::vector<Tensor>& arguments) {
    std::vector<ArgumentSpec> specs;
    for (const Tensor& argument : arguments) specs.push_back({fmt::format("x{}", specs.size()), argument.type()});
    const std::shared_ptr<Trace> outer = common_trace(arguments);
    const ir::Context& context = outer ? outer->builder.context() : ops::default_context();
    const std::unique_ptr<ir::Module> module = trace(context, "grad", specs, fn);
    ir::Function function = module->function("grad");
    ops::decompose_composites(function);
    autodiff::expand_derivatives(function);
    const std::vector<ir::Value> outputs = function.results();
    if (outputs.size() != 1 || !is_inexact(outputs[0].dtype()) || outputs[0].rank() != 0) {
      throw UserError("grad() is of functions that return one floating-point scalar",
                      outputs.size() == 1 ? fmt::format("this one returns a {}", outputs[0].type().str())
                                          : fmt::format("this one returns {} tensors", outputs.size()));
    }
    const std::vector<ir::Value> inputs = function.body().arguments();
    ir::Builder b = ir::Builder::before(context, function.body().terminator());
    const std::vector<ir::Value> seeds = {ops::full_like(b, outputs[0], 1)};
    std::vector<ir::Value> gradients = autodiff::vjp(b, outputs, seeds, inputs);
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      if (!gradients[i] || gradients[i].type() != inputs[i].type()) gradients[i] = ops::full_like(b, inputs[i], 0);
    }
    function.set_results(numbered("g", gradients.size()), gradients);
    return call(function, arguments);
  };
}

Tensor derivative(const Tensor& expression, const std::vector<Tensor>& coordinates,
                  const std::vector<autodiff::DerivativeTerm>& terms) {
  if (!expression.is_traced()) {
    throw UserError("derivative() of data, which does not know where it comes from",
                    "trace() the function that computes it, or take grad() of a function");
  }
  std::vector<Tensor> operands = {expression};
  operands.insert(operands.end(), coordinates.begin(), coordinates.end());
  return run_or_record(operands, [&](ir::Builder& b, std::span<const ir::Value> values) {
    return autodiff::derivative(b, values[0], values.subspan(1), terms);
  });
}

}  // namespace eddy::runtime
