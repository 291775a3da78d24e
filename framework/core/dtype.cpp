#include "framework/core/dtype.h"

#include <array>

namespace eddy {

namespace {
struct Entry {
  DType dtype;
  std::string_view name;
  std::size_t size;
};
constexpr std::array<Entry, 6> kEntries = {{{DType::boolean, "bool", 1},
                                            {DType::i64, "i64", 8},
                                            {DType::f32, "f32", 4},
                                            {DType::f64, "f64", 8},
                                            {DType::c64, "c64", 8},
                                            {DType::c128, "c128", 16}}};
}  // namespace

std::string_view name(DType dtype) { return kEntries[static_cast<std::size_t>(dtype)].name; }

std::size_t size_of(DType dtype) { return kEntries[static_cast<std::size_t>(dtype)].size; }

std::optional<DType> dtype_from_name(std::string_view text) {
  for (const Entry& entry : kEntries) {
    if (entry.name == text) return entry.dtype;
  }
  return std::nullopt;
}

}  // namespace eddy
