#include "framework/core/array.h"

#include <cstdlib>
#include <cstring>
#include <type_traits>

#include "framework/core/dim.h"

namespace eddy {

namespace {
constexpr std::size_t kAlignment = 64;  // a cache line and an AVX-512 vector

template <typename T>
double to_double(T value) {
  if constexpr (std::is_same_v<T, std::complex<float>> || std::is_same_v<T, std::complex<double>>) {
    return static_cast<double>(value.real());
  } else {
    return static_cast<double>(value);
  }
}

template <typename To, typename From>
To convert(From value) {
  constexpr bool from_complex = !std::is_arithmetic_v<From>;
  constexpr bool to_complex = !std::is_arithmetic_v<To>;
  if constexpr (from_complex && to_complex) {
    using Part = typename To::value_type;
    return To(static_cast<Part>(value.real()), static_cast<Part>(value.imag()));
  } else if constexpr (from_complex) {
    return convert<To>(value.real());
  } else if constexpr (to_complex) {
    return To(static_cast<typename To::value_type>(value));
  } else if constexpr (std::is_same_v<To, bool>) {
    return value != From{};
  } else if constexpr (std::is_same_v<To, std::int64_t> && std::is_floating_point_v<From>) {
    // Out of range would be undefined behaviour; saturate, NaN gives 0.
    if (!(value == value)) return 0;
    if (value >= static_cast<From>(9223372036854775808.0)) return INT64_MAX;
    if (value < static_cast<From>(-9223372036854775808.0)) return INT64_MIN;
    return static_cast<To>(value);
  } else {
    return static_cast<To>(value);
  }
}
}  // namespace

Array::Array(DType dtype, std::vector<std::int64_t> shape)
    : dtype_(dtype), shape_(std::move(shape)), n_elements_(eddy::n_elements(shape_)) {
  const std::int64_t bytes = checked_multiply(n_elements_, static_cast<std::int64_t>(size_of(dtype)));
  const std::size_t rounded = (static_cast<std::size_t>(bytes) / kAlignment + 1) * kAlignment;
  void* memory = std::aligned_alloc(kAlignment, rounded);
  if (!memory) throw RuntimeError(fmt::format("out of memory: an array of {} bytes", bytes));
  std::memset(memory, 0, rounded);
  data_ = std::shared_ptr<void>(memory, std::free);
}

Array Array::view(DType dtype, std::vector<std::int64_t> shape, void* data) {
  Array array;
  array.dtype_ = dtype;
  array.n_elements_ = eddy::n_elements(shape);
  array.shape_ = std::move(shape);
  array.data_ = std::shared_ptr<void>(data, [](void*) {});
  return array;
}

double Array::at(std::int64_t index) const {
  EDDY_CHECK(index >= 0 && index < n_elements_, "index {} of {}", index, n_elements_);
  return visit_dtype(dtype_, [&](auto zero) {
    using T = decltype(zero);
    return to_double(static_cast<const T*>(raw())[index]);
  });
}

double Array::item() const {
  EDDY_CHECK(n_elements_ == 1, "the array has {} elements", n_elements_);
  return at(0);
}

Array Array::clone() const {
  Array copy(dtype_, shape_);
  if (n_bytes() != 0) std::memcpy(copy.raw(), raw(), n_bytes());
  return copy;
}

Array Array::reshaped(std::vector<std::int64_t> shape) const {
  EDDY_CHECK(eddy::n_elements(shape) == n_elements_);
  Array result = *this;
  result.shape_ = std::move(shape);
  return result;
}

Array Array::cast(DType dtype) const {
  if (dtype == dtype_) return clone();
  Array result(dtype, shape_);
  visit_dtype(dtype_, [&](auto from) {
    visit_dtype(dtype, [&](auto to) {
      using From = decltype(from);
      using To = decltype(to);
      const From* source = static_cast<const From*>(raw());
      To* target = static_cast<To*>(result.raw());
      for (std::int64_t i = 0; i < n_elements_; ++i) target[i] = convert<To>(source[i]);
    });
  });
  return result;
}

bool Array::identical(const Array& other) const {
  return dtype_ == other.dtype_ && shape_ == other.shape_ &&
         (n_bytes() == 0 || std::memcmp(raw(), other.raw(), n_bytes()) == 0);
}

}  // namespace eddy
