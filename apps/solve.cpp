/// eddy solve: trains a problem and writes its fields.
#include <CLI/CLI.hpp>

#include "apps/command.h"
#include "equations/registry.h"
#include "science/trainer/run.h"

namespace eddy::apps {

namespace {

struct SolveOptions {
  ConfigOptions config;
  EngineOptions engine;
  std::string out;
  bool resume = false, force = false;
  std::optional<std::int64_t> steps;
};

int solve(const SolveOptions& options) {
  config::ProblemFile file = options.config.read();
  trainer::RunOptions run;
  run.folder =
      options.out.empty() ? std::filesystem::path("runs") / file.name.text : std::filesystem::path(options.out);
  run.occupied = options.resume  ? trainer::IfOccupied::resume
                 : options.force ? trainer::IfOccupied::replace
                                 : trainer::IfOccupied::refuse;
  run.steps = options.steps;
  run.engine = options.engine.read();
  const trainer::RunResult result = trainer::run_problem(std::move(file), equations::built_in(), run);
  return result.ending == trainer::Ending::interrupted ? kRunFailed : 0;
}

}  // namespace

void add_solve(CLI::App& app, Action& chosen) {
  auto options = std::make_shared<SolveOptions>();
  CLI::App* command = app.add_subcommand("solve", "Train a problem, write its fields, compare with its reference");
  options->config.add_to(*command);
  command->add_option("--out", options->out, "output folder (default: runs/NAME)")->type_name("DIR");
  auto* resume = command->add_flag("--resume", options->resume, "go on from the folder's checkpoint");
  command->add_flag("--force", options->force, "replace the run in the folder")->excludes(resume);
  command->add_option("--steps", options->steps, "end after this many steps of all stages together")->type_name("N");
  options->engine.add_to(*command);
  command->footer(
      "Examples:\n"
      "  eddy solve configs/burgers/burgers.yaml\n"
      "  eddy solve configs/burgers/burgers.yaml --profile quick --out runs/test\n"
      "  eddy solve configs/burgers/burgers.yaml --set seed=1 --set precision=f32 --force\n"
      "  eddy solve configs/burgers/burgers.yaml --resume");
  command->callback([options, &chosen] { chosen = [options] { return solve(*options); }; });
}

}  // namespace eddy::apps
