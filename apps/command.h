#pragma once
/// Subcommands of the program, one source file each.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "framework/runtime/engine.h"
#include "science/config/problem_file.h"

namespace CLI {
class App;
}

namespace eddy::apps {

/// Exit codes besides 0: what main() makes of errors, and what commands return.
inline constexpr int kMissed = 1, kUserError = 2, kRunFailed = 3, kDefect = 70;

/// A command adds itself to the program and, when it is the one chosen, sets `chosen` to what is to be done; its result
/// is the exit code.
using Action = std::function<int()>;
void add_solve(CLI::App& app, Action& chosen);
void add_check(CLI::App& app, Action& chosen);
void add_validate(CLI::App& app, Action& chosen);
void add_predict(CLI::App& app, Action& chosen);
void add_inspect(CLI::App& app, Action& chosen);
void add_list(CLI::App& app, Action& chosen);
void add_describe(CLI::App& app, Action& chosen);
void add_cache(CLI::App& app, Action& chosen);

/// Options that several commands have in common.
struct ConfigOptions {
  std::string path;
  config::Overrides overrides;

  void add_to(CLI::App& command, const std::string& about_path = "problem file (YAML)");
  config::ProblemFile read() const { return config::read_problem(path, overrides); }
};

struct EngineOptions {
  std::string device = "cpu", mode = "compiled";
  int threads = 0;

  void add_to(CLI::App& command);
  /// UserError for a device or mode that there is not.
  runtime::Engine::Options read() const;
};

}  // namespace eddy::apps
