#include "science/sampling/region_sampler.h"

#include <algorithm>
#include <numeric>

#include "framework/core/rng.h"
#include "science/sampling/sobol.h"

namespace eddy::sampling {

namespace {
constexpr std::int64_t kPilot = std::int64_t{1} << 14;
constexpr std::int64_t kMaxPilot = std::int64_t{1} << 20;
constexpr std::int64_t kEnough = 256;  // kept points: the measure is then good to a few per cent at worst
constexpr std::int64_t kMaxChunk = std::int64_t{1} << 16;
}  // namespace

RegionSampler::RegionSampler(geometry::Domain domain, SamplerKind kind, geometry::Criterion criterion,
                             SourceLocation where)
    : domain_(std::move(domain)), kind_(kind), criterion_(std::move(criterion)), where_(std::move(where)) {
  // Many parts are many single points or faces: their number makes up for fewer samples in each.
  const auto per_part = [&](std::int64_t n) { return std::max<std::int64_t>(64, n / domain_.n_parts()); };
  std::int64_t n_pilot = per_part(kPilot);
  std::int64_t n_kept = run_pilot(n_pilot);
  while (n_kept < kEnough && n_pilot < per_part(kMaxPilot)) n_kept = run_pilot(n_pilot *= 8);
  if (n_kept == 0) {
    throw UserError(where_,
                    fmt::format("region '{}' holds no points: its condition is false for all that were tried",
                                domain_.region().name()),
                    "an interior has no points with an exact coordinate; for those name a face, such as SHAPE.left");
  }
}

std::int64_t RegionSampler::run_pilot(std::int64_t n_points) {
  fractions_.clear();
  measures_.clear();
  std::int64_t n_kept_in_all = 0;
  for (int part = 0; part < domain_.n_parts(); ++part) {
    const int n_dims = domain_.n_parameters(part);
    // Without parameters all samples are the same point; it stands for n_points.
    const std::int64_t n = n_dims == 0 ? 1 : n_points;
    const SamplerKind kind = n_dims <= Sobol::kMaxDims ? SamplerKind::sobol : SamplerKind::latin_hypercube;
    const auto sampler = make_sampler(kind, n_dims, n, 0, stream_id("pilot"));
    std::int64_t n_kept = 0;
    for (std::int64_t first = 0; first < n; first += kMaxChunk) {
      const std::int64_t chunk = std::min(kMaxChunk, n - first);
      const Candidates found = candidates(*sampler, part, static_cast<std::uint64_t>(first), chunk, nullptr);
      n_kept += static_cast<std::int64_t>(found.kept.size());
    }
    fractions_.push_back(static_cast<double>(n_kept) / static_cast<double>(n));
    measures_.push_back(fractions_.back() * domain_.part_measure(part));
    n_kept_in_all += n_kept * (n_points / n);
  }
  measure_ = std::accumulate(measures_.begin(), measures_.end(), 0.0);
  return n_kept_in_all;
}

RegionSampler::Candidates RegionSampler::candidates(const Sampler& sampler, int part, std::uint64_t first,
                                                    std::int64_t n, ThreadPool* pool) const {
  std::vector<char> keep;
  Candidates out{domain_.map(part, n, draw_unit(sampler, first, n, pool), keep), {}};
  if (criterion_) criterion_(out.points, keep);
  EDDY_CHECK(keep.size() == static_cast<std::size_t>(n));
  for (std::int64_t i = 0; i < n; ++i) {
    if (keep[static_cast<std::size_t>(i)]) out.kept.push_back(i);
  }
  return out;
}

geometry::PointSet RegionSampler::draw(std::int64_t n, std::uint64_t seed, std::string_view stream,
                                       ThreadPool* pool) const {
  EDDY_CHECK(n >= 0);
  geometry::PointSet set = domain_.empty_set();
  const std::vector<std::int64_t> counts = geometry::apportion(n, measures_);
  for (int part = 0; part < domain_.n_parts(); ++part) {
    std::int64_t left = counts[static_cast<std::size_t>(part)];
    if (left == 0) continue;
    const auto sampler =
        make_sampler(kind_, domain_.n_parameters(part), left, seed, stream_id(fmt::format("{}/{}", stream, part)));
    // Ample: the fraction is known from at least 64 points, and if it is small from many more.
    const double expected = static_cast<double>(left) / fractions_[static_cast<std::size_t>(part)];
    const auto max_tried = static_cast<std::uint64_t>(32 * expected + static_cast<double>(kMaxChunk));
    std::uint64_t n_tried = 0;
    while (left > 0) {
      if (n_tried > max_tried) {
        throw UserError(where_,
                        fmt::format("region '{}' holds too few points: {} of {} were found among {} that were tried",
                                    domain_.region().name(), counts[static_cast<std::size_t>(part)] - left,
                                    counts[static_cast<std::size_t>(part)], n_tried),
                        "its condition may be true in single points only; name a face or a smaller shape");
      }
      const double wanted = static_cast<double>(left) / fractions_[static_cast<std::size_t>(part)];
      const auto chunk = static_cast<std::int64_t>(std::min(wanted + 1, static_cast<double>(kMaxChunk)));
      Candidates found = candidates(*sampler, part, n_tried, chunk, pool);
      n_tried += static_cast<std::uint64_t>(chunk);
      if (static_cast<std::int64_t>(found.kept.size()) > left) found.kept.resize(static_cast<std::size_t>(left));
      left -= static_cast<std::int64_t>(found.kept.size());
      set.append(found.points.select(found.kept));
    }
  }
  set.area.assign(set.area.size(), n > 0 ? measure_ / static_cast<double>(n) : 0.0);
  return set;
}

}  // namespace eddy::sampling
