#include "science/optimizers/schedule.h"

#include <algorithm>
#include <cmath>

namespace eddy::optimizers {

namespace {

double scheduled(const config::LearningRate& rate, double step, std::int64_t n_steps) {
  if (rate.exponential) {
    const auto& e = *rate.exponential;
    return e.start * std::pow(e.rate, step / static_cast<double>(e.every));
  }
  if (rate.step) {
    const auto& s = *rate.step;
    return s.start * std::pow(s.rate, std::floor(step / static_cast<double>(s.every)));
  }
  if (rate.cosine) {
    const auto& c = *rate.cosine;
    const double length = static_cast<double>(std::max<std::int64_t>(1, c.steps.value_or(n_steps)));
    return step >= length ? c.end : c.end + (c.start - c.end) * (1 + std::cos(M_PI * step / length)) / 2;
  }
  return *rate.constant;
}

}  // namespace

double learning_rate(const std::optional<config::LearningRate>& rate, double fallback, std::int64_t step,
                     std::int64_t n_steps) {
  if (!rate) return fallback;
  double value = scheduled(*rate, static_cast<double>(step), n_steps);
  if (step < rate->warmup) value *= static_cast<double>(step + 1) / static_cast<double>(rate->warmup + 1);
  return value;
}

}  // namespace eddy::optimizers
