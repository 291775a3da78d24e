#pragma once
/// Declarations of what a problem file may hold. From one declaration come the typed reader, the dump with every
/// default, the JSON Schema for editors and the reference page.
///
///     struct Stop { double minutes = 0; std::optional<double> loss; };
///     Schema<Stop> stop = ObjectSchema<Stop>("stop", "When training ends early.")
///                             .field("minutes", &Stop::minutes, number({.min = 0}), "wall time; 0: no limit")
///                             .field("loss", &Stop::loss, number({.min = 0}), "stop below this loss")
///                             .schema();
///     Stop value = stop.read(node);   Node resolved = stop.write(value);
///
/// A member's initial value is its key's default; a std::optional is empty where its key is absent.

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "framework/core/errors.h"
#include "science/config/document.h"
#include "science/config/expression.h"
#include "science/config/schema_type.h"

namespace eddy::config {

/// Reads, writes and describes values of type T. `read` throws UserError at the node that is wrong; `write` gives a
/// node with every default that reads back as the same value.
template <typename T>
struct Schema {
  TypePtr type;
  std::function<T(const Node&)> read;
  std::function<Node(const T&)> write;
};

/// A text and where it was written, for what is checked later (names of shapes, files, fields).
struct Text {
  std::string text;
  SourceLocation where;

  Text() = default;
  Text(std::string text, SourceLocation where = {}) : text(std::move(text)), where(std::move(where)) {}
  Text(const char* text) : text(text) {}
  friend bool operator==(const Text& a, const Text& b) { return a.text == b.text; }
};

/// An entry of a map of named things; maps keep the order of the file.
template <typename T>
struct Named {
  Text name;
  T value;
};
template <typename T>
using NamedList = std::vector<Named<T>>;

/// The value called `name`, or null.
template <typename T>
const T* find(const NamedList<T>& list, std::string_view name) {
  for (const Named<T>& entry : list) {
    if (entry.name.text == name) return &entry.value;
  }
  return nullptr;
}
template <typename T>
std::vector<std::string> names(const NamedList<T>& list) {
  std::vector<std::string> result;
  for (const Named<T>& entry : list) result.push_back(entry.name.text);
  return result;
}

/// The keys of an object that belong to the module which another of its keys names (a network's type, an optimizer).
struct Options {
  Node node = Node::map();
  /// The object's own keys, for "did you mean".
  std::vector<std::string> other_keys;
};
/// Reads a module's options with the schema that the module declares. Unknown keys are errors as in any object.
template <typename T>
T read_options(const Schema<T>& schema, const Options& options);

struct NumberRules {
  std::optional<double> min = std::nullopt;    ///< included
  std::optional<double> max = std::nullopt;    ///< included
  std::optional<double> above = std::nullopt;  ///< not included
  std::string unit = {};
};

Schema<bool> boolean();
Schema<std::int64_t> integer(const NumberRules& rules = {});
Schema<double> number(const NumberRules& rules = {});
/// A number, also as an expression of numbers and pi: `2*pi`.
Schema<double> constant(const NumberRules& rules = {});
/// Any scalar: `name: 42` is the text 42.
Schema<Text> text();
/// A text that expressions can use as a name.
Schema<Text> identifier();
Schema<Text> path();
Schema<Expression> expression();
/// Anything; kept as it is.
Schema<Node> any();

template <typename T>
Schema<std::vector<T>> list(Schema<T> element, std::size_t min_size = 0, std::optional<std::size_t> max_size = {});
/// A list, or one element without brackets.
template <typename T>
Schema<std::vector<T>> one_or_list(Schema<T> element);
/// A map from names to values. `key_doc` says what the names are ("stage", "network").
template <typename T>
Schema<NamedList<T>> map_of(Schema<T> element, std::string key_doc, bool names_are_identifiers = false);
/// One of the given words; `later` are words that are planned and rejected by name.
template <typename E>
Schema<E> choice(std::vector<std::pair<std::string, E>> words, std::vector<std::string> later = {});
/// A map as `object` says, or something shorter from which `expand` makes the same. Where `shorten` gives a value, the
/// short form is written.
template <typename T, typename S>
Schema<T> with_shorthand(Schema<T> object, Schema<S> shorthand, std::function<T(S)> expand,
                         std::function<std::optional<S>(const T&)> shorten = {});
/// The same values in another C++ type.
template <typename T, typename S>
Schema<T> convert(Schema<S> schema, std::function<T(S)> to, std::function<S(const T&)> from);

namespace detail {
/// UserError: what was expected and what was found.
[[noreturn]] void throw_unexpected(const Type& type, const Node& node);
/// Checks a node against an object's keys: a map, no unknown keys, none missing, groups respected.
void check_object(const Type& type, const Node& node, const std::vector<std::string>& other_keys = {});
/// Checks kind and size.
void check_list(const Type& type, const Node& node);
/// Checks kind and names.
void check_map(const Type& type, const Node& node);
/// Index of the scalar among the words of a choice.
std::size_t read_choice(const Type& type, const Node& node);
/// Whether a value of this type may be written as a node of that kind.
bool accepts(const Type& type, Node::Kind kind);
TypePtr make_list_type(TypePtr element, std::size_t min_size, std::optional<std::size_t> max_size);
TypePtr make_map_type(TypePtr element, std::string key_doc, bool names_are_identifiers);
TypePtr make_either_type(TypePtr a, TypePtr b);
TypePtr make_choice_type(std::vector<std::string> words, std::vector<std::string> later);
}  // namespace detail

/// Declares an object by binding keys to the members of T. `read` starts from a default-constructed T.
template <typename T>
class ObjectSchema {
 public:
  ObjectSchema(std::string name, std::string doc) {
    type_.kind = Type::Kind::object;
    type_.name = std::move(name);
    type_.doc = std::move(doc);
  }

  template <typename M>
  ObjectSchema& required(std::string key, M T::*member, Schema<M> schema, std::string doc) {
    return bind(std::move(key), member, std::move(schema), std::move(doc), true);
  }
  /// Optional; the default is the member's initial value.
  template <typename M>
  ObjectSchema& field(std::string key, M T::*member, Schema<M> schema, std::string doc) {
    return bind(std::move(key), member, std::move(schema), std::move(doc), false);
  }
  /// Optional without a default.
  template <typename M>
  ObjectSchema& field(std::string key, std::optional<M> T::*member, Schema<M> schema, std::string doc) {
    type_.fields.push_back({key, std::move(doc), schema.type, false, std::nullopt});
    bindings_.push_back({key, [member, schema](T& object, const Node& node) { object.*member = schema.read(node); },
                         [member, schema](const T& object) {
                           return object.*member ? std::optional<Node>(schema.write(*(object.*member))) : std::nullopt;
                         }});
    return *this;
  }
  /// Of these optional keys one must be given, and only one.
  ObjectSchema& exactly_one(std::vector<std::string> keys) {
    type_.exactly_one.push_back(std::move(keys));
    return *this;
  }
  /// Keys that are planned: known by name and rejected as not there yet.
  ObjectSchema& later(std::vector<std::string> keys) {
    type_.later.insert(type_.later.end(), keys.begin(), keys.end());
    return *this;
  }
  /// Further keys go to `member`; `doc` says whose they are.
  ObjectSchema& rest(Options T::*member, std::string doc) {
    type_.open = true;
    type_.open_doc = std::move(doc);
    rest_ = [member](T& object) -> Options& { return object.*member; };
    read_rest_ = [member](const T& object) -> const Options& { return object.*member; };
    return *this;
  }
  /// `member` receives where the object was written.
  ObjectSchema& located(SourceLocation T::*member) {
    set_where_ = [member](T& object, const SourceLocation& where) { object.*member = where; };
    return *this;
  }
  /// Called after reading; throws UserError for what keys alone do not show.
  ObjectSchema& check(std::function<void(const T& object, const Node& node)> rule) {
    rules_.push_back(std::move(rule));
    return *this;
  }

  Schema<T> schema() const;

 private:
  struct Binding {
    std::string key;
    std::function<void(T&, const Node&)> read;
    std::function<std::optional<Node>(const T&)> write;
  };

  template <typename M>
  ObjectSchema& bind(std::string key, M T::*member, Schema<M> schema, std::string doc, bool required) {
    std::optional<Node> default_value;
    if (!required) default_value = schema.write(T{}.*member);
    type_.fields.push_back({key, std::move(doc), schema.type, required, std::move(default_value)});
    bindings_.push_back(
        {key, [member, schema](T& object, const Node& node) { object.*member = schema.read(node); },
         [member, schema](const T& object) { return std::optional<Node>(schema.write(object.*member)); }});
    return *this;
  }

  Type type_;
  std::vector<Binding> bindings_;
  std::function<Options&(T&)> rest_;
  std::function<const Options&(const T&)> read_rest_;
  std::function<void(T&, const SourceLocation&)> set_where_;
  std::vector<std::function<void(const T&, const Node&)>> rules_;
};

// ---- templates
// -------------------------------------------------------------------------------------------------------

template <typename T>
Schema<std::vector<T>> list(Schema<T> element, std::size_t min_size, std::optional<std::size_t> max_size) {
  const TypePtr type = detail::make_list_type(element.type, min_size, max_size);
  return {type,
          [type, element](const Node& node) {
            detail::check_list(*type, node);
            std::vector<T> values;
            for (const Node& item : node.items) values.push_back(element.read(item));
            return values;
          },
          [element](const std::vector<T>& values) {
            Node node = Node::sequence();
            for (const T& value : values) node.items.push_back(element.write(value));
            return node;
          }};
}

template <typename T>
Schema<std::vector<T>> one_or_list(Schema<T> element) {
  const Schema<std::vector<T>> many = list(element, 1);
  const TypePtr type = detail::make_either_type(element.type, many.type);
  return {type,
          [type, element, many](const Node& node) {
            if (node.is_sequence()) return many.read(node);
            if (!detail::accepts(*element.type, node.kind)) detail::throw_unexpected(*type, node);
            return std::vector<T>{element.read(node)};
          },
          many.write};
}

template <typename T>
Schema<NamedList<T>> map_of(Schema<T> element, std::string key_doc, bool names_are_identifiers) {
  const TypePtr type = detail::make_map_type(element.type, std::move(key_doc), names_are_identifiers);
  return {type,
          [type, element](const Node& node) {
            detail::check_map(*type, node);
            NamedList<T> list;
            for (const Entry& entry : node.entries) {
              list.push_back({Text(entry.key.text, entry.key.where), element.read(entry.value)});
            }
            return list;
          },
          [element](const NamedList<T>& list) {
            Node node = Node::map();
            for (const Named<T>& entry : list) node.set(entry.name.text, element.write(entry.value));
            return node;
          }};
}

template <typename E>
Schema<E> choice(std::vector<std::pair<std::string, E>> words, std::vector<std::string> later) {
  std::vector<std::string> texts;
  for (const auto& word : words) texts.push_back(word.first);
  const TypePtr type = detail::make_choice_type(std::move(texts), std::move(later));
  return {type, [type, words](const Node& node) { return words[detail::read_choice(*type, node)].second; },
          [words](const E& value) {
            for (const auto& word : words) {
              if (word.second == value) return Node::scalar(word.first);
            }
            throw InternalError("a choice without a word");
          }};
}

template <typename T, typename S>
Schema<T> with_shorthand(Schema<T> object, Schema<S> shorthand, std::function<T(S)> expand,
                         std::function<std::optional<S>(const T&)> shorten) {
  const TypePtr type = detail::make_either_type(shorthand.type, object.type);
  return {type,
          [type, object, shorthand, expand](const Node& node) {
            if (node.is_map()) return object.read(node);
            if (!detail::accepts(*shorthand.type, node.kind)) detail::throw_unexpected(*type, node);
            return expand(shorthand.read(node));
          },
          [object, shorthand, shorten](const T& value) {
            const std::optional<S> shorter = shorten ? shorten(value) : std::nullopt;
            return shorter ? shorthand.write(*shorter) : object.write(value);
          }};
}

template <typename T, typename S>
Schema<T> convert(Schema<S> schema, std::function<T(S)> to, std::function<S(const T&)> from) {
  return {schema.type, [schema, to](const Node& node) { return to(schema.read(node)); },
          [schema, from](const T& value) { return schema.write(from(value)); }};
}

template <typename T>
Schema<T> ObjectSchema<T>::schema() const {
  const auto type = std::make_shared<const Type>(type_);
  const auto read = [self = *this, type](const Node& node) {
    detail::check_object(*type, node);
    T object;
    for (const Binding& binding : self.bindings_) {
      if (const Node* value = node.find(binding.key)) binding.read(object, *value);
    }
    if (self.set_where_) self.set_where_(object, node.where);
    if (self.rest_) {
      Options& options = self.rest_(object);
      options.node.where = node.where;
      for (const Field& field : type->fields) options.other_keys.push_back(field.name);
      for (const Entry& entry : node.entries) {
        const auto is_own = [&](const Binding& binding) { return binding.key == entry.key.text; };
        if (std::none_of(self.bindings_.begin(), self.bindings_.end(), is_own)) options.node.entries.push_back(entry);
      }
    }
    for (const auto& rule : self.rules_) rule(object, node);
    return object;
  };
  const auto write = [self = *this](const T& object) {
    Node node = Node::map();
    for (const Binding& binding : self.bindings_) {
      if (std::optional<Node> value = binding.write(object)) node.set(binding.key, std::move(*value));
    }
    if (self.read_rest_) {
      for (const Entry& entry : self.read_rest_(object).node.entries) node.entries.push_back(entry);
    }
    return node;
  };
  return {type, read, write};
}

template <typename T>
T read_options(const Schema<T>& schema, const Options& options) {
  detail::check_object(*schema.type, options.node, options.other_keys);
  return schema.read(options.node);
}

}  // namespace eddy::config
