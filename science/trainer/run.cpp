#include "science/trainer/run.h"

#include <algorithm>

#include "framework/core/log.h"
#include "science/fields/field_output.h"
#include "science/io/atomic_file.h"
#include "science/io/json.h"
#include "science/io/output_folder.h"
#include "science/trainer/history.h"
#include "science/trainer/manifest.h"
#include "science/trainer/progress.h"

namespace eddy::trainer {

namespace fs = std::filesystem;

namespace {

/// Removes what runs write and nothing else; what tells a run from another folder last, so that a kill in between
/// leaves a folder that --force still accepts.
void remove_results(const fs::path& folder) {
  for (const char* name : {"summary.json", "history.csv", "timing.csv", "errors.csv", "report.html"}) {
    fs::remove(folder / name);
  }
  std::vector<fs::path> series;
  for (const auto& entry : fs::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    if (name == "fields.pvd" || (name.rfind("fields_", 0) == 0 && entry.path().extension() == ".pvd")) {
      series.push_back(entry.path());
    }
  }
  for (const fs::path& path : series) fs::remove(path);
  fs::remove_all(folder / "fields");
  fs::remove(folder / "checkpoint.h5");
  fs::remove(folder / "manifest.yaml");
}

/// The step to go on from; 0 where there is nothing to go on with.
std::int64_t restore(Trainer& trainer, const fs::path& folder) {
  const fs::path path = folder / "checkpoint.h5";
  if (!fs::exists(path)) {
    log::info(fmt::format("there is no checkpoint in '{}' yet: starting at step 0", folder.string()));
    return 0;
  }
  Checkpoint checkpoint = read_checkpoint(path);
  const config::ProblemFile& file = trainer.problem().file();
  if (checkpoint.config != config_hash(file)) {
    throw UserError(
        fmt::format("the run in '{}' was made with another configuration: {}", folder.string(),
                    first_difference(trained_config(read_manifest(folder / "manifest.yaml")), trained_config(file))),
        "give the same configuration, start anew with --force, or choose another folder with --out");
  }
  const std::int64_t step = checkpoint.step;
  log::info(checkpoint.finished ? fmt::format("training was finished after {} steps", step)
                                : fmt::format("going on from step {} (stage '{}')", step, checkpoint.stage));
  trainer.restore(std::move(checkpoint));
  return step;
}

io::Json summary(const Trainer& trainer, const RunResult& result) {
  const config::ProblemFile& file = trainer.problem().file();
  const runtime::Engine& engine = trainer.engine();
  io::Json errors = io::Json::object();
  for (const fields::FieldError& error : result.errors) {
    io::Json entry = io::Json::object();
    entry.set("rel_l2", error.rel_l2).set("linf", error.linf);
    if (error.tolerance) {
      entry.set("metric", error.metric == config::Metric::rel_l2 ? "rel_l2" : "linf")
          .set("tolerance", *error.tolerance)
          .set("missed", error.is_missed());
    }
    errors.set(error.name, std::move(entry));
  }
  io::Json summary = io::Json::object();
  summary.set("name", file.name.text)
      .set("ending", describe(result.ending))
      .set("steps", result.steps)
      .set("wall_seconds", result.seconds)
      .set("step_ms_median", trainer.median_step_ms())
      .set("loss", trainer.loss())
      .set("errors", std::move(errors));
  io::Json trained = io::Json::object();
  for (const problem::StateTensor& tensor : trainer.problem().model().state()) {
    if (tensor.name.rfind("eq.", 0) != 0) continue;
    for (const io::NamedArray& array : trainer.state()) {
      if (array.name != tensor.name) continue;
      const std::string name = tensor.name.substr(3);
      trained.set(name, trainer.problem().model().trainable_value(name, array.values.item()));
    }
  }
  summary.set("parameters", std::move(trained))
      .set("device", engine.device().name())
      .set("mode", name(engine.mode()))
      .set("precision", std::string(name(file.precision)))
      .set("threads", std::int64_t{engine.n_threads()})
      .set("seed", file.seed)
      .set("version", program_version())
      .set("revision", program_revision());
  return summary;
}

}  // namespace

bool RunResult::is_missed() const {
  return std::any_of(errors.begin(), errors.end(), [](const fields::FieldError& error) { return error.is_missed(); });
}

RunResult run_problem(config::ProblemFile file, const problem::Registry& registry, const RunOptions& options) {
  runtime::Engine engine(options.engine);
  problem::Problem problem(std::move(file), registry, &engine.pool());
  Trainer trainer(problem, registry, engine);
  if (options.steps) trainer.limit_steps(*options.steps);
  fields::FieldOutputs outputs(problem, engine);
  fields::Validation validation(problem, engine);

  const io::OutputFolder folder(
      options.folder, options.occupied == IfOccupied::refuse ? io::IfOccupied::refuse : io::IfOccupied::accept);
  const fs::path checkpoint_path = folder.path() / "checkpoint.h5", manifest_path = folder.path() / "manifest.yaml";
  if (folder.was_occupied() && !fs::exists(manifest_path) && !fs::exists(checkpoint_path)) {
    throw UserError(fmt::format("the folder '{}' holds something else than a run", folder.path().string()),
                    "choose another folder with --out");
  }
  if (options.occupied == IfOccupied::replace) remove_results(folder.path());
  const std::int64_t resumed_step = options.occupied == IfOccupied::resume ? restore(trainer, folder.path()) : 0;
  write_manifest(manifest_path, problem.file(), engine);

  auto checkpoints = std::make_unique<CheckpointWriter>(checkpoint_path, problem, resumed_step);
  const CheckpointWriter& writer = *checkpoints;
  trainer.add(std::make_unique<History>(folder.path(), problem, resumed_step));
  trainer.add(std::make_unique<Progress>());
  if (!validation.empty()) {
    trainer.add(
        std::make_unique<Validator>(folder.path(), validation, problem.file().training.validate_every, resumed_step));
  }
  trainer.add(std::move(checkpoints));

  RunResult result;
  try {
    result.ending = trainer.run();
  } catch (const Diverged& error) {
    throw RuntimeError(writer.last_step() > 0 ? fmt::format("{}; the last good checkpoint, of step {}, is kept in '{}'",
                                                            error.what(), writer.last_step(), checkpoint_path.string())
                                              : fmt::format("{}; there was no checkpoint yet", error.what()));
  }
  result.steps = trainer.step();
  result.seconds = trainer.seconds();
  fmt::print("{} steps in {}: {}\n", result.steps, duration_text(result.seconds), describe(result.ending));
  if (result.ending == Ending::interrupted) {
    fmt::print("go on with --resume\n");
    return result;
  }
  result.errors = validation.run(trainer.state());
  for (const fields::FieldError& error : result.errors) fmt::print("{}\n", describe(error));
  for (const fs::path& path : outputs.write(folder.path(), trainer.state())) fmt::print("fields: {}\n", path.string());
  io::write_file(folder.path() / "summary.json", summary(trainer, result).str());
  return result;
}

}  // namespace eddy::trainer
