#pragma once
/// The training of a problem: its stages one after the other.

#include <chrono>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "framework/runtime/engine.h"
#include "science/problem/problem.h"
#include "science/trainer/checkpoint.h"
#include "science/trainer/stage_run.h"

namespace eddy::trainer {

class Trainer;

/// A number is not finite any more; the message names step and term.
class Diverged : public RuntimeError {
 public:
  using RuntimeError::RuntimeError;
};

/// Watches a training. Callbacks are called in the order in which they were added.
class Callback {
 public:
  virtual ~Callback() = default;
  virtual void on_stage_begin(const Trainer&) {}
  /// After a step whose loss is finite.
  virtual void on_step(const Trainer&, const StepReport&) {}
  /// After the last step of a stage, finished or not.
  virtual void on_stage_end(const Trainer&) {}
};

/// Why a training ended.
enum class Ending {
  finished,     ///< all stages are done
  loss,         ///< training.stop.loss was reached
  minutes,      ///< training.stop.minutes are over
  steps,        ///< as many steps as the caller allowed
  interrupted,  ///< SIGINT or SIGTERM
};
/// "all steps done", ...
const char* describe(Ending ending);

class Trainer {
 public:
  /// The references must outlive the trainer. UserError when a stage cannot be trained as it says.
  Trainer(problem::Problem& problem, const problem::Registry& registry, runtime::Engine& engine);
  ~Trainer();

  void add(std::unique_ptr<Callback> callback) { callbacks_.push_back(std::move(callback)); }
  /// Goes on from there, instead of from the start. UserError when the checkpoint does not fit the problem.
  void restore(Checkpoint checkpoint);
  /// Ends after this number of steps of all stages together.
  void limit_steps(std::int64_t steps) { max_steps_ = steps; }

  /// Trains to the end. Diverged when the loss is not finite any more. SIGINT and SIGTERM end it after the step in
  /// progress.
  Ending run();

  const problem::Problem& problem() const { return problem_; }
  runtime::Engine& engine() const { return engine_; }
  const config::Named<config::StageSpec>& stage() const;
  /// Whether the stage has come to its end, by its steps or otherwise.
  bool stage_is_done() const { return stage_done_; }
  /// Steps done in the stage and in all.
  std::int64_t stage_step() const { return stage_step_; }
  std::int64_t step() const { return step_; }
  /// The number of steps in all when no stage ends early.
  std::int64_t n_steps() const;
  /// Wall time of training, earlier runs included.
  double seconds() const;
  /// Milliseconds of the steps of this process: a mean of the latest, the median of all; NaN before the first.
  double recent_step_ms() const;
  double median_step_ms() const;
  /// As the last step found it; NaN before the first.
  double loss() const { return loss_; }
  /// Of the last step of this process.
  const StepReport& report() const { return report_; }
  /// Of the solution: that of the stage, or of what was restored.
  DType dtype() const;

  /// Of the solution after the last step, by the names of Model::state().
  std::vector<io::NamedArray> state() const { return run_ ? run_->latest().state : state_; }
  /// The state after the last step; Diverged when a number of it is not finite.
  Checkpoint checkpoint() const;
  /// The latest state whose loss is known to be finite, which may be a step older.
  Checkpoint verified_checkpoint() const;

 private:
  Ending run_stage();
  void check_finite(const StepReport& report) const;
  Checkpoint make_checkpoint(Snapshot snapshot) const;

  problem::Problem& problem_;
  const problem::Registry& registry_;
  runtime::Engine& engine_;
  std::vector<std::unique_ptr<Callback>> callbacks_;
  std::optional<std::int64_t> max_steps_;

  std::vector<io::NamedArray> state_, optimizer_;  // to begin the stage with
  std::unique_ptr<StageRun> run_;                  // of the stage, null before and after
  std::size_t stage_ = 0;
  std::int64_t stage_step_ = 0, step_ = 0;
  bool stage_done_ = false, finished_ = false;
  StepReport report_;
  double loss_ = std::numeric_limits<double>::quiet_NaN();

  using Clock = std::chrono::steady_clock;
  Clock::time_point begin_ = Clock::now();
  double seconds_before_ = 0;  // of earlier runs
  std::vector<float> step_ms_;
};

}  // namespace eddy::trainer
