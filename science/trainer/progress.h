#pragma once
/// What a person sees while a training runs.

#include <chrono>
#include <cstdio>
#include <string>

#include "science/trainer/trainer.h"

namespace eddy::trainer {

/// Prints step, loss and its terms, milliseconds per step and the time left: one line that changes on a terminal, plain
/// lines as often as the history elsewhere.
class Progress final : public Callback {
 public:
  explicit Progress(std::FILE* out = stdout);

  void on_stage_begin(const Trainer& trainer) override;
  void on_step(const Trainer& trainer, const StepReport& report) override;
  void on_stage_end(const Trainer& trainer) override;

 private:
  void print(const Trainer& trainer, const StepReport& report);

  std::FILE* out_;
  bool is_terminal_;
  std::int64_t printed_step_ = -1;
  std::chrono::steady_clock::time_point last_{};
};

/// On a terminal, makes room for other text where the changing line stands.
void clear_progress_line(std::FILE* out = stdout);
/// "41 s", "3 min 20 s", "2 h 5 min"
std::string duration_text(double seconds);
/// Seconds until training ends, by its steps and its time limit.
double seconds_left(const Trainer& trainer);

}  // namespace eddy::trainer
