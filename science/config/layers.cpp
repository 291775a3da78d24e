#include "science/config/layers.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "science/config/schema_type.h"

namespace eddy::config {

namespace {

constexpr std::size_t max_extends = 16;

/// The part of a schema below `key`: of an object the field's type, of a map the element's; null where it is not known.
/// `named` tells whether the key names an entry of a map.
const Type* below(const Type* type, const std::string& key, bool& named) {
  named = false;
  if (type == nullptr) return nullptr;
  switch (type->kind) {
    case Type::Kind::object:
      for (const Field& field : type->fields) {
        if (field.name == key) return field.type.get();
      }
      return nullptr;
    case Type::Kind::map: named = true; return type->element.get();
    case Type::Kind::either:
      for (const TypePtr& alternative : type->alternatives) {
        if (const Type* found = below(alternative.get(), key, named)) return found;
      }
      return nullptr;
    default: return nullptr;
  }
}

std::string nearest_hint(const std::string& name, const std::vector<std::string>& names, const std::string& listing) {
  const std::string nearest = nearest_name(name, names);
  if (!nearest.empty()) return fmt::format("did you mean '{}'?", nearest);
  return names.empty() ? std::string{} : fmt::format("{} {}", listing, fmt::join(names, ", "));
}

std::vector<std::string> split_path(const std::string& path, const SourceLocation& where) {
  std::vector<std::string> parts;
  std::size_t start = 0;
  for (;;) {
    const std::size_t end = std::min(path.find('.', start), path.size());
    if (end == start) {
      throw UserError(where, fmt::format("'{}' is no path of keys", path), "write keys joined by dots: training.loss");
    }
    parts.push_back(path.substr(start, end - start));
    if (end == path.size()) return parts;
    start = end + 1;
  }
}

void remove_key(Node& map, const std::string& key) {
  std::erase_if(map.entries, [&](const Entry& entry) { return entry.key.text == key; });
}

/// Merges the value of `entry` into the map.
void merge_entry(Node& map, const Entry& entry) {
  if (entry.value.is_null()) {
    remove_key(map, entry.key.text);
    return;
  }
  for (Entry& present : map.entries) {
    if (present.key.text != entry.key.text) continue;
    if (present.value.is_map() && entry.value.is_map()) {
      merge(present.value, entry.value);
    } else {
      present = entry;
    }
    return;
  }
  Entry added = entry;
  if (added.value.is_map()) {  // nulls in it remove nothing and must not stay
    added.value.entries.clear();
    merge(added.value, entry.value);
  }
  map.entries.push_back(std::move(added));
}

/// Merges `value` at `path`, making the maps that lead there.
void set_path(Node& root, const std::string& path, const Node& key, const Node& value, const Type* schema) {
  const std::vector<std::string> parts = split_path(path, key.where);
  Node* map = &root;
  const Type* type = schema;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (!map->is_map()) {
      const std::string before = fmt::format("{}", fmt::join(parts.begin(), parts.begin() + static_cast<int>(i), "."));
      throw UserError(key.where, fmt::format("cannot set '{}': '{}' is {}, not a map", path, before, map->describe()));
    }
    bool named = false;
    type = below(type, parts[i], named);
    const bool last = i + 1 == parts.size();
    if (last) {
      Entry entry{key, value};
      entry.key.text = parts[i];
      merge_entry(*map, entry);
      return;
    }
    Node* next = map->find(parts[i]);
    if (next == nullptr) {
      if (named) {
        throw UserError(key.where, fmt::format("cannot set '{}': there is no '{}'", path, parts[i]),
                        nearest_hint(parts[i], map->keys(), "there are"));
      }
      Node created = Node::map();
      created.where = key.where;
      Node created_key = key;
      created_key.text = parts[i];
      map->entries.push_back({std::move(created_key), std::move(created)});
      next = &map->entries.back().value;
    }
    map = next;
  }
}

/// Gives every node of the value of a --set the argument as its place.
void relocate(Node& node, const SourceLocation& where) {
  node.where = where;
  node.source = nullptr;
  for (Node& item : node.items) relocate(item, where);
  for (Entry& entry : node.entries) {
    relocate(entry.key, where);
    relocate(entry.value, where);
  }
}

/// The file and what it extends, merged. `chain` holds the files that lead here.
Node read_extended(const std::filesystem::path& path, std::vector<std::filesystem::path>& chain) {
  Node root = read_yaml_file(path.string());
  if (!root.is_map()) throw UserError(root.where, "expected a map of keys, found " + root.describe());
  const Node* extends = root.find("extends");
  if (extends == nullptr) return root;
  const Node target = *extends;
  remove_key(root, "extends");
  if (!target.is_scalar() || target.text.empty()) {
    throw UserError(target.where, "expected the name of a file to extend, found " + target.describe());
  }
  const std::filesystem::path base_path = (path.parent_path() / target.text).lexically_normal();
  std::error_code status;
  if (!std::filesystem::exists(base_path, status)) {
    throw UserError(target.where, fmt::format("there is no file '{}' to extend", base_path.string()),
                    "the path is relative to the file that extends");
  }
  chain.push_back(std::filesystem::weakly_canonical(path, status));
  const std::filesystem::path canonical = std::filesystem::weakly_canonical(base_path, status);
  if (std::find(chain.begin(), chain.end(), canonical) != chain.end()) {
    throw UserError(target.where, fmt::format("'{}' extends itself in a circle", base_path.string()));
  }
  if (chain.size() > max_extends) {
    throw UserError(target.where, fmt::format("more than {} files extend each other", max_extends));
  }
  Node base = read_extended(base_path, chain);
  merge(base, root);
  return base;
}

void apply_profile(Node& root, const std::string& name, const Type* schema) {
  const SourceLocation where{std::make_shared<const std::string>("--profile " + name), 0, 0};
  const Node* profiles = root.find("profiles");
  const Node* found = profiles != nullptr ? profiles->find(name) : nullptr;
  if (found == nullptr) {
    const std::vector<std::string> names = profiles != nullptr ? profiles->keys() : std::vector<std::string>{};
    throw UserError(where, fmt::format("there is no profile '{}'", name),
                    names.empty() ? "the file has no profiles" : nearest_hint(name, names, "the profiles are"));
  }
  const Node profile = *found;  // a copy: the profile may change the tree it stands in
  if (!profile.is_map()) throw UserError(profile.where, "expected a map of overrides, found " + profile.describe());
  for (const Entry& entry : profile.entries) set_path(root, entry.key.text, entry.key, entry.value, schema);
}

}  // namespace

void merge(Node& base, const Node& over) {
  if (!base.is_map() || !over.is_map()) {
    base = over;
    return;
  }
  base.where = over.where;
  for (const Entry& entry : over.entries) merge_entry(base, entry);
}

void apply_set(Node& root, const std::string& assignment, const Type* schema) {
  const SourceLocation where{std::make_shared<const std::string>("--set " + assignment), 0, 0};
  const std::size_t equals = assignment.find('=');
  if (equals == std::string::npos) throw UserError(where, "expected key=value", "--set training.loss=integral");
  const std::string path = assignment.substr(0, equals), text = assignment.substr(equals + 1);
  Node value;  // nothing, when the text is empty
  if (text.find_first_not_of(" \t\n\r") != std::string::npos) {
    try {
      value = parse_yaml(text, "--set");
    } catch (const UserError& error) {
      throw UserError(where, error.message(), error.hint());
    }
  }
  relocate(value, where);
  Node key = Node::scalar(path);
  key.where = where;
  set_path(root, path, key, value, schema);
}

Node read_layers(const std::string& path, const Overrides& overrides, const Type* schema) {
  std::vector<std::filesystem::path> chain;
  Node root = read_extended(path, chain);
  if (!overrides.profile.empty()) apply_profile(root, overrides.profile, schema);
  for (const std::string& assignment : overrides.sets) apply_set(root, assignment, schema);
  return root;
}

}  // namespace eddy::config
