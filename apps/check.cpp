/// eddy check: everything short of training.
#include <CLI/CLI.hpp>
#include <cstdio>

#include "apps/command.h"
#include "equations/registry.h"
#include "science/fields/field_output.h"
#include "science/fields/validation.h"
#include "science/problem/program.h"
#include "science/trainer/stage_run.h"

namespace eddy::apps {

namespace {

struct CheckOptions {
  ConfigOptions config;
  bool preview = false;
};

/// Adds what the module's schema has by default for the keys that are not there.
void fill_defaults(config::Options& options, const config::Type& type) {
  for (const config::Field& field : type.fields) {
    if (field.default_value && options.node.find(field.name) == nullptr) {
      options.node.set(field.name, *field.default_value);
    }
  }
}

/// The resolved file with the defaults of equations, networks and optimizers, too.
std::string resolved(config::ProblemFile file, const problem::Registry& registry) {
  if (file.equation.use) fill_defaults(file.equation.options, *registry.equations.at(*file.equation.use).options);
  for (auto& network : file.networks) {
    fill_defaults(network.value.options, *registry.networks.at(network.value.type).options);
  }
  for (auto& stage : file.training.stages) {
    fill_defaults(stage.value.options, *registry.optimizers.at(stage.value.optimizer).options);
  }
  return config::resolved_yaml(file);
}

/// What the problem comes to, as comments below its file.
std::string summary(const problem::Problem& problem) {
  const problem::Model& model = problem.model();
  std::string text = fmt::format("\n# unknowns: {}\n# coordinates: {}\n", fmt::join(model.unknowns(), ", "),
                                 fmt::join(model.symbols().coordinates(), ", "));
  for (const problem::RuntimeScalar& scalar : model.scalars()) {
    text += fmt::format("# {} = {}\n", scalar.name, config::text_from_number(scalar.value));
  }
  std::int64_t n_trainable = 0;
  for (const problem::StateTensor& tensor : model.state()) {
    if (tensor.trainable) n_trainable += n_elements(tensor.shape);
  }
  for (const problem::ModelNetwork& network : model.networks()) {
    std::int64_t n_parameters = 0;
    for (const networks::Parameter& parameter : network.network->parameters()) {
      if (parameter.trainable) n_parameters += n_elements(parameter.shape);
    }
    text += fmt::format("# network {}: {} parameters\n", network.name, n_parameters);
  }
  text += fmt::format("# {} trainable numbers in all\n", n_trainable);
  for (const problem::Constraint& constraint : problem.constraints()) {
    text += fmt::format("# constraint {}: {} points", constraint.name(), constraint.n_points());
    if (const auto measure = constraint.measure()) text += fmt::format(" over a measure of {}", *measure);
    text += "\n";
    for (const problem::Term& term : constraint.terms()) {
      text += fmt::format("#   term {}: {}{}\n", term.name, str(term.value),
                          term.target ? " = " + str(*term.target) : std::string());
    }
  }
  for (const autodiff::DerivativePlan& plan : problem::build_training(problem, problem.file().precision).plans) {
    text += fmt::format("# derivatives over rows {}: {} requests, {} lanes\n", plan.rows, plan.requests.size(),
                        plan.lanes.n_lanes());
  }
  return text;
}

int check(const CheckOptions& options) {
  if (options.preview) throw UserError("--preview is not there yet", "leave it out");
  runtime::Engine engine({});
  const problem::Registry registry = equations::built_in();
  const problem::Problem problem(options.config.read(), registry, &engine.pool());
  trainer::check_stages(problem.file().training, registry);
  const fields::FieldOutputs outputs(problem, engine);
  const fields::Validation validation(problem, engine);
  fmt::print("{}{}", resolved(problem.file(), registry), summary(problem));
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
