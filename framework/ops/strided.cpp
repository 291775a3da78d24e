#include "framework/ops/strided.h"

#include <cstring>

namespace eddy::ops {

namespace {

template <std::size_t n_bytes>
void copy_elements(const std::vector<std::int64_t>& extents, const void* source, const Strided& from, void* target,
                   const Strided& to) {
  const auto* in = static_cast<const unsigned char*>(source);
  auto* out = static_cast<unsigned char*>(target);
  constexpr auto size = static_cast<std::int64_t>(n_bytes);
  walk(extents, from, to, [=](std::int64_t i, std::int64_t j) { std::memcpy(out + j * size, in + i * size, n_bytes); });
}

}  // namespace

Strided row_major(const std::vector<std::int64_t>& shape) {
  Strided layout{0, std::vector<std::int64_t>(shape.size())};
  std::int64_t step = 1;
  for (std::size_t i = shape.size(); i-- > 0;) {
    layout.strides[i] = step;
    step *= shape[i];
  }
  return layout;
}

void copy(const std::vector<std::int64_t>& extents, const Array& source, const Strided& from, Array& target,
          const Strided& to) {
  EDDY_CHECK(source.dtype() == target.dtype());
  switch (size_of(source.dtype())) {
    case 1: return copy_elements<1>(extents, source.raw(), from, target.raw(), to);
    case 4: return copy_elements<4>(extents, source.raw(), from, target.raw(), to);
    case 8: return copy_elements<8>(extents, source.raw(), from, target.raw(), to);
    case 16: return copy_elements<16>(extents, source.raw(), from, target.raw(), to);
    default: throw InternalError("no element has this size");
  }
}

}  // namespace eddy::ops
