#include "science/optimizers/schedule.h"

#include <catch2/catch.hpp>

using namespace eddy;
using optimizers::learning_rate;

TEST_CASE("learning rates follow their formulas") {
  config::LearningRate rate;
  CHECK(learning_rate({}, 3e-3, 7, 10) == 3e-3);

  rate.exponential = config::ExponentialRate{1e-2, 0.5, 10};
  CHECK(learning_rate(rate, 0, 0, 100) == 1e-2);
  CHECK(learning_rate(rate, 0, 10, 100) == Approx(5e-3).epsilon(1e-15));
  CHECK(learning_rate(rate, 0, 5, 100) == Approx(1e-2 * std::sqrt(0.5)).epsilon(1e-15));

  rate = {};
  rate.step = config::StepRate{1.0, 0.1, 4};
  CHECK(learning_rate(rate, 0, 3, 100) == 1.0);
  CHECK(learning_rate(rate, 0, 8, 100) == Approx(0.01).epsilon(1e-15));

  rate = {};
  rate.cosine = config::CosineRate{1.0, 0.2, {}};
  CHECK(learning_rate(rate, 0, 0, 100) == 1.0);
  CHECK(learning_rate(rate, 0, 50, 100) == Approx(0.6).epsilon(1e-15));
  CHECK(learning_rate(rate, 0, 100, 100) == 0.2);
  CHECK(learning_rate(rate, 0, 500, 100) == 0.2);

  rate = {};
  rate.constant = 2.0;
  rate.warmup = 3;
  CHECK(learning_rate(rate, 0, 0, 100) == 0.5);
  CHECK(learning_rate(rate, 0, 2, 100) == 1.5);
  CHECK(learning_rate(rate, 0, 3, 100) == 2.0);
}
