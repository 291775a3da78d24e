#include "framework/ir/attribute_parser.h"

#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>
#include <type_traits>

namespace eddy::ir {

namespace detail {
namespace {

constexpr std::size_t kMaxDimText = 4096;     // characters of one size
constexpr std::size_t kMaxShapeTerms = 4096;  // terms of a shape's product

constexpr std::string_view kNumberEnd = " \t\r\n,)}]>/\"{[(:=%";

Dim parse_dim(TextCursor& cursor) {
  const std::size_t start = cursor.offset();
  const std::string_view text = cursor.until(",]\n");
  if (text.size() > kMaxDimText) cursor.fail_at(start, "this size is too long");
  try {
    const Dim dim = Dim::parse(text);
    if (dim.is_constant() && dim.constant() < 0) cursor.fail_at(start, fmt::format("negative size {}", dim.str()));
    return dim;
  } catch (const UserError& error) {
    cursor.fail_at(start, error.message(), error.hint());
  } catch (const RuntimeError& error) {
    cursor.fail_at(start, error.what());
  }
}

Shape parse_shape(TextCursor& cursor) {
  const std::size_t start = cursor.offset();
  cursor.expect("[");
  Shape shape;
  if (cursor.take("]")) return shape;
  do {
    shape.push_back(parse_dim(cursor));
  } while (cursor.take(","));
  cursor.expect("]");
  // Rules multiply sizes out: the product must fit, and must not explode into terms.
  std::size_t n_terms = 1;
  for (const Dim dim : shape) {
    n_terms *= std::max<std::size_t>(1, dim.terms().size());
    if (n_terms > kMaxShapeTerms) cursor.fail_at(start, "the sizes of this shape are too complex");
  }
  try {
    n_elements(shape) * Dim(static_cast<std::int64_t>(size_of(DType::c128)));
  } catch (const RuntimeError& error) {
    cursor.fail_at(start, fmt::format("the product of these sizes is too large ({})", error.what()));
  }
  return shape;
}

// Reads exactly what float_text() prints, and any other decimal spelling.
template <typename T>
bool read_float(std::string_view text, T& value) {
  using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
  if (text.starts_with("nan:")) {
    Bits bits = 0;
    const char* end = text.data() + text.size();
    const auto [at, error] = std::from_chars(text.data() + 4, end, bits, 16);
    std::memcpy(&value, &bits, sizeof bits);
    return error == std::errc() && at == end && std::isnan(value);
  }
  if (text == "inf" || text == "-inf") {
    value = text.front() == '-' ? -std::numeric_limits<T>::infinity() : std::numeric_limits<T>::infinity();
    return true;
  }
  const char* end = text.data() + text.size();
  const auto [at, error] = std::from_chars(text.data(), end, value);
  return error == std::errc() && at == end && std::isfinite(value);
}

template <typename T>
T parse_float(TextCursor& cursor) {
  const std::size_t start = cursor.offset();
  cursor.take("nan:");
  cursor.until(kNumberEnd);
  const std::string_view text = cursor.between(start, cursor.position());
  T value{};
  if (!read_float(text, value)) {
    cursor.fail_at(start, fmt::format("{} is no number in range", quoted(text.substr(0, 40))),
                   "expected decimal digits, inf, or nan:<bits in hexadecimal>");
  }
  return value;
}

std::int64_t parse_int(TextCursor& cursor) {
  const std::size_t start = cursor.offset();
  const std::string_view text = cursor.until(kNumberEnd);
  std::int64_t value = 0;
  const char* end = text.data() + text.size();
  const auto [at, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || at != end) {
    cursor.fail_at(start, fmt::format("{} is no integer of 64 bits", quoted(text.substr(0, 40))));
  }
  return value;
}

template <typename T>
T parse_element(TextCursor& cursor) {
  if constexpr (std::is_same_v<T, bool>) {
    if (cursor.take_word("true")) return true;
    if (cursor.take_word("false")) return false;
    cursor.fail_expected("true or false");
  } else if constexpr (std::is_same_v<T, std::int64_t>) {
    return parse_int(cursor);
  } else if constexpr (std::is_floating_point_v<T>) {
    return parse_float<T>(cursor);
  } else {
    using Part = typename T::value_type;
    cursor.expect("(");
    const Part real = parse_float<Part>(cursor);
    cursor.expect(",");
    const Part imag = parse_float<Part>(cursor);
    cursor.expect(")");
    return T(real, imag);
  }
}

int hex_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return -1;
}

// `dense` is consumed already. Memory is taken only for data that stands in the text.
Attribute parse_dense(TextCursor& cursor) {
  cursor.expect("<");
  const std::size_t start = cursor.offset();
  const Type type = parse_type(cursor);
  if (!is_static(type.shape())) cursor.fail_at(start, "a dense constant needs sizes that are numbers");
  if (type.encoding()) cursor.fail_at(start, "a dense constant has no encoding");
  cursor.expect(">");
  const std::vector<std::int64_t> shape = evaluate(type.shape(), {});
  const std::int64_t n = n_elements(shape);
  const std::size_t element_size = size_of(type.dtype());

  const std::size_t data_start = cursor.offset();
  const auto check_count = [&](std::size_t found) {
    if (found != static_cast<std::size_t>(n)) {
      cursor.fail_at(data_start, fmt::format("{} needs {} elements, found {}", type.str(), n, found));
    }
  };
  if (cursor.take("x")) {
    const std::string_view digits = cursor.raw_string("hexadecimal bytes in quotes");
    if (digits.size() % (2 * element_size) != 0) cursor.fail_at(data_start, "the last element is cut off");
    check_count(digits.size() / (2 * element_size));
    Array array(type.dtype(), shape);
    auto* bytes = static_cast<unsigned char*>(array.raw());
    for (std::size_t i = 0; i < array.n_bytes(); ++i) {
      const int high = hex_value(digits[2 * i]), low = hex_value(digits[2 * i + 1]);
      if (high < 0 || low < 0 || (type.dtype() == DType::boolean && high * 16 + low > 1)) {
        cursor.fail_at(data_start, fmt::format("byte {} is wrong: {}", i, quoted(digits.substr(2 * i, 2))));
      }
      bytes[i] = static_cast<unsigned char>(high * 16 + low);
    }
    return Attribute::dense(array);
  }
  return visit_dtype(type.dtype(), [&](auto zero) {
    using T = decltype(zero);
    std::vector<T> values;
    cursor.expect("{");
    if (!cursor.take("}")) {
      do {
        values.push_back(parse_element<T>(cursor));
      } while (cursor.take(","));
      cursor.expect("}");
    }
    check_count(values.size());
    return Attribute::dense(Array::from(shape, values));
  });
}

Attribute parse_number(TextCursor& cursor) {
  const std::size_t start = cursor.offset();
  const std::string_view text = cursor.until(kNumberEnd);
  cursor.rewind(start);
  if (text.find_first_of(".eEn") != std::string_view::npos) return Attribute::floating(parse_float<double>(cursor));
  return Attribute::integer(parse_int(cursor));
}

}  // namespace

Type parse_type(TextCursor& cursor) {
  const TextCursor::Nesting nesting(cursor);
  const std::size_t start = cursor.offset();
  const std::string_view word = cursor.identifier("a type, such as f64[n, 2]");
  const std::optional<DType> dtype = dtype_from_name(word);
  if (!dtype) {
    cursor.fail_at(start, fmt::format("unknown element type {}", quoted(word.substr(0, 40))),
                   "known are bool, i64, f32, f64, c64, c128");
  }
  Shape shape = parse_shape(cursor);
  Attribute encoding;
  if (cursor.peek() == '{') {
    cursor.expect("{");
    encoding = parse_attribute(cursor);
    cursor.expect("}");
  }
  return Type::tensor(*dtype, std::move(shape), encoding);
}

Attribute parse_attribute(TextCursor& cursor) {
  const TextCursor::Nesting nesting(cursor);
  if (cursor.next_is("\"")) return Attribute::string(cursor.quoted_string("a string"));
  if (cursor.next_is("-") || cursor.next_is_digit()) return parse_number(cursor);
  if (cursor.take("[")) {
    std::vector<Attribute> elements;
    if (cursor.take("]")) return Attribute::list({});
    do {
      elements.push_back(parse_attribute(cursor));
    } while (cursor.take(","));
    cursor.expect("]");
    return Attribute::list(std::move(elements));
  }
  const std::size_t start = cursor.offset();
  const std::string_view word =
      cursor.identifier("an attribute (true, 1, 2.5, \"text\", shape[n], f64[n], [...], dense<...>)");
  if (word == "true") return Attribute::boolean(true);
  if (word == "false") return Attribute::boolean(false);
  if (word == "shape") return Attribute::shape(parse_shape(cursor));
  if (word == "dense") return parse_dense(cursor);
  cursor.rewind(start);
  if (word == "inf" || word == "nan") return Attribute::floating(parse_float<double>(cursor));
  return Attribute::type(parse_type(cursor));
}

AttributeMap parse_attribute_map(TextCursor& cursor) {
  AttributeMap map;
  cursor.expect("{");
  do {
    const std::size_t start = cursor.offset();
    const std::string name = cursor.next_is("\"") ? cursor.quoted_string("a name")
                                                  : std::string(cursor.dotted_identifier("the name of an attribute"));
    if (map.has(name)) cursor.fail_at(start, fmt::format("the attribute {} is given twice", symbol_text(name)));
    cursor.expect("=");
    map.set(name, parse_attribute(cursor));
  } while (cursor.take(","));
  cursor.expect("}");
  return map;
}

}  // namespace detail

Type Type::parse(std::string_view text) {
  detail::TextCursor cursor(text);
  const Type type = detail::parse_type(cursor);
  if (!cursor.at_end()) cursor.fail_expected("the end of the type");
  return type;
}

Attribute Attribute::parse(std::string_view text) {
  detail::TextCursor cursor(text);
  const Attribute attribute = detail::parse_attribute(cursor);
  if (!cursor.at_end()) cursor.fail_expected("the end of the attribute");
  return attribute;
}

}  // namespace eddy::ir
