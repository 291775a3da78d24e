#pragma once
/// Reads program text token by token and reports errors with their position. Internal to the parsers of this folder.

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "framework/core/errors.h"

namespace eddy::ir::detail {

/// A position in a text. Blanks, line ends and `// comments` separate tokens. Every failure is a UserError with
/// file:line:column.
class TextCursor {
 public:
  /// `file_name` may be empty: errors then name no place. The text must outlive the cursor.
  explicit TextCursor(std::string_view text, std::string file_name = {});

  /// Skips blanks and comments; the offset of the next token.
  std::size_t offset();
  /// Goes back to an earlier offset.
  void rewind(std::size_t offset) { at_ = offset; }
  /// The offset just behind what was consumed.
  std::size_t position() const { return at_; }
  bool at_end() { return offset() == text_.size(); }
  /// The next character without skipping; '\0' at the end.
  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  /// The text between two offsets.
  std::string_view between(std::size_t begin, std::size_t end) const { return text_.substr(begin, end - begin); }

  /// Consumes `token` (punctuation) when it is next.
  bool take(std::string_view token);
  bool next_is(std::string_view token);
  void expect(std::string_view token);
  /// Consumes the identifier `word` when it is next, as a whole.
  bool take_word(std::string_view word);
  void expect_word(std::string_view word);

  /// An identifier; fails when none is next, saying that `what` was expected.
  std::string_view identifier(std::string_view what);
  bool next_is_identifier();
  /// Identifiers joined by dots.
  std::string_view dotted_identifier(std::string_view what);
  /// An identifier, or any text in quotes.
  std::string symbol(std::string_view what);
  /// A quoted string, unescaped.
  std::string quoted_string(std::string_view what);
  /// The characters of a quoted string as they stand; fails on an escape.
  std::string_view raw_string(std::string_view what);
  /// Decimal digits only, at most 18.
  std::int64_t natural(std::string_view what);
  bool next_is_digit();
  /// All characters up to the first that is one of `stops` (or the end).
  std::string_view until(std::string_view stops);

  /// "expected <what>, found <the next token>", at the next token.
  [[noreturn]] void fail_expected(std::string_view what);
  [[noreturn]] void fail_at(std::size_t offset, const std::string& message, const std::string& hint = {}) const;
  SourceLocation location(std::size_t offset) const;

  /// Counts nested constructs while it lives; fails above a fixed depth, so that recursion stays bounded.
  class Nesting {
   public:
    explicit Nesting(TextCursor& cursor);
    ~Nesting() { --cursor_.depth_; }
    Nesting(const Nesting&) = delete;
    Nesting& operator=(const Nesting&) = delete;

   private:
    TextCursor& cursor_;
  };

 private:
  std::string_view text_;
  std::size_t at_ = 0;
  std::shared_ptr<const std::string> file_;
  int depth_ = 0;
};

}  // namespace eddy::ir::detail
