#include "science/trainer/history.h"

#include <cmath>

#include "science/trainer/progress.h"

namespace eddy::trainer {

namespace {

std::vector<std::string> history_columns(const problem::Problem& problem) {
  std::vector<std::string> names{"step", "stage", "loss"};
  for (const std::string& term : problem.terms()) names.push_back(term);
  names.insert(names.end(), {"grad_norm", "lr"});
  return names;
}

io::CsvWriter open(const std::filesystem::path& path, const std::vector<std::string>& names,
                   std::int64_t resumed_step) {
  return resumed_step == 0 ? io::CsvWriter::create(path, names)
                           : io::CsvWriter::resume(path, names, static_cast<double>(resumed_step + 1));
}

}  // namespace

History::History(const std::filesystem::path& folder, const problem::Problem& problem, std::int64_t resumed_step)
    : every_(problem.file().training.log_every),
      history_(open(folder / "history.csv", history_columns(problem), resumed_step)),
      timing_(open(folder / "timing.csv", {"step", "seconds", "step_ms"}, resumed_step)) {
  history_.flush();
  timing_.flush();
}

void History::on_step(const Trainer& trainer, const StepReport&) {
  if (is_due(trainer.step())) write(trainer);
}

void History::on_stage_end(const Trainer& trainer) {
  if (trainer.stage_is_done() && !is_due(trainer.step())) write(trainer);
}

void History::write(const Trainer& trainer) {
  const StepReport& report = trainer.report();
  // Numbers that were computed in f32 read back exactly in fewer digits.
  const bool short_numbers = trainer.dtype() == DType::f32;
  const auto cell = [&](double value) {
    return short_numbers ? io::CsvCell(static_cast<float>(value)) : io::CsvCell(value);
  };
  std::vector<io::CsvCell> row{trainer.step(), trainer.stage().name.text, cell(report.loss)};
  for (const double term : report.terms) row.push_back(cell(term));
  row.push_back(cell(report.gradient_norm));
  row.push_back(report.rate);
  history_.append(row);
  history_.flush();
  timing_.append(
      {trainer.step(), std::round(trainer.seconds() * 1e3) / 1e3, std::round(trainer.recent_step_ms() * 1e4) / 1e4});
  timing_.flush();
}

namespace {
std::vector<std::string> error_columns(const fields::Validation& validation) {
  std::vector<std::string> names{"step"};
  for (const std::string& name : validation.names()) {
    names.push_back(name + ".rel_l2");
    names.push_back(name + ".linf");
  }
  return names;
}
}  // namespace

Validator::Validator(const std::filesystem::path& folder, fields::Validation& validation, std::int64_t every,
                     std::int64_t resumed_step)
    : validation_(validation),
      every_(every),
      errors_(open(folder / "errors.csv", error_columns(validation), resumed_step)) {
  errors_.flush();
}

void Validator::on_step(const Trainer& trainer, const StepReport&) {
  if (every_ == 0 || trainer.step() % every_ != 0) return;
  std::vector<io::CsvCell> row{trainer.step()};
  std::string text;
  for (const fields::FieldError& error : validation_.run(trainer.state())) {
    row.push_back(error.rel_l2);
    row.push_back(error.linf);
    text += (text.empty() ? "" : "; ") + describe(error);
  }
  errors_.append(row);
  errors_.flush();
  clear_progress_line();
  fmt::print("{}\n", text);
  std::fflush(stdout);
}

std::string describe(const fields::FieldError& error) {
  const auto tolerance = [&](config::Metric metric) {
    return error.tolerance && error.metric == metric
               ? fmt::format(" ({} {})", error.is_missed() ? "above" : "tolerance", *error.tolerance)
               : std::string();
  };
  return fmt::format("{}: rel_l2 {:.3e}{}, linf {:.3e}{}", error.name, error.rel_l2, tolerance(config::Metric::rel_l2),
                     error.linf, tolerance(config::Metric::linf));
}

CheckpointWriter::CheckpointWriter(std::filesystem::path path, const problem::Problem& problem, std::int64_t last_step)
    : path_(std::move(path)), every_(problem.file().training.checkpoint_every), last_step_(last_step) {}

void CheckpointWriter::on_step(const Trainer& trainer, const StepReport&) {
  // The state that this step has just found good may be that before it.
  if (every_ == 0 || (trainer.step() % every_ != 0 && trainer.step() % every_ != 1 % every_)) return;
  const Checkpoint checkpoint = trainer.verified_checkpoint();
  if (checkpoint.step % every_ == 0 && checkpoint.step > last_step_) write(checkpoint);
}

void CheckpointWriter::on_stage_end(const Trainer& trainer) { write(trainer.checkpoint()); }

void CheckpointWriter::write(const Checkpoint& checkpoint) {
  write_checkpoint(path_, checkpoint);
  last_step_ = checkpoint.step;
}

}  // namespace eddy::trainer
