#include "science/sampling/sampler.h"

#include <algorithm>
#include <array>

#include "framework/core/dim.h"
#include "framework/core/errors.h"
#include "framework/core/rng.h"
#include "science/sampling/bits.h"
#include "science/sampling/halton.h"
#include "science/sampling/latin_hypercube.h"
#include "science/sampling/sobol.h"

namespace eddy::sampling {

namespace {

class Uniform final : public Sampler {
 public:
  Uniform(int n_dims, std::uint64_t seed, std::uint64_t stream) : Sampler(n_dims), rng_(seed, stream) {}

  void points(std::uint64_t first, std::int64_t n, double* out) const override {
    const auto d = static_cast<std::uint64_t>(n_dims());
    for (std::uint64_t i = 0; i < static_cast<std::uint64_t>(n) * d; ++i) out[i] = open_unit(rng_.bits(first * d + i));
  }

 private:
  Rng rng_;
};

constexpr std::array kKinds{SamplerKind::uniform, SamplerKind::latin_hypercube, SamplerKind::halton,
                            SamplerKind::sobol};
constexpr std::array<std::string_view, kKinds.size()> kNames{"uniform", "latin_hypercube", "halton", "sobol"};

}  // namespace

std::string_view name(SamplerKind kind) { return kNames[static_cast<std::size_t>(kind)]; }

std::optional<SamplerKind> sampler_kind_from_name(std::string_view text) {
  const auto found = std::find(kNames.begin(), kNames.end(), text);
  if (found == kNames.end()) return std::nullopt;
  return kKinds[static_cast<std::size_t>(found - kNames.begin())];
}

std::vector<std::string> sampler_names() { return {kNames.begin(), kNames.end()}; }

std::unique_ptr<Sampler> make_sampler(SamplerKind kind, int n_dims, std::int64_t block, std::uint64_t seed,
                                      std::uint64_t stream) {
  EDDY_CHECK(n_dims >= 0 && block >= 1);
  switch (kind) {
    case SamplerKind::uniform: return std::make_unique<Uniform>(n_dims, seed, stream);
    case SamplerKind::latin_hypercube: return std::make_unique<LatinHypercube>(n_dims, block, seed, stream);
    case SamplerKind::halton: return std::make_unique<Halton>(n_dims, seed, stream);
    case SamplerKind::sobol: return std::make_unique<Sobol>(n_dims, seed, stream);
  }
  throw InternalError("unknown sampler");
}

std::vector<double> draw_unit(const Sampler& sampler, std::uint64_t first, std::int64_t n, ThreadPool* pool) {
  constexpr std::int64_t kChunk = 512;
  std::vector<double> out(static_cast<std::size_t>(checked_multiply(n, sampler.n_dims())));
  const auto draw_chunk = [&](std::int64_t chunk, int) {
    const std::int64_t begin = chunk * kChunk;
    sampler.points(first + static_cast<std::uint64_t>(begin), std::min(kChunk, n - begin),
                   out.data() + begin * sampler.n_dims());
  };
  const std::int64_t n_chunks = (n + kChunk - 1) / kChunk;
  if (pool != nullptr) {
    pool->parallel_for(n_chunks, draw_chunk);
  } else {
    for (std::int64_t chunk = 0; chunk < n_chunks; ++chunk) draw_chunk(chunk, 0);
  }
  return out;
}

}  // namespace eddy::sampling
