#pragma once
/// The points a constraint is evaluated at, step by step.

#include <cstdint>
#include <string>
#include <vector>

#include "science/sampling/region_sampler.h"

namespace eddy::sampling {

/// Random mini-batches of the rows of a pool: every epoch goes through the pool in a new order, without repetition.
/// Rows that do not fill the last batch sit that epoch out.
class MiniBatches {
 public:
  /// 1 <= batch <= n_pool.
  MiniBatches(std::int64_t n_pool, std::int64_t batch, std::uint64_t seed, const std::string& name);

  std::int64_t batches_per_epoch() const { return n_pool_ / batch_; }
  /// Rows of batch number k = 0, 1, ...; it depends on k and the construction alone.
  std::vector<std::int64_t> rows(std::uint64_t k) const;

 private:
  std::int64_t n_pool_, batch_;
  std::uint64_t key_;
};

/// How a constraint's points change from step to step.
struct BatchPlan {
  std::int64_t batch = 0;           ///< points per step, >= 1
  std::int64_t pool = 0;            ///< points to choose from, >= batch; 0 means batch: every step uses all of them
  std::int64_t resample_every = 0;  ///< steps after which the pool is drawn anew, under a new randomization; 0: never
};

/// Batch number k of a constraint is a function of (seed, name, k): the only state is the step counter, which the
/// trainer has anyway, so that a run that is resumed goes on with the same points.
class ConstraintSampler {
 public:
  /// UserError when the plan is impossible. `pool` may be null; it must outlive the sampler.
  ConstraintSampler(RegionSampler region, BatchPlan plan, std::uint64_t seed, std::string name,
                    ThreadPool* pool = nullptr);

  const RegionSampler& region() const { return region_; }
  const BatchPlan& plan() const { return plan_; }
  /// Batch k; the reference holds until the next call. Areas are measure / batch.
  const geometry::PointSet& batch(std::uint64_t k);
  /// Whether batch k differs from batch k - 1 (true for k = 0): where not, a copy on the device is still good.
  bool changes_at(std::uint64_t k) const;

 private:
  std::uint64_t round_of(std::uint64_t k) const;

  RegionSampler region_;
  BatchPlan plan_;
  std::uint64_t seed_;
  std::string name_;
  ThreadPool* threads_;
  bool has_pool_ = false;
  std::uint64_t pool_round_ = 0;
  geometry::PointSet pool_, batch_;
};

}  // namespace eddy::sampling
