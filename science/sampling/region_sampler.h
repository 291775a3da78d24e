#pragma once
/// Points in a region, where a condition holds.

#include <string_view>
#include <vector>

#include "framework/core/errors.h"
#include "framework/core/thread_pool.h"
#include "science/geometry/domain.h"
#include "science/sampling/sampler.h"

namespace eddy::sampling {

/// Draws any number of points from the part of a domain where a criterion holds, always exactly as many as asked.
class RegionSampler {
 public:
  /// Finds out how much of each part the criterion leaves, from the same fixed Sobol points every time: 2^14 in all, up
  /// to 2^20 where few of them are kept. Where none is, it throws a UserError at `where`.
  RegionSampler(geometry::Domain domain, SamplerKind kind, geometry::Criterion criterion = {},
                SourceLocation where = {});

  const geometry::Domain& domain() const { return domain_; }
  /// Spatial measure of what is kept: exact where nothing is ruled out, else an estimate that does not depend on a
  /// seed. With a time range it is the mean over time.
  double measure() const { return measure_; }

  /// `n` points; each part has its share by measure, by largest remainder, and a sequence of its own, which goes on
  /// until enough of its points are kept. Every point's area is measure() / n. The result depends on (n, seed, stream)
  /// alone, not on the threads. UserError when a sequence runs dry.
  geometry::PointSet draw(std::int64_t n, std::uint64_t seed, std::string_view stream,
                          ThreadPool* pool = nullptr) const;

 private:
  struct Candidates {
    geometry::PointSet points;
    std::vector<std::int64_t> kept;  // rows, ascending
  };
  Candidates candidates(const Sampler& sampler, int part, std::uint64_t first, std::int64_t n, ThreadPool* pool) const;
  /// Tries `n_points` pilot points in each part, sets fractions_, measures_ and measure_, returns how many were kept.
  std::int64_t run_pilot(std::int64_t n_points);

  geometry::Domain domain_;
  SamplerKind kind_;
  geometry::Criterion criterion_;
  SourceLocation where_;
  std::vector<double> fractions_;  // [n_parts] kept
  std::vector<double> measures_;   // [n_parts] kept
  double measure_ = 0;
};

}  // namespace eddy::sampling
