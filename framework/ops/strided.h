#pragma once
/// Walks over arrays with one stride per dim: the moving parts of the reference kernels.

#include <cstdint>
#include <vector>

#include "framework/core/array.h"

namespace eddy::ops {

/// Where the element at index i is: offset + sum of i_d strides_d, in elements. Strides may be zero or negative.
struct Strided {
  std::int64_t offset = 0;
  std::vector<std::int64_t> strides;
};

/// The row-major layout of `shape`.
Strided row_major(const std::vector<std::int64_t>& shape);

/// Calls f(position in a, position in b) for each index below `extents`, the last dim fastest.
template <typename F>
void walk(const std::vector<std::int64_t>& extents, const Strided& a, const Strided& b, F&& f) {
  const std::size_t rank = extents.size();
  for (const std::int64_t extent : extents) {
    if (extent == 0) return;
  }
  if (rank == 0) {
    f(a.offset, b.offset);
    return;
  }
  std::vector<std::int64_t> counter(rank, 0);
  std::int64_t at_a = a.offset, at_b = b.offset;
  const std::int64_t step_a = a.strides[rank - 1], step_b = b.strides[rank - 1];
  for (;;) {
    for (std::int64_t i = 0; i < extents[rank - 1]; ++i) f(at_a + i * step_a, at_b + i * step_b);
    std::size_t dim = rank - 1;
    for (; dim > 0; --dim) {
      const std::size_t outer = dim - 1;
      at_a += a.strides[outer];
      at_b += b.strides[outer];
      if (++counter[outer] < extents[outer]) break;
      at_a -= a.strides[outer] * extents[outer];
      at_b -= b.strides[outer] * extents[outer];
      counter[outer] = 0;
    }
    if (dim == 0) return;
  }
}

/// Copies the elements of `source` at `from` to `target` at `to`, for each index below `extents`. The arrays have one
/// dtype and do not overlap.
void copy(const std::vector<std::int64_t>& extents, const Array& source, const Strided& from, Array& target,
          const Strided& to);

}  // namespace eddy::ops
