#pragma once
/// For tests: a temporary folder, and the environment.

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>

#include "framework/core/errors.h"

namespace eddy::compiler {

/// A temporary folder, gone with this object.
class TestFolder {
 public:
  TestFolder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "eddy_test_XXXXXX").string();
    if (mkdtemp(pattern.data()) == nullptr) throw RuntimeError("cannot create " + pattern);
    path = pattern;
  }
  ~TestFolder() { std::filesystem::remove_all(path); }
  TestFolder(const TestFolder&) = delete;
  TestFolder& operator=(const TestFolder&) = delete;

  /// A program that runs the shell's `text`.
  std::filesystem::path script(const std::string& name, const std::string& text) const {
    std::ofstream(path / name) << "#!/bin/sh\n" << text << "\n";
    std::filesystem::permissions(path / name, std::filesystem::perms::owner_all);
    return path / name;
  }

  std::filesystem::path path;
};

/// Sets a variable of the environment (unsets it for nullptr) while this object lives.
class TestEnvironment {
 public:
  TestEnvironment(const char* name, const char* value) : name_(name) {
    if (const char* old = std::getenv(name)) old_ = old;
    set(value);
  }
  ~TestEnvironment() { set(old_ ? old_->c_str() : nullptr); }
  TestEnvironment(const TestEnvironment&) = delete;
  TestEnvironment& operator=(const TestEnvironment&) = delete;

 private:
  void set(const char* value) { value != nullptr ? setenv(name_, value, 1) : unsetenv(name_); }
  const char* name_;
  std::optional<std::string> old_;
};

inline std::string file_text(const std::filesystem::path& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

}  // namespace eddy::compiler
