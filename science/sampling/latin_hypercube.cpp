#include "science/sampling/latin_hypercube.h"

#include <algorithm>

#include "framework/core/errors.h"
#include "science/sampling/bits.h"
#include "science/sampling/permutation.h"

namespace eddy::sampling {

LatinHypercube::LatinHypercube(int n_dims, std::int64_t block, std::uint64_t seed, std::uint64_t stream)
    : Sampler(n_dims),
      block_(static_cast<std::uint64_t>(block)),
      places_(seed, stream),
      orders_(seed, stream_id("order", stream)) {
  EDDY_CHECK(block >= 1 && block <= std::int64_t{1} << 31);
}

void LatinHypercube::points(std::uint64_t first, std::int64_t n, double* out) const {
  const auto d = static_cast<std::uint64_t>(n_dims());
  const std::uint64_t end = first + static_cast<std::uint64_t>(n);
  for (std::uint64_t index = first; index < end;) {
    const std::uint64_t block = index / block_, block_end = std::min(end, (block + 1) * block_);
    for (std::uint64_t dim = 0; dim < d; ++dim) {
      const Permutation order(block_, orders_.bits(block * d + dim));
      for (std::uint64_t i = index; i < block_end; ++i) {
        // 20 bits of place keep the sum exact and its quotient off the interval's ends; one point alone takes them all.
        const std::uint64_t bits = places_.bits(i * d + dim);
        const double place = (static_cast<double>(bits >> 44) + 0.5) * 0x1p-20;
        out[(i - first) * d + dim] =
            block_ == 1 ? open_unit(bits)
                        : (static_cast<double>(order(i % block_)) + place) / static_cast<double>(block_);
      }
    }
    index = block_end;
  }
}

}  // namespace eddy::sampling
