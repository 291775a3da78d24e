#include "framework/ir/text_cursor.h"

#include "framework/ir/attribute.h"

namespace eddy::ir::detail {

namespace {
constexpr int kMaxDepth = 128;
constexpr std::size_t kMaxFoundText = 24;  // of the offending token in a message

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
int hex_digit(char c) {
  if (is_digit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}
}  // namespace

TextCursor::TextCursor(std::string_view text, std::string file_name)
    : text_(text), file_(file_name.empty() ? nullptr : std::make_shared<const std::string>(std::move(file_name))) {}

std::size_t TextCursor::offset() {
  while (at_ < text_.size()) {
    const char c = text_[at_];
    if (c == ' ' || c == '\n' || c == '\t' || c == '\r') {
      ++at_;
    } else if (text_.substr(at_, 2) == "//") {
      at_ = std::min(text_.find('\n', at_), text_.size());
    } else {
      break;
    }
  }
  return at_;
}

bool TextCursor::next_is(std::string_view token) { return text_.substr(offset(), token.size()) == token; }

bool TextCursor::take(std::string_view token) {
  if (!next_is(token)) return false;
  at_ += token.size();
  return true;
}

void TextCursor::expect(std::string_view token) {
  if (!take(token)) fail_expected(fmt::format("'{}'", token));
}

bool TextCursor::next_is_identifier() { return offset() < text_.size() && is_letter(text_[at_]); }
bool TextCursor::next_is_digit() { return offset() < text_.size() && is_digit(text_[at_]); }

bool TextCursor::take_word(std::string_view word) {
  const std::size_t start = offset();
  if (!next_is_identifier()) return false;
  if (identifier("a name") == word) return true;
  at_ = start;
  return false;
}

void TextCursor::expect_word(std::string_view word) {
  if (!take_word(word)) fail_expected(fmt::format("'{}'", word));
}

std::string_view TextCursor::identifier(std::string_view what) {
  if (!next_is_identifier()) fail_expected(what);
  const std::size_t start = at_;
  while (is_letter(peek()) || is_digit(peek())) ++at_;
  return between(start, at_);
}

std::string_view TextCursor::dotted_identifier(std::string_view what) {
  const std::size_t start = offset();
  identifier(what);
  while (peek() == '.' && at_ + 1 < text_.size() && is_letter(text_[at_ + 1])) {
    ++at_;
    identifier(what);
  }
  return between(start, at_);
}

std::string TextCursor::symbol(std::string_view what) {
  return next_is("\"") ? quoted_string(what) : std::string(identifier(what));
}

std::string TextCursor::quoted_string(std::string_view what) {
  const std::size_t start = offset();
  if (!take("\"")) fail_expected(what);
  std::string result;
  while (peek() != '"') {
    if (at_ == text_.size() || peek() == '\n') fail_at(start, "this string does not end", "close it with \"");
    if (peek() != '\\') {
      result += text_[at_++];
      continue;
    }
    const std::string_view escape = text_.substr(at_, 4);
    if (escape.size() >= 2 && (escape[1] == '"' || escape[1] == '\\')) {
      result += escape[1];
      at_ += 2;
    } else if (escape.size() == 4 && escape[1] == 'x' && hex_digit(escape[2]) >= 0 && hex_digit(escape[3]) >= 0) {
      result += static_cast<char>(hex_digit(escape[2]) * 16 + hex_digit(escape[3]));
      at_ += 4;
    } else {
      fail_at(at_, "unknown escape in a string", "known are \\\", \\\\ and \\xHH with two hexadecimal digits");
    }
  }
  ++at_;
  return result;
}

std::string_view TextCursor::raw_string(std::string_view what) {
  const std::size_t start = offset();
  if (!take("\"")) fail_expected(what);
  const std::string_view content = until("\"\\\n");
  if (peek() != '"') fail_at(start, "this string does not end", "close it with \"");
  ++at_;
  return content;
}

std::int64_t TextCursor::natural(std::string_view what) {
  if (!next_is_digit()) fail_expected(what);
  const std::size_t start = at_;
  std::int64_t value = 0;
  while (is_digit(peek())) {
    if (at_ - start == 18) fail_at(start, "this number is too large");
    value = 10 * value + (text_[at_++] - '0');
  }
  return value;
}

std::string_view TextCursor::until(std::string_view stops) {
  const std::size_t start = at_;
  at_ = std::min(text_.find_first_of(stops, at_), text_.size());
  return between(start, at_);
}

void TextCursor::fail_expected(std::string_view what) {
  const std::size_t start = offset();
  std::string found = "the end of the text";
  if (start < text_.size()) {
    std::size_t end = start + 1;
    if (is_letter(text_[start]) || is_digit(text_[start])) {
      while (end < text_.size() && end - start < kMaxFoundText && (is_letter(text_[end]) || is_digit(text_[end])))
        ++end;
    }
    found = quoted(between(start, end));
  }
  fail_at(start, fmt::format("expected {}, found {}", what, found));
}

void TextCursor::fail_at(std::size_t offset, const std::string& message, const std::string& hint) const {
  throw UserError(location(offset), message, hint);
}

SourceLocation TextCursor::location(std::size_t offset) const {
  if (!file_) return {};
  SourceLocation where{file_, 1, 1};
  for (const char c : text_.substr(0, offset)) {
    if (c == '\n') {
      ++where.line;
      where.column = 1;
    } else {
      ++where.column;
    }
  }
  return where;
}

TextCursor::Nesting::Nesting(TextCursor& cursor) : cursor_(cursor) {
  if (cursor.depth_ >= kMaxDepth) {
    cursor.fail_at(cursor.offset(), fmt::format("nested more than {} levels deep", kMaxDepth));
  }
  ++cursor.depth_;
}

}  // namespace eddy::ir::detail
