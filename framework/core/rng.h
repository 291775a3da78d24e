#pragma once
/// Counter-based random numbers: Philox4x32-10 (Salmon, Moraes, Dror, Shaw, "Parallel random numbers: as easy as
/// 1, 2, 3", SC 2011). A number depends on (seed, stream, index) alone, so samples do not depend on the number of
/// threads or ranks.

#include <array>
#include <cstdint>
#include <string_view>

namespace eddy {

/// The ten-round Philox block function: four random words from a counter and a key.
std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> counter, std::array<std::uint32_t, 2> key);

/// 64 bits that depend on `text` and `seed` only (FNV-1a, then mixed): names streams by what they are for.
std::uint64_t stream_id(std::string_view text, std::uint64_t seed = 0);

/// A random sequence with random access; two streams of one seed are independent.
class Rng {
 public:
  Rng(std::uint64_t seed, std::uint64_t stream) : seed_(seed), stream_(stream) {}
  Rng(std::uint64_t seed, std::string_view purpose) : Rng(seed, stream_id(purpose)) {}

  /// 64 random bits at `index`.
  std::uint64_t bits(std::uint64_t index) const;
  /// Uniform in [0, 1) with 53 bits.
  double uniform(std::uint64_t index) const;
  /// Standard normal (Box and Muller).
  double normal(std::uint64_t index) const;
  /// Uniform in [0, bound), bound > 0.
  std::uint64_t below(std::uint64_t index, std::uint64_t bound) const;

 private:
  std::uint64_t seed_, stream_;
};

}  // namespace eddy
