#pragma once
/// Compile-time data of operations: interned, immutable, compared by pointer.

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "framework/core/array.h"
#include "framework/core/dim.h"

namespace eddy::ir {

class Type;
namespace detail {
struct AttributeStorage;
}

/// One of: bool, integer, float, string, shape (sizes may be symbolic), type, list, dense (constant data). Each has one
/// canonical text, which is its identity and reads back to the same attribute bit by bit (NaN payloads and -0
/// included). The default-constructed handle is null.
class Attribute {
 public:
  enum class Kind { boolean, integer, floating, string, shape, type, list, dense };

  Attribute() = default;
  static Attribute boolean(bool value);
  static Attribute integer(std::int64_t value);
  static Attribute floating(double value);
  static Attribute string(std::string value);
  static Attribute shape(Shape value);
  static Attribute type(Type value);
  static Attribute list(std::vector<Attribute> elements);
  /// The array's data is copied.
  static Attribute dense(const Array& value);
  static Attribute ints(const std::vector<std::int64_t>& values);
  static Attribute strings(const std::vector<std::string>& values);
  /// Reads what str() prints. UserError otherwise.
  static Attribute parse(std::string_view text);

  explicit operator bool() const { return storage_ != nullptr; }
  Kind kind() const;

  /// The value; InternalError when the kind is another.
  bool as_bool() const;
  std::int64_t as_int() const;
  double as_float() const;
  const std::string& as_string() const;
  const Shape& as_shape() const;
  Type as_type() const;
  const std::vector<Attribute>& as_list() const;
  const Array& as_dense() const;
  std::vector<std::int64_t> as_ints() const;
  std::vector<std::string> as_strings() const;

  const std::string& str() const;

  friend bool operator==(Attribute a, Attribute b) { return a.storage_ == b.storage_; }
  friend bool operator!=(Attribute a, Attribute b) { return !(a == b); }

 private:
  explicit Attribute(const detail::AttributeStorage* storage) : storage_(storage) {}
  static Attribute intern(detail::AttributeStorage storage);
  const detail::AttributeStorage* storage_ = nullptr;
};

/// Attributes of one operation by name, sorted by name, each name once.
class AttributeMap {
 public:
  using Entry = std::pair<std::string, Attribute>;

  AttributeMap() = default;
  AttributeMap(std::initializer_list<Entry> entries) {
    for (const Entry& entry : entries) set(entry.first, entry.second);
  }

  /// Null when there is none of that name.
  Attribute get(std::string_view name) const;
  bool has(std::string_view name) const { return static_cast<bool>(get(name)); }
  /// InternalError when there is none of that name.
  Attribute at(std::string_view name) const;
  void set(std::string_view name, Attribute value);
  void erase(std::string_view name);

  auto begin() const { return entries_.begin(); }
  auto end() const { return entries_.end(); }
  bool empty() const { return entries_.empty(); }
  bool operator==(const AttributeMap&) const = default;

 private:
  std::vector<Entry> entries_;
};

/// The shortest decimal text that reads back to the same bits; always recognizable as a float ("1.0", "inf",
/// "nan:7ff8000000000000").
std::string float_text(double value);
std::string float_text(float value);

/// `text` in double quotes, with ", \, control characters and non-ASCII bytes escaped as \xHH.
std::string quoted(std::string_view text);

/// A letter or underscore, then letters, digits and underscores.
bool is_identifier(std::string_view text);
/// `name` as it stands when it is an identifier, else quoted.
std::string symbol_text(std::string_view name);

}  // namespace eddy::ir
