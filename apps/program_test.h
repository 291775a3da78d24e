#pragma once
/// For tests of the built program: runs it as a child process in a folder of its own.

#include <filesystem>
#include <string>
#include <vector>

namespace eddy::apps {

struct Outcome {
  int code = 0;  ///< exit code; 128 + signal for a process that was killed
  std::string out, err;
};

/// An empty folder that is removed in the end. Relative paths in commands start there, but for `data`, a link to the
/// source tree's.
class TestFolder {
 public:
  TestFolder();
  ~TestFolder();
  TestFolder(const TestFolder&) = delete;
  TestFolder& operator=(const TestFolder&) = delete;

  std::filesystem::path path(const std::string& name) const { return path_ / name; }
  void write(const std::string& name, const std::string& text) const;
  std::string read(const std::string& name) const;
  bool has(const std::string& name) const { return std::filesystem::exists(path(name)); }

  /// `eddy ARGUMENTS` to its end; `prefix` is put before it in the shell ("ulimit -f 8;").
  Outcome eddy(const std::string& arguments, const std::string& prefix = {}) const;
  /// Starts `eddy ARGUMENTS`, waits for a line of output that begins with `line` and sends the signal. The process
  /// cannot run far ahead: its output goes through a pipe that holds a few lines. The outcome's code is as above.
  Outcome interrupt(const std::vector<std::string>& arguments, const std::string& line, int signal) const;

 private:
  std::filesystem::path path_;
};

}  // namespace eddy::apps
