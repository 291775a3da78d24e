#include "science/config/schema.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace eddy::config {

namespace {

std::string plural(const Type& type) {
  switch (type.kind) {
    case Type::Kind::boolean: return "true or false";
    case Type::Kind::integer: return "integers";
    case Type::Kind::number:
    case Type::Kind::constant: return "numbers";
    case Type::Kind::text:
    case Type::Kind::choice: return "names";
    case Type::Kind::path: return "file names";
    case Type::Kind::expression: return "expressions";
    case Type::Kind::list: return "lists of " + plural(*type.element);
    default: return "entries";
  }
}

std::string with_rules(std::string text, const Type& type) {
  if (type.min && type.max) {
    text += fmt::format(" from {} to {}", *type.min, *type.max);
  } else {
    if (type.min) text += fmt::format(" >= {}", *type.min);
    if (type.max) text += fmt::format(" <= {}", *type.max);
  }
  if (type.above) text += fmt::format(" > {}", *type.above);
  if (!type.unit.empty()) text += " in " + type.unit;
  return text;
}

bool contains(const std::vector<std::string>& words, const std::string& word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

std::string did_you_mean(const std::string& word, const std::vector<std::string>& candidates, const std::string& what) {
  const std::string nearest = nearest_name(word, candidates);
  if (!nearest.empty()) return fmt::format("did you mean '{}'?", nearest);
  return candidates.empty() ? std::string{} : fmt::format("{} {}", what, fmt::join(candidates, ", "));
}

TypePtr simple(Type::Kind kind, const NumberRules& rules = {}) {
  Type type;
  type.kind = kind;
  type.min = rules.min;
  type.max = rules.max;
  type.above = rules.above;
  type.unit = rules.unit;
  return std::make_shared<const Type>(std::move(type));
}

double within_rules(const Type& type, const Node& node, std::optional<double> value) {
  const bool good = value && (!type.min || *value >= *type.min) && (!type.max || *value <= *type.max) &&
                    (!type.above || *value > *type.above);
  if (!good) detail::throw_unexpected(type, node);
  return *value;
}

double read_number(const Type& type, const Node& node) {
  const bool is_plain = node.is_scalar() && !node.quoted;
  return within_rules(type, node, is_plain ? number_from_text(node.text) : std::nullopt);
}

Text read_text(const Type& type, const Node& node) {
  if (!node.is_scalar()) detail::throw_unexpected(type, node);
  return {node.text, node.where};
}

Node write_text(const Text& value) { return Node::scalar(value.text); }

}  // namespace

std::string describe(const Type& type) {
  switch (type.kind) {
    case Type::Kind::any: return "a value";
    case Type::Kind::boolean: return "true or false";
    case Type::Kind::integer: return with_rules("an integer", type);
    case Type::Kind::number:
    case Type::Kind::constant: return with_rules("a number", type);
    case Type::Kind::text: return "a text";
    case Type::Kind::choice: return fmt::format("one of {}", fmt::join(type.choices, ", "));
    case Type::Kind::path: return "a file name";
    case Type::Kind::expression: return "a number or an expression";
    case Type::Kind::list: {
      std::string text = "a list of ";
      if (type.max_size && *type.max_size == type.min_size) {
        text += fmt::format("{} ", type.min_size);
      } else if (type.min_size > 0) {
        text += fmt::format("at least {} ", type.min_size);
      }
      return text + plural(*type.element);
    }
    case Type::Kind::map: return fmt::format("a map ({}: ...)", type.doc);
    case Type::Kind::object: {
      std::vector<std::string> keys;
      for (const Field& field : type.fields) keys.push_back(field.name);
      if (keys.empty()) return "a map";
      const bool shorten = keys.size() > 6;
      if (shorten) keys.resize(6);
      return fmt::format("a map with the keys {}{}", fmt::join(keys, ", "), shorten ? ", ..." : "");
    }
    case Type::Kind::either: {
      std::vector<std::string> parts;
      for (const TypePtr& alternative : type.alternatives) parts.push_back(describe(*alternative));
      return fmt::format("{}", fmt::join(parts, ", or "));
    }
  }
  throw InternalError("unknown type");
}

namespace detail {

void throw_unexpected(const Type& type, const Node& node) {
  std::string hint;
  if (node.is_scalar() && node.quoted && (type.kind == Type::Kind::number || type.kind == Type::Kind::integer) &&
      number_from_text(node.text)) {
    hint = "write it without quotes";
  }
  throw UserError(node.where, fmt::format("expected {}, found {}", describe(type), node.describe()), hint);
}

bool accepts(const Type& type, Node::Kind kind) {
  switch (type.kind) {
    case Type::Kind::any: return true;
    case Type::Kind::list: return kind == Node::Kind::sequence;
    case Type::Kind::map:
    case Type::Kind::object: return kind == Node::Kind::map;
    case Type::Kind::either:
      return std::any_of(type.alternatives.begin(), type.alternatives.end(),
                         [&](const TypePtr& alternative) { return accepts(*alternative, kind); });
    default: return kind == Node::Kind::scalar;
  }
}

void check_object(const Type& type, const Node& node, const std::vector<std::string>& other_keys) {
  if (!node.is_map()) throw_unexpected(type, node);
  std::vector<std::string> known;
  for (const Field& field : type.fields) known.push_back(field.name);
  for (const Entry& entry : node.entries) {
    const std::string& key = entry.key.text;
    if (contains(known, key)) continue;
    if (contains(type.later, key)) {
      throw UserError(entry.key.where, fmt::format("'{}' is not there yet in the {}", key, type.name), "leave it out");
    }
    if (type.open) continue;
    std::vector<std::string> candidates = known;
    candidates.insert(candidates.end(), other_keys.begin(), other_keys.end());
    throw UserError(entry.key.where, fmt::format("unknown key '{}' in the {}", key, type.name),
                    did_you_mean(key, candidates, "its keys are"));
  }
  for (const Field& field : type.fields) {
    if (field.required && node.find(field.name) == nullptr) {
      throw UserError(node.where, fmt::format("the key '{}' is missing in this {}", field.name, type.name),
                      fmt::format("{}: {} ({})", field.name, describe(*field.type), field.doc));
    }
  }
  for (const std::vector<std::string>& group : type.exactly_one) {
    const Entry* first = nullptr;
    for (const Entry& entry : node.entries) {
      if (!contains(group, entry.key.text)) continue;
      if (first != nullptr) {
        throw UserError(entry.key.where,
                        fmt::format("'{}' and '{}' exclude each other", first->key.text, entry.key.text),
                        fmt::format("'{}' is given at {}; a later layer removes a key by setting it to null",
                                    first->key.text, first->key.where.str()));
      }
      first = &entry;
    }
    if (first == nullptr) {
      throw UserError(node.where, fmt::format("this {} needs one of {}", type.name, fmt::join(group, ", ")));
    }
  }
}

void check_list(const Type& type, const Node& node) {
  if (!node.is_sequence()) throw_unexpected(type, node);
  const std::size_t n = node.items.size();
  if (n < type.min_size || (type.max_size && n > *type.max_size)) {
    throw UserError(node.where, fmt::format("expected {}, found a list of {}", describe(type), n));
  }
}

void check_map(const Type& type, const Node& node) {
  if (!node.is_map()) throw_unexpected(type, node);
  for (const Entry& entry : node.entries) {
    if (entry.key.text.empty()) throw UserError(entry.key.where, fmt::format("the name of a {} is empty", type.doc));
    if (type.names_are_identifiers && !is_identifier(entry.key.text)) {
      throw UserError(entry.key.where, fmt::format("'{}' cannot be the name of a {}", entry.key.text, type.doc),
                      "a name is a letter or underscore, then letters, digits and underscores");
    }
  }
}

std::size_t read_choice(const Type& type, const Node& node) {
  if (!node.is_scalar()) throw_unexpected(type, node);
  for (std::size_t i = 0; i < type.choices.size(); ++i) {
    if (type.choices[i] == node.text) return i;
  }
  if (contains(type.later, node.text)) {
    throw UserError(node.where, fmt::format("'{}' is not there yet", node.text),
                    fmt::format("use one of {}", fmt::join(type.choices, ", ")));
  }
  const std::string nearest = nearest_name(node.text, type.choices);
  throw UserError(node.where, fmt::format("expected {}, found {}", describe(type), node.describe()),
                  nearest.empty() ? std::string{} : fmt::format("did you mean '{}'?", nearest));
}

TypePtr make_list_type(TypePtr element, std::size_t min_size, std::optional<std::size_t> max_size) {
  Type type;
  type.kind = Type::Kind::list;
  type.element = std::move(element);
  type.min_size = min_size;
  type.max_size = max_size;
  return std::make_shared<const Type>(std::move(type));
}

TypePtr make_map_type(TypePtr element, std::string key_doc, bool names_are_identifiers) {
  Type type;
  type.kind = Type::Kind::map;
  type.element = std::move(element);
  type.doc = std::move(key_doc);
  type.names_are_identifiers = names_are_identifiers;
  return std::make_shared<const Type>(std::move(type));
}

TypePtr make_either_type(TypePtr a, TypePtr b) {
  Type type;
  type.kind = Type::Kind::either;
  for (const TypePtr& part : {a, b}) {
    if (part->kind == Type::Kind::either) {
      type.alternatives.insert(type.alternatives.end(), part->alternatives.begin(), part->alternatives.end());
    } else {
      type.alternatives.push_back(part);
    }
  }
  return std::make_shared<const Type>(std::move(type));
}

TypePtr make_choice_type(std::vector<std::string> words, std::vector<std::string> later) {
  Type type;
  type.kind = Type::Kind::choice;
  type.choices = std::move(words);
  type.later = std::move(later);
  return std::make_shared<const Type>(std::move(type));
}

}  // namespace detail

Schema<bool> boolean() {
  const TypePtr type = simple(Type::Kind::boolean);
  return {type,
          [type](const Node& node) {
            if (!node.is_scalar() || node.quoted || (node.text != "true" && node.text != "false")) {
              detail::throw_unexpected(*type, node);
            }
            return node.text == "true";
          },
          [](bool value) { return Node::scalar(value ? "true" : "false"); }};
}

Schema<std::int64_t> integer(const NumberRules& rules) {
  const TypePtr type = simple(Type::Kind::integer, rules);
  return {type,
          [type](const Node& node) {
            const double value = read_number(*type, node);
            // Doubles hold integers exactly up to 2^53; `1e4` is an integer.
            if (value != std::floor(value) || std::fabs(value) > 9007199254740992.0) {
              detail::throw_unexpected(*type, node);
            }
            return static_cast<std::int64_t>(value);
          },
          [](std::int64_t value) { return Node::scalar(std::to_string(value)); }};
}

Schema<double> number(const NumberRules& rules) {
  const TypePtr type = simple(Type::Kind::number, rules);
  return {type, [type](const Node& node) { return read_number(*type, node); },
          [](double value) { return Node::scalar(text_from_number(value)); }};
}

Schema<double> constant(const NumberRules& rules) {
  const TypePtr type = simple(Type::Kind::constant, rules);
  return {type,
          [type](const Node& node) {
            if (!node.is_scalar()) detail::throw_unexpected(*type, node);
            return within_rules(*type, node, constant_value(parse_expression(node)));
          },
          [](double value) { return Node::scalar(text_from_number(value)); }};
}

Schema<Text> text() {
  const TypePtr type = simple(Type::Kind::text);
  return {type, [type](const Node& node) { return read_text(*type, node); }, write_text};
}

Schema<Text> identifier() {
  const TypePtr type = simple(Type::Kind::text);
  return {type,
          [type](const Node& node) {
            Text value = read_text(*type, node);
            if (!is_identifier(value.text)) {
              throw UserError(node.where, fmt::format("'{}' cannot be used as a name in expressions", value.text),
                              "a name is a letter or underscore, then letters, digits and underscores");
            }
            return value;
          },
          write_text};
}

Schema<Text> path() {
  const TypePtr type = simple(Type::Kind::path);
  return {type, [type](const Node& node) { return read_text(*type, node); }, write_text};
}

Schema<Expression> expression() {
  const TypePtr type = simple(Type::Kind::expression);
  return {type,
          [type](const Node& node) {
            if (!node.is_scalar()) detail::throw_unexpected(*type, node);
            return parse_expression(node);
          },
          [](const Expression& value) { return Node::scalar(str(value)); }};
}

Schema<Node> any() {
  return {simple(Type::Kind::any), [](const Node& node) { return node; }, [](const Node& node) { return node; }};
}

}  // namespace eddy::config
