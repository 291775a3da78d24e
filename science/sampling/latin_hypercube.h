#pragma once
/// Latin hypercube sampling (McKay, Beckman, Conover, Technometrics 21, 1979).

#include "framework/core/rng.h"
#include "science/sampling/sampler.h"

namespace eddy::sampling {

/// Points b * block .. (b + 1) * block - 1 form one Latin hypercube: along each coordinate every interval
/// [k / block, (k + 1) / block) holds exactly one of them, at a random place. Blocks are independent.
class LatinHypercube final : public Sampler {
 public:
  /// `block` in [1, 2^31].
  LatinHypercube(int n_dims, std::int64_t block, std::uint64_t seed, std::uint64_t stream);
  void points(std::uint64_t first, std::int64_t n, double* out) const override;

 private:
  std::uint64_t block_;
  Rng places_, orders_;
};

}  // namespace eddy::sampling
