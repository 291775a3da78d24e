/// to_yaml: block style, short lists of plain values in one line.
#include <fmt/format.h>

#include "science/config/document.h"

namespace eddy::config {

namespace {

constexpr std::size_t max_flow_width = 100;

/// Whether `text` reads back as itself without quotes, in a flow list too.
bool is_safe_plain(const std::string& text) {
  if (text.empty() || text == "~" || text == "null" || text == "Null" || text == "NULL") return false;
  const bool sign_of_number = (text[0] == '-' || text[0] == '+' || text[0] == '.') && number_from_text(text);
  if (!sign_of_number && !std::isalnum(static_cast<unsigned char>(text[0])) && text[0] != '_' && text[0] != '/') {
    return false;
  }
  if (text.back() == ' ' || text.back() == ':') return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    if (c < 0x20 || c >= 0x7f || std::string_view(",[]{}\"'`").find(text[i]) != std::string_view::npos) return false;
    if (c == ':' && i + 1 < text.size() && text[i + 1] == ' ') return false;
    if (c == '#' && i > 0 && text[i - 1] == ' ') return false;
  }
  return true;
}

std::string quote(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (c == '\n') {
      out += "\\n";
    } else if (c == '\t') {
      out += "\\t";
    } else if (byte < 0x20 || byte == 0x7f) {
      out += fmt::format("\\x{:02x}", byte);
    } else {
      out += c;
    }
  }
  return out + "\"";
}

std::string scalar_text(const Node& node) {
  if (node.is_null()) return "null";
  return !node.quoted && is_safe_plain(node.text) ? node.text : quote(node.text);
}

std::string key_text(const Node& key) { return is_safe_plain(key.text) ? key.text : quote(key.text); }

/// The node in one line, or empty when it holds a map with entries or grows too wide.
std::string flow_text(const Node& node) {
  if (node.is_map()) return node.entries.empty() ? "{}" : "";
  if (!node.is_sequence()) return scalar_text(node);
  std::string out = "[";
  for (const Node& item : node.items) {
    const std::string text = flow_text(item);
    if (text.empty() || out.size() + text.size() > max_flow_width) return "";
    out += (out.size() > 1 ? ", " : "") + text;
  }
  return out + "]";
}

/// Appends the lines of a collection, each indented by `indent`.
void write_block(const Node& node, int indent, std::string& out) {
  const std::string margin(static_cast<std::size_t>(indent), ' ');
  for (const Entry& entry : node.entries) {
    const std::string flow = flow_text(entry.value);
    out += margin + key_text(entry.key) + ":";
    if (!flow.empty()) {
      out += " " + flow + "\n";
    } else {
      out += "\n";
      write_block(entry.value, indent + 2, out);
    }
  }
  for (const Node& item : node.items) {
    const std::string flow = flow_text(item);
    if (!flow.empty()) {
      out += margin + "- " + flow + "\n";
    } else {
      const std::size_t start = out.size();
      write_block(item, indent + 2, out);
      out[start + margin.size()] = '-';  // over the first of the two blanks that indent the item
    }
  }
}

}  // namespace

std::string to_yaml(const Node& node) {
  std::string flow = flow_text(node);
  if (!flow.empty()) return flow + "\n";
  std::string out;
  write_block(node, 0, out);
  return out;
}

}  // namespace eddy::config
