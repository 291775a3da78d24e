#pragma once
/// Dense host data.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "framework/core/dtype.h"
#include "framework/core/errors.h"

namespace eddy {

/// A dense row-major block of host memory with a dtype and a shape. Copies share the memory; clone() does not.
/// Memory is aligned to 64 bytes.
class Array {
 public:
  /// A scalar f64 zero.
  Array() : Array(DType::f64, {}) {}
  /// Zero-filled. Sizes are checked before they are multiplied; RuntimeError when memory runs out.
  Array(DType dtype, std::vector<std::int64_t> shape);
  /// A view of memory somebody else owns for at least as long as the array lives.
  static Array view(DType dtype, std::vector<std::int64_t> shape, void* data);

  template <typename T>
  static Array scalar(T value) {
    Array array(dtype_of<T>(), {});
    array.data<T>()[0] = value;
    return array;
  }
  /// Copies `values`, whose number must be the product of `shape`.
  template <typename T>
  static Array from(std::vector<std::int64_t> shape, const std::vector<T>& values) {
    Array array(dtype_of<T>(), std::move(shape));
    EDDY_CHECK(static_cast<std::int64_t>(values.size()) == array.n_elements());
    for (std::size_t i = 0; i < values.size(); ++i) array.data<T>()[i] = values[i];
    return array;
  }

  DType dtype() const { return dtype_; }
  const std::vector<std::int64_t>& shape() const { return shape_; }
  std::size_t rank() const { return shape_.size(); }
  std::int64_t n_elements() const { return n_elements_; }
  std::size_t n_bytes() const { return static_cast<std::size_t>(n_elements_) * size_of(dtype_); }

  void* raw() { return data_.get(); }
  const void* raw() const { return data_.get(); }
  template <typename T>
  std::span<T> data() {
    EDDY_CHECK(dtype_of<T>() == dtype_);
    return {static_cast<T*>(data_.get()), static_cast<std::size_t>(n_elements_)};
  }
  template <typename T>
  std::span<const T> data() const {
    EDDY_CHECK(dtype_of<T>() == dtype_);
    return {static_cast<const T*>(data_.get()), static_cast<std::size_t>(n_elements_)};
  }
  /// Element `index` in row-major order as a double (real parts of complex values, booleans as 0 and 1).
  double at(std::int64_t index) const;
  /// The value of an array with one element.
  double item() const;

  Array clone() const;
  /// The same memory under another shape of equal size.
  Array reshaped(std::vector<std::int64_t> shape) const;
  /// A copy converted element by element, rounded to nearest.
  Array cast(DType dtype) const;

  /// Same dtype, shape and bits (NaN equals the same NaN, 0 differs from -0).
  bool identical(const Array& other) const;

 private:
  DType dtype_;
  std::vector<std::int64_t> shape_;
  std::int64_t n_elements_ = 0;
  std::shared_ptr<void> data_;
};

/// Calls `f` with a value of the C++ type behind `dtype`:
/// visit_dtype(d, [&](auto zero) { using T = decltype(zero); ... }).
template <typename F>
decltype(auto) visit_dtype(DType dtype, F&& f) {
  switch (dtype) {
    case DType::boolean: return f(bool{});
    case DType::i64: return f(std::int64_t{});
    case DType::f32: return f(float{});
    case DType::f64: return f(double{});
    case DType::c64: return f(std::complex<float>{});
    case DType::c128: return f(std::complex<double>{});
  }
  throw InternalError("unknown dtype");
}

}  // namespace eddy
