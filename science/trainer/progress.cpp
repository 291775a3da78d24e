#include "science/trainer/progress.h"

#include <algorithm>
#include <cmath>
#include <sys/ioctl.h>
#include <unistd.h>

namespace eddy::trainer {

namespace {

int terminal_width(std::FILE* out) {
  struct winsize size {};
  return ioctl(fileno(out), TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

}  // namespace

std::string duration_text(double seconds) {
  const auto s = static_cast<std::int64_t>(std::ceil(std::max(0.0, seconds)));
  if (s < 60) return fmt::format("{} s", s);
  if (s < 3600) return fmt::format("{} min {} s", s / 60, s % 60);
  return fmt::format("{} h {} min", s / 3600, s % 3600 / 60);
}

void clear_progress_line(std::FILE* out) {
  if (isatty(fileno(out)) != 0) fmt::print(out, "\r\x1b[K");
}

double seconds_left(const Trainer& trainer) {
  double left = static_cast<double>(trainer.n_steps() - trainer.step()) * trainer.recent_step_ms() / 1e3;
  const double minutes = trainer.problem().file().training.stop.minutes;
  if (minutes > 0) left = std::min(left, 60 * minutes - trainer.seconds());
  return left;
}

Progress::Progress(std::FILE* out) : out_(out), is_terminal_(isatty(fileno(out)) != 0) {}

void Progress::on_stage_begin(const Trainer& trainer) {
  const config::StageSpec& spec = trainer.stage().value;
  fmt::print(out_, "stage {}: {}, {} steps, {}\n", trainer.stage().name.text, spec.optimizer.text, spec.steps,
             name(trainer.dtype()));
  std::fflush(out_);
}

void Progress::on_step(const Trainer& trainer, const StepReport& report) {
  const auto now = std::chrono::steady_clock::now();
  const std::int64_t every = trainer.problem().file().training.log_every;
  const bool due = is_terminal_ ? now - last_ > std::chrono::milliseconds(100)
                                : trainer.step() == 1 || (every > 0 && trainer.step() % every == 0);
  if (!due) return;
  last_ = now;
  print(trainer, report);
}

void Progress::on_stage_end(const Trainer& trainer) {
  if (trainer.stage_step() > 0 && printed_step_ != trainer.step()) print(trainer, trainer.report());
  if (is_terminal_) fmt::print(out_, "\n");
  std::fflush(out_);
}

void Progress::print(const Trainer& trainer, const StepReport& report) {
  printed_step_ = trainer.step();
  std::string line = fmt::format("step {} of {}  loss {:.3e}", trainer.step(), trainer.n_steps(), report.loss);
  const std::vector<std::string> terms = trainer.problem().terms();
  const std::string end =
      fmt::format("  {:.2f} ms/step, {} left", trainer.recent_step_ms(), duration_text(seconds_left(trainer)));
  std::string middle;
  if (terms.size() > 1) {
    for (std::size_t i = 0; i < std::min(terms.size(), report.terms.size()); ++i) {
      middle += fmt::format("  {} {:.1e}", terms[i], report.terms[i]);
    }
  }
  if (is_terminal_) {
    // A line that is too long would scroll.
    const auto room = static_cast<std::size_t>(std::max(0, terminal_width(out_) - 1));
    if (line.size() + middle.size() + end.size() > room) {
      const std::size_t fixed = line.size() + end.size();
      middle = fixed + 4 < room ? middle.substr(0, room - fixed - 4) + " ..." : "";
    }
    fmt::print(out_, "\r\x1b[K{}{}{}", line, middle, end);
  } else {
    fmt::print(out_, "{}{}{}\n", line, middle, end);
  }
  std::fflush(out_);
}

}  // namespace eddy::trainer
