#include "framework/ir/type.h"

#include <deque>
#include <mutex>
#include <unordered_map>

#include "framework/core/errors.h"

namespace eddy::ir {

struct detail::TypeStorage {
  DType dtype;
  Shape shape;
  Attribute encoding;
  std::string text;
};

Type Type::tensor(DType dtype, Shape shape, Attribute encoding) {
  static std::mutex mutex;
  static std::deque<detail::TypeStorage> all;
  static std::unordered_map<std::string_view, const detail::TypeStorage*> known;
  std::string text = std::string(name(dtype)) + eddy::str(shape);
  if (encoding) text += "{" + encoding.str() + "}";
  const std::lock_guard lock(mutex);
  const auto found = known.find(text);
  if (found != known.end()) return Type(found->second);
  all.push_back({dtype, std::move(shape), encoding, std::move(text)});
  known.emplace(all.back().text, &all.back());
  return Type(&all.back());
}

DType Type::dtype() const {
  EDDY_CHECK(storage_ != nullptr);
  return storage_->dtype;
}
const Shape& Type::shape() const {
  EDDY_CHECK(storage_ != nullptr);
  return storage_->shape;
}
Attribute Type::encoding() const {
  EDDY_CHECK(storage_ != nullptr);
  return storage_->encoding;
}
const std::string& Type::str() const {
  EDDY_CHECK(storage_ != nullptr);
  return storage_->text;
}

}  // namespace eddy::ir
