#pragma once
/// Element types of tensors.

#include <complex>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace eddy {

/// Boolean values are stored as one byte, 0 or 1.
enum class DType : std::uint8_t { boolean, i64, f32, f64, c64, c128 };

/// "bool", "i64", "f32", "f64", "c64", "c128".
std::string_view name(DType dtype);
std::optional<DType> dtype_from_name(std::string_view text);

/// Bytes of one element.
std::size_t size_of(DType dtype);

constexpr bool is_real(DType dtype) { return dtype == DType::f32 || dtype == DType::f64; }
constexpr bool is_complex(DType dtype) { return dtype == DType::c64 || dtype == DType::c128; }
constexpr bool is_inexact(DType dtype) { return is_real(dtype) || is_complex(dtype); }

template <typename T>
constexpr DType dtype_of();
template <>
constexpr DType dtype_of<bool>() {
  return DType::boolean;
}
template <>
constexpr DType dtype_of<std::int64_t>() {
  return DType::i64;
}
template <>
constexpr DType dtype_of<float>() {
  return DType::f32;
}
template <>
constexpr DType dtype_of<double>() {
  return DType::f64;
}
template <>
constexpr DType dtype_of<std::complex<float>>() {
  return DType::c64;
}
template <>
constexpr DType dtype_of<std::complex<double>>() {
  return DType::c128;
}

}  // namespace eddy
