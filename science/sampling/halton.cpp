#include "science/sampling/halton.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "framework/core/errors.h"
#include "framework/core/rng.h"

namespace eddy::sampling {

namespace {
std::uint64_t next_prime(std::uint64_t after) {
  for (std::uint64_t candidate = after + 1;; ++candidate) {
    bool is_prime = true;
    for (std::uint64_t factor = 2; factor * factor <= candidate && is_prime; ++factor)
      is_prime = candidate % factor != 0;
    if (is_prime) return candidate;
  }
}
}  // namespace

Halton::Halton(int n_dims, std::uint64_t seed, std::uint64_t stream) : Sampler(n_dims) {
  const Rng rng(seed, stream);
  std::uint64_t drawn = 0, base = 1;
  for (int dim = 0; dim < n_dims; ++dim) {
    base = next_prime(base);
    Coordinate coordinate{base, {}, {}};
    std::vector<std::uint64_t> order(base);
    std::vector<double> zero_values;
    // Digits until they are worth less than a double's last bit.
    double weight = 1.0 / static_cast<double>(base);
    for (double scale = 1; scale > 0x1p-54; scale /= static_cast<double>(base)) {
      std::iota(order.begin(), order.end(), std::uint64_t{0});
      for (std::uint64_t i = base; i > 1; --i) std::swap(order[i - 1], order[rng.below(drawn++, i)]);
      for (const std::uint64_t digit : order) coordinate.digit_values.push_back(static_cast<double>(digit) * weight);
      zero_values.push_back(static_cast<double>(order[0]) * weight);
      weight /= static_cast<double>(base);
    }
    coordinate.rest.assign(zero_values.size() + 1, 0.0);
    for (std::size_t i = zero_values.size(); i-- > 0;) coordinate.rest[i] = coordinate.rest[i + 1] + zero_values[i];
    coordinates_.push_back(std::move(coordinate));
  }
}

void Halton::points(std::uint64_t first, std::int64_t n, double* out) const {
  for (std::uint64_t i = 0; i < static_cast<std::uint64_t>(n); ++i) {
    for (const Coordinate& coordinate : coordinates_) {
      double value = 0;
      std::size_t position = 0;
      for (std::uint64_t left = first + i; left > 0 && position + 1 < coordinate.rest.size(); left /= coordinate.base) {
        value += coordinate.digit_values[position++ * coordinate.base + left % coordinate.base];
      }
      // The sum may round to an end of the interval.
      *out++ = std::clamp(value + coordinate.rest[position], 0x1p-53, 1 - 0x1p-53);
    }
  }
}

}  // namespace eddy::sampling
