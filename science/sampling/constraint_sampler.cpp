#include "science/sampling/constraint_sampler.h"

#include "framework/core/rng.h"
#include "science/sampling/permutation.h"

namespace eddy::sampling {

MiniBatches::MiniBatches(std::int64_t n_pool, std::int64_t batch, std::uint64_t seed, const std::string& name)
    : n_pool_(n_pool), batch_(batch), key_(stream_id(name + "/order", seed)) {
  EDDY_CHECK(batch >= 1 && batch <= n_pool, "batch {} of a pool of {}", batch, n_pool);
}

std::vector<std::int64_t> MiniBatches::rows(std::uint64_t k) const {
  const auto per_epoch = static_cast<std::uint64_t>(batches_per_epoch());
  const Permutation order(static_cast<std::uint64_t>(n_pool_), Rng(key_, "epoch").bits(k / per_epoch));
  const std::uint64_t first = k % per_epoch * static_cast<std::uint64_t>(batch_);
  std::vector<std::int64_t> rows(static_cast<std::size_t>(batch_));
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = static_cast<std::int64_t>(order(first + i));
  return rows;
}

ConstraintSampler::ConstraintSampler(RegionSampler region, BatchPlan plan, std::uint64_t seed, std::string name,
                                     ThreadPool* pool)
    : region_(std::move(region)), plan_(plan), seed_(seed), name_(std::move(name)), threads_(pool) {
  if (plan_.batch < 1) {
    throw UserError(fmt::format("constraint '{}' has {} points", name_, plan_.batch), "write points: 1 or more");
  }
  if (plan_.pool == 0) plan_.pool = plan_.batch;
  if (plan_.pool < plan_.batch) {
    throw UserError(fmt::format("constraint '{}' takes {} points from a pool of {}", name_, plan_.batch, plan_.pool),
                    "the pool must hold at least the points of one step");
  }
  if (plan_.resample_every < 0) {
    throw UserError(fmt::format("constraint '{}' resamples every {} steps", name_, plan_.resample_every),
                    "write a number of steps, 1 or more");
  }
}

std::uint64_t ConstraintSampler::round_of(std::uint64_t k) const {
  return plan_.resample_every == 0 ? 0 : k / static_cast<std::uint64_t>(plan_.resample_every);
}

const geometry::PointSet& ConstraintSampler::batch(std::uint64_t k) {
  const std::uint64_t round = round_of(k);
  const std::string stream = fmt::format("{}/{}", name_, round);
  if (!has_pool_ || pool_round_ != round) {
    pool_ = region_.draw(plan_.pool, seed_, stream, threads_);
    pool_round_ = round;
    has_pool_ = true;
  }
  if (plan_.pool == plan_.batch) return pool_;
  const std::uint64_t first = round * static_cast<std::uint64_t>(plan_.resample_every);
  batch_ = pool_.select(MiniBatches(plan_.pool, plan_.batch, seed_, stream).rows(k - first));
  return batch_;
}

bool ConstraintSampler::changes_at(std::uint64_t k) const {
  return k == 0 || plan_.pool != plan_.batch || round_of(k) != round_of(k - 1);
}

}  // namespace eddy::sampling
