#pragma once
/// A whole run: training, fields and errors in a folder of their own.

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "framework/runtime/engine.h"
#include "science/fields/validation.h"
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
  double seconds = 0;
  std::vector<fields::FieldError> errors;

  bool is_missed() const;
};

/// Trains the problem and writes everything into the folder: manifest.yaml, history.csv, timing.csv, errors.csv,
/// checkpoint.h5, then, unless it was interrupted, fields and summary.json. Nothing of an older run is touched before
/// the file has passed all checks. UserError, RuntimeError as the parts throw them.
RunResult run_problem(config::ProblemFile file, const problem::Registry& registry, const RunOptions& options);

}  // namespace eddy::trainer
