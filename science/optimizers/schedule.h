#pragma once
/// Learning rates over the steps of a stage.

#include <cstdint>

#include "science/config/problem_file.h"

namespace eddy::optimizers {

/// The rate at `step` = 0, 1, ... of a stage of `n_steps` steps; `fallback` where the stage names none. The formulas
/// stand with config::LearningRate. A warmup of w steps multiplies the first ones by (step + 1) / (w + 1); the schedule
/// itself counts from the stage's begin.
double learning_rate(const std::optional<config::LearningRate>& rate, double fallback, std::int64_t step,
                     std::int64_t n_steps);

}  // namespace eddy::optimizers
