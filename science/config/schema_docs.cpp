/// What is generated from a schema for people and editors.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>

#include "science/config/schema_type.h"

namespace eddy::config {

namespace {

using Json = nlohmann::ordered_json;

Json json_of_node(const Node& node) {
  switch (node.kind) {
    case Node::Kind::null: return nullptr;
    case Node::Kind::sequence: {
      Json array = Json::array();
      for (const Node& item : node.items) array.push_back(json_of_node(item));
      return array;
    }
    case Node::Kind::map: {
      Json object = Json::object();
      for (const Entry& entry : node.entries) object[entry.key.text] = json_of_node(entry.value);
      return object;
    }
    case Node::Kind::scalar: break;
  }
  if (node.quoted) return node.text;
  if (node.text == "true" || node.text == "false") return node.text == "true";
  // Parsed by the JSON library so that 1 stays an integer.
  if (number_from_text(node.text)) {
    const Json number = Json::parse(node.text, nullptr, false);
    if (number.is_number()) return number;
  }
  return node.text;
}

/// Calls `visit` for every object type below `type`, each once, parents first. Two objects may not share a name.
void for_each_object(const Type& type, std::map<std::string, const Type*>& seen,
                     const std::function<void(const Type&)>& visit) {
  if (type.kind == Type::Kind::object) {
    const auto [entry, is_new] = seen.emplace(type.name, &type);
    if (!is_new) {
      EDDY_CHECK(entry->second == &type, "two objects are called {}", type.name);
      return;
    }
    visit(type);
  }
  for (const Field& field : type.fields) for_each_object(*field.type, seen, visit);
  for (const TypePtr& alternative : type.alternatives) for_each_object(*alternative, seen, visit);
  if (type.element) for_each_object(*type.element, seen, visit);
}

std::string definition_name(const std::string& name) {
  std::string result = name;
  for (char& c : result) {
    if (c == ' ') c = '_';
  }
  return result;
}

Json json_of(const Type& type) {
  switch (type.kind) {
    case Type::Kind::any: return Json::object();
    case Type::Kind::boolean: return {{"type", "boolean"}};
    case Type::Kind::integer:
    case Type::Kind::number: {
      Json json = {{"type", type.kind == Type::Kind::integer ? "integer" : "number"}};
      if (type.min) json["minimum"] = *type.min;
      if (type.max) json["maximum"] = *type.max;
      if (type.above) json["exclusiveMinimum"] = *type.above;
      return json;
    }
    case Type::Kind::text: return {{"type", {"string", "number", "boolean"}}};
    case Type::Kind::path: return {{"type", "string"}};
    case Type::Kind::constant:
    case Type::Kind::expression: return {{"type", {"number", "string"}}};
    case Type::Kind::choice: return {{"enum", type.choices}};
    case Type::Kind::list: {
      Json json = {{"type", "array"}, {"items", json_of(*type.element)}};
      if (type.min_size > 0) json["minItems"] = type.min_size;
      if (type.max_size) json["maxItems"] = *type.max_size;
      return json;
    }
    case Type::Kind::map: {
      Json json = {{"type", "object"}, {"additionalProperties", json_of(*type.element)}};
      if (type.names_are_identifiers) json["propertyNames"] = {{"pattern", "^[A-Za-z_][A-Za-z0-9_]*$"}};
      return json;
    }
    case Type::Kind::object: return {{"$ref", "#/$defs/" + definition_name(type.name)}};
    case Type::Kind::either: {
      Json json = {{"anyOf", Json::array()}};
      for (const TypePtr& alternative : type.alternatives) json["anyOf"].push_back(json_of(*alternative));
      return json;
    }
  }
  throw InternalError("unknown type");
}

Json json_of_object(const Type& type) {
  Json json = {{"type", "object"}, {"description", type.doc}, {"properties", Json::object()}};
  Json required = Json::array();
  for (const Field& field : type.fields) {
    Json property = json_of(*field.type);
    property["description"] = field.doc;
    if (field.default_value) property["default"] = json_of_node(*field.default_value);
    json["properties"][field.name] = std::move(property);
    if (field.required) required.push_back(field.name);
  }
  for (const std::string& key : type.later) {
    json["properties"][key] = {{"description", "not there yet"}, {"not", Json::object()}};
  }
  json["additionalProperties"] = type.open;
  if (!required.empty()) json["required"] = std::move(required);
  Json all = Json::array();
  for (const std::vector<std::string>& group : type.exactly_one) {
    Json one_of = Json::array();
    for (const std::string& key : group) one_of.push_back({{"required", {key}}});
    all.push_back({{"oneOf", std::move(one_of)}});
  }
  if (!all.empty()) json["allOf"] = std::move(all);
  return json;
}

std::string anchor(const std::string& name) {
  std::string result = name;
  for (char& c : result) {
    if (c == ' ') c = '-';
  }
  return result;
}

/// A type for the page; objects become links to their sections.
std::string page_text(const Type& type) {
  switch (type.kind) {
    case Type::Kind::object: return fmt::format("[{}](#{})", type.name, anchor(type.name));
    case Type::Kind::map: return fmt::format("map: {} name -> {}", type.doc, page_text(*type.element));
    case Type::Kind::list:
      return type.element->kind == Type::Kind::object ? "list of " + page_text(*type.element) : describe(type);
    case Type::Kind::either: {
      std::vector<std::string> parts;
      for (const TypePtr& alternative : type.alternatives) parts.push_back(page_text(*alternative));
      return fmt::format("{}", fmt::join(parts, "; or "));
    }
    default: return describe(type);
  }
}

std::string cell(std::string text) {
  for (std::size_t at = text.find('|'); at != std::string::npos; at = text.find('|', at + 2)) text.insert(at, 1, '\\');
  return text;
}

std::string quoted_words(const std::vector<std::string>& words) {
  std::vector<std::string> quoted;
  for (const std::string& word : words) quoted.push_back("`" + word + "`");
  return fmt::format("{}", fmt::join(quoted, ", "));
}

std::string page_section(const Type& type) {
  std::string out = fmt::format("## {}\n\n{}\n", type.name, type.doc);
  if (!type.fields.empty()) out += "\n| key | value | default | meaning |\n|---|---|---|---|\n";
  for (const Field& field : type.fields) {
    std::string fallback = field.required ? "required" : "none";
    if (field.default_value) {
      fallback = to_yaml(*field.default_value);
      fallback.pop_back();  // the newline
      // An object's default is the sum of its keys' defaults, which its own section shows.
      fallback = fallback.find('\n') == std::string::npos ? "`" + fallback + "`" : "see there";
    }
    out += fmt::format("| `{}` | {} | {} | {} |\n", field.name, cell(page_text(*field.type)), cell(fallback),
                       cell(field.doc));
  }
  for (const auto& group : type.exactly_one) out += fmt::format("\nExactly one of {}.\n", quoted_words(group));
  if (type.open) out += fmt::format("\nFurther keys: {}.\n", type.open_doc);
  if (!type.later.empty()) out += fmt::format("\nNot there yet: {}.\n", quoted_words(type.later));
  return out;
}

}  // namespace

std::string json_schema(const Type& root, const std::string& title) {
  EDDY_CHECK(root.kind == Type::Kind::object);
  Json json = {{"$schema", "https://json-schema.org/draft/2020-12/schema"},
               {"title", title},
               {"$ref", "#/$defs/" + definition_name(root.name)},
               {"$defs", Json::object()}};
  std::map<std::string, const Type*> seen;
  for_each_object(root, seen,
                  [&](const Type& type) { json["$defs"][definition_name(type.name)] = json_of_object(type); });
  return json.dump(2) + "\n";
}

std::string reference_sections(const Type& root) {
  std::string out;
  std::map<std::string, const Type*> seen;
  for_each_object(root, seen, [&](const Type& type) { out += (out.empty() ? "" : "\n") + page_section(type); });
  return out;
}

}  // namespace eddy::config
