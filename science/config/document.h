#pragma once
/// YAML text as a tree whose every node remembers where it was written.

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "framework/core/errors.h"

namespace eddy::config {

struct Entry;

/// A node of a YAML document: nothing, a scalar (raw text, never interpreted here: `y` and `on` are text), a sequence
/// or a map with unique keys in the order of the file.
struct Node {
  enum class Kind { null, scalar, sequence, map };

  Kind kind = Kind::null;
  /// Text of a scalar with quotes and escapes removed.
  std::string text;
  /// Whether a scalar was written in quotes or as a block: `"1"` is text where `1` is a number.
  bool quoted = false;
  std::vector<Node> items;
  std::vector<Entry> entries;
  /// First character of the node, of a quoted scalar the quote.
  SourceLocation where;
  /// The text `where` points into; null for nodes that were not read from a file.
  std::shared_ptr<const std::string> source;

  static Node scalar(std::string text, bool quoted = false);
  static Node sequence(std::vector<Node> items = {});
  static Node map();

  bool is_null() const { return kind == Kind::null; }
  bool is_scalar() const { return kind == Kind::scalar; }
  bool is_sequence() const { return kind == Kind::sequence; }
  bool is_map() const { return kind == Kind::map; }

  /// The value under `key` of a map, or null.
  const Node* find(std::string_view key) const;
  Node* find(std::string_view key);
  /// Sets `key` of a map, at the end when it is new.
  void set(std::string key, Node value);
  std::vector<std::string> keys() const;

  /// Where character `offset` of a scalar's text stands in the file (columns count bytes, as compilers do).
  SourceLocation where_at(std::size_t offset) const;
  /// What the node is, for messages: `the number 3`, `the text "abc"`, `a list`, `a map`, `nothing`.
  std::string describe() const;
};

/// A key (a scalar node) and its value.
struct Entry {
  Node key;
  Node value;
};

/// Same tree, positions apart. Quotes count only where they change the meaning (`"1"` and `1`).
bool operator==(const Node& a, const Node& b);

/// A finite number written in decimal: `3`, `-1e-3`, `.5`. Nothing else (no hexadecimal, no `.inf`).
std::optional<double> number_from_text(std::string_view text);
/// The shortest text that reads back as exactly `value`.
std::string text_from_number(double value);

/// Reads one YAML document. `name` is the file's name in positions. UserError with a position for anything that is no
/// YAML, for duplicate keys, keys that are no text, tags, merge keys, more than one document, an empty document, and
/// for what exceeds the bounds: 8 MiB of text, 64 levels, a million nodes after aliases are expanded.
Node parse_yaml(const std::string& text, const std::string& name);
/// As above from a file; UserError when it cannot be read.
Node read_yaml_file(const std::string& path);

/// YAML text that reads back as the same tree.
std::string to_yaml(const Node& node);

}  // namespace eddy::config
