#pragma once
/// Random orders without a table.

#include <cstdint>

namespace eddy::sampling {

/// A random permutation of 0 .. size - 1 with random access: a Feistel network over the next power of four, walked
/// along its cycles until it comes back into the range (Black and Rogaway, "Ciphers with arbitrary finite domains",
/// 2002).
class Permutation {
 public:
  /// `size` in [1, 2^62]; `key` names the permutation.
  Permutation(std::uint64_t size, std::uint64_t key);

  std::uint64_t size() const { return size_; }
  /// Where `index` in [0, size) goes. Fewer than four steps on average.
  std::uint64_t operator()(std::uint64_t index) const;

 private:
  std::uint64_t size_, key_;
  int half_bits_ = 1;
};

}  // namespace eddy::sampling
