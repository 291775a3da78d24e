#pragma once
/// One stage of a training while it runs.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "framework/runtime/engine.h"
#include "science/io/named_array.h"
#include "science/problem/program.h"

namespace eddy::trainer {

/// What a step found.
struct StepReport {
  double loss = 0;            ///< before the update of a first-order step, after a quasi-Newton iteration
  std::vector<double> terms;  ///< in the order of Problem::terms()
  double gradient_norm = 0;   ///< likewise, before clipping
  double rate = 0;            ///< learning rate; 0 where there is none
  std::string standstill;     ///< why no further step makes sense; empty: go on
};

/// State of the solution and of the optimizer.
struct Snapshot {
  std::int64_t steps_ago = 0;
  std::vector<io::NamedArray> state, optimizer;
};

class StageRun {
 public:
  virtual ~StageRun() = default;

  virtual DType dtype() const = 0;
  /// Does step `stage_step` = 1, 2, ... of the stage, which is number `step` in all.
  virtual StepReport step(std::int64_t stage_step, std::int64_t step) = 0;
  /// After the last step.
  virtual Snapshot latest() const = 0;
  /// The latest whose loss is known: of a first-order stage that before the last step.
  virtual Snapshot verified() const = 0;
};

/// Makes a stage ready: builds its program and takes over `state`, rounded to the stage's precision. `optimizer` is
/// what a snapshot held, or empty; `first_step` counts the steps of all stages before. The references must outlive the
/// run, registry and arrays excepted. UserError when the stage's keys do not fit its optimizer.
std::unique_ptr<StageRun> start_stage(problem::Problem& problem, const problem::Registry& registry,
                                      runtime::Engine& engine, const config::Named<config::StageSpec>& stage,
                                      const std::vector<io::NamedArray>& state,
                                      const std::vector<io::NamedArray>& optimizer, std::int64_t first_step);

/// The checks of start_stage() on all stages, before any of them runs.
void check_stages(const config::TrainingSpec& training, const problem::Registry& registry);

}  // namespace eddy::trainer
