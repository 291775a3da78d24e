/// define, equation, networks.
#include "science/config/problem_parts.h"

namespace eddy::config::parts {

namespace {

/// Options of a module as one map.
Schema<Options> options() {
  const Schema<Node> node = any();
  Type type;
  type.kind = Type::Kind::map;
  type.doc = "option";
  type.element = node.type;
  const auto shared = std::make_shared<const Type>(type);
  return {shared,
          [shared](const Node& value) {
            if (!value.is_map()) detail::throw_unexpected(*shared, value);
            return Options{value, {}};
          },
          [](const Options& value) { return value.node; }};
}

Schema<Parameter> parameter() {
  Schema<Parameter> object = ObjectSchema<Parameter>("trainable parameter", "A parameter that training may change.")
                                 .required("trainable", &Parameter::value, expression(), "value it starts with")
                                 .field("min", &Parameter::min, number(), "lower bound")
                                 .field("max", &Parameter::max, number(), "upper bound")
                                 .check([](const Parameter& p, const Node& node) {
                                   if (p.min && p.max && *p.min >= *p.max)
                                     throw UserError(node.where, "'min' must be below 'max'");
                                 })
                                 .schema();
  const auto read = object.read;
  object.read = [read](const Node& node) {
    Parameter value = read(node);
    value.trainable = true;
    return value;
  };
  return with_shorthand<Parameter, Expression>(
      object, expression(),
      [](Expression value) {
        return Parameter{std::move(value), false, {}, {}};
      },
      [](const Parameter& p) { return p.trainable ? std::nullopt : std::optional<Expression>(p.value); });
}

}  // namespace

/// Names, each once.
Schema<std::vector<Text>> identifiers(std::size_t min_size) {
  Schema<std::vector<Text>> schema = list(identifier(), min_size);
  return {schema.type,
          [schema](const Node& node) {
            std::vector<Text> names = schema.read(node);
            for (std::size_t i = 0; i < names.size(); ++i) {
              for (std::size_t j = 0; j < i; ++j) {
                if (names[i] == names[j]) throw UserError(names[i].where, "'" + names[i].text + "' appears twice");
              }
            }
            return names;
          },
          schema.write};
}

Schema<Definition> definition() {
  const Schema<Definition> object =
      ObjectSchema<Definition>("definition", "A field that is made from something else than an expression.")
          .later({"interpolate"})
          .check([](const Definition&, const Node& node) {
            throw UserError(node.where, "expected a number or an expression, found an empty map");
          })
          .schema();
  return with_shorthand<Definition, Expression>(
      object, expression(), [](Expression value) { return Definition{std::move(value)}; },
      [](const Definition& d) { return std::optional<Expression>(d.value); });
}

Schema<EquationSpec> equation() {
  return ObjectSchema<EquationSpec>("equation",
                                    "What is solved: a module by name, or unknowns, coordinates and residuals written "
                                    "out. A residual is zero where the equation holds.")
      .field("use", &EquationSpec::use, text(), "name of a module (`eddy list equations`)")
      .field("options", &EquationSpec::options, options(), "options of the module (`eddy describe NAME`)")
      .field("parameters", &EquationSpec::parameters, map_of(parameter(), "parameter", true),
             "constants of the equation; changed at run time without compiling again")
      .field("unknowns", &EquationSpec::unknowns, identifiers(0), "functions that are looked for")
      .field("coordinates", &EquationSpec::coordinates, identifiers(0),
             "independent variables; t is time, x, y and z are the axes of space")
      .field("residuals", &EquationSpec::residuals, map_of(expression(), "residual", true),
             "expressions that are to vanish, such as `u_t - nu*u_xx`; later ones may use the names of earlier ones")
      .exactly_one({"use", "residuals"})
      .located(&EquationSpec::where)
      .later({"rename", "domain"})
      .check([](const EquationSpec& e, const Node& node) {
        if (e.use && !(e.unknowns.empty() && e.coordinates.empty())) {
          const Text& first = e.unknowns.empty() ? e.coordinates[0] : e.unknowns[0];
          throw UserError(first.where, "unknowns and coordinates come from the module '" + e.use->text + "'",
                          "leave them out, or write 'residuals' instead of 'use'");
        }
        if (e.use) return;
        if (!e.options.node.entries.empty()) {
          throw UserError(e.options.node.where, "'options' belong to a module", "they go with 'use'");
        }
        if (e.residuals->empty()) throw UserError(node.where, "the equation has no residuals");
        if (e.unknowns.empty())
          throw UserError(node.where, "the key 'unknowns' is missing in this equation", "unknowns: [u]");
        if (e.coordinates.empty()) {
          throw UserError(node.where, "the key 'coordinates' is missing in this equation", "coordinates: [t, x]");
        }
      })
      .schema();
}

Schema<NetworkSpec> network() {
  return ObjectSchema<NetworkSpec>("network", "A function with trainable parameters.")
      .required("type", &NetworkSpec::type, text(), "kind of network (`eddy list networks`)")
      .required("inputs", &NetworkSpec::inputs, identifiers(1), "coordinates")
      .required("outputs", &NetworkSpec::outputs, identifiers(1), "unknowns")
      .field(
          "transform", &NetworkSpec::transform, map_of(expression(), "unknown", true),
          "hard constraints: an unknown as an expression of `NAME_raw`, what the network gives for it, and coordinates")
      .field("periodic", &NetworkSpec::periodic, map_of(constant({.above = 0}), "input", true),
             "period of an input: the network is exactly periodic in it")
      .field("scale_inputs", &NetworkSpec::scale_inputs, boolean(), "map each input from its range to [-1, 1]")
      .field("output_scale", &NetworkSpec::output_scale, map_of(number(), "output", true), "factor of an output")
      .rest(&NetworkSpec::options, "options of the type (`eddy describe TYPE`)")
      .located(&NetworkSpec::where)
      .later({"from", "trainable"})
      .schema();
}

}  // namespace eddy::config::parts
