#include "science/problem/expression_emitter.h"

#include <algorithm>
#include <cmath>

#include "framework/autodiff/derivative.h"
#include "framework/ops/emit.h"

namespace eddy::problem {

using config::Expression;
using ir::Value;
using Kind = config::Expression::Kind;

namespace {

/// Operations are located at the expression they come from.
class Located {
 public:
  Located(ir::Builder& b, const SourceLocation& where) : b_(b), outer_(b.location()) {
    if (where.known()) b_.set_location(where);
  }
  Located(const Located&) = delete;
  Located& operator=(const Located&) = delete;
  ~Located() { b_.set_location(outer_); }

 private:
  ir::Builder& b_;
  SourceLocation outer_;
};

using Unary = Value (*)(ir::Builder&, Value);

const std::map<std::string, Unary>& unary_functions() {
  static const std::map<std::string, Unary> table = {
      {"abs", ops::abs},     {"acos", ops::acos},         {"asin", ops::asin},   {"atan", ops::atan},
      {"cos", ops::cos},     {"cosh", ops::cosh},         {"erf", ops::erf},     {"exp", ops::exp},
      {"expm1", ops::expm1}, {"floor", ops::floor},       {"gelu", ops::gelu},   {"log", ops::log},
      {"log1p", ops::log1p}, {"relu", ops::relu},         {"rsqrt", ops::rsqrt}, {"sigmoid", ops::sigmoid},
      {"sign", ops::sign},   {"silu", ops::silu},         {"sin", ops::sin},     {"sinh", ops::sinh},
      {"sqrt", ops::sqrt},   {"softplus", ops::softplus}, {"tan", ops::tan},     {"tanh", ops::tanh},
  };
  return table;
}

}  // namespace

ExpressionEmitter::ExpressionEmitter(ir::Builder& b, const Model& model, const Arguments& arguments, DType dtype,
                                     Dim n_points, PointValues points)
    : b_(b), model_(model), arguments_(arguments), dtype_(dtype), column_{n_points, 1}, points_(std::move(points)) {}

Value ExpressionEmitter::column(const Expression& expression) { return stretch(value(expression)); }

Value ExpressionEmitter::value(const Expression& expression) { return emit(expression); }

Value ExpressionEmitter::stretch(Value x) { return ops::broadcast_to(b_, x, column_); }

std::string ExpressionEmitter::hint(const std::string& name) const {
  return points_.hint.empty() ? name : points_.hint + "_" + name;
}

Value ExpressionEmitter::binary(Binary op, Value x, Value y) {
  const Shape shape = ops::broadcast_shape(x.shape(), y.shape());
  return op(b_, ops::broadcast_to(b_, x, shape), ops::broadcast_to(b_, y, shape));
}

Value ExpressionEmitter::binary(Binary op, const Expression& e) {
  const Value x = emit(e.operand(0));  // in this order, whatever the compiler does with arguments of a call
  return binary(op, x, emit(e.operand(1)));
}

std::optional<double> ExpressionEmitter::literal(const Expression& e) const {
  if (e.kind == Kind::number) return e.value;
  if (e.kind == Kind::name) {
    if (e.name == "pi") return M_PI;
    if (e.name == "sdf") return std::nullopt;
    const Symbol& symbol = model_.symbols().at(e.name);
    return symbol.kind == Symbol::Kind::expression ? literal(symbol.definition) : std::nullopt;
  }
  if (e.operands.empty() || e.kind == Kind::call || e.kind == Kind::derivative) return std::nullopt;
  std::vector<double> x;
  for (const Expression& operand : e.operands) {
    const auto number = literal(operand);
    if (!number) return std::nullopt;
    x.push_back(*number);
  }
  switch (e.kind) {
    case Kind::negate: return -x[0];
    case Kind::add: return x[0] + x[1];
    case Kind::subtract: return x[0] - x[1];
    case Kind::multiply: return x[0] * x[1];
    case Kind::divide: return x[0] / x[1];
    case Kind::power: return std::pow(x[0], x[1]);
    default: return std::nullopt;
  }
}

Value ExpressionEmitter::emit(const Expression& e) {
  const Located located(b_, e.where);
  if (const auto number = literal(e)) return ops::scalar(b_, dtype_, *number);
  switch (e.kind) {
    case Kind::name: return name(e);
    case Kind::call: return call(e);
    case Kind::derivative: return derivative(e);
    case Kind::negate: return ops::neg(b_, emit(e.operand()));
    case Kind::logical_not: return ops::logical_not(b_, emit(e.operand()));
    case Kind::add: return binary(ops::add, e);
    case Kind::subtract: return binary(ops::sub, e);
    case Kind::multiply: return binary(ops::mul, e);
    case Kind::divide: return binary(ops::div, e);
    case Kind::power: return power(e);
    case Kind::logical_and: return binary(ops::logical_and, e);
    case Kind::logical_or: return binary(ops::logical_or, e);
    default: return compare(e);
  }
}

Value ExpressionEmitter::name(const Expression& e) {
  if (e.name == "sdf") {
    if (points_.sdf) return points_.sdf;
    throw UserError(e.where, "the signed distance 'sdf' is not known here");
  }
  if (const auto found = named_.find(e.name); found != named_.end()) return found->second;
  const Value value = symbol(e.name, e);
  return named_[e.name] = value;
}

Value ExpressionEmitter::argument(const std::string& name) const {
  const auto found = arguments_.find(name);
  EDDY_CHECK(found != arguments_.end(), "the function has no argument {}", name);
  return found->second;
}

Value ExpressionEmitter::coordinate(const std::string& name, const Expression& e) const {
  const auto found = points_.coordinates.find(name);
  if (found != points_.coordinates.end()) return found->second;
  throw UserError(e.where, fmt::format("the coordinate '{}' is not known here", name));
}

Value ExpressionEmitter::symbol(const std::string& name, const Expression& e) {
  const Symbol& symbol = model_.symbols().at(name);
  switch (symbol.kind) {
    case Symbol::Kind::coordinate: return coordinate(name, e);
    case Symbol::Kind::output: {
      Value value = output(symbol);
      value.set_hint(hint(name));
      return value;
    }
    case Symbol::Kind::scalar: return argument("param." + name);
    case Symbol::Kind::trainable: return trainable(name);
    case Symbol::Kind::expression: break;
  }
  Value value = emit(symbol.definition);
  // A definition that only renames something leaves that its name.
  if (value.hint().empty()) value.set_hint(hint(name));
  return value;
}

Value ExpressionEmitter::output(const Symbol& symbol) {
  const ModelNetwork& network = model_.networks().at(symbol.network);
  Value& outputs = networks_[symbol.network];
  if (!outputs) {
    std::vector<Value> columns;
    for (const ModelNetwork::Input& input : network.inputs) {
      const Value x = coordinate(input.coordinate, Expression::named(input.coordinate));
      if (input.period) {
        const Value phase = ops::scale(b_, x, 2 * M_PI / *input.period);
        columns.push_back(ops::cos(b_, phase));
        columns.push_back(ops::sin(b_, phase));
      } else {
        const Value shifted = input.centre == 0 ? x : ops::shift(b_, x, -input.centre);
        columns.push_back(input.half_width == 1 ? shifted : ops::scale(b_, shifted, 1 / input.half_width));
      }
    }
    Value input = columns.size() == 1 ? columns.front() : ops::concat(b_, columns, 1);
    input.set_hint(hint(network.name + "_in"));
    std::vector<Value> parameters;
    for (const networks::Parameter& parameter : network.network->parameters()) {
      parameters.push_back(argument(network.name + "." + parameter.name));
    }
    outputs = network.network->forward(b_, parameters, input);
    outputs.set_hint(hint(network.name + "_out"));
  }
  const auto column = static_cast<std::int64_t>(symbol.column);
  Value value = network.outputs.size() == 1 ? outputs : ops::slice_dim(b_, outputs, 1, column, column + 1);
  const double scale = network.output_scale[symbol.column];
  return scale == 1 ? value : ops::scale(b_, value, scale);
}

Value ExpressionEmitter::trainable(const std::string& name) {
  const config::Parameter& parameter = model_.trainable(name);
  const Value raw = argument("eq." + name);
  Value value = raw;
  if (parameter.min && parameter.max) {
    value = ops::shift(b_, ops::scale(b_, ops::sigmoid(b_, raw), *parameter.max - *parameter.min), *parameter.min);
  } else if (parameter.min) {
    value = ops::shift(b_, ops::softplus(b_, raw), *parameter.min);
  } else if (parameter.max) {
    value = ops::shift(b_, ops::neg(b_, ops::softplus(b_, raw)), *parameter.max);
  }
  if (value != raw) value.set_hint(name);
  return value;
}

Value ExpressionEmitter::call(const Expression& e) {
  if (e.name == "lap") {
    std::vector<std::vector<std::string>> terms;
    for (const std::string& axis : model_.symbols().space()) terms.push_back({axis, axis});
    return sum_of_derivatives(e, terms);
  }
  if (e.name == "dn") return normal_derivative(e);
  if (e.name == "pow") return power(e);
  std::vector<Value> x;
  for (const Expression& operand : e.operands) x.push_back(emit(operand));
  if (e.name == "where") {
    const Shape shape = ops::broadcast_shape(ops::broadcast_shape(x[0].shape(), x[1].shape()), x[2].shape());
    for (Value& operand : x) operand = ops::broadcast_to(b_, operand, shape);
    return ops::select(b_, x[0], x[1], x[2]);
  }
  if (e.name == "max" || e.name == "min") {
    Value value = x[0];
    for (std::size_t i = 1; i < x.size(); ++i) value = binary(e.name == "max" ? ops::max : ops::min, value, x[i]);
    return value;
  }
  if (e.name == "atan2") return binary(ops::atan2, x[0], x[1]);
  const auto found = unary_functions().find(e.name);
  EDDY_CHECK(found != unary_functions().end(), "the function {} has no operation", e.name);
  return found->second(b_, x[0]);
}

Value ExpressionEmitter::derivative(const Expression& e) { return sum_of_derivatives(e, {e.coordinates}); }

Value ExpressionEmitter::sum_of_derivatives(const Expression& e, const std::vector<std::vector<std::string>>& terms) {
  const Value expression = emit(e.operand());
  if (expression.rank() == 0) return ops::full_like(b_, expression, 0);
  // Only coordinates that occur, in the problem's order.
  std::vector<std::string> names;
  for (const std::string& name : model_.symbols().coordinates()) {
    const bool occurs = std::any_of(terms.begin(), terms.end(), [&](const auto& term) {
      return std::find(term.begin(), term.end(), name) != term.end();
    });
    if (occurs) names.push_back(name);
  }
  std::vector<Value> coordinates;
  for (const std::string& name : names) coordinates.push_back(coordinate(name, e));
  std::vector<autodiff::DerivativeTerm> requests;
  for (const std::vector<std::string>& term : terms) {
    autodiff::DerivativeTerm request{ir::MultiIndex(names.size(), 0), 1};
    for (const std::string& by : term) {
      ++request.orders[static_cast<std::size_t>(std::find(names.begin(), names.end(), by) - names.begin())];
    }
    requests.push_back(std::move(request));
  }
  Value value = autodiff::derivative(b_, expression, coordinates, requests);
  if (e.operand().kind == Kind::name) {
    std::string suffix;
    for (const std::string& by : e.coordinates) suffix += by;
    value.set_hint(hint(e.kind == Kind::derivative ? e.operand().name + "_" + suffix : "lap_" + e.operand().name));
  }
  return value;
}

Value ExpressionEmitter::normal_derivative(const Expression& e) {
  if (points_.normals.empty()) {
    throw UserError(e.where, "the normal derivative 'dn' is only known on boundaries",
                    "use it where 'at' is a boundary or a face, such as line.boundary");
  }
  const std::vector<std::string> space = model_.symbols().space();
  Value sum;
  for (std::size_t i = 0; i < space.size(); ++i) {
    Value part = sum_of_derivatives(e, {{space[i]}});
    part.set_hint({});
    part = binary(ops::mul, points_.normals.at(i), part);
    sum = sum ? ops::add(b_, sum, part) : part;
  }
  return sum;
}

Value ExpressionEmitter::power(const Expression& e) {
  const Value base = emit(e.operand(0));
  if (const auto exponent = literal(e.operand(1))) {
    if (*exponent == 1) return base;
    return *exponent == 2 ? ops::square(b_, base) : ops::powc(b_, base, *exponent);
  }
  return binary(ops::pow, base, emit(e.operand(1)));
}

Value ExpressionEmitter::compare(const Expression& e) {
  // Two coordinates, or a coordinate and a constant, are equal when they differ by rounding of geometry.
  const auto is_coordinate = [&](const Expression& side) {
    return side.kind == Kind::name && side.name != "sdf" && side.name != "pi" &&
           model_.symbols().at(side.name).kind == Symbol::Kind::coordinate;
  };
  const Expression &left = e.operand(0), &right = e.operand(1);
  const bool left_is = is_coordinate(left), right_is = is_coordinate(right);
  const bool tolerant = (left_is && (right_is || model_.symbols().uses(right).is_constant())) ||
                        (right_is && model_.symbols().uses(left).is_constant());
  const Value x = emit(left), y = emit(right);
  const auto direct = [&](Value a, Value b, std::string_view direction) {
    const Shape shape = ops::broadcast_shape(a.shape(), b.shape());
    return ops::compare(b_, ops::broadcast_to(b_, a, shape), ops::broadcast_to(b_, b, shape), direction);
  };
  const double tolerance = tolerant ? model_.tolerance() : 0;
  // a <= b means a <= b + tolerance, and a < b that a >= b does not hold.
  const auto less_equal = [&](Value a, Value b) {
    return direct(a, tolerant ? ops::shift(b_, b, tolerance) : b, "le");
  };
  const auto greater_equal = [&](Value a, Value b) {
    return direct(a, tolerant ? ops::shift(b_, b, -tolerance) : b, "ge");
  };
  switch (e.kind) {
    case Kind::less: return tolerant ? ops::logical_not(b_, greater_equal(x, y)) : direct(x, y, "lt");
    case Kind::less_equal: return less_equal(x, y);
    case Kind::greater: return tolerant ? ops::logical_not(b_, less_equal(x, y)) : direct(x, y, "gt");
    case Kind::greater_equal: return greater_equal(x, y);
    default: break;
  }
  if (!tolerant) return direct(x, y, e.kind == Kind::equal ? "eq" : "ne");
  const Value equal = ops::logical_and(b_, less_equal(x, y), greater_equal(x, y));
  return e.kind == Kind::equal ? equal : ops::logical_not(b_, equal);
}

}  // namespace eddy::problem
