#pragma once
/// Halton's sequence (Numerische Mathematik 2, 1960), randomized.

#include "science/sampling/sampler.h"

namespace eddy::sampling {

/// Coordinate k is the radical inverse of the index in the k-th prime base, each digit sent through a random
/// permutation of its own for (coordinate, position) (Owen, "A randomized Halton algorithm in R", 2017). The
/// permutations break the correlation of coordinates with large bases and keep the net property: base^m successive
/// points from a multiple of base^m fall one into each interval of length base^-m. Any number of dimensions.
class Halton final : public Sampler {
 public:
  Halton(int n_dims, std::uint64_t seed, std::uint64_t stream);
  void points(std::uint64_t first, std::int64_t n, double* out) const override;

 private:
  struct Coordinate {
    std::uint64_t base = 2;
    std::vector<double> digit_values;  // [n_digits, base]: permuted digit times base^-(position + 1)
    std::vector<double> rest;          // [n_digits + 1]: value of the digits from this position on when all are 0
  };
  std::vector<Coordinate> coordinates_;
};

}  // namespace eddy::sampling
