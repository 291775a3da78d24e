/// eddy validate: solves problems and compares them with their references.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>

#include "apps/command.h"
#include "equations/registry.h"
#include "science/trainer/history.h"
#include "science/trainer/run.h"

namespace eddy::apps {

namespace fs = std::filesystem;

namespace {

struct ValidateOptions {
  ConfigOptions config;
  EngineOptions engine;
  std::string out = "runs/validate";
  std::int64_t seeds = 1;
};

struct Row {
  std::string name, outcome;
  int code = 0;
};

/// Problem files below a folder, sorted.
std::vector<fs::path> problem_files(const fs::path& path) {
  if (!fs::is_directory(path)) return {path};
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(path)) {
    if (entry.path().extension() == ".yaml" || entry.path().extension() == ".yml") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  if (files.empty()) throw UserError(fmt::format("there are no problem files (*.yaml) in '{}'", path.string()));
  return files;
}

Row validate_one(const config::ProblemFile& file, const std::string& name, const ValidateOptions& options) {
  trainer::RunOptions run;
  run.folder = fs::path(options.out) / name;
  run.occupied = trainer::IfOccupied::replace;
  run.engine = options.engine.read();
  fmt::print("\n{}\n", name);
  const trainer::RunResult result = trainer::run_problem(file, equations::built_in(), run);
  Row row{name, {}, result.is_missed() ? kMissed : 0};
  for (const fields::FieldError& error : result.errors) {
    row.outcome += (row.outcome.empty() ? "" : "; ") + trainer::describe(error);
  }
  if (result.ending == trainer::Ending::interrupted) {
    row.outcome = "interrupted";
    row.code = kRunFailed;
  }
  return row;
}

int validate(const ValidateOptions& options) {
  const bool is_folder = fs::is_directory(options.config.path);
  if (options.seeds < 1) throw UserError("--seeds must be at least 1");
  std::vector<Row> rows;
  for (const fs::path& path : problem_files(options.config.path)) {
    try {
      const config::ProblemFile first = config::read_problem(path.string(), options.config.overrides);
      if (first.validation.empty() || (is_folder && first.long_running)) {
        if (!is_folder) throw UserError(first.where, "there is nothing to compare with", "add the key 'validation'");
        rows.push_back({first.name.text, first.validation.empty() ? "skipped: no validation" : "skipped: long", 0});
        continue;
      }
      for (std::int64_t k = 0; k < options.seeds; ++k) {
        config::ProblemFile file = first;
        file.seed += k;
        const std::string name =
            options.seeds == 1 ? file.name.text : fmt::format("{}_seed{}", file.name.text, file.seed);
        rows.push_back(validate_one(file, name, options));
        if (rows.back().outcome == "interrupted") return kRunFailed;
      }
    } catch (const UserError& error) {
      rows.push_back({path.string(), error.what(), kUserError});
    } catch (const RuntimeError& error) {
      rows.push_back({path.string(), error.what(), kRunFailed});
    }
  }
  int code = 0;
  fmt::print("\n");
  for (const Row& row : rows) {
    fmt::print("{}  {}: {}\n", row.code == 0 ? (row.outcome.rfind("skipped", 0) == 0 ? "    " : "ok  ") : "FAIL",
               row.name, row.outcome);
    code = std::max(code, row.code);
  }
  return code;
}

}  // namespace

void add_validate(CLI::App& app, Action& chosen) {
  auto options = std::make_shared<ValidateOptions>();
  CLI::App* command =
      app.add_subcommand("validate", "Solve, compare with the reference; exit code 1 where a tolerance is missed");
  options->config.add_to(*command,
                         "problem file, or a folder: every file in it that has a 'validation' and is not 'long'");
  command->add_option("--seeds", options->seeds, "run each with so many seeds")->type_name("N");
  command->add_option("--out", options->out, "folder of the runs, each replaced (default: runs/validate)")
      ->type_name("DIR");
  options->engine.add_to(*command);
  command->footer(
      "Examples:\n"
      "  eddy validate configs/burgers/burgers.yaml --seeds 3\n"
      "  eddy validate configs/");
  command->callback([options, &chosen] { chosen = [options] { return validate(*options); }; });
}

}  // namespace eddy::apps
