#pragma once
/// The files that grow while a training runs, and its checkpoint.

#include <filesystem>

#include "science/fields/validation.h"
#include "science/io/csv.h"
#include "science/trainer/trainer.h"

namespace eddy::trainer {

/// Writes a row at the first step, every training.log_every steps and at the end of each stage.
///     history.csv   step, stage, loss, terms, grad_norm, lr: nothing that differs between two runs of one seed
///     timing.csv    step, seconds of training so far, milliseconds per step
class History final : public Callback {
 public:
  /// Goes on after `resumed_step` with what is there; where that is 0, starts both files anew.
  History(const std::filesystem::path& folder, const problem::Problem& problem, std::int64_t resumed_step);

  void on_step(const Trainer& trainer, const StepReport& report) override;
  void on_stage_end(const Trainer& trainer) override;

 private:
  bool is_due(std::int64_t step) const { return step == 1 || (every_ > 0 && step % every_ == 0); }
  void write(const Trainer& trainer);

  std::int64_t every_;
  io::CsvWriter history_, timing_;
};

/// Compares with the references every training.validate_every steps: errors.csv holds the step and both metrics of each
/// field. The text of the latest comparison goes to standard output.
class Validator final : public Callback {
 public:
  /// `resumed_step` as for History. `validation` must outlive the object.
  Validator(const std::filesystem::path& folder, fields::Validation& validation, std::int64_t every,
            std::int64_t resumed_step);

  void on_step(const Trainer& trainer, const StepReport& report) override;

 private:
  fields::Validation& validation_;
  std::int64_t every_;
  io::CsvWriter errors_;
};

/// "shock.u: rel_l2 1.23e-03 (tolerance 1e-3), linf 2.1e-02"
std::string describe(const fields::FieldError& error);

/// Writes checkpoint.h5 every training.checkpoint_every steps and at the end of each stage, finished or not.
class CheckpointWriter final : public Callback {
 public:
  /// `last_step` is that of the checkpoint that is there, or 0.
  CheckpointWriter(std::filesystem::path path, const problem::Problem& problem, std::int64_t last_step);

  /// The step of the checkpoint on disk.
  std::int64_t last_step() const { return last_step_; }
  void on_step(const Trainer& trainer, const StepReport& report) override;
  void on_stage_end(const Trainer& trainer) override;

 private:
  void write(const Checkpoint& checkpoint);

  std::filesystem::path path_;
  std::int64_t every_, last_step_;
};

}  // namespace eddy::trainer
