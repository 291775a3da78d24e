#include "science/problem/evaluator.h"

#include <algorithm>

#include "framework/ops/dialects.h"
#include "framework/ops/emit.h"
#include "framework/runtime/interpreter.h"
#include "science/problem/expression_emitter.h"

namespace eddy::problem {

using config::Expression;

namespace {

/// Scalars that the expressions use, as arguments of `function`.
Arguments add_scalars(ir::Function function, const Uses& uses) {
  Arguments arguments;
  for (const std::string& name : uses.scalars) {
    const std::string argument = "param." + name;
    arguments[argument] = function.add_argument(argument, ir::Type::tensor(DType::f64));
  }
  return arguments;
}

std::vector<Array> scalar_values(const Model& model, const Uses& uses) {
  std::vector<Array> values;
  for (const std::string& name : uses.scalars) {
    values.push_back(Array::scalar(evaluate_number(model, model.symbols().at(name).definition)));
  }
  return values;
}

}  // namespace

double evaluate_number(const Model& model, const Expression& expression) {
  const Uses uses = model.symbols().uses(expression);
  ir::Module module(ops::default_context());
  ir::Function function = module.add_function("number");
  const Arguments arguments = add_scalars(function, uses);
  ir::Builder b(module.context(), function.body());
  ExpressionEmitter emitter(b, model, arguments, DType::f64, 1, {});
  function.set_results({"value"}, std::vector{emitter.value(expression)});
  return runtime::interpret(function, scalar_values(model, uses)).front().item();
}

Evaluator::Evaluator(const Model& model, std::vector<Expression> expressions) {
  Uses uses;
  for (const Expression& e : expressions) {
    const Uses own = model.symbols().uses(e);
    if (!own.networks.empty() || !own.trainables.empty()) {
      throw UserError(e.where, fmt::format("'{}' depends on what is being trained", config::str(e)),
                      "only coordinates, numbers and parameters of the equation are known here");
    }
    uses.add(own);
  }
  auto module = std::make_shared<ir::Module>(ops::default_context());
  ir::Function function = module->add_function("values");
  const Dim n = Dim::symbol("n");
  const ir::Type column = ir::Type::tensor(DType::f64, {n, 1});
  const auto add_column = [&](const std::string& name) {
    columns_.push_back(name);
    return function.add_argument(name, column);
  };
  PointValues points;
  for (const std::string& name : model.symbols().coordinates()) points.coordinates[name] = add_column(name);
  if (uses.normals) {
    for (const std::string& axis : model.symbols().space()) points.normals.push_back(add_column("n" + axis));
  }
  if (uses.sdf) points.sdf = add_column("sdf");
  const Arguments arguments = add_scalars(function, uses);
  scalars_ = scalar_values(model, uses);

  ir::Builder b(module->context(), function.body());
  ExpressionEmitter emitter(b, model, arguments, DType::f64, n, std::move(points));
  std::vector<std::string> names;
  std::vector<ir::Value> values;
  for (const Expression& e : expressions) {
    names.push_back("value" + std::to_string(names.size()));
    values.push_back(ops::reshape(b, emitter.column(e), {n}));
  }
  function.set_results(names, values);
  module_ = std::move(module);
}

std::vector<Array> Evaluator::run(const geometry::PointSet& points) const {
  std::vector<Array> arguments;
  for (const std::string& name : columns_) {
    arguments.push_back(Array::from<double>({points.n_points, 1}, points.column(name)));
  }
  arguments.insert(arguments.end(), scalars_.begin(), scalars_.end());
  return runtime::interpret(module_->functions().front(), arguments);
}

geometry::Criterion criterion(const Model& model, const Expression& condition) {
  const auto evaluator = std::make_shared<Evaluator>(model, std::vector{condition});
  return [evaluator](const geometry::PointSet& points, std::vector<char>& keep) {
    const std::vector<Array> values = evaluator->run(points);
    const auto holds = values.front().data<bool>();
    for (std::size_t i = 0; i < holds.size(); ++i) keep[i] = keep[i] && holds[i] ? 1 : 0;
  };
}

}  // namespace eddy::problem
