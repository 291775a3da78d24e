#include "framework/ir/attribute.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <deque>
#include <mutex>
#include <unordered_map>
#include <variant>

#include "framework/ir/type.h"

namespace eddy::ir {

struct detail::AttributeStorage {
  std::variant<bool, std::int64_t, double, std::string, Shape, Type, std::vector<Attribute>, Array> value;
  std::string text;
};

namespace {

// Above this many elements dense data is printed as hexadecimal bytes.
constexpr std::int64_t kReadableElements = 64;

template <typename T, typename Bits>
std::string float_text_of(T value) {
  if (std::isnan(value)) {
    Bits bits;
    std::memcpy(&bits, &value, sizeof bits);
    return fmt::format("nan:{:x}", bits);
  }
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  char buffer[64];
  const auto [end, error] = std::to_chars(buffer, buffer + sizeof buffer, value);
  EDDY_CHECK(error == std::errc());
  std::string text(buffer, end);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

template <typename T>
std::string element_text(T value) {
  if constexpr (std::is_same_v<T, bool>) {
    return value ? "true" : "false";
  } else if constexpr (std::is_same_v<T, std::int64_t>) {
    return std::to_string(value);
  } else if constexpr (std::is_floating_point_v<T>) {
    return float_text(value);
  } else {
    return "(" + float_text(value.real()) + ", " + float_text(value.imag()) + ")";
  }
}

std::string dense_text(const Array& array) {
  Shape shape(array.shape().begin(), array.shape().end());
  std::string text = "dense<" + Type::tensor(array.dtype(), shape).str() + ">";
  if (array.n_elements() > kReadableElements) {
    text += "x\"";
    const auto* bytes = static_cast<const unsigned char*>(array.raw());
    static constexpr char digits[] = "0123456789abcdef";
    text.reserve(text.size() + 2 * array.n_bytes() + 1);
    for (std::size_t i = 0; i < array.n_bytes(); ++i) {
      text += digits[bytes[i] >> 4];
      text += digits[bytes[i] & 15];
    }
    return text + "\"";
  }
  text += "{";
  visit_dtype(array.dtype(), [&](auto zero) {
    using T = decltype(zero);
    bool first = true;
    for (const T& value : array.data<T>()) {
      if (!first) text += ", ";
      first = false;
      text += element_text(value);
    }
  });
  return text + "}";
}

template <typename T>
const T& get(const detail::AttributeStorage* storage, const char* expected) {
  EDDY_CHECK(storage != nullptr, "no attribute, expected {}", expected);
  const T* value = std::get_if<T>(&storage->value);
  EDDY_CHECK(value != nullptr, "the attribute {} is no {}", storage->text, expected);
  return *value;
}

}  // namespace

std::string float_text(double value) { return float_text_of<double, std::uint64_t>(value); }
std::string float_text(float value) { return float_text_of<float, std::uint32_t>(value); }

std::string quoted(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      result += '\\';
      result += c;
    } else if (byte < 0x20 || byte >= 0x7f) {
      result += fmt::format("\\x{:02x}", byte);
    } else {
      result += c;
    }
  }
  return result + "\"";
}

bool is_identifier(std::string_view text) {
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  if (text.empty() || !is_letter(text.front())) return false;
  return std::all_of(text.begin(), text.end(), [&](char c) { return is_letter(c) || (c >= '0' && c <= '9'); });
}

std::string symbol_text(std::string_view name) { return is_identifier(name) ? std::string(name) : quoted(name); }

Attribute Attribute::intern(detail::AttributeStorage storage) {
  static std::mutex mutex;
  static std::deque<detail::AttributeStorage> all;
  static std::unordered_map<std::string_view, const detail::AttributeStorage*> known;
  const std::lock_guard lock(mutex);
  const auto found = known.find(storage.text);
  if (found != known.end()) return Attribute(found->second);
  all.push_back(std::move(storage));
  known.emplace(all.back().text, &all.back());
  return Attribute(&all.back());
}

Attribute Attribute::boolean(bool value) { return intern({value, value ? "true" : "false"}); }
Attribute Attribute::integer(std::int64_t value) { return intern({value, std::to_string(value)}); }
Attribute Attribute::floating(double value) { return intern({value, float_text(value)}); }
Attribute Attribute::string(std::string value) {
  std::string text = quoted(value);
  return intern({std::move(value), std::move(text)});
}
Attribute Attribute::shape(Shape value) {
  std::string text = "shape" + eddy::str(value);
  return intern({std::move(value), std::move(text)});
}
Attribute Attribute::type(Type value) { return intern({value, value.str()}); }
Attribute Attribute::list(std::vector<Attribute> elements) {
  std::string text = "[";
  for (std::size_t i = 0; i < elements.size(); ++i) text += (i ? ", " : "") + elements[i].str();
  return intern({std::move(elements), text + "]"});
}
Attribute Attribute::dense(const Array& value) {
  std::string text = dense_text(value);
  return intern({value.clone(), std::move(text)});
}
Attribute Attribute::ints(const std::vector<std::int64_t>& values) {
  std::vector<Attribute> elements;
  for (const std::int64_t value : values) elements.push_back(integer(value));
  return list(std::move(elements));
}
Attribute Attribute::strings(const std::vector<std::string>& values) {
  std::vector<Attribute> elements;
  for (const std::string& value : values) elements.push_back(string(value));
  return list(std::move(elements));
}

Attribute::Kind Attribute::kind() const {
  EDDY_CHECK(storage_ != nullptr);
  return static_cast<Kind>(storage_->value.index());
}
bool Attribute::as_bool() const { return get<bool>(storage_, "bool"); }
std::int64_t Attribute::as_int() const { return get<std::int64_t>(storage_, "integer"); }
double Attribute::as_float() const { return get<double>(storage_, "float"); }
const std::string& Attribute::as_string() const { return get<std::string>(storage_, "string"); }
const Shape& Attribute::as_shape() const { return get<Shape>(storage_, "shape"); }
Type Attribute::as_type() const { return get<Type>(storage_, "type"); }
const std::vector<Attribute>& Attribute::as_list() const { return get<std::vector<Attribute>>(storage_, "list"); }
const Array& Attribute::as_dense() const { return get<Array>(storage_, "dense constant"); }
std::vector<std::int64_t> Attribute::as_ints() const {
  std::vector<std::int64_t> values;
  for (const Attribute element : as_list()) values.push_back(element.as_int());
  return values;
}
std::vector<std::string> Attribute::as_strings() const {
  std::vector<std::string> values;
  for (const Attribute element : as_list()) values.push_back(element.as_string());
  return values;
}
const std::string& Attribute::str() const {
  EDDY_CHECK(storage_ != nullptr);
  return storage_->text;
}

namespace {
auto lower_bound(auto& entries, std::string_view name) {
  return std::lower_bound(entries.begin(), entries.end(), name,
                          [](const AttributeMap::Entry& entry, std::string_view key) { return entry.first < key; });
}
}  // namespace

Attribute AttributeMap::get(std::string_view name) const {
  const auto found = lower_bound(entries_, name);
  return found != entries_.end() && found->first == name ? found->second : Attribute();
}

Attribute AttributeMap::at(std::string_view name) const {
  const Attribute value = get(name);
  EDDY_CHECK(static_cast<bool>(value), "no attribute '{}'", name);
  return value;
}

void AttributeMap::set(std::string_view name, Attribute value) {
  EDDY_CHECK(static_cast<bool>(value), "null attribute '{}'", name);
  const auto found = lower_bound(entries_, name);
  if (found != entries_.end() && found->first == name) {
    found->second = value;
  } else {
    entries_.insert(found, {std::string(name), value});
  }
}

void AttributeMap::erase(std::string_view name) {
  const auto found = lower_bound(entries_, name);
  if (found != entries_.end() && found->first == name) entries_.erase(found);
}

}  // namespace eddy::ir
