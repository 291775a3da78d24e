#include "science/problem/model.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "science/geometry/box.h"
#include "science/geometry/point_cloud.h"
#include "science/problem/evaluator.h"

namespace eddy::problem {

using config::Expression;
using config::Role;
using config::Text;

namespace {

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::string hint_for(const std::string& name, const std::vector<std::string>& candidates) {
  const std::string nearest = nearest_name(name, candidates);
  return nearest.empty() ? fmt::format("there are {}", fmt::join(candidates, ", "))
                         : fmt::format("did you mean '{}'?", nearest);
}

/// Names that begin the functions' arguments and results besides those of networks and constraints.
const std::vector<std::string> reserved_names = {"eq", "grad", "param", "weight"};

}  // namespace

Model::Model(const config::ProblemFile& file, const Registry& registry)
    : time_(file.geometry.time), seed_(static_cast<std::uint64_t>(file.seed)) {
  declare_equation(file, registry);
  for (const auto& [name, definition] : file.define) {
    symbols_.declare(name.text, Role::define, {Symbol::Kind::expression, definition.value, 0, 0, name.where});
  }
  declare_networks(file);
  symbols_.resolve_definitions();
  make_shapes(file.geometry);
  make_networks(file, registry);
  make_state();
  for (RuntimeScalar& scalar : scalars_) {
    scalar.value = evaluate_number(*this, Expression::named(scalar.name.substr(std::string("param.").size())));
  }
}

void Model::declare_equation(const config::ProblemFile& file, const Registry& registry) {
  const config::EquationSpec& spec = file.equation;
  config::NamedList<config::Parameter> parameters = spec.parameters;
  std::vector<Text> unknowns = spec.unknowns, coordinates = spec.coordinates;
  config::NamedList<Expression> residuals;
  if (spec.use) {
    const EquationDefinition definition = registry.equations.at(*spec.use).define(spec.options);
    const std::string origin = "equation " + spec.use->text;
    for (const std::string& name : definition.unknowns) unknowns.emplace_back(name, spec.use->where);
    for (const std::string& name : definition.coordinates) coordinates.emplace_back(name, spec.use->where);
    for (const auto& [name, text] : definition.residuals) {
      residuals.push_back({Text(name, spec.use->where), config::parse_expression(text, origin)});
    }
    std::vector<std::string> known;
    parameters.clear();
    for (const EquationParameter& parameter : definition.parameters) {
      known.push_back(parameter.name);
      if (const config::Parameter* given = config::find(spec.parameters, parameter.name)) {
        parameters.push_back({Text(parameter.name, given->value.where), *given});
      } else if (parameter.value.empty()) {
        throw UserError(spec.where,
                        fmt::format("the parameter '{}' of equation '{}' is missing", parameter.name, spec.use->text),
                        fmt::format("parameters: {{{}: ...}} ({}, {})", parameter.name, parameter.doc, parameter.unit));
      } else {
        parameters.push_back({Text(parameter.name, spec.use->where),
                              {config::parse_expression(parameter.value, origin), false, {}, {}}});
      }
    }
    for (const auto& given : spec.parameters) {
      if (contains(known, given.name.text)) continue;
      throw UserError(given.name.where,
                      fmt::format("equation '{}' has no parameter '{}'", spec.use->text, given.name.text),
                      hint_for(given.name.text, known));
    }
  } else {
    residuals = *spec.residuals;
  }

  for (const Text& name : coordinates) {
    symbols_.declare(name.text, Role::coordinate, {Symbol::Kind::coordinate, {}, 0, 0, name.where});
  }
  if (time_) {
    if (!contains(symbols_.coordinates(), "t")) {
      throw UserError(file.geometry.where, "the problem has a range of time, the equation no coordinate 't'",
                      fmt::format("its coordinates are {}", fmt::join(symbols_.coordinates(), ", ")));
    }
    symbols_.set_time("t");
  }
  for (const Text& name : unknowns) unknowns_.push_back(name.text);
  for (const auto& [name, parameter] : parameters) declare_parameter(name.text, parameter, name.where);
  for (const auto& [name, expression] : residuals) {
    residuals_.push_back(name.text);
    symbols_.declare(name.text, Role::residual, {Symbol::Kind::expression, expression, 0, 0, name.where});
  }
}

void Model::declare_parameter(const std::string& name, const config::Parameter& parameter,
                              const SourceLocation& where) {
  const auto kind = parameter.trainable ? Symbol::Kind::trainable : Symbol::Kind::scalar;
  symbols_.declare(name, Role::parameter, {kind, parameter.value, 0, 0, where});
  if (parameter.trainable) trainables_[name] = parameter;
}

void Model::declare_networks(const config::ProblemFile& file) {
  std::vector<std::string> given;  // unknowns that have a network or a transform already
  for (std::size_t n = 0; n < file.networks.size(); ++n) {
    const auto& [name, spec] = file.networks[n];
    if (contains(reserved_names, name.text)) {
      throw UserError(name.where, fmt::format("a network cannot be called '{}'", name.text), "choose another name");
    }
    std::vector<std::string> inputs;
    for (const Text& input : spec.inputs) {
      if (!contains(symbols_.coordinates(), input.text)) {
        throw UserError(input.where, fmt::format("the network's input '{}' is no coordinate", input.text),
                        hint_for(input.text, symbols_.coordinates()));
      }
      inputs.push_back(input.text);
    }
    symbols_.add_network(name.text, inputs);
    for (const auto& [input, period] : spec.periodic) {
      if (!contains(inputs, input.text)) {
        throw UserError(input.where, fmt::format("'{}' is no input of network '{}'", input.text, name.text),
                        hint_for(input.text, inputs));
      }
    }

    std::set<std::string> used_by_transforms;
    for (const auto& transform : spec.transform) {
      const std::set<std::string> used = config::names_in(transform.value);
      used_by_transforms.insert(used.begin(), used.end());
    }
    std::vector<std::string> outputs;
    for (std::size_t column = 0; column < spec.outputs.size(); ++column) {
      const Text& output = spec.outputs[column];
      outputs.push_back(output.text);
      const bool transformed = config::find(spec.transform, output.text) != nullptr;
      const std::string raw = transformed ? output.text + "_raw" : output.text;
      // A derivative of an output is a name such as psi_y before it is resolved.
      const bool is_used = std::any_of(used_by_transforms.begin(), used_by_transforms.end(),
                                       [&](const auto& used) { return used == raw || used.rfind(raw + "_", 0) == 0; });
      if (!transformed && !contains(unknowns_, output.text) && !is_used) {
        throw UserError(output.where,
                        fmt::format("the output '{}' of network '{}' is no unknown of the equation and no transform "
                                    "uses it",
                                    output.text, name.text),
                        hint_for(output.text, unknowns_));
      }
      if (contains(given, output.text)) {
        throw UserError(output.where, fmt::format("the unknown '{}' is given by two networks", output.text));
      }
      given.push_back(output.text);
      symbols_.declare(raw, Role::unknown, {Symbol::Kind::output, {}, n, column, output.where});
    }
    for (const auto& [unknown, expression] : spec.transform) {
      if (!contains(unknowns_, unknown.text)) {
        throw UserError(unknown.where, fmt::format("'{}' is no unknown of the equation", unknown.text),
                        hint_for(unknown.text, unknowns_));
      }
      if (!contains(outputs, unknown.text)) {
        if (contains(given, unknown.text)) {
          throw UserError(unknown.where, fmt::format("the unknown '{}' is given by two networks", unknown.text));
        }
        given.push_back(unknown.text);
      }
      symbols_.declare(unknown.text, Role::unknown, {Symbol::Kind::expression, expression, 0, 0, unknown.where});
    }
    for (const auto& scale : spec.output_scale) {
      if (!contains(outputs, scale.name.text)) {
        throw UserError(scale.name.where, fmt::format("'{}' is no output of network '{}'", scale.name.text, name.text),
                        hint_for(scale.name.text, outputs));
      }
    }
  }
  for (const std::string& unknown : unknowns_) {
    if (contains(given, unknown)) continue;
    const Text* written = nullptr;
    for (const Text& text : file.equation.unknowns) {
      if (text.text == unknown) written = &text;
    }
    throw UserError(written ? written->where : file.equation.where,
                    fmt::format("no network gives the unknown '{}'", unknown),
                    fmt::format("add it to the 'outputs' of a network, or write networks: {{net: {{type: mlp, inputs: "
                                "[{}], outputs: [{}]}}}}",
                                fmt::join(symbols_.coordinates(), ", "), fmt::join(unknowns_, ", ")));
  }
}

void Model::make_shapes(const config::GeometrySpec& spec) {
  const std::vector<std::string> space = symbols_.space();
  for (const auto& [name, shape] : spec.shapes) {
    std::shared_ptr<const geometry::Geometry> made;
    const auto box = [&](const std::vector<double>& min, const std::vector<double>& max) {
      return std::make_shared<geometry::Box>(min, max, min.size() == space.size() ? space : std::vector<std::string>{});
    };
    if (shape.interval) {
      made = box({shape.interval->min}, {shape.interval->max});
    } else if (shape.rectangle || shape.box) {
      const config::BoxShape& corners = shape.rectangle ? *shape.rectangle : *shape.box;
      made = box(corners.min, corners.max);
    } else {
      std::vector<double> points;
      for (const std::vector<double>& point : *shape.points) {
        if (point.size() != shape.points->front().size()) {
          throw UserError(shape.where, "the points differ in their number of coordinates");
        }
        points.insert(points.end(), point.begin(), point.end());
      }
      made = std::make_shared<geometry::PointCloud>(static_cast<int>(shape.points->front().size()), std::move(points));
    }
    shapes_.add(name.text, std::move(made), name.where);
  }
  domain_ = shapes_.shape(spec.domain.text, spec.domain.where);
  if (static_cast<std::size_t>(domain_->n_dims()) != space.size()) {
    throw UserError(spec.domain.where,
                    fmt::format("the shape '{}' has {} dimension{}, the equation has the coordinates {}{}",
                                spec.domain.text, domain_->n_dims(), domain_->n_dims() == 1 ? "" : "s",
                                fmt::join(space, ", "), time_ ? " besides the time t" : ""),
                    !time_ && contains(space, "t") ? "give geometry.time, for instance [0, 1]" : "");
  }
}

std::pair<double, double> Model::range(const std::string& coordinate) const {
  if (coordinate == symbols_.time()) return {time_->begin, time_->end};
  const std::vector<std::string> space = symbols_.space();
  const auto axis = static_cast<std::size_t>(std::find(space.begin(), space.end(), coordinate) - space.begin());
  return {domain_->bounds().min.at(axis), domain_->bounds().max.at(axis)};
}

void Model::make_networks(const config::ProblemFile& file, const Registry& registry) {
  for (const auto& [name, spec] : file.networks) {
    ModelNetwork network{name.text, nullptr, {}, {}, {}};
    std::int64_t n_in = 0;
    for (const Text& text : spec.inputs) {
      ModelNetwork::Input input{text.text, 0, 1, {}};
      const auto [low, high] = range(text.text);
      if (spec.scale_inputs && high > low) {
        input.centre = (low + high) / 2;
        input.half_width = (high - low) / 2;
      }
      if (const double* period = config::find(spec.periodic, text.text)) input.period = *period;
      n_in += input.period ? 2 : 1;
      network.inputs.push_back(std::move(input));
    }
    for (const Text& output : spec.outputs) {
      network.outputs.push_back(output.text);
      const double* scale = config::find(spec.output_scale, output.text);
      network.output_scale.push_back(scale ? *scale : 1);
    }
    const auto n_out = static_cast<std::int64_t>(network.outputs.size());
    network.network = registry.networks.at(spec.type).make(spec.options, n_in, n_out);
    networks_.push_back(std::move(network));
  }
}

void Model::make_state() {
  for (const bool trainable : {true, false}) {
    for (const ModelNetwork& network : networks_) {
      for (const networks::Parameter& parameter : network.network->parameters()) {
        if (parameter.trainable != trainable) continue;
        state_.push_back({network.name + "." + parameter.name, parameter.shape, trainable});
      }
    }
    if (!trainable) continue;
    for (const auto& entry : trainables_) state_.push_back({"eq." + entry.first, {}, true});
  }
  for (const auto& [name, symbol] : symbols_.all()) {
    if (symbol.kind == Symbol::Kind::scalar) scalars_.push_back({"param." + name, 0});
  }
}

Array Model::initial_value(const StateTensor& tensor) const {
  const std::size_t dot = tensor.name.find('.');
  const std::string owner = tensor.name.substr(0, dot), name = tensor.name.substr(dot + 1);
  for (const ModelNetwork& network : networks_) {
    if (network.name != owner) continue;
    for (const networks::Parameter& parameter : network.network->parameters()) {
      if (parameter.name == name) return networks::initial_value(parameter, tensor.name, seed_);
    }
  }
  const config::Parameter& parameter = trainable(name);
  const double value = evaluate_number(*this, symbols_.at(name).definition);
  if ((parameter.min && value <= *parameter.min) || (parameter.max && value >= *parameter.max)) {
    throw UserError(parameter.value.where, fmt::format("'{}' must start between its bounds, not at {}", name, value));
  }
  // softplus(r) = y, solved for r without overflow.
  const auto inverse_softplus = [](double y) { return y + std::log(-std::expm1(-y)); };
  if (parameter.min && parameter.max) {
    return Array::scalar(std::log((value - *parameter.min) / (*parameter.max - value)));
  }
  if (parameter.min) return Array::scalar(inverse_softplus(value - *parameter.min));
  if (parameter.max) return Array::scalar(inverse_softplus(*parameter.max - value));
  return Array::scalar(value);
}

double Model::trainable_value(const std::string& name, double raw) const {
  const config::Parameter& parameter = trainable(name);
  const auto softplus = [](double r) { return std::max(r, 0.0) + std::log1p(std::exp(-std::abs(r))); };
  if (parameter.min && parameter.max) {
    return *parameter.min + (*parameter.max - *parameter.min) / (1 + std::exp(-raw));
  }
  if (parameter.min) return *parameter.min + softplus(raw);
  return parameter.max ? *parameter.max - softplus(raw) : raw;
}

}  // namespace eddy::problem
