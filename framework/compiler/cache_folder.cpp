#include "framework/compiler/cache_folder.h"

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <dirent.h>
#include <fcntl.h>
#include <memory>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "framework/core/errors.h"

namespace eddy::compiler {

namespace fs = std::filesystem;

FileDescriptor::~FileDescriptor() {
  if (number_ >= 0) close(number_);
}

bool write_all(const FileDescriptor& file, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t n = ::write(file.number(), bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(n));
  }
  return true;
}

namespace {
[[noreturn]] void refuse(const fs::path& path, const std::string& why, const std::string& remedy) {
  throw UserError(fmt::format("the cache folder {} is not safe to load code from: {}", path.string(), why),
                  fmt::format("{}, or set EDDY_CACHE_DIR to another folder", remedy));
}
}  // namespace

CacheFolder::CacheFolder(const fs::path& path) : path_(fs::absolute(path).lexically_normal()) {
  if (!path_.has_filename()) path_ = path_.parent_path();  // a slash at the end would follow a symbolic link
  std::error_code error;
  fs::create_directories(path_.parent_path(), error);
  if (mkdir(path_.c_str(), 0700) != 0 && errno != EEXIST) {
    throw RuntimeError(fmt::format("cannot create the cache folder {}: {}", path_.string(), std::strerror(errno)));
  }
  folder_ = FileDescriptor(::open(path_.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!folder_) {
    const int failure = errno;
    if (fs::is_symlink(fs::symlink_status(path_, error))) refuse(path_, "it is a symbolic link", "remove the link");
    throw RuntimeError(fmt::format("cannot open the cache folder {}: {}", path_.string(), std::strerror(failure)));
  }
  struct stat status {};
  if (fstat(folder_.number(), &status) != 0) {
    throw RuntimeError(fmt::format("cannot look at the cache folder {}: {}", path_.string(), std::strerror(errno)));
  }
  if (status.st_uid != geteuid()) {
    refuse(path_, fmt::format("it belongs to user {}, not to user {}", status.st_uid, geteuid()),
           "run as that user, remove it");
  }
  if ((status.st_mode & (S_IWGRP | S_IWOTH)) != 0) {
    refuse(path_, fmt::format("others may write to it (mode {:04o})", status.st_mode & 07777),
           "remove it, or empty it and run: chmod 700 " + path_.string());
  }
  if (faccessat(folder_.number(), ".", W_OK | X_OK, AT_EACCESS) != 0) {
    throw RuntimeError(fmt::format("cannot write to the cache folder {}: {}", path_.string(), std::strerror(errno)));
  }
}

std::optional<std::string> CacheFolder::read(const std::string& name) const {
  const FileDescriptor file(openat(folder_.number(), name.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
  struct stat status {};
  if (!file || fstat(file.number(), &status) != 0 || !S_ISREG(status.st_mode)) return std::nullopt;
  std::string bytes(static_cast<std::size_t>(status.st_size), '\0');
  std::size_t n_read = 0;
  while (n_read < bytes.size()) {
    const ssize_t n = ::read(file.number(), bytes.data() + n_read, bytes.size() - n_read);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return std::nullopt;
    n_read += static_cast<std::size_t>(n);
  }
  return bytes;
}

bool CacheFolder::write(const std::string& name, std::string_view bytes) const {
  static std::atomic<int> n_written{0};
  const std::string beside = fmt::format("{}.{}-{}.new", name, getpid(), n_written++);
  bool written = false;
  {
    const FileDescriptor file(
        openat(folder_.number(), beside.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600));
    written = file && write_all(file, bytes);
  }
  if (written && renameat(folder_.number(), beside.c_str(), folder_.number(), name.c_str()) == 0) return true;
  const int failure = errno;
  remove(beside);
  errno = failure;
  return false;
}

void CacheFolder::touch(const std::string& name) const { utimensat(folder_.number(), name.c_str(), nullptr, 0); }

void CacheFolder::remove(const std::string& name) const { unlinkat(folder_.number(), name.c_str(), 0); }

CacheFolder::Lock::Lock(const CacheFolder& folder, std::string name)
    : folder_(folder),
      name_(std::move(name)),
      file_(openat(folder.folder_.number(), name_.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600)) {
  while (file_ && flock(file_.number(), LOCK_EX) != 0 && errno == EINTR) {
  }
}

// Those who wait hold the file that goes here, and get it when it is closed; a later one makes a new file.
CacheFolder::Lock::~Lock() { folder_.remove(name_); }

std::vector<CacheFolder::File> CacheFolder::list() const {
  std::vector<File> files;
  const int opened = openat(folder_.number(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(opened < 0 ? nullptr : fdopendir(opened), closedir);
  if (folder == nullptr) return files;
  while (const dirent* entry = readdir(folder.get())) {
    struct stat status {};
    if (fstatat(folder_.number(), entry->d_name, &status, AT_SYMLINK_NOFOLLOW) != 0) continue;  // gone meanwhile
    if (!S_ISREG(status.st_mode)) continue;
    files.push_back({entry->d_name, status.st_size, status.st_mtim.tv_sec * 1'000'000'000 + status.st_mtim.tv_nsec});
  }
  return files;
}

}  // namespace eddy::compiler
