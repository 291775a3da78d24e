/// eddy list, eddy describe: what problem files may name.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>

#include "apps/command.h"
#include "equations/registry.h"
#include "framework/devices/device.h"

namespace eddy::apps {

namespace {

struct Entry {
  std::string name, about;
};

template <typename T>
std::vector<Entry> entries(const config::Catalogue<T>& catalogue) {
  std::vector<Entry> result;
  for (const std::string& name : catalogue.names()) result.push_back({name, catalogue.find(name)->about});
  return result;
}

/// The member `key` of an object type.
const config::Field& field(const config::Type& object, const std::string& key) {
  const auto found = std::find_if(object.fields.begin(), object.fields.end(),
                                  [&](const config::Field& field) { return field.name == key; });
  EDDY_CHECK(found != object.fields.end(), "{}", key);
  return *found;
}

/// The shapes are keys of the schema.
const config::Type& shape_type() {
  const config::Type& geometry = *field(*config::problem_schema().type, "geometry").type;
  return *field(geometry, "shapes").type->element;
}

std::vector<Entry> shapes() {
  std::vector<Entry> result;
  for (const config::Field& shape : shape_type().fields) result.push_back({shape.name, shape.doc});
  return result;
}

std::vector<Entry> devices() {
  std::vector<Entry> result;
  for (const std::string& name : devices::Device::names()) {
    result.push_back({name, name == "null" ? "counts and checks, computes nothing" : ""});
  }
  return result;
}

struct Group {
  const char* name;
  std::vector<Entry> entries;
};

std::vector<Group> groups(const problem::Registry& registry) {
  return {{"equations", entries(registry.equations)},
          {"networks", entries(registry.networks)},
          {"optimizers", entries(registry.optimizers)},
          {"geometries", shapes()},
          {"devices", devices()}};
}

int list(const std::string& what) {
  const std::vector<Group> all = groups(equations::built_in());
  std::vector<std::string> names;
  bool found = false;
  for (const Group& group : all) {
    names.emplace_back(group.name);
    if (!what.empty() && what != group.name) continue;
    found = true;
    if (what.empty()) fmt::print("{}\n", group.name);
    for (const Entry& entry : group.entries) {
      fmt::print("{}{:<12}{}{}\n", what.empty() ? "  " : "", entry.name, entry.about.empty() ? "" : "  ", entry.about);
    }
  }
  if (!found) {
    const std::string nearest = nearest_name(what, names);
    throw UserError(fmt::format("there is no list of '{}'", what),
                    nearest.empty() ? "equations, networks, optimizers, geometries or devices"
                                    : fmt::format("did you mean '{}'?", nearest));
  }
  return 0;
}

void print_options(const config::Type& type) {
  if (type.fields.empty()) return;
  fmt::print("\noptions\n");
  for (const config::Field& option : type.fields) {
    std::string value = option.required ? "required" : "";
    if (option.default_value) {
      value = to_yaml(*option.default_value);
      value.erase(value.find_last_not_of("\n") + 1);
      std::replace(value.begin(), value.end(), '\n', ' ');
      value = "default " + value;
    }
    fmt::print("  {}: {}{}\n    {}\n", option.name, describe(*option.type), value.empty() ? "" : "; " + value,
               option.doc);
  }
}

void describe_equation(const problem::EquationKind& kind) {
  fmt::print("  {}\nunits\n  {}\nreference\n  {}\n", kind.formula, kind.units, kind.reference);
  const problem::EquationDefinition definition = kind.define({});
  if (!definition.parameters.empty()) fmt::print("\nparameters\n");
  for (const problem::EquationParameter& parameter : definition.parameters) {
    fmt::print("  {} [{}]: {}{}\n", parameter.name, parameter.unit, parameter.doc,
               parameter.value.empty() ? "; required" : "; default " + parameter.value);
  }
  fmt::print(
      "\nthe same in a problem file, with the options' defaults\n  unknowns: [{}]\n  coordinates: [{}]\n  residuals:\n",
      fmt::join(definition.unknowns, ", "), fmt::join(definition.coordinates, ", "));
  for (const auto& [name, text] : definition.residuals) fmt::print("    {}: \"{}\"\n", name, text);
}

int describe_name(const std::string& name) {
  const problem::Registry registry = equations::built_in();
  if (const auto* kind = registry.equations.find(name)) {
    fmt::print("{}: {}\n\nequation\n", name, kind->about);
    describe_equation(*kind);
    print_options(*kind->options);
  } else if (const auto* kind = registry.networks.find(name)) {
    fmt::print("network {}: {}\n", name, kind->about);
    print_options(*kind->options);
  } else if (const auto* kind = registry.optimizers.find(name)) {
    fmt::print("optimizer {}: {}\n", name, kind->about);
    print_options(*kind->options);
  } else {
    std::vector<std::string> names;
    for (const Group& group : groups(registry)) {
      for (const Entry& entry : group.entries) {
        if (entry.name == name) {
          fmt::print("{}: {}\n", name, entry.about);
          return 0;
        }
        names.push_back(entry.name);
      }
    }
    const std::string nearest = nearest_name(name, names);
    throw UserError(fmt::format("there is nothing called '{}'", name),
                    nearest.empty() ? "eddy list shows what there is" : fmt::format("did you mean '{}'?", nearest));
  }
  return 0;
}

}  // namespace

void add_list(CLI::App& app, Action& chosen) {
  auto what = std::make_shared<std::string>();
  CLI::App* command = app.add_subcommand("list", "Print what problem files may name");
  command->add_option("WHAT", *what, "equations, networks, optimizers, geometries or devices (default: all)");
  command->footer("Examples:\n  eddy list\n  eddy list equations");
  command->callback([what, &chosen] { chosen = [what] { return list(*what); }; });
}

void add_describe(CLI::App& app, Action& chosen) {
  auto name = std::make_shared<std::string>();
  CLI::App* command = app.add_subcommand("describe", "Explain an equation, a network, an optimizer");
  command->add_option("NAME", *name, "as `eddy list` prints it")->required();
  command->footer("Examples:\n  eddy describe burgers\n  eddy describe lbfgs");
  command->callback([name, &chosen] { chosen = [name] { return describe_name(*name); }; });
}

}  // namespace eddy::apps
