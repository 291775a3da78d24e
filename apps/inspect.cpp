/// eddy inspect: a problem's programs at every stage of their making.
#include <CLI/CLI.hpp>
#include <cstdio>

#include "apps/command.h"
#include "equations/registry.h"
#include "framework/compiler/host_compiler.h"
#include "framework/compiler/pipeline.h"
#include "framework/ir/printer.h"
#include "science/problem/program.h"

namespace eddy::apps {

namespace {

struct InspectOptions {
  ConfigOptions config;
  std::string stage = "ir", function, training_stage;
};

/// The stage of training whose programs are looked at: the one named, else the first.
const config::Named<config::StageSpec>& find_stage(const config::TrainingSpec& training, const std::string& name) {
  if (name.empty()) return training.stages.front();
  for (const auto& stage : training.stages) {
    if (stage.name.text == name) return stage;
  }
  throw UserError(fmt::format("there is no training stage '{}'", name),
                  fmt::format("there are {}", fmt::join(config::names(training.stages), ", ")));
}

ir::Function find_function(const ir::Module& module, const std::string& name) {
  if (const ir::Function function = module.find_function(name)) return function;
  std::vector<std::string> names;
  for (const ir::Function& function : module.functions()) names.push_back(function.name());
  throw UserError(fmt::format("this stage has no function '{}'", name),
                  fmt::format("there are {}", fmt::join(names, ", ")));
}

int inspect(const InspectOptions& options) {
  const std::vector<std::string> stages{"ir", "plan", "fused", "loops", "c", "memory"};
  if (std::find(stages.begin(), stages.end(), options.stage) == stages.end()) {
    for (const char* planned : {"cuda", "opencl", "sharding"}) {
      if (options.stage == planned) throw UserError(fmt::format("the stage '{}' is not there yet", options.stage));
    }
    throw UserError(fmt::format("there is no stage '{}'", options.stage),
                    fmt::format("there are {}", fmt::join(stages, ", ")));
  }
  const problem::Registry registry = equations::built_in();
  const problem::Problem problem(options.config.read(), registry);
  const config::Named<config::StageSpec>& training = find_stage(problem.file().training, options.training_stage);
  const auto optimizer = registry.optimizers.at(training.value.optimizer).make(training.value.options);
  const auto* first_order = dynamic_cast<const optimizers::FirstOrder*>(optimizer.get());
  const DType dtype = first_order == nullptr ? DType::f64 : training.value.precision.value_or(problem.file().precision);

  if (options.stage == "ir" && (options.function.empty() || options.function == "terms")) {
    fmt::print("{}", ir::print(*problem::build_terms(problem, dtype)));  // as it was stated
    return 0;
  }
  const problem::TrainingProgram program = problem::build_training(problem, dtype, first_order);
  if (options.stage == "plan") {
    for (const autodiff::DerivativePlan& plan : program.plans) fmt::print("{}\n", plan.str());
    return 0;
  }
  const std::string name = !options.function.empty() ? options.function : first_order ? "step" : "loss_and_grad";
  const ir::Function function = find_function(*program.module, name);
  if (options.stage == "ir") {
    fmt::print("{}", ir::print(function));
    return 0;
  }
  const compiler::Prepared prepared = compiler::prepare(function);
  const compiler::Schedule schedule = compiler::schedule(prepared.function());
  if (options.stage == "fused") {
    fmt::print("{}", schedule.str());
    return 0;
  }
  const compiler::Program printed = compiler::print_program(schedule, {compiler::native_vector_bytes()});
  fmt::print("{}", options.stage == "loops" ? printed.loops
                   : options.stage == "c"   ? printed.source
                                            : printed.memory_plan());
  return 0;
}

}  // namespace

void add_inspect(CLI::App& app, Action& chosen) {
  auto options = std::make_shared<InspectOptions>();
  CLI::App* command = app.add_subcommand("inspect", "Print a problem's programs at any stage of their making");
  options->config.add_to(*command);
  command->add_option("--stage", options->stage, "ir (the default), plan, fused, loops, c or memory")
      ->type_name("STAGE");
  command->add_option("--function", options->function, "terms, loss_and_grad, update or step")->type_name("NAME");
  command->add_option("--training", options->training_stage, "stage of training (default: the first)")
      ->type_name("NAME");
  command->footer(
      "Examples:\n"
      "  eddy inspect configs/burgers/burgers.yaml --stage ir\n"
      "  eddy inspect configs/burgers/burgers.yaml --stage c --function step");
  command->callback([options, &chosen] { chosen = [options] { return inspect(*options); }; });
}

}  // namespace eddy::apps
