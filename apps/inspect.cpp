/// eddy inspect: a problem's programs at every stage of their making.
#include <CLI/CLI.hpp>
#include <algorithm>
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
  std::string stage = "ir", function, training_stage, precision;
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
  throw UserError(fmt::format("this stage of training has no function '{}'", name),
                  fmt::format("there are {} and fields", fmt::join(names, ", ")));
}

void check_stage(const std::string& stage) {
  const std::vector<std::string> stages{"ir", "plan", "fused", "loops", "c", "memory"};
  if (std::find(stages.begin(), stages.end(), stage) != stages.end()) return;
  for (const char* planned : {"cuda", "opencl", "sharding"}) {
    if (stage == planned) throw UserError(fmt::format("the stage '{}' is not there yet", stage));
  }
  throw UserError(fmt::format("there is no stage '{}'", stage), fmt::format("there are {}", fmt::join(stages, ", ")));
}

/// The programs of one problem in one precision.
struct Programs {
  std::unique_ptr<ir::Module> stated;  ///< `terms` or `fields` with requests for derivatives in it; may be null
  problem::TrainingProgram training;   ///< where `fields` is not what is asked for
  std::vector<autodiff::DerivativePlan> plans;
  ir::Function function;
  DimBindings sizes;
};

/// What the first output writes, else the unknowns.
config::NamedList<config::Expression> field_values(const problem::Problem& problem) {
  if (!problem.file().outputs.fields.empty()) return problem.file().outputs.fields.front().value.values;
  config::NamedList<config::Expression> values;
  for (const std::string& unknown : problem.model().unknowns()) {
    values.push_back({unknown, config::parse_expression(unknown)});
  }
  return values;
}

Programs build(const problem::Problem& problem, const problem::Registry& registry, const InspectOptions& options) {
  const config::Named<config::StageSpec>& stage = find_stage(problem.file().training, options.training_stage);
  const auto optimizer = registry.optimizers.at(stage.value.optimizer).make(stage.value.options);
  const auto* first_order = dynamic_cast<const optimizers::FirstOrder*>(optimizer.get());
  DType dtype = first_order == nullptr ? DType::f64 : stage.value.precision.value_or(problem.file().precision);
  if (!options.precision.empty()) dtype = options.precision == "f32" ? DType::f32 : DType::f64;

  Programs programs;
  if (options.function == "fields") {
    programs.stated = problem::build_fields(problem.model(), dtype, field_values(problem));
    programs.function = programs.stated->function("fields");
    programs.sizes["n"] = 10000;  // any size would do: how many points there are is a matter of each call
    return programs;
  }
  const std::string fallback = options.stage == "ir" ? "terms" : first_order != nullptr ? "step" : "loss_and_grad";
  const std::string name = options.function.empty() ? fallback : options.function;
  if (options.stage == "ir" && name == "terms") {
    programs.stated = problem::build_terms(problem, dtype);
    programs.function = programs.stated->function(name);
    return programs;
  }
  programs.training = problem::build_training(problem, dtype, first_order);
  programs.plans = programs.training.plans;
  programs.function = find_function(*programs.training.module, name);
  for (const problem::Constraint& constraint : problem.constraints()) {
    programs.sizes[constraint.rows().str()] = constraint.n_points();
  }
  return programs;
}

std::string text_of(const Programs& programs, const std::string& stage) {
  if (stage == "ir") {
    return programs.stated ? ir::print(*programs.stated) : ir::print(programs.function);
  }
  const compiler::Prepared prepared = compiler::prepare(programs.function);
  if (stage == "plan") {
    std::string text;
    for (const auto* plans : {&programs.plans, &prepared.plans}) {
      for (const autodiff::DerivativePlan& plan : *plans) text += plan.str() + "\n";
    }
    if (text.empty()) text = "no derivatives by coordinates\n\n";
    return text + fmt::format("passes of {}\n{}", programs.function.name(), prepared.table);
  }
  const compiler::Schedule schedule = compiler::schedule(prepared.function());
  if (stage == "fused") return schedule.str();
  const compiler::Program printed = compiler::print_program(schedule, {compiler::native_vector_bytes()});
  if (stage == "loops") return printed.loops;
  if (stage == "c") return printed.source;
  DimBindings sizes;
  for (const std::string& symbol : printed.symbols) sizes[symbol] = programs.sizes.at(symbol);
  return printed.memory_plan(sizes);
}

int inspect(const InspectOptions& options) {
  check_stage(options.stage);
  if (!options.precision.empty() && options.precision != "f32" && options.precision != "f64") {
    throw UserError(fmt::format("there is no precision '{}'", options.precision), "--precision f32, or f64");
  }
  const problem::Registry registry = equations::built_in();
  const problem::Problem problem(options.config.read(), registry);
  fmt::print("{}", text_of(build(problem, registry, options), options.stage));
  return 0;
}

}  // namespace

void add_inspect(CLI::App& app, Action& chosen) {
  auto options = std::make_shared<InspectOptions>();
  CLI::App* command = app.add_subcommand("inspect", "Print a problem's programs at any stage of their making");
  options->config.add_to(*command);
  command->add_option("--stage", options->stage, "ir (the default), plan, fused, loops, c or memory")
      ->type_name("STAGE");
  command->add_option("--function", options->function, "terms, loss_and_grad, update, step or fields")
      ->type_name("NAME");
  command->add_option("--training", options->training_stage, "stage of training (default: the first)")
      ->type_name("NAME");
  command->add_option("--precision", options->precision, "f32 or f64 (default: the stage's)")->type_name("NAME");
  command->footer(
      "Examples:\n"
      "  eddy inspect configs/burgers/burgers.yaml\n"
      "  eddy inspect configs/burgers/burgers.yaml --stage plan\n"
      "  eddy inspect configs/burgers/burgers.yaml --stage memory --training polish\n"
      "  eddy inspect configs/burgers/burgers.yaml --stage c --function step");
  command->callback([options, &chosen] { chosen = [options] { return inspect(*options); }; });
}

}  // namespace eddy::apps
