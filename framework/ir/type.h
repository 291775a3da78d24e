#pragma once
/// Types of values: interned, immutable, compared by pointer.

#include <string>
#include <vector>

#include "framework/core/dim.h"
#include "framework/core/dtype.h"
#include "framework/ir/attribute.h"

namespace eddy::ir {

namespace detail {
struct TypeStorage;
}

/// A tensor type: dtype, shape (sizes may be symbolic) and an optional encoding, where a placement will stand.
/// A scalar is a tensor of rank 0. The default-constructed handle is null.
class Type {
 public:
  Type() = default;
  static Type tensor(DType dtype, Shape shape = {}, Attribute encoding = {});
  /// Reads what str() prints. UserError otherwise.
  static Type parse(std::string_view text);

  explicit operator bool() const { return storage_ != nullptr; }
  DType dtype() const;
  const Shape& shape() const;
  std::size_t rank() const { return shape().size(); }
  Dim dim(std::size_t i) const { return shape().at(i); }
  /// Null when the type has none.
  Attribute encoding() const;

  Type with_dtype(DType dtype) const { return tensor(dtype, shape(), encoding()); }
  Type with_shape(Shape shape) const { return tensor(dtype(), std::move(shape), encoding()); }

  /// "f64[n, 2]", "f32[]", with an encoding "f64[n, 2]{...}". Canonical: equal texts are equal types.
  const std::string& str() const;

  friend bool operator==(Type a, Type b) { return a.storage_ == b.storage_; }
  friend bool operator!=(Type a, Type b) { return !(a == b); }

 private:
  explicit Type(const detail::TypeStorage* storage) : storage_(storage) {}
  const detail::TypeStorage* storage_ = nullptr;
};

}  // namespace eddy::ir
