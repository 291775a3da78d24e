#include "apps/program_test.h"

#include <catch2/catch.hpp>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <fmt/format.h>
#include <fstream>
#include <sstream>
#include <sys/wait.h>
#include <unistd.h>

namespace eddy::apps {

namespace fs = std::filesystem;

namespace {
int exit_code(int status) { return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status); }
}  // namespace

TestFolder::TestFolder() {
  std::string name = (fs::temp_directory_path() / "eddy_program_test.XXXXXX").string();
  REQUIRE(mkdtemp(name.data()) != nullptr);
  path_ = name;
  fs::create_directory_symlink(fs::current_path() / "data", path_ / "data");
}

TestFolder::~TestFolder() { fs::remove_all(path_); }

void TestFolder::write(const std::string& name, const std::string& text) const {
  fs::create_directories(path(name).parent_path());
  std::ofstream(path(name), std::ios::binary) << text;
}

std::string TestFolder::read(const std::string& name) const {
  std::ostringstream text;
  text << std::ifstream(path(name), std::ios::binary).rdbuf();
  return text.str();
}

Outcome TestFolder::eddy(const std::string& arguments, const std::string& prefix) const {
  const std::string command =
      fmt::format("cd '{}'; {} '{}' {} >.out 2>.err", path_.string(), prefix, EDDY_PROGRAM, arguments);
  const int status = std::system(command.c_str());
  return {exit_code(status), read(".out"), read(".err")};
}

Outcome TestFolder::interrupt(const std::vector<std::string>& arguments, const std::string& line, int signal) const {
  int ends[2];
  REQUIRE(pipe(ends) == 0);
  fcntl(ends[1], F_SETPIPE_SZ, 4096);
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    std::vector<char*> argv{const_cast<char*>(EDDY_PROGRAM)};
    for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
    argv.push_back(nullptr);
    const int nothing = open("/dev/null", O_WRONLY);
    if (chdir(path_.c_str()) != 0 || dup2(ends[1], 1) < 0 || dup2(nothing, 2) < 0) _exit(99);
    close(ends[0]);
    execv(EDDY_PROGRAM, argv.data());
    _exit(99);
  }
  close(ends[1]);
  std::FILE* out = fdopen(ends[0], "r");
  Outcome outcome;
  char buffer[4096];
  bool sent = false;
  // After the signal the rest is read, so that a process that ends by itself is not stuck.
  while (std::fgets(buffer, sizeof buffer, out) != nullptr) {
    outcome.out += buffer;
    if (!sent && std::string(buffer).rfind(line, 0) == 0) {
      kill(child, signal);
      sent = true;
    }
  }
  std::fclose(out);
  int status = 0;
  waitpid(child, &status, 0);
  CHECK(sent);
  outcome.code = exit_code(status);
  return outcome;
}

}  // namespace eddy::apps
