#include "science/sampling/permutation.h"

#include "framework/core/errors.h"
#include "science/sampling/bits.h"

namespace eddy::sampling {

namespace {
// Four rounds make a strong pseudorandom permutation of a large domain; tiny ones need more to mix.
constexpr int kRounds = 8;
}  // namespace

Permutation::Permutation(std::uint64_t size, std::uint64_t key) : size_(size), key_(key) {
  EDDY_CHECK(size >= 1 && size <= std::uint64_t{1} << 62);
  while ((std::uint64_t{1} << (2 * half_bits_)) < size) ++half_bits_;
}

std::uint64_t Permutation::operator()(std::uint64_t index) const {
  EDDY_ASSERT(index < size_);
  const std::uint64_t mask = (std::uint64_t{1} << half_bits_) - 1;
  do {
    std::uint64_t left = index >> half_bits_, right = index & mask;
    for (std::uint64_t round = 0; round < kRounds; ++round) {
      const std::uint64_t mixed = left ^ (mix(mix(key_ + round) ^ right) & mask);
      left = right;
      right = mixed;
    }
    index = left << half_bits_ | right;
  } while (index >= size_);
  return index;
}

}  // namespace eddy::sampling
