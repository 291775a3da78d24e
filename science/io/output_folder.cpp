#include "science/io/output_folder.h"

#include <cerrno>
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include "framework/core/errors.h"
#include "framework/core/log.h"
#include "science/io/atomic_file.h"

namespace eddy::io {

namespace fs = std::filesystem;

namespace {
constexpr const char* kLockName = ".lock";

bool holds_files(const fs::path& folder) {
  std::error_code error;
  fs::directory_iterator entry(folder, error);
  if (error) fail_system("cannot list the output folder", folder, error.value());
  for (; entry != fs::directory_iterator(); entry.increment(error)) {
    if (error) fail_system("cannot list the output folder", folder, error.value());
    if (entry->path().filename() != kLockName) return true;
  }
  return false;
}
}  // namespace

OutputFolder::OutputFolder(const fs::path& path, IfOccupied occupied) : path_(path) {
  std::error_code error;
  fs::create_directories(path, error);
  if (error) fail_system("cannot create the output folder", path, error.value());
  was_occupied_ = holds_files(path);
  if (was_occupied_ && occupied == IfOccupied::refuse) {
    throw UserError(fmt::format("the output folder '{}' already holds files", path.string()),
                    "go on with the run in it by --resume, replace it by --force, or choose another folder with --out");
  }

  lock_ = FileHandle(::open((path / kLockName).c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666));
  if (!lock_) fail_system("cannot write into the output folder", path, errno);
  while (::flock(lock_.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno == EINTR) continue;
    if (errno == EWOULDBLOCK) {
      throw UserError(fmt::format("the output folder '{}' is locked by another run", path.string()),
                      "wait for it to end, or choose another folder with --out");
    }
    log::warning(fmt::format("cannot lock the output folder '{}' ({}): do not start two runs in it", path.string(),
                             system_message(errno)));
    break;
  }
  // The lock file may have been there before: a write of our own shows a read-only or full disk now, not hours later.
  write_all(lock_, fmt::format("{}\n", ::getpid()), path);
  if (::ftruncate(lock_.get(), 0) != 0) fail_system("cannot write into the output folder", path, errno);
  remove_stale_temporaries(path);
}

}  // namespace eddy::io
