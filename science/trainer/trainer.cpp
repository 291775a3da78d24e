#include "science/trainer/trainer.h"

#include <algorithm>
#include <cmath>

#include "framework/core/log.h"
#include "science/trainer/manifest.h"
#include "science/trainer/signals.h"

namespace eddy::trainer {

const char* describe(Ending ending) {
  switch (ending) {
    case Ending::finished: return "all stages are done";
    case Ending::loss: return "the loss is below training.stop.loss";
    case Ending::minutes: return "training.stop.minutes are over";
    case Ending::steps: return "the steps asked for are done";
    case Ending::interrupted: return "it was interrupted";
  }
  throw InternalError("unknown ending");
}

Trainer::Trainer(problem::Problem& problem, const problem::Registry& registry, runtime::Engine& engine)
    : problem_(problem), registry_(registry), engine_(engine) {
  check_stages(problem.file().training, registry);
  for (const problem::StateTensor& tensor : problem.model().state()) {
    state_.push_back({tensor.name, problem.model().initial_value(tensor)});
  }
}

Trainer::~Trainer() = default;

void Trainer::restore(Checkpoint checkpoint) {
  const auto& stages = problem_.file().training.stages;
  const auto found = std::find_if(stages.begin(), stages.end(),
                                  [&](const auto& stage) { return stage.name.text == checkpoint.stage; });
  if (found == stages.end()) {
    throw UserError(
        fmt::format("the checkpoint is of a stage '{}' that this configuration does not have", checkpoint.stage),
        "start anew with --force");
  }
  stage_ = static_cast<std::size_t>(found - stages.begin());
  stage_step_ = checkpoint.stage_step;
  step_ = checkpoint.step;
  seconds_before_ = checkpoint.seconds;
  finished_ = checkpoint.finished;
  loss_ = checkpoint.loss;
  state_ = std::move(checkpoint.state);
  optimizer_ = std::move(checkpoint.optimizer);
}

const config::Named<config::StageSpec>& Trainer::stage() const { return problem_.file().training.stages.at(stage_); }

std::int64_t Trainer::n_steps() const {
  const auto& stages = problem_.file().training.stages;
  std::int64_t n = step_ - stage_step_;
  for (std::size_t i = stage_; i < stages.size(); ++i) n += stages[i].value.steps;
  return max_steps_ ? std::min(n, *max_steps_) : n;
}

double Trainer::seconds() const {
  return seconds_before_ + std::chrono::duration<double>(Clock::now() - begin_).count();
}

double Trainer::recent_step_ms() const {
  const auto n = static_cast<std::ptrdiff_t>(std::min<std::size_t>(step_ms_.size(), 50));
  double sum = 0;
  for (auto it = step_ms_.end() - n; it != step_ms_.end(); ++it) sum += *it;
  return sum / static_cast<double>(n);
}

double Trainer::median_step_ms() const {
  if (step_ms_.empty()) return std::nan("");
  std::vector<float> sorted(step_ms_);
  const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2);
  std::nth_element(sorted.begin(), middle, sorted.end());
  return *middle;
}

DType Trainer::dtype() const { return run_ ? run_->dtype() : state_.front().values.dtype(); }

Checkpoint Trainer::make_checkpoint(Snapshot snapshot) const {
  Checkpoint checkpoint;
  checkpoint.stage = stage().name.text;
  checkpoint.stage_step = stage_step_ - snapshot.steps_ago;
  checkpoint.step = step_ - snapshot.steps_ago;
  checkpoint.seconds = seconds();
  checkpoint.finished = finished_;
  checkpoint.loss = loss_;
  checkpoint.config = config_hash(problem_.file());
  checkpoint.state = std::move(snapshot.state);
  checkpoint.optimizer = std::move(snapshot.optimizer);
  return checkpoint;
}

Checkpoint Trainer::checkpoint() const {
  Checkpoint checkpoint = make_checkpoint(run_ ? run_->latest() : Snapshot{0, state_, optimizer_});
  for (const auto& array : checkpoint.state) {
    for (std::int64_t i = 0; i < array.values.n_elements(); ++i) {
      if (!std::isfinite(array.values.at(i))) {
        throw Diverged(fmt::format("training diverged in step {} (stage '{}'): '{}' is not finite", step_,
                                   stage().name.text, array.name));
      }
    }
  }
  const auto& stages = problem_.file().training.stages;
  if (stage_done_ && !finished_) {
    EDDY_CHECK(stage_ + 1 < stages.size());
    checkpoint.stage = stages[stage_ + 1].name.text;
    checkpoint.stage_step = 0;
    checkpoint.optimizer.clear();
  }
  return checkpoint;
}

Checkpoint Trainer::verified_checkpoint() const {
  return make_checkpoint(run_ ? run_->verified() : Snapshot{0, state_, optimizer_});
}

namespace {
/// The sign of a NaN means nothing.
std::string text_of(double value) { return std::isnan(value) ? "nan" : fmt::format("{}", value); }
}  // namespace

void Trainer::check_finite(const StepReport& report) const {
  if (std::isfinite(report.loss) && std::isfinite(report.gradient_norm)) return;
  const std::vector<std::string> names = problem_.terms();
  std::string what = std::isfinite(report.loss) ? "the gradient's norm is " + text_of(report.gradient_norm)
                                                : "the loss is " + text_of(report.loss);
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (!std::isfinite(report.terms[i])) {
      what = fmt::format("the term '{}' is {}", names[i], text_of(report.terms[i]));
      break;
    }
  }
  throw Diverged(fmt::format("training diverged in step {} (stage '{}'): {}", step_ + 1, stage().name.text, what));
}

Ending Trainer::run() {
  begin_ = Clock::now();
  if (finished_) return Ending::finished;
  const SignalGuard signals;
  const auto& stages = problem_.file().training.stages;
  for (;; ++stage_, stage_step_ = 0) {
    run_ = start_stage(problem_, registry_, engine_, stage(), state_, optimizer_, step_ - stage_step_);
    stage_done_ = false;
    for (const auto& callback : callbacks_) callback->on_stage_begin(*this);
    const Ending ending = run_stage();
    finished_ = ending == Ending::loss || (stage_done_ && stage_ + 1 == stages.size());
    for (const auto& callback : callbacks_) callback->on_stage_end(*this);
    Snapshot last = run_->latest();
    state_ = std::move(last.state);
    optimizer_.clear();
    run_.reset();
    if (finished_ || ending != Ending::finished) return ending;
  }
}

Ending Trainer::run_stage() {
  const config::StageSpec& spec = stage().value;
  const config::StopSpec& stop = problem_.file().training.stop;
  while (stage_step_ < spec.steps) {
    if (SignalGuard::received()) return Ending::interrupted;
    if (max_steps_ && step_ >= *max_steps_) return Ending::steps;
    if (stop.minutes > 0 && seconds() >= 60 * stop.minutes) return Ending::minutes;

    const Clock::time_point start = Clock::now();
    report_ = run_->step(stage_step_ + 1, step_ + 1);
    check_finite(report_);
    loss_ = report_.loss;
    if (!report_.standstill.empty()) {
      log::info(fmt::format("stage '{}' ends after {} steps: {}", stage().name.text, stage_step_, report_.standstill));
      break;
    }
    step_ms_.push_back(std::chrono::duration<float, std::milli>(Clock::now() - start).count());
    ++stage_step_;
    ++step_;
    for (const auto& callback : callbacks_) callback->on_step(*this, report_);
    if (stop.loss && report_.loss < *stop.loss) {
      stage_done_ = true;
      return Ending::loss;
    }
  }
  stage_done_ = true;
  return Ending::finished;
}

}  // namespace eddy::trainer
