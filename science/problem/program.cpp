#include "science/problem/program.h"

#include <algorithm>

#include "framework/autodiff/vjp.h"
#include "framework/ops/decompose.h"
#include "framework/ops/dialects.h"
#include "framework/ops/emit.h"
#include "science/problem/expression_emitter.h"

namespace eddy::problem {

using ir::Value;

namespace {

/// Values under their names, in order: the results of a function.
struct Results {
  std::vector<std::string> names;
  std::vector<Value> values;

  void add(std::string name, Value value) {
    names.push_back(std::move(name));
    values.push_back(value);
  }
  void set(ir::Function function) const { function.set_results(names, values); }
};

Value add_argument(ir::Function function, Arguments& arguments, const std::string& name, DType dtype, Shape shape) {
  return arguments[name] = function.add_argument(name, ir::Type::tensor(dtype, std::move(shape)));
}

Shape shape_of(const StateTensor& tensor) { return {tensor.shape.begin(), tensor.shape.end()}; }

void add_state(ir::Function function, Arguments& arguments, const Model& model, DType dtype, bool trainable) {
  for (const StateTensor& tensor : model.state()) {
    if (tensor.trainable == trainable) add_argument(function, arguments, tensor.name, dtype, shape_of(tensor));
  }
}

/// Scalars and batches.
void add_inputs(ir::Function function, Arguments& arguments, const Problem& problem, DType dtype) {
  for (const RuntimeScalar& scalar : problem.scalars()) add_argument(function, arguments, scalar.name, dtype, {});
  for (const Constraint& constraint : problem.constraints()) {
    for (const BatchInput& input : constraint.inputs()) {
      add_argument(function, arguments, input.name, dtype, {constraint.rows(), input.n_columns});
    }
  }
}

/// The columns of [n, n_columns], each [n, 1].
std::vector<Value> columns_of(ir::Builder& b, Value array) {
  const std::int64_t n = array.type().dim(1).constant();
  if (n == 1) return {array};
  std::vector<Value> columns;
  for (std::int64_t i = 0; i < n; ++i) columns.push_back(ops::slice_dim(b, array, 1, i, i + 1));
  return columns;
}

PointValues point_values(ir::Builder& b, const Model& model, const std::string& hint, Value points) {
  PointValues values;
  values.hint = hint;
  const std::vector<Value> columns = columns_of(b, points);
  const std::vector<std::string>& names = model.symbols().coordinates();
  for (std::size_t i = 0; i < names.size(); ++i) {
    Value column = columns[i];
    if (!column.is_argument()) column.set_hint(hint.empty() ? names[i] : hint + "_" + names[i]);
    values.coordinates[names[i]] = column;
  }
  return values;
}

/// Emits the terms of one constraint.
class ConstraintEmitter {
 public:
  ConstraintEmitter(ir::Builder& b, const Model& model, const Constraint& constraint, const Arguments& arguments,
                    DType dtype)
      : b_(b), constraint_(constraint), arguments_(arguments), dtype_(dtype) {
    using Kind = BatchInput::Kind;
    const std::string& name = constraint.name();
    PointValues near = point_values(b, model, name, *input(Kind::points));
    if (const auto normals = input(Kind::normals)) near.normals = columns_of(b, *normals);
    if (const auto sdf = input(Kind::sdf)) near.sdf = *sdf;
    emitter_ = std::make_unique<ExpressionEmitter>(b, model, arguments, dtype, constraint.rows(), std::move(near));
    if (const auto opposite = input(Kind::opposite_points)) {
      opposite_ = std::make_unique<ExpressionEmitter>(b, model, arguments, dtype, constraint.rows(),
                                                      point_values(b, model, name + "_opposite", *opposite));
    }
    if (const auto data = input(Kind::data)) data_ = columns_of(b, *data);
  }

  Value term(const Term& term) {
    b_.set_location(term.value.where);
    Value residual = emitter_->column(term.value);
    if (term.target) residual = ops::sub(b_, residual, emitter_->column(*term.target));
    if (term.data_column) residual = ops::sub(b_, residual, data_.at(*term.data_column));
    if (term.across) residual = ops::sub(b_, residual, opposite_->column(term.value));
    Value squares = ops::square(b_, residual);
    if (!term.constant_weight) squares = ops::mul(b_, emitter_->column(term.weight), squares);
    if (const auto area = input(BatchInput::Kind::area)) squares = ops::mul(b_, *area, squares);
    Value value = ops::reduce_sum(b_, squares, {0, 1});
    if (constraint_.reduction() == config::Reduction::mean) value = ops::div(b_, value, divisor());
    if (term.constant_weight) value = ops::mul(b_, arguments_.at("weight." + term.name), value);
    b_.set_location({});
    return value;
  }

 private:
  std::optional<Value> input(BatchInput::Kind kind) const {
    for (const BatchInput& input : constraint_.inputs()) {
      if (input.kind == kind) return arguments_.at(input.name);
    }
    return std::nullopt;
  }

  /// The number of points, at least 1.
  Value divisor() {
    const Value n = ops::size(b_, constraint_.rows(), dtype_);
    return ops::max(b_, n, ops::full_like(b_, n, 1));
  }

  ir::Builder& b_;
  const Constraint& constraint_;
  const Arguments& arguments_;
  DType dtype_;
  std::unique_ptr<ExpressionEmitter> emitter_, opposite_;
  std::vector<Value> data_;
};

/// Copies `callee` to the insertion point, its arguments replaced by values of the same names.
Results call(ir::Builder& b, ir::Function callee, const Arguments& arguments) {
  ir::ValueMap map;
  const std::vector<std::string> names = callee.argument_names();
  for (std::size_t i = 0; i < names.size(); ++i) map[callee.argument(i)] = arguments.at(names[i]);
  return {callee.result_names(), b.inline_block(callee.body(), map)};
}

std::vector<std::string> trainable_names(const Model& model) {
  std::vector<std::string> names;
  for (const StateTensor& tensor : model.state()) {
    if (tensor.trainable) names.push_back(tensor.name);
  }
  return names;
}

/// Turns a copy of `terms` into `loss_and_grad`.
void add_loss_and_gradients(ir::Function function, const Model& model) {
  Results results;
  ir::Builder b = ir::Builder::before(function.context(), function.body().terminator());
  const std::vector<std::string> names = function.result_names();
  const std::vector<Value> terms = function.results();
  Value loss = terms.front();
  for (std::size_t i = 1; i < terms.size(); ++i) loss = ops::add(b, loss, terms[i]);
  results.add("loss", loss);
  for (std::size_t i = 0; i < terms.size(); ++i) results.add(names[i], terms[i]);

  std::vector<Value> parameters;
  const std::vector<std::string> trainable = trainable_names(model), arguments = function.argument_names();
  for (const std::string& name : trainable) {
    const auto at = std::find(arguments.begin(), arguments.end(), name) - arguments.begin();
    parameters.push_back(function.argument(static_cast<std::size_t>(at)));
  }
  const Value one = ops::full_like(b, loss, 1);
  const std::vector<Value> gradients = autodiff::vjp(b, std::vector{loss}, std::vector{one}, parameters);
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    results.add("grad." + trainable[i], gradients[i] ? gradients[i] : ops::full_like(b, parameters[i], 0));
  }
  results.set(function);
}

void add_schedule(ir::Function function, Arguments& arguments, DType dtype) {
  add_argument(function, arguments, "lr", dtype, {});
  add_argument(function, arguments, "step", DType::i64, {});
  add_argument(function, arguments, "clip", dtype, {});
}

void add_optimizer_state(ir::Function function, Arguments& arguments, const Model& model, DType dtype,
                         const optimizers::FirstOrder& optimizer) {
  for (const StateTensor& tensor : model.state()) {
    if (!tensor.trainable) continue;
    for (const std::string& state : optimizer.state()) {
      add_argument(function, arguments, tensor.name + "." + state, dtype, shape_of(tensor));
    }
  }
}

/// min(1, clip / norm): gradients longer than `clip` are shortened to it.
Value clip_factor(ir::Builder& b, Value norm, Value clip) {
  return ops::min(b, ops::full_like(b, norm, 1), ops::div(b, clip, norm));
}

void build_update(ir::Module& module, const Model& model, DType dtype, const optimizers::FirstOrder& optimizer) {
  ir::Function function = module.add_function("update");
  Arguments arguments;
  add_state(function, arguments, model, dtype, true);
  for (const StateTensor& tensor : model.state()) {
    if (tensor.trainable) add_argument(function, arguments, "grad." + tensor.name, dtype, shape_of(tensor));
  }
  add_optimizer_state(function, arguments, model, dtype, optimizer);
  add_schedule(function, arguments, dtype);

  ir::Builder b(module.context(), function.body());
  const std::vector<std::string> names = trainable_names(model);
  Value squares;
  for (const std::string& name : names) {
    const Value gradient = arguments.at("grad." + name);
    std::vector<std::int64_t> dims;
    for (std::size_t i = 0; i < gradient.rank(); ++i) dims.push_back(static_cast<std::int64_t>(i));
    const Value square = ops::reduce_sum(b, ops::square(b, gradient), dims);
    squares = squares ? ops::add(b, squares, square) : square;
  }
  Value norm = ops::sqrt(b, squares);
  norm.set_hint("grad_norm");
  const Value factor = clip_factor(b, norm, arguments.at("clip"));

  Results parameters, states;
  const std::vector<std::string> state_names = optimizer.state();
  for (const std::string& name : names) {
    const Value gradient = arguments.at("grad." + name);
    std::vector<Value> state;
    for (const std::string& s : state_names) state.push_back(arguments.at(name + "." + s));
    const Value clipped = ops::mul(b, gradient, ops::broadcast(b, factor, gradient.shape(), {}));
    const std::vector<Value> updated =
        optimizer.update(b, arguments.at(name), clipped, state, arguments.at("lr"), arguments.at("step"));
    parameters.add(name, updated.at(0));
    for (std::size_t i = 0; i < state_names.size(); ++i) states.add(name + "." + state_names[i], updated.at(i + 1));
  }
  Results results = std::move(parameters);
  for (std::size_t i = 0; i < states.names.size(); ++i) results.add(states.names[i], states.values[i]);
  results.add("grad_norm", norm);
  results.set(function);
}

void build_step(ir::Module& module, const Problem& problem, DType dtype, const optimizers::FirstOrder& optimizer) {
  ir::Function function = module.add_function("step");
  Arguments arguments;
  add_state(function, arguments, problem.model(), dtype, true);
  add_optimizer_state(function, arguments, problem.model(), dtype, optimizer);
  add_state(function, arguments, problem.model(), dtype, false);
  add_inputs(function, arguments, problem, dtype);
  add_schedule(function, arguments, dtype);

  ir::Builder b(module.context(), function.body());
  Results metrics;  // loss and terms
  const Results loss = call(b, module.function("loss_and_grad"), arguments);
  for (std::size_t i = 0; i < loss.names.size(); ++i) {
    if (loss.names[i].rfind("grad.", 0) == 0) {
      arguments[loss.names[i]] = loss.values[i];
    } else {
      metrics.add(loss.names[i], loss.values[i]);
    }
  }
  const Results updated = call(b, module.function("update"), arguments);
  Results results;
  const std::size_t n_states = updated.names.size() - 1;  // grad_norm comes last
  for (std::size_t i = 0; i < n_states; ++i) results.add(updated.names[i], updated.values[i]);
  for (std::size_t i = 0; i < metrics.names.size(); ++i) results.add(metrics.names[i], metrics.values[i]);
  results.add(updated.names.back(), updated.values.back());
  results.set(function);
}

}  // namespace

std::unique_ptr<ir::Module> build_terms(const Problem& problem, DType dtype) {
  auto module = std::make_unique<ir::Module>(ops::default_context(), "problem");
  ir::Function function = module->add_function("terms");
  Arguments arguments;
  add_state(function, arguments, problem.model(), dtype, true);
  add_state(function, arguments, problem.model(), dtype, false);
  add_inputs(function, arguments, problem, dtype);
  ir::Builder b(module->context(), function.body());
  Results results;
  for (const Constraint& constraint : problem.constraints()) {
    ConstraintEmitter emitter(b, problem.model(), constraint, arguments, dtype);
    for (const Term& term : constraint.terms()) results.add(term.name, emitter.term(term));
  }
  results.set(function);
  return module;
}

TrainingProgram build_training(const Problem& problem, DType dtype, const optimizers::FirstOrder* optimizer) {
  TrainingProgram program{build_terms(problem, dtype), {}};
  ir::Module& module = *program.module;
  const ir::Function terms = module.function("terms");
  ops::decompose_composites(terms);
  program.plans = autodiff::expand_derivatives(terms);
  add_loss_and_gradients(module.clone_function("terms", "loss_and_grad"), problem.model());
  if (optimizer != nullptr) {
    build_update(module, problem.model(), dtype, *optimizer);
    build_step(module, problem, dtype, *optimizer);
  }
  return program;
}

std::unique_ptr<ir::Module> build_fields(const Model& model, DType dtype,
                                         const config::NamedList<config::Expression>& values) {
  auto module = std::make_unique<ir::Module>(ops::default_context(), "fields");
  ir::Function function = module->add_function("fields");
  Arguments arguments;
  add_state(function, arguments, model, dtype, true);
  add_state(function, arguments, model, dtype, false);
  for (const RuntimeScalar& scalar : model.scalars()) add_argument(function, arguments, scalar.name, dtype, {});

  Uses uses;
  std::vector<config::Expression> resolved;
  for (const auto& value : values) {
    resolved.push_back(model.symbols().resolve(value.value));
    uses.add(model.symbols().uses(resolved.back()));
  }
  const Dim n = Dim::symbol("n");
  const auto add_columns = [&](const char* name, std::size_t n_columns) {
    return add_argument(function, arguments, name, dtype, {n, static_cast<std::int64_t>(n_columns)});
  };
  const Value points_argument = add_columns("points", model.symbols().coordinates().size());
  ir::Builder b(module->context(), function.body());
  PointValues points = point_values(b, model, "", points_argument);
  if (uses.normals) points.normals = columns_of(b, add_columns("normals", model.symbols().space().size()));
  if (uses.sdf) points.sdf = add_columns("sdf", 1);
  ExpressionEmitter emitter(b, model, arguments, dtype, n, std::move(points));
  Results results;
  for (std::size_t i = 0; i < values.size(); ++i) results.add(values[i].name.text, emitter.column(resolved[i]));
  results.set(function);
  return module;
}

}  // namespace eddy::problem
