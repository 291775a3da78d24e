/// The program `eddy`.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <csignal>
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

/// The parser says of a misspelt command only that there is none.
void check_command(const CLI::App& app, int argc, char** argv) {
  if (argc < 2 || argv[1][0] == '-') return;
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands(nullptr)) names.push_back(command->get_name());
  if (std::find(names.begin(), names.end(), argv[1]) != names.end()) return;
  const std::string nearest = nearest_name(argv[1], names);
  throw UserError(fmt::format("there is no command '{}'", argv[1]),
                  nearest.empty() ? "eddy --help shows what there is" : fmt::format("did you mean '{}'?", nearest));
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
  check_command(app, argc, argv);
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
  std::signal(SIGXFSZ, SIG_IGN);  // writing beyond a limit is an error like a full disk, with a message
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
