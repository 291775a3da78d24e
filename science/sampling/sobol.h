#pragma once
/// Sobol's sequence (USSR Comput. Math. Math. Phys. 7, 1967), scrambled.

#include <array>

#include "science/sampling/sampler.h"

namespace eddy::sampling {

/// Sobol's digital sequence in base 2 with the direction numbers of Joe and Kuo ("Constructing Sobol sequences with
/// better two-dimensional projections", SIAM J. Sci. Comput. 30, 2008, table new-joe-kuo-6.21201), in Gray code order,
/// under Owen's nested uniform scrambling ("Randomly permuted (t,m,s)-nets and (t,s)-sequences", 1995): each point is
/// uniform, nets stay nets, and the integration error of smooth functions falls as n^-1.5 over n = 2^m. A number of
/// points that is no power of two keeps most of that. Indices below 2^32.
class Sobol final : public Sampler {
 public:
  static constexpr int kMaxDims = 37;
  static constexpr int kDigits = 32;
  /// Column k of a generating matrix, its first row in the top bit.
  using Directions = std::array<std::uint32_t, kDigits>;

  /// UserError when n_dims is above kMaxDims.
  Sobol(int n_dims, std::uint64_t seed, std::uint64_t stream);
  void points(std::uint64_t first, std::int64_t n, double* out) const override;

  /// Direction numbers of coordinate `dim` in [0, kMaxDims).
  static Directions directions(int dim);
  /// The unscrambled point's coordinate times 2^32.
  static std::uint32_t digits(const Directions& directions, std::uint32_t index);

 private:
  std::vector<Directions> directions_;
  std::vector<std::uint64_t> keys_;  // one scrambling per coordinate
};

}  // namespace eddy::sampling
