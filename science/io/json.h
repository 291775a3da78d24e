#pragma once
/// JSON for summaries and results.

#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace eddy::io {

/// A JSON value to be written. Keys keep the order in which they are set; numbers are written so that they read back
/// exactly; NaN and infinities, which JSON does not have, become null.
class Json {
 public:
  Json() : value_(nullptr) {}
  Json(bool value) : value_(value) {}                      // NOLINT: values are written as plain C++ values
  Json(int value) : value_(std::int64_t{value}) {}         // NOLINT
  Json(std::int64_t value) : value_(value) {}              // NOLINT
  Json(double value) : value_(value) {}                    // NOLINT
  Json(const char* value) : value_(std::string(value)) {}  // NOLINT
  Json(std::string value) : value_(std::move(value)) {}    // NOLINT
  static Json object();
  static Json array();

  /// Sets a key of an object, once.
  Json& set(const std::string& key, Json value);
  /// Appends to an array.
  Json& push(Json value);

  /// Indented by two spaces, with a line end after the last line. Text that is not UTF-8 has its bad bytes replaced.
  std::string str() const;

 private:
  friend struct JsonPrinter;
  using Array = std::vector<Json>;
  using Object = std::vector<std::pair<std::string, Json>>;
  std::variant<std::nullptr_t, bool, std::int64_t, double, std::string, Array, Object> value_;
};

}  // namespace eddy::io
