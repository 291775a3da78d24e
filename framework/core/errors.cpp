#include "framework/core/errors.h"

#include <algorithm>
#include <numeric>
#include <vector>

namespace eddy {

std::string SourceLocation::str() const {
  if (!file) return {};
  if (line <= 0) return *file;
  if (column <= 0) return fmt::format("{}:{}", *file, line);
  return fmt::format("{}:{}:{}", *file, line, column);
}

namespace {
std::string render(const SourceLocation& where, const std::string& message, const std::string& hint) {
  std::string text = where.known() ? where.str() + ": " + message : message;
  if (!hint.empty()) text += "\n  " + hint;
  return text;
}
}  // namespace

UserError::UserError(SourceLocation where, std::string message, std::string hint)
    : Error(render(where, message, hint)),
      where_(std::move(where)),
      message_(std::move(message)),
      hint_(std::move(hint)) {}

std::size_t edit_distance(const std::string& a, const std::string& b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t above = row[j];
      row[j] = std::min({above + 1, row[j - 1] + 1, diagonal + (a[i - 1] == b[j - 1] ? 0u : 1u)});
      diagonal = above;
    }
  }
  return row[b.size()];
}

void detail::check_failed(const char* condition, const char* file, int line, const std::string& message) {
  throw InternalError(
      fmt::format("{}:{}: check failed: {}{}{}", file, line, condition, message.empty() ? "" : ": ", message));
}

}  // namespace eddy
