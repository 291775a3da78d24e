#pragma once
/// A whole run: training, fields and errors in a folder of their own.

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "framework/runtime/engine.h"
#include "science/problem/problem.h"
#include "science/trainer/trainer.h"

namespace eddy::trainer {

/// What to do with a folder that already holds a run.
enum class IfOccupied {
  refuse,
  resume,   ///< go on from its checkpoint
  replace,  ///< remove what the run has left and start anew
};

struct RunOptions {
  std::filesystem::path folder;
  IfOccupied occupied = IfOccupied::refuse;
  std::optional<std::int64_t> steps;  ///< of all stages together
  runtime::Engine::Options engine;
};

struct RunResult {
  Ending ending = Ending::finished;
  std::int64_t steps = 0;
  double loss = 0;
};

/// Trains the problem and writes everything into the folder: manifest.yaml, history.csv, timing.csv, checkpoint.h5,
/// then fields and summary.json. UserError, RuntimeError as their parts throw them.
RunResult run_problem(config::ProblemFile file, const problem::Registry& registry, const RunOptions& options);

}  // namespace eddy::trainer
