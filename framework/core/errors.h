#pragma once
/// Errors and checks. Three kinds reach the command line, each with its own exit code:
/// UserError (the input is wrong, 2), RuntimeError (the run failed, 3), InternalError (a defect of ours, 70).

#include <cstdint>
#include <fmt/core.h>
#include <memory>
#include <stdexcept>
#include <string>

namespace eddy {

/// A position in a text the user wrote. Lines and columns count from 1; 0 means unknown. Cheap to copy.
struct SourceLocation {
  std::shared_ptr<const std::string> file;
  int line = 0;
  int column = 0;

  bool known() const { return file != nullptr; }
  /// "file:line:column", without the parts that are unknown; empty when nothing is known.
  std::string str() const;
};

class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The user's input is wrong. `message` says what is wrong, `hint` what to write instead (may be empty).
class UserError : public Error {
 public:
  explicit UserError(std::string message, std::string hint = {}) : UserError({}, std::move(message), std::move(hint)) {}
  UserError(SourceLocation where, std::string message, std::string hint = {});

  const SourceLocation& where() const { return where_; }
  const std::string& message() const { return message_; }
  const std::string& hint() const { return hint_; }

 private:
  SourceLocation where_;
  std::string message_, hint_;
};

/// The run failed for a reason outside the program: diverged, out of memory, a file could not be written.
class RuntimeError : public Error {
 public:
  using Error::Error;
};

/// A defect of ours: an invariant of the program does not hold.
class InternalError : public Error {
 public:
  using Error::Error;
};

/// The candidate nearest to `word` by edit distance, or empty when none is near enough to be what was meant.
template <typename Range>
std::string nearest_name(const std::string& word, const Range& candidates);

/// Levenshtein distance between two words.
std::size_t edit_distance(const std::string& a, const std::string& b);

namespace detail {
[[noreturn]] void check_failed(const char* condition, const char* file, int line, const std::string& message);
inline std::string check_message() { return {}; }
template <typename... Args>
std::string check_message(fmt::format_string<Args...> format, Args&&... args) {
  return fmt::format(format, std::forward<Args>(args)...);
}
}  // namespace detail

template <typename Range>
std::string nearest_name(const std::string& word, const Range& candidates) {
  std::string best;
  std::size_t best_distance = word.size() / 3 + 2;  // further away it is another word, not a slip
  for (const auto& candidate : candidates) {
    const std::size_t distance = edit_distance(word, candidate);
    if (distance < best_distance) {
      best_distance = distance;
      best = candidate;
    }
  }
  return best;
}

}  // namespace eddy

/// Always runs; throws InternalError with the condition, its place and an optional fmt message.
#define EDDY_CHECK(condition, ...)                                                                              \
  do {                                                                                                          \
    if (!(condition)) [[unlikely]]                                                                              \
      ::eddy::detail::check_failed(#condition, __FILE__, __LINE__, ::eddy::detail::check_message(__VA_ARGS__)); \
  } while (false)

/// As EDDY_CHECK, in builds without NDEBUG only: for checks that cost more than O(1).
#ifdef NDEBUG
#define EDDY_ASSERT(condition, ...) ((void)0)
#else
#define EDDY_ASSERT(condition, ...) EDDY_CHECK(condition __VA_OPT__(, ) __VA_ARGS__)
#endif
