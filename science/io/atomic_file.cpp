#include "science/io/atomic_file.h"

#include <atomic>
#include <cerrno>
#include <fcntl.h>
#include <string>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

#include "framework/core/errors.h"
#include "science/io/file_handle.h"

namespace eddy::io {

namespace fs = std::filesystem;

namespace {

/// Where the bytes go in the end: the target of a symbolic link, and never a device or a folder.
fs::path resolve_target(const fs::path& path) {
  std::error_code error;
  fs::path target = path;
  if (fs::is_symlink(path, error)) {
    target = fs::weakly_canonical(path, error);
    if (error) fail_system("cannot write", path, error.value());
  }
  const fs::file_status status = fs::status(target, error);
  if (fs::exists(status) && !fs::is_regular_file(status)) {
    throw RuntimeError(fmt::format("cannot write '{}': it exists and is no regular file", path.string()));
  }
  return target;
}

fs::path folder_of(const fs::path& path) { return path.has_parent_path() ? path.parent_path() : fs::path("."); }

/// A file beside the target that is removed unless it was renamed over the target.
class TemporaryFile {
 public:
  explicit TemporaryFile(const fs::path& target) : target_(target) {
    static std::atomic<unsigned> counter{0};
    do {
      path_ = folder_of(target) / fmt::format(".{}.{}-{}.tmp", target.filename().string(), ::getpid(), counter++);
      handle_ = FileHandle(::open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
    } while (!handle_ && errno == EEXIST);
    if (!handle_) fail_system("cannot write", target, errno);
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile() {
    if (!renamed_) ::unlink(path_.c_str());
  }

  const fs::path& path() const { return path_; }
  FileHandle& handle() { return handle_; }

  /// Flushes the bytes, renames, and flushes the folder's entry.
  void commit() {
    if (::fsync(handle_.get()) != 0) fail_system("cannot write", target_, errno);
    if (handle_.close() != 0) fail_system("cannot write", target_, errno);
    if (::rename(path_.c_str(), target_.c_str()) != 0) fail_system("cannot write", target_, errno);
    renamed_ = true;
    const FileHandle folder(::open(folder_of(target_).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    // Some file systems cannot flush a folder (EINVAL); the rename itself has succeeded.
    if (folder && ::fsync(folder.get()) != 0 && errno != EINVAL)
      fail_system("cannot flush the folder of", target_, errno);
  }

 private:
  fs::path target_, path_;
  FileHandle handle_;
  bool renamed_ = false;
};

}  // namespace

void write_file(const fs::path& path, std::string_view bytes) {
  TemporaryFile file(resolve_target(path));
  write_all(file.handle(), bytes, path);
  file.commit();
}

void write_file_with(const fs::path& path, const std::function<void(const fs::path& temporary)>& writer) {
  TemporaryFile file(resolve_target(path));
  writer(file.path());
  // The writer may have replaced the file instead of filling it: what is flushed must be what lies there now.
  file.handle() = FileHandle(::open(file.path().c_str(), O_WRONLY | O_CLOEXEC));
  if (!file.handle()) fail_system("cannot write", path, errno);
  file.commit();
}

void remove_stale_temporaries(const fs::path& folder) {
  std::error_code error;
  std::vector<fs::path> stale;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename().string();
    if (name.front() == '.' && entry.path().extension() == ".tmp") stale.push_back(entry.path());
  }
  for (const fs::path& path : stale) fs::remove(path, error);
}

std::string read_file(const fs::path& path) {
  const auto fail = [&](int error) -> std::string {
    throw UserError(fmt::format("cannot read '{}': {}", path.string(), system_message(error)));
  };
  const FileHandle handle(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!handle) return fail(errno);
  std::string bytes;
  struct stat status {};
  if (::fstat(handle.get(), &status) == 0 && status.st_size > 0)
    bytes.reserve(static_cast<std::size_t>(status.st_size));
  char block[1 << 16];
  while (true) {
    const ssize_t n = ::read(handle.get(), block, sizeof block);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return fail(errno);
    if (n == 0) return bytes;
    bytes.append(block, static_cast<std::size_t>(n));
  }
}

}  // namespace eddy::io
