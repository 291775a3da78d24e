#include "science/config/document.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <utility>

namespace eddy::config {

Node Node::scalar(std::string text, bool quoted) {
  Node node;
  node.kind = Kind::scalar;
  node.text = std::move(text);
  node.quoted = quoted;
  return node;
}

Node Node::sequence(std::vector<Node> items) {
  Node node;
  node.kind = Kind::sequence;
  node.items = std::move(items);
  return node;
}

Node Node::map() {
  Node node;
  node.kind = Kind::map;
  return node;
}

const Node* Node::find(std::string_view key) const {
  for (const Entry& entry : entries) {
    if (entry.key.text == key) return &entry.value;
  }
  return nullptr;
}

Node* Node::find(std::string_view key) { return const_cast<Node*>(std::as_const(*this).find(key)); }

void Node::set(std::string key, Node value) {
  if (Node* present = find(key)) {
    *present = std::move(value);
  } else {
    entries.push_back({scalar(std::move(key)), std::move(value)});
  }
}

std::vector<std::string> Node::keys() const {
  std::vector<std::string> names;
  for (const Entry& entry : entries) names.push_back(entry.key.text);
  return names;
}

namespace {
bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

/// Offset in `source` of a position.
std::size_t offset_of(const std::string& source, int line, int column) {
  std::size_t offset = 0;
  for (int i = 1; i < line; ++i) {
    offset = source.find('\n', offset);
    if (offset == std::string::npos) return source.size();
    ++offset;
  }
  return std::min(source.size(), offset + static_cast<std::size_t>(column - 1));
}

/// Offset of a scalar's first character behind its anchor, quote or block header; `style` receives ', ", | or > or 0.
std::size_t content_start(const std::string& source, std::size_t at, char& style) {
  while (at < source.size() && source[at] == '&') {  // an anchor stands before the scalar
    while (at < source.size() && !is_blank(source[at])) ++at;
    while (at < source.size() && is_blank(source[at])) ++at;
  }
  style = 0;
  if (at >= source.size()) return at;
  switch (source[at]) {
    case '\'':
    case '"': style = source[at]; return at + 1;
    case '|':
    case '>': {
      style = source[at];
      const std::size_t end_of_line = source.find('\n', at);
      return end_of_line == std::string::npos ? source.size() : end_of_line + 1;
    }
    default: return at;
  }
}
}  // namespace

// YAML folds lines, so a scalar's text and its source agree in their non-blank characters only: those are counted off.
SourceLocation Node::where_at(std::size_t offset) const {
  if (!source || where.line <= 0 || where.column <= 0) return where;
  offset = std::min(offset, text.size());
  std::size_t n_before = 0;  // non-blank characters before the one that is looked for
  for (std::size_t i = 0; i < offset; ++i) n_before += !is_blank(text[i]);
  const bool at_blank = offset == text.size() || is_blank(text[offset]);
  if (at_blank && n_before == 0) return where;

  char style = 0;
  std::size_t at = content_start(*source, offset_of(*source, where.line, where.column), style);
  std::size_t width = 1;  // of the character at `at` as it is written
  for (std::size_t seen = 0; at < source->size(); at += width) {
    const char c = (*source)[at];
    const bool escape = (style == '"' && c == '\\') || (style == '\'' && c == '\'');
    width = escape ? 2 : 1;
    if (escape && style == '"' && at + 1 < source->size() && std::string_view("ntr \n").find((*source)[at + 1]) < 5) {
      continue;  // an escape that stands for a blank
    }
    if (is_blank(c)) continue;
    if (!at_blank && seen == n_before) break;
    if (at_blank && seen + 1 == n_before) {
      // Just behind the last visible character, plus the blanks that are between it and `offset` on one line.
      std::size_t n_blanks = 0;
      while (n_blanks < offset && is_blank(text[offset - 1 - n_blanks])) ++n_blanks;
      at += width;
      for (; n_blanks > 0 && at < source->size() && (*source)[at] == ' '; --n_blanks) ++at;
      break;
    }
    ++seen;
  }
  at = std::min(at, source->size());
  SourceLocation location = where;
  const std::size_t line_start = at == 0 ? 0 : source->rfind('\n', at - 1) + 1;  // npos + 1 is 0
  location.line =
      1 + static_cast<int>(std::count(source->begin(), source->begin() + static_cast<std::ptrdiff_t>(at), '\n'));
  location.column = 1 + static_cast<int>(at - line_start);
  return location;
}

std::string Node::describe() const {
  switch (kind) {
    case Kind::null: return "nothing";
    case Kind::sequence: return "a list";
    case Kind::map: return "a map";
    case Kind::scalar: break;
  }
  if (!quoted && number_from_text(text)) return "the number " + text;
  const std::string shown = text.size() <= 60 ? text : text.substr(0, 57) + "...";
  return "the text \"" + shown + "\"";
}

namespace {
bool plain_has_a_meaning(const std::string& text) {
  return text.empty() || text == "~" || text == "null" || text == "Null" || text == "NULL" || text == "true" ||
         text == "false" || number_from_text(text);
}
}  // namespace

bool operator==(const Node& a, const Node& b) {
  if (a.kind != b.kind || a.text != b.text || a.items != b.items || a.entries.size() != b.entries.size()) return false;
  if (a.kind == Node::Kind::scalar && a.quoted != b.quoted && plain_has_a_meaning(a.text)) return false;
  for (std::size_t i = 0; i < a.entries.size(); ++i) {
    if (a.entries[i].key.text != b.entries[i].key.text || !(a.entries[i].value == b.entries[i].value)) return false;
  }
  return true;
}

std::optional<double> number_from_text(std::string_view text) {
  const bool has_sign = !text.empty() && (text[0] == '+' || text[0] == '-');
  const std::string_view digits = text.substr(has_sign ? 1 : 0);
  if (has_sign && text[0] == '+') text = digits;  // from_chars reads no plus
  // from_chars also reads inf and nan, which are no numbers here.
  if (digits.empty() || std::string_view("0123456789.").find(digits[0]) == std::string_view::npos) return std::nullopt;
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || !std::isfinite(value)) return std::nullopt;
  return value;
}

std::string text_from_number(double value) { return fmt::format("{}", value); }

}  // namespace eddy::config
