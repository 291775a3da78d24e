#pragma once
/// Sequences of points in the unit cube.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "framework/core/thread_pool.h"

namespace eddy::sampling {

/// A sequence of points in the open unit cube (0, 1)^n_dims with random access: a point depends on the sampler's
/// construction and its index alone, so results do not depend on how a range is split over threads or ranks.
class Sampler {
 public:
  explicit Sampler(int n_dims) : n_dims_(n_dims) {}
  virtual ~Sampler() = default;

  int n_dims() const { return n_dims_; }
  /// Writes the points first .. first + n - 1 to `out` [n, n_dims]. May be called by several threads at once.
  virtual void points(std::uint64_t first, std::int64_t n, double* out) const = 0;

 private:
  int n_dims_;
};

enum class SamplerKind {
  uniform,          ///< independent points
  latin_hypercube,  ///< each coordinate of each block of n points has one point in each n-th of [0, 1]
  halton,           ///< randomized Halton sequence; Sobol is better where it reaches
  sobol,            ///< Sobol sequence, Owen-scrambled; even by powers of two
};

/// "uniform", "latin_hypercube", "halton", "sobol"
std::string_view name(SamplerKind kind);
std::optional<SamplerKind> sampler_kind_from_name(std::string_view text);
std::vector<std::string> sampler_names();

/// The sequence that (seed, stream) stand for; different streams are independent randomizations. `block` >= 1 is the
/// number of points that are stratified together by Latin hypercube sampling; the others ignore it. UserError when the
/// kind does not reach `n_dims` (Sobol: Sobol::kMaxDims).
std::unique_ptr<Sampler> make_sampler(SamplerKind kind, int n_dims, std::int64_t block, std::uint64_t seed,
                                      std::uint64_t stream);

/// The points first .. first + n - 1, row-major [n, n_dims], drawn by the threads of `pool` (null: by this one).
std::vector<double> draw_unit(const Sampler& sampler, std::uint64_t first, std::int64_t n, ThreadPool* pool);

}  // namespace eddy::sampling
