#include "framework/compiler/host_compiler.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <spawn.h>
#include <sstream>
#include <sys/stat.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace eddy::compiler {

namespace fs = std::filesystem;

namespace {

/// A private folder, removed with this object unless it is kept.
class WorkFolder {
 public:
  WorkFolder() {
    std::error_code error;
    std::string pattern = (fs::temp_directory_path(error) / "eddyline-cc-XXXXXX").string();
    if (error || mkdtemp(pattern.data()) == nullptr) {
      throw RuntimeError(fmt::format("cannot create a temporary folder {}: {}", pattern,
                                     error ? error.message() : std::strerror(errno)));
    }
    path_ = pattern;
  }
  ~WorkFolder() {
    std::error_code ignored;
    if (!kept_) fs::remove_all(path_, ignored);
  }
  WorkFolder(const WorkFolder&) = delete;
  WorkFolder& operator=(const WorkFolder&) = delete;

  const fs::path& path() const { return path_; }
  void keep() { kept_ = true; }

  void write(const std::string& name, const std::string& text) const {
    std::ofstream file(path_ / name, std::ios::binary);
    file << text;
    file.close();
    if (!file) throw RuntimeError(fmt::format("cannot write {}: {}", (path_ / name).string(), std::strerror(errno)));
  }
  std::string read(const std::string& name) const {
    std::ifstream file(path_ / name, std::ios::binary);
    std::ostringstream text;
    if (file.peek() != std::ifstream::traits_type::eof()) text << file.rdbuf();
    if (!file.is_open() || file.bad()) throw RuntimeError(fmt::format("cannot read {}", (path_ / name).string()));
    return std::move(text).str();
  }

 private:
  fs::path path_;
  bool kept_ = false;
};

/// One run of a program in a work folder: what it says goes to the file `log` there.
struct Run {
  std::vector<std::string> words;
  std::string log;
  pid_t process = 0;
  int start_error = 0;  // of errno's kind; where it is not 0 the program did not start
  int status = 0;       // as waitpid gives it

  bool succeeded() const { return start_error == 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0; }
};

void start(Run& run, const WorkFolder& folder) {
  std::vector<char*> argv;
  for (auto& word : run.words) argv.push_back(word.data());
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addchdir_np(&actions, folder.path().c_str());
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, run.log.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
  run.start_error = posix_spawn(&run.process, argv[0], &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
}

void wait(Run& run) {
  if (run.start_error != 0) return;
  while (waitpid(run.process, &run.status, 0) < 0) {
    if (errno == EINTR) continue;
    run.start_error = errno;  // its status is lost, as where the process ignores SIGCHLD
    return;
  }
}

/// Runs all, as many at once as there are processors. Returns when every one has ended.
void run_all(std::vector<Run>& runs, const WorkFolder& folder) {
  const std::size_t n_at_once = std::max(1u, std::thread::hardware_concurrency());
  for (std::size_t i = 0; i < runs.size(); ++i) {
    if (i >= n_at_once) wait(runs[i - n_at_once]);
    start(runs[i], folder);
  }
  for (std::size_t i = runs.size() > n_at_once ? runs.size() - n_at_once : 0; i < runs.size(); ++i) wait(runs[i]);
}

/// The first lines of the compiler or linker that speak of an error; the first lines at all where none does.
std::string first_errors(const std::string& log) {
  constexpr std::size_t kMost = 5;
  std::istringstream lines(log);
  std::vector<std::string> errors, all;
  for (std::string line; errors.size() < kMost && std::getline(lines, line);) {
    const bool is_error = line.find("error") != std::string::npos || line.find("undefined") != std::string::npos;
    if (is_error) errors.push_back(line);
    if (all.size() < kMost) all.push_back(line);
  }
  std::string text;
  for (const auto& line : errors.empty() ? all : errors) text += "\n  " + line;
  return text.empty() ? "\n  (it said nothing)" : text;
}

/// Throws unless the run went well. `file` is what it worked on.
void require_success(const Run& run, WorkFolder& folder, const std::string& file) {
  if (run.succeeded()) return;
  if (run.start_error != 0) {
    throw NoCompiler(fmt::format("cannot run the C compiler {}: {}", run.words[0], std::strerror(run.start_error)));
  }
  if (WIFSIGNALED(run.status)) {
    throw RuntimeError(fmt::format("the C compiler {} was ended by signal {} ({})", run.words[0], WTERMSIG(run.status),
                                   strsignal(WTERMSIG(run.status))));
  }
  folder.keep();
  throw InternalError(fmt::format("the C compiler {} failed (exit status {}) on a generated program:{}\n  kept as {}",
                                  run.words[0], WEXITSTATUS(run.status), first_errors(folder.read(run.log)),
                                  (folder.path() / file).string()));
}

bool is_program(const fs::path& path) {
  struct stat status {};
  return stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode) && access(path.c_str(), X_OK) == 0;
}

/// The path of a program given by name (looked up on PATH) or by path; empty when there is none.
fs::path find_program(const std::string& name) {
  if (name.find('/') != std::string::npos) return is_program(name) ? fs::absolute(name) : fs::path();
  const char* path = std::getenv("PATH");
  std::istringstream folders(path != nullptr ? path : "/usr/local/bin:/usr/bin:/bin");
  for (std::string folder; std::getline(folders, folder, ':');) {
    const fs::path candidate = fs::path(folder) / name;
    if (!folder.empty() && is_program(candidate)) return fs::absolute(candidate);
  }
  return {};
}

}  // namespace

int native_vector_bytes() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f")) return 64;
  if (__builtin_cpu_supports("avx2")) return 32;
#endif
  return 16;
}

const std::string& cpu_identity() {
  static const std::string identity = [] {
    // The first processor's block; lines that vary from moment to moment (clock rate, bogomips) stay out.
    constexpr std::string_view kKeys[] = {
        "vendor_id",  "cpu family", "model",           "model name",       "stepping",    "flags",       "Features",
        "cache size", "CPU part",   "CPU implementer", "CPU architecture", "CPU variant", "CPU revision"};
    std::ifstream file("/proc/cpuinfo");
    std::string text;
    for (std::string line; std::getline(file, line) && !line.empty();) {
      const auto key = line.substr(0, line.find_first_of("\t:"));
      if (std::find(std::begin(kKeys), std::end(kKeys), key) != std::end(kKeys)) text += line + "\n";
    }
    if (text.empty()) throw RuntimeError("/proc/cpuinfo does not say what this processor is");
    return text;
  }();
  return identity;
}

std::vector<std::string> native_flags() {
  // Integers wrap, as the reference kernels' do.
  std::vector<std::string> flags = {
      "-std=gnu11",        "-O3", "-march=native", "-fPIC", "-fwrapv", "-ffp-contract=off", "-fno-math-errno",
      "-fno-trapping-math"};
  // Without it GCC keeps to 32-byte vectors.
  if (native_vector_bytes() == 64) flags.emplace_back("-mprefer-vector-width=512");
  return flags;
}

HostCompiler HostCompiler::find() {
  const char* named = std::getenv("EDDY_CC");
  if (named != nullptr && *named != '\0') {
    const fs::path path = find_program(named);
    if (path.empty()) {
      throw NoCompiler(fmt::format(
          "EDDY_CC is '{}', which is no program; set it to the path or name of a C compiler, without arguments",
          named));
    }
    return HostCompiler(path);
  }
  for (const auto* name : {"cc", "gcc", "clang"}) {
    const fs::path path = find_program(name);
    if (!path.empty()) return HostCompiler(path);
  }
  throw NoCompiler("no C compiler: none of cc, gcc and clang is on PATH; install one (Debian: gcc) or set EDDY_CC");
}

HostCompiler::HostCompiler(fs::path program, std::vector<std::string> flags)
    : program_(fs::absolute(program)), flags_(std::move(flags)) {}

std::string HostCompiler::stamp() const {
  struct stat status {};
  if (stat(program_.c_str(), &status) != 0) {
    throw NoCompiler(fmt::format("no C compiler: {}: {}", program_.string(), std::strerror(errno)));
  }
  return fmt::format("{}\n{} bytes, modified {}.{:09}", program_.string(), status.st_size, status.st_mtim.tv_sec,
                     status.st_mtim.tv_nsec);
}

std::string HostCompiler::identity() const {
  WorkFolder folder;
  std::vector<Run> runs = {{{program_.string(), "--version"}, "version.txt"},
                           {{program_.string(), "-dumpmachine"}, "machine.txt"}};
  run_all(runs, folder);
  std::string text;
  for (const auto& run : runs) {
    if (!run.succeeded()) {
      throw NoCompiler(fmt::format("the C compiler does not run: {} {}{}", program_.string(), run.words[1],
                                   run.start_error != 0 ? fmt::format(": {}", std::strerror(run.start_error))
                                                        : first_errors(folder.read(run.log))));
    }
    const std::string said = folder.read(run.log);
    text += said.substr(0, said.find('\n')) + "\n";
  }
  return text;
}

std::string HostCompiler::compile(std::span<const std::string> sources) const {
  EDDY_CHECK(!sources.empty());
  WorkFolder folder;
  std::vector<Run> units;
  // Names are looked up in the object itself first, and none may stay open but the C library's.
  Run link{{program_.string(), "-shared", "-Wl,-Bsymbolic,-z,defs", "-o", "program.so"}, "link.txt"};
  for (std::size_t i = 0; i < sources.size(); ++i) {
    const std::string name = fmt::format("unit_{}", i);
    folder.write(name + ".c", sources[i]);
    Run unit{{program_.string()}, name + ".txt"};
    unit.words.insert(unit.words.end(), flags_.begin(), flags_.end());
    for (const auto& word : {std::string("-c"), "-o" + name + ".o", name + ".c"}) unit.words.push_back(word);
    units.push_back(std::move(unit));
    link.words.push_back(name + ".o");
  }
  link.words.emplace_back("-lm");
  run_all(units, folder);
  for (std::size_t i = 0; i < units.size(); ++i) require_success(units[i], folder, fmt::format("unit_{}.c", i));
  start(link, folder);
  wait(link);
  require_success(link, folder, "");
  return folder.read("program.so");
}

}  // namespace eddy::compiler
