#pragma once
/// For tests of printed C: compiles a text with the host's compiler and loads it.

#include <dlfcn.h>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <spawn.h>
#include <sstream>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

#include "framework/core/errors.h"

namespace eddy::compiler {

/// The flags that printed programs are compiled with (c_math.h says why), for the machine the test runs on.
inline std::vector<std::string> native_flags() {
  return {"-O3",
          "-march=native",
          "-mprefer-vector-width=512",
          "-ffp-contract=off",
          "-fno-math-errno",
          "-fno-trapping-math"};
}

/// A shared object in a temporary folder, both gone with this object.
class CTestLibrary {
 public:
  /// Throws RuntimeError with the compiler's messages when it refuses the text.
  CTestLibrary(const std::string& source, const std::vector<std::string>& flags) {
    std::string pattern = (std::filesystem::temp_directory_path() / "eddy_c_test_XXXXXX").string();
    if (mkdtemp(pattern.data()) == nullptr) throw RuntimeError("cannot create " + pattern);
    folder_ = pattern;
    std::ofstream(folder_ / "text.c") << source;
    std::vector<std::string> words = {"cc", "-std=c11", "-Wall", "-Wextra", "-Werror", "-fPIC", "-shared"};
    words.insert(words.end(), flags.begin(), flags.end());
    for (const auto* word : {"-o", "text.so", "text.c", "-lm"}) words.emplace_back(word);
    run(words);
    handle_ = dlopen((folder_ / "text.so").c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle_ == nullptr) throw RuntimeError(dlerror());
  }
  ~CTestLibrary() {
    if (handle_ != nullptr) dlclose(handle_);
    std::filesystem::remove_all(folder_);
  }
  CTestLibrary(const CTestLibrary&) = delete;
  CTestLibrary& operator=(const CTestLibrary&) = delete;

  /// The function `name`, of type F*.
  template <typename F>
  F* symbol(const std::string& name) const {
    void* address = dlsym(handle_, name.c_str());
    EDDY_CHECK(address != nullptr, "no symbol '{}'", name);
    return reinterpret_cast<F*>(address);
  }

  /// What the compiler said (warnings are errors, so these are its -fopt-info remarks).
  const std::string& remarks() const { return remarks_; }

 private:
  void run(std::vector<std::string>& words) {
    std::vector<char*> argv;
    for (auto& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    const std::string log = (folder_ / "log").string();
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addchdir_np(&actions, folder_.c_str());
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, log.c_str(), O_WRONLY | O_CREAT, 0600);
    pid_t child = 0;
    const int error = posix_spawnp(&child, argv[0], &actions, nullptr, argv.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    if (error != 0) throw RuntimeError("cannot start cc");
    int status = 0;
    waitpid(child, &status, 0);
    std::ostringstream text;
    text << std::ifstream(log).rdbuf();
    remarks_ = text.str();
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) throw RuntimeError(remarks_);
  }

  std::filesystem::path folder_;
  std::string remarks_;
  void* handle_ = nullptr;
};

}  // namespace eddy::compiler
