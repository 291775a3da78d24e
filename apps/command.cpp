#include "apps/command.h"

#include <CLI/CLI.hpp>

namespace eddy::apps {

void ConfigOptions::add_to(CLI::App& command, const std::string& about_path) {
  command.add_option("CONFIG", path, about_path)->required();
  command.add_option("--set", overrides.sets, "override a key: --set training.stages.warm.steps=100")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
  command.add_option("--profile", overrides.profile, "one of the file's profiles")->type_name("NAME");
}

void EngineOptions::add_to(CLI::App& command) {
  command.add_option("--device", device, "where to run (default: cpu)")->type_name("NAME");
  command.add_option("--mode", mode, "compiled (the default), or eager: operation by operation")->type_name("MODE");
  command.add_option("--threads", threads, "number of threads (default: one per processor)")->type_name("N");
}

runtime::Engine::Options EngineOptions::read() const {
  for (const char* planned : {"cuda", "opencl"}) {
    if (device == planned) throw UserError(fmt::format("the device '{}' is not there yet", device), "--device cpu");
  }
  if (mode != "compiled" && mode != "eager") {
    throw UserError(fmt::format("there is no mode '{}'", mode), "--mode compiled, or --mode eager");
  }
  if (threads < 0 || threads > 1024)
    throw UserError(fmt::format("{} threads are not possible", threads), "--threads 2");
  return {device, mode == "eager" ? runtime::Mode::eager : runtime::Mode::compiled, threads};
}

}  // namespace eddy::apps
