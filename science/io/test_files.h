#pragma once
/// Helpers of this folder's tests.

#include <csignal>
#include <filesystem>
#include <functional>
#include <string>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "framework/core/errors.h"

namespace eddy::io {

/// A folder of its own under the system's temporary folder, removed with everything in it.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "eddy_io_XXXXXX").string();
    path_ = ::mkdtemp(name.data());
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder() { std::filesystem::remove_all(path_); }

  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }
  const std::filesystem::path& path() const { return path_; }
  std::size_t n_entries() const {
    return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(path_), {}));
  }

 private:
  std::filesystem::path path_;
};

/// Runs `action` in a child process in which no file can grow beyond `n_bytes` (what a full disk looks like, without
/// its error number), and returns the text of the RuntimeError it throws, or what happened instead in angle brackets.
inline std::string runtime_error_when_files_are_limited(rlim_t n_bytes, const std::function<void()>& action) {
  int ends[2];
  if (::pipe(ends) != 0) return "<no pipe>";
  const pid_t child = ::fork();
  if (child == 0) {
    ::close(ends[0]);
    std::signal(SIGXFSZ, SIG_IGN);  // write(2) then fails with EFBIG
    const rlimit limit{n_bytes, n_bytes};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    std::string text = "<nothing thrown>";
    try {
      action();
    } catch (const RuntimeError& error) {
      text = error.what();
    } catch (const std::exception& error) {
      text = std::string("<another error> ") + error.what();
    }
    if (::write(ends[1], text.data(), text.size()) < 0) ::_exit(1);
    ::_exit(0);
  }
  ::close(ends[1]);
  std::string text;
  char block[512];
  for (ssize_t n; (n = ::read(ends[0], block, sizeof block)) > 0;) text.append(block, static_cast<std::size_t>(n));
  ::close(ends[0]);
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? text : "<the child died>";
}

/// The text of the error of type E that `action` throws, or "<nothing thrown>".
template <typename E>
std::string error_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const E& error) {
    return error.what();
  }
  return "<nothing thrown>";
}

}  // namespace eddy::io
