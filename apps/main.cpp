/// The program `eddy`.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <new>
#include <unistd.h>

#include "apps/command.h"
#include "science/trainer/manifest.h"

namespace eddy::apps {

namespace {

void print_error(const std::string& what) {
  const bool colour = isatty(STDERR_FILENO) != 0;
  std::fprintf(stderr, "%serror:%s %s\n", colour ? "\x1b[1;31m" : "", colour ? "\x1b[0m" : "", what.c_str());
}

int run(int argc, char** argv) {
  CLI::App app("Eddyline solves partial differential equations with neural networks.", "eddy");
  app.set_version_flag("--version",
                       fmt::format("eddy {} ({})", trainer::program_version(), trainer::program_revision()));
  app.require_subcommand(1);
  app.footer(
      "Examples:\n"
      "  eddy solve configs/burgers/burgers.yaml\n"
      "  eddy COMMAND --help");
  Action chosen;
  for (const auto add :
       {add_solve, add_check, add_validate, add_predict, add_inspect, add_list, add_describe, add_cache}) {
    add(app, chosen);
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& success) {  // --help, --version
    return app.exit(success);
  } catch (const CLI::ParseError& error) {
    throw UserError(error.what(), "see eddy --help, or eddy COMMAND --help");
  }
  return chosen();
}

}  // namespace

}  // namespace eddy::apps

int main(int argc, char** argv) {
  using namespace eddy;
  try {
    return apps::run(argc, argv);
  } catch (const UserError& error) {
    apps::print_error(error.what());
    return apps::kUserError;
  } catch (const RuntimeError& error) {
    apps::print_error(error.what());
    return apps::kRunFailed;
  } catch (const std::bad_alloc&) {
    apps::print_error("out of memory");
    return apps::kRunFailed;
  } catch (const std::exception& error) {
    apps::print_error(fmt::format("{}\nThis is a defect of the program; please report it.", error.what()));
    return apps::kDefect;
  }
}
