#pragma once
/// Templates of schema.h, which includes this file at its end.

#include <algorithm>

namespace eddy::config {

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
    if (self.where_ != nullptr) object.*self.where_ = node.where;
    if (self.rest_ != nullptr) {
      Options& options = object.*self.rest_;
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
    if (self.rest_ != nullptr) {
      for (const Entry& entry : (object.*self.rest_).node.entries) node.entries.push_back(entry);
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
