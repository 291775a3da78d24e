#include "science/trainer/run.h"

#include "framework/core/log.h"
#include "science/io/atomic_file.h"
#include "science/io/json.h"
#include "science/io/output_folder.h"
#include "science/trainer/history.h"
#include "science/trainer/manifest.h"
#include "science/trainer/progress.h"

namespace eddy::trainer {

namespace fs = std::filesystem;

namespace {

/// Removes what runs write and nothing else; the checkpoint last, so that a kill in between leaves a run that can go
/// on.
void remove_results(const fs::path& folder) {
  for (const char* name : {"summary.json", "history.csv", "timing.csv", "errors.csv", "manifest.yaml", "report.html"}) {
    fs::remove(folder / name);
  }
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() == ".pvd") fs::remove(entry.path());
  }
  fs::remove_all(folder / "fields");
  fs::remove(folder / "checkpoint.h5");
}

}  // namespace

RunResult run_problem(config::ProblemFile file, const problem::Registry& registry, const RunOptions& options) {
  runtime::Engine engine(options.engine);
  problem::Problem problem(std::move(file), registry, &engine.pool());
  Trainer trainer(problem, registry, engine);
  if (options.steps) trainer.limit_steps(*options.steps);

  const io::OutputFolder folder(
      options.folder, options.occupied == IfOccupied::refuse ? io::IfOccupied::refuse : io::IfOccupied::accept);
  const fs::path checkpoint_path = folder.path() / "checkpoint.h5";
  std::int64_t resumed_step = 0;
  if (options.occupied == IfOccupied::replace) remove_results(folder.path());
  if (options.occupied == IfOccupied::resume) {
    if (fs::exists(checkpoint_path)) {
      Checkpoint checkpoint = read_checkpoint(checkpoint_path);
      if (checkpoint.config != config_hash(problem.file())) {
        const std::string difference = first_difference(trained_config(read_manifest(folder.path() / "manifest.yaml")),
                                                        trained_config(problem.file()));
        throw UserError(
            fmt::format("the run in '{}' was made with another configuration: {}", folder.path().string(), difference),
            "give the same configuration, start anew with --force, or choose another folder with --out");
      }
      resumed_step = checkpoint.step;
      log::info(fmt::format("going on from step {} (stage '{}')", checkpoint.step, checkpoint.stage));
      trainer.restore(std::move(checkpoint));
    } else {
      log::info(fmt::format("there is no checkpoint in '{}' yet: starting at step 0", folder.path().string()));
    }
  }
  write_manifest(folder.path() / "manifest.yaml", problem.file(), engine);

  auto checkpoints = std::make_unique<CheckpointWriter>(checkpoint_path, problem, resumed_step);
  const CheckpointWriter& writer = *checkpoints;
  trainer.add(std::make_unique<History>(folder.path(), problem, resumed_step));
  trainer.add(std::move(checkpoints));
  trainer.add(std::make_unique<Progress>());

  RunResult result;
  try {
    result.ending = trainer.run();
  } catch (const Diverged& error) {
    throw RuntimeError(writer.last_step() > 0 ? fmt::format("{}; the last good checkpoint, of step {}, is kept in '{}'",
                                                            error.what(), writer.last_step(), checkpoint_path.string())
                                              : fmt::format("{}; there was no checkpoint yet", error.what()));
  }
  result.steps = trainer.step();
  result.loss = trainer.report().loss;

  io::Json summary = io::Json::object();
  summary.set("name", problem.file().name.text)
      .set("ending", describe(result.ending))
      .set("steps", result.steps)
      .set("wall_seconds", trainer.seconds())
      .set("step_ms_median", trainer.median_step_ms())
      .set("loss", result.loss)
      .set("device", engine.device().name())
      .set("mode", name(engine.mode()))
      .set("precision", std::string(name(problem.file().precision)))
      .set("threads", std::int64_t{engine.n_threads()})
      .set("seed", problem.file().seed)
      .set("version", program_version())
      .set("revision", program_revision());
  io::write_file(folder.path() / "summary.json", summary.str());
  return result;
}

}  // namespace eddy::trainer
