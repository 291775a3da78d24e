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
    result.push_back({name, name == "null"  ? "counts and checks, computes nothing"
                            : name == "cpu" ? "the processors of this machine"
                                            : ""});
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

/// The object that a value of this type may be, through lists, maps of named things and short forms; null for none.
const config::Type* object_of(const config::Type& type) {
  if (type.kind == config::Type::Kind::object) return &type;
  for (const config::TypePtr& alternative : type.alternatives) {
    if (const config::Type* object = object_of(*alternative)) return object;
  }
  return type.element ? object_of(*type.element) : nullptr;
}

/// The key of problem files under a path like `training.stages.lr`, without the names that the user gives; null when
/// there is none.
const config::Field* find_key(const std::string& path) {
  const config::Type* object = config::problem_schema().type.get();
  const config::Field* found = nullptr;
  for (std::size_t begin = 0; begin <= path.size();) {
    const std::size_t end = std::min(path.find('.', begin), path.size());
    const std::string key = path.substr(begin, end - begin);
    if (object == nullptr) return nullptr;
    const auto at = std::find_if(object->fields.begin(), object->fields.end(),
                                 [&](const config::Field& field) { return field.name == key; });
    if (at == object->fields.end()) return nullptr;
    found = &*at;
    object = object_of(*found->type);
    begin = end + 1;
  }
  return found;
}

void describe_key(const std::string& what, const config::Field& key) {
  fmt::print("{}: {}\n  {}\n", what, key.doc, config::describe(*key.type));
  const config::Type* object = object_of(*key.type);
  if (object != nullptr) print_options(*object);
}

int describe_name(const std::string& name) {
  const problem::Registry registry = equations::built_in();
  const config::Type& shapes = shape_type();
  const auto shape = std::find_if(shapes.fields.begin(), shapes.fields.end(),
                                  [&](const config::Field& field) { return field.name == name; });
  if (const auto* kind = registry.equations.find(name)) {
    fmt::print("equation {}: {}\n\nformula\n", name, kind->about);
    describe_equation(*kind);
    print_options(*kind->options);
  } else if (const auto* kind = registry.networks.find(name)) {
    fmt::print("network {}: {}\n", name, kind->about);
    print_options(*kind->options);
  } else if (const auto* kind = registry.optimizers.find(name)) {
    fmt::print("optimizer {}: {}\n", name, kind->about);
    print_options(*kind->options);
  } else if (shape != shapes.fields.end()) {
    describe_key("geometry " + name, *shape);
  } else if (const config::Field* key = find_key(name)) {
    describe_key("key " + name, *key);
  } else {
    std::vector<std::string> names;
    for (const Group& group : groups(registry)) {
      for (const Entry& entry : group.entries) {
        if (std::string_view(group.name) == "devices" && entry.name == name) {
          fmt::print("device {}: {}\n", name, entry.about);
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
  CLI::App* command = app.add_subcommand(
      "describe", "Explain an equation, a network, an optimizer, a geometry, a key of problem files");
  command->add_option("NAME", *name, "as `eddy list` prints it, or a key: training.stages")->required();
  command->footer(
      "Examples:\n  eddy describe burgers\n  eddy describe lbfgs\n  eddy describe rectangle\n  eddy describe "
      "training.stages.lr");
  command->callback([name, &chosen] { chosen = [name] { return describe_name(*name); }; });
}

}  // namespace eddy::apps
