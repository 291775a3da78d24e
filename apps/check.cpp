/// eddy check: everything short of training.
#include <CLI/CLI.hpp>
#include <cstdio>

#include "apps/command.h"
#include "equations/registry.h"
#include "science/fields/field_output.h"
#include "science/fields/validation.h"
#include "science/trainer/stage_run.h"

namespace eddy::apps {

namespace {

struct CheckOptions {
  ConfigOptions config;
  bool preview = false;
};

int check(const CheckOptions& options) {
  if (options.preview) throw UserError("--preview is not there yet", "leave it out");
  runtime::Engine engine({});
  const problem::Registry registry = equations::built_in();
  const problem::Problem problem(options.config.read(), registry, &engine.pool());
  trainer::check_stages(problem.file().training, registry);
  const fields::FieldOutputs outputs(problem, engine);
  const fields::Validation validation(problem, engine);

  fmt::print("{}", config::resolved_yaml(problem.file()));
  std::int64_t n_parameters = 0;
  for (const problem::StateTensor& tensor : problem.model().state()) {
    if (tensor.trainable) n_parameters += n_elements(tensor.shape);
  }
  fmt::print("\n# {} trainable numbers\n", n_parameters);
  for (const problem::Constraint& constraint : problem.constraints()) {
    for (const problem::Term& term : constraint.terms()) {
      fmt::print("# term {}: {} points, {}\n", term.name, constraint.n_points(), str(term.value));
    }
  }
  return 0;
}

}  // namespace

void add_check(CLI::App& app, Action& chosen) {
  auto options = std::make_shared<CheckOptions>();
  CLI::App* command = app.add_subcommand("check", "Build a problem and print it with every default; train nothing");
  options->config.add_to(*command);
  command->add_flag("--preview", options->preview, "draw the points (not there yet)");
  command->footer(
      "Examples:\n"
      "  eddy check configs/burgers/burgers.yaml\n"
      "  eddy check configs/burgers/burgers.yaml --profile quick --set seed=3");
  command->callback([options, &chosen] { chosen = [options] { return check(*options); }; });
}

}  // namespace eddy::apps
