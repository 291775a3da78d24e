/// parse_yaml: yaml-cpp's events become nodes.
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <unordered_map>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include "science/config/document.h"

namespace eddy::config {

namespace {

constexpr std::size_t max_bytes = std::size_t{8} << 20;
constexpr int max_depth = 64;
constexpr std::size_t max_nodes = 1'000'000;

/// Builds the tree. A frame is a collection that is still open.
class TreeBuilder : public YAML::EventHandler {
 public:
  TreeBuilder(std::shared_ptr<const std::string> file, std::shared_ptr<const std::string> source)
      : file_(std::move(file)), source_(std::move(source)) {}

  /// The tree, once the parser has found no error.
  Node take() {
    if (pending_error_) throw UserError(*pending_error_);
    return std::move(root_);
  }

  SourceLocation location(const YAML::Mark& mark) const {
    if (mark.is_null()) return {file_, 0, 0};
    return {file_, mark.line + 1, mark.column + 1};
  }

  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    Node node = make(Node::Kind::null, mark);
    if (expects_key()) throw UserError(node.where, "a key is missing before ':'");
    // An empty value is reported at its key: yaml-cpp puts it at whatever comes next.
    if (!frames_.empty() && frames_.back().node.is_map() && !written_out(node.where))
      node.where = frames_.back().key.where;
    finish(std::move(node), anchor, 1, 1);
  }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const auto found = anchors_.find(anchor);
    if (found == anchors_.end()) throw UserError(location(mark), "an alias refers to the node that contains it");
    Anchored anchored = found->second;
    count(anchored.n_nodes, location(mark));
    if (static_cast<int>(frames_.size()) + anchored.depth > max_depth) throw too_deep(location(mark));
    if (expects_key() && !anchored.node.is_scalar()) refuse_key(location(mark));
    add(std::move(anchored.node), anchored.n_nodes, anchored.depth);
  }

  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    reject_tag(mark, tag);
    Node node = make(Node::Kind::scalar, mark);
    node.text = value;
    node.quoted = tag == "!";
    finish(std::move(node), anchor, 1, 1);
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    open(Node::Kind::sequence, mark, tag, anchor);
  }
  void OnSequenceEnd() override { close(); }

  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    open(Node::Kind::map, mark, tag, anchor);
  }
  void OnMapEnd() override { close(); }

 private:
  struct Frame {
    Node node;
    YAML::anchor_t anchor = 0;
    std::size_t n_nodes = 1;
    int depth = 1;
    Node key;  // of the value that comes next
    bool has_key = false;
    std::unordered_map<std::string, SourceLocation> seen;
  };
  struct Anchored {
    Node node;
    std::size_t n_nodes = 0;
    int depth = 0;
  };

  Node make(Node::Kind kind, const YAML::Mark& mark) const {
    Node node;
    node.kind = kind;
    node.where = location(mark);
    node.source = source_;
    return node;
  }

  bool expects_key() const { return !frames_.empty() && frames_.back().node.is_map() && !frames_.back().has_key; }

  /// Whether a null was written as `~` or `null` at `where`.
  bool written_out(const SourceLocation& where) const {
    std::size_t at = 0;
    for (int line = 1; line < where.line; ++line) {
      at = source_->find('\n', at);
      if (at == std::string::npos) return false;
      ++at;
    }
    at += static_cast<std::size_t>(std::max(0, where.column - 1));
    return at < source_->size() && std::string_view("~nN").find((*source_)[at]) != std::string_view::npos;
  }

  void reject_tag(const YAML::Mark& mark, const std::string& tag) const {
    if (tag.empty() || tag == "?" || tag == "!") return;
    throw UserError(location(mark), "the tag '" + tag + "' is not supported", "leave the tag out");
  }

  static UserError too_deep(const SourceLocation& where) {
    return {where, "the document is nested more than " + std::to_string(max_depth) + " levels deep"};
  }
  /// yaml-cpp also takes what an open bracket begins for a key, and complains about the bracket later: that message is
  /// the better one, so this error waits.
  void refuse_key(const SourceLocation& where) {
    if (pending_error_) return;
    pending_error_.emplace(where, "a key must be text, not a list or a map",
                           "put quotes around a text that begins with [ or {");
  }

  void count(std::size_t n, const SourceLocation& where) {
    n_nodes_ += n;
    if (n_nodes_ > max_nodes) {
      throw UserError(where, "the document has more than " + std::to_string(max_nodes) + " nodes (aliases expanded)");
    }
  }

  void open(Node::Kind kind, const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor) {
    reject_tag(mark, tag);
    if (expects_key()) refuse_key(location(mark));
    if (static_cast<int>(frames_.size()) >= max_depth) throw too_deep(location(mark));
    Frame frame;
    frame.node = make(kind, mark);
    frame.anchor = anchor;
    frames_.push_back(std::move(frame));
  }

  void close() {
    Frame frame = std::move(frames_.back());
    frames_.pop_back();
    finish(std::move(frame.node), frame.anchor, frame.n_nodes, frame.depth);
  }

  void finish(Node node, YAML::anchor_t anchor, std::size_t n_nodes, int depth) {
    count(1, node.where);
    if (anchor != YAML::NullAnchor) anchors_[anchor] = {node, n_nodes, depth};
    add(std::move(node), n_nodes, depth);
  }

  void add(Node node, std::size_t n_nodes, int depth) {
    if (frames_.empty()) {
      root_ = std::move(node);
      return;
    }
    Frame& frame = frames_.back();
    frame.n_nodes += n_nodes;
    frame.depth = std::max(frame.depth, depth + 1);
    if (frame.node.is_sequence()) {
      frame.node.items.push_back(std::move(node));
    } else if (!frame.has_key) {
      if (node.text == "<<" && !node.quoted) {
        throw UserError(node.where, "merge keys ('<<') are not supported",
                        "use 'extends', or an alias for the whole map");
      }
      const auto [first, is_new] = frame.seen.emplace(node.text, node.where);
      if (!is_new) {
        throw UserError(node.where, "the key '" + node.text + "' appears twice",
                        "it is first given at " + first->second.str());
      }
      frame.key = std::move(node);
      frame.has_key = true;
    } else {
      frame.node.entries.push_back({std::move(frame.key), std::move(node)});
      frame.has_key = false;
    }
  }

  std::shared_ptr<const std::string> file_, source_;
  Node root_;
  std::vector<Frame> frames_;
  std::map<YAML::anchor_t, Anchored> anchors_;
  std::size_t n_nodes_ = 0;
  std::optional<UserError> pending_error_;
};

/// Length of the valid UTF-8 sequence at `at`, or 0. Control characters are invalid: YAML forbids them.
std::size_t utf8_length(const std::string& text, std::size_t at) {
  const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u; };
  const unsigned first = byte(at);
  if (first < 0x80) return (first >= 0x20 && first != 0x7f) || first == '\t' || first == '\n' || first == '\r' ? 1 : 0;
  const std::size_t length = first >= 0xf0 && first <= 0xf4 ? 4 : first >= 0xe0 ? 3 : first >= 0xc2 ? 2 : 0;
  if (length == 0 || first > 0xf4) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(at + i) & 0xc0u) != 0x80u) return 0;
  }
  return length;
}

void check_text(const std::string& text, const std::shared_ptr<const std::string>& file) {
  if (text.size() > max_bytes) {
    throw UserError({file, 0, 0}, "the file is larger than " + std::to_string(max_bytes >> 20) + " MiB",
                    "keep data in data files and name them under 'data'");
  }
  int line = 1;
  std::size_t line_start = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = utf8_length(text, at);
    if (length == 0) {
      throw UserError({file, line, static_cast<int>(at - line_start) + 1}, "this is no text in UTF-8",
                      "the file may be binary, or saved in another encoding");
    }
    if (text[at] == '\n') {
      ++line;
      line_start = at + 1;
    }
    at += length;
  }
}

/// What usually causes yaml-cpp's complaint.
std::string hint_for(const std::string& message) {
  const auto has = [&](const char* part) { return message.find(part) != std::string::npos; };
  if (has("tab")) return "indent with spaces";
  if (has("illegal map value")) return "put quotes around a text that contains ': '";
  if (has("end of map not found") || has("end of sequence not found")) return "check the indentation of this line";
  if (has("end of map flow") || has("end of sequence flow")) return "a closing } or ], or a comma, is missing";
  if (has("unknown token") || has("alias")) return "put quotes around a text that begins with a special character";
  return {};
}

}  // namespace

Node parse_yaml(const std::string& raw, const std::string& name) {
  const auto file = std::make_shared<const std::string>(name);
  const bool has_mark = raw.starts_with("\xEF\xBB\xBF");
  const auto text = std::make_shared<const std::string>(has_mark ? raw.substr(3) : raw);
  check_text(*text, file);
  TreeBuilder builder(file, text);
  try {
    std::istringstream stream(*text);
    YAML::Parser parser(stream);
    if (!parser.HandleNextDocument(builder)) throw UserError({file, 1, 1}, "the document is empty");
    Node root = builder.take();
    TreeBuilder rest(file, text);
    if (parser.HandleNextDocument(rest)) {
      throw UserError(rest.take().where, "a file holds one YAML document", "remove the '---' and what follows it");
    }
    return root;
  } catch (const YAML::Exception& error) {
    throw UserError(builder.location(error.mark), "this is no valid YAML: " + error.msg, hint_for(error.msg));
  }
}

Node read_yaml_file(const std::string& path) {
  const auto file = std::make_shared<const std::string>(path);
  std::error_code status;
  if (std::filesystem::is_directory(path, status)) {
    throw UserError({file, 0, 0}, "this is a folder, not a file", "name the YAML file in it");
  }
  errno = 0;
  std::ifstream stream(path, std::ios::binary);
  std::string text;
  if (stream) {
    text.resize(max_bytes + 1);
    stream.read(text.data(), static_cast<std::streamsize>(text.size()));
    text.resize(static_cast<std::size_t>(stream.gcount()));
  }
  if (!stream.is_open() || stream.bad()) {
    throw UserError({file, 0, 0}, std::string("cannot read the file: ") + std::strerror(errno != 0 ? errno : EIO));
  }
  return parse_yaml(text, path);
}

}  // namespace eddy::config
