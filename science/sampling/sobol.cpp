#include "science/sampling/sobol.h"

#include <bit>

#include "framework/core/errors.h"
#include "framework/core/rng.h"
#include "science/sampling/bits.h"

namespace eddy::sampling {

namespace {

/// A row of Joe and Kuo's table: the primitive polynomial x^s + a_1 x^(s-1) + ... + a_(s-1) x + 1, its inner
/// coefficients as the bits of `a`, and the first s direction integers.
struct Row {
  int s;
  std::uint32_t a;
  std::array<std::uint32_t, 7> m;
};

// Coordinates 2 to 37: all primitive polynomials of degree 1 to 7.
constexpr std::array<Row, Sobol::kMaxDims - 1> kTable{{
    {1, 0, {1}},
    {2, 1, {1, 3}},
    {3, 1, {1, 3, 1}},
    {3, 2, {1, 1, 1}},
    {4, 1, {1, 1, 3, 3}},
    {4, 4, {1, 3, 5, 13}},
    {5, 2, {1, 1, 5, 5, 17}},
    {5, 4, {1, 1, 5, 5, 5}},
    {5, 7, {1, 1, 7, 11, 19}},
    {5, 11, {1, 1, 5, 1, 1}},
    {5, 13, {1, 1, 1, 3, 11}},
    {5, 14, {1, 3, 5, 5, 31}},
    {6, 1, {1, 3, 3, 9, 7, 49}},
    {6, 13, {1, 1, 1, 15, 21, 21}},
    {6, 16, {1, 3, 1, 13, 27, 49}},
    {6, 19, {1, 1, 1, 15, 7, 5}},
    {6, 22, {1, 3, 1, 15, 13, 25}},
    {6, 25, {1, 1, 5, 5, 19, 61}},
    {7, 1, {1, 3, 7, 11, 23, 15, 103}},
    {7, 4, {1, 3, 7, 13, 13, 15, 69}},
    {7, 7, {1, 1, 3, 13, 7, 35, 63}},
    {7, 8, {1, 3, 5, 9, 1, 25, 53}},
    {7, 14, {1, 3, 1, 13, 9, 35, 107}},
    {7, 19, {1, 3, 1, 5, 27, 61, 31}},
    {7, 21, {1, 1, 5, 11, 19, 41, 61}},
    {7, 28, {1, 3, 5, 3, 3, 13, 69}},
    {7, 31, {1, 1, 7, 13, 1, 19, 1}},
    {7, 32, {1, 3, 7, 5, 13, 19, 59}},
    {7, 37, {1, 1, 3, 9, 25, 29, 41}},
    {7, 41, {1, 3, 5, 13, 23, 1, 55}},
    {7, 42, {1, 3, 7, 3, 13, 59, 17}},
    {7, 50, {1, 3, 1, 3, 5, 53, 69}},
    {7, 55, {1, 1, 5, 5, 23, 33, 13}},
    {7, 56, {1, 1, 7, 7, 1, 61, 123}},
    {7, 59, {1, 1, 7, 9, 13, 61, 49}},
    {7, 62, {1, 3, 3, 5, 3, 55, 33}},
}};

/// Owen's scrambling of 32 digits, continued by 20 random ones. Whether a digit is flipped depends on the digits above
/// it: they lead to a node of a binary tree, and each node holds one random bit, here a hash of its heap index.
std::uint64_t scramble(std::uint32_t digits, std::uint64_t key) {
  std::uint64_t node = 1, out = 0;
  for (int bit = Sobol::kDigits - 1; bit >= 0; --bit) {
    const std::uint64_t digit = (digits >> bit) & 1;
    out = out << 1 | (digit ^ (mix(key ^ node) & 1));
    node = node << 1 | digit;
  }
  return out << 32 | (mix(key ^ node) >> 32);
}

}  // namespace

Sobol::Directions Sobol::directions(int dim) {
  EDDY_CHECK(dim >= 0 && dim < kMaxDims);
  Directions v{};
  if (dim == 0) {
    for (int k = 0; k < kDigits; ++k) v[static_cast<std::size_t>(k)] = std::uint32_t{1} << (kDigits - 1 - k);
    return v;
  }
  const Row& row = kTable[static_cast<std::size_t>(dim - 1)];
  const auto s = static_cast<std::size_t>(row.s);
  for (std::size_t k = 0; k < v.size(); ++k) {
    if (k < s) {
      v[k] = row.m[k] << (kDigits - 1 - k);
      continue;
    }
    v[k] = v[k - s] ^ (v[k - s] >> s);
    for (std::size_t i = 1; i < s; ++i) {
      if ((row.a >> (s - 1 - i)) & 1) v[k] ^= v[k - i];
    }
  }
  return v;
}

std::uint32_t Sobol::digits(const Directions& directions, std::uint32_t index) {
  std::uint32_t x = 0;
  for (std::uint32_t gray = index ^ (index >> 1); gray != 0; gray &= gray - 1) {
    x ^= directions[static_cast<std::size_t>(std::countr_zero(gray))];
  }
  return x;
}

Sobol::Sobol(int n_dims, std::uint64_t seed, std::uint64_t stream) : Sampler(n_dims) {
  if (n_dims > kMaxDims) {
    throw UserError(fmt::format("Sobol points reach {} dimensions, not {}", kMaxDims, n_dims),
                    "use sampler: latin_hypercube or uniform");
  }
  const Rng rng(seed, stream);
  for (int dim = 0; dim < n_dims; ++dim) {
    directions_.push_back(directions(dim));
    keys_.push_back(rng.bits(static_cast<std::uint64_t>(dim)));
  }
}

void Sobol::points(std::uint64_t first, std::int64_t n, double* out) const {
  const std::uint64_t end = first + static_cast<std::uint64_t>(n);
  EDDY_CHECK(first <= end && end <= std::uint64_t{1} << kDigits, "a Sobol sequence ends after 2^32 points");
  for (std::uint64_t index = first; index < end; ++index) {
    for (std::size_t dim = 0; dim < directions_.size(); ++dim) {
      *out++ = open_unit(scramble(digits(directions_[dim], static_cast<std::uint32_t>(index)), keys_[dim]));
    }
  }
}

}  // namespace eddy::sampling
