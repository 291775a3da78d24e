#pragma once
/// A folder that only its owner can read or write, and files in it that appear whole or not at all.

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace eddy::compiler {

/// A file descriptor that is closed with its owner.
class FileDescriptor {
 public:
  FileDescriptor() = default;
  explicit FileDescriptor(int number) : number_(number) {}
  FileDescriptor(FileDescriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  FileDescriptor& operator=(FileDescriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~FileDescriptor();

  int number() const { return number_; }
  explicit operator bool() const { return number_ >= 0; }

 private:
  int number_ = -1;
};

/// Writes all of `bytes`; false, with errno set, when that fails.
bool write_all(const FileDescriptor& file, std::string_view bytes);

/// Works on the folder that was opened and checked, whatever its path later leads to. Safe to use from several threads
/// and processes at once. Names are plain file names.
class CacheFolder {
 public:
  /// Opens the folder, made with mode 0700 where it is missing. UserError, with what to do, when others could have put
  /// something there: it is a symbolic link, someone else's, or writable by group or world. RuntimeError when it cannot
  /// be made or written.
  explicit CacheFolder(const std::filesystem::path& path);

  const std::filesystem::path& path() const { return path_; }

  /// What the file holds; nothing when it is missing or unreadable.
  std::optional<std::string> read(const std::string& name) const;
  /// Replaces the file in one step. False, with errno set, when that fails; the old file then stays.
  bool write(const std::string& name, std::string_view bytes) const;
  /// Sets the file's time of modification to now.
  void touch(const std::string& name) const;
  void remove(const std::string& name) const;

  /// Holds a name; gives it back and removes its file when destroyed. The folder must outlive it.
  class Lock {
   public:
    /// Waits until nobody else, thread or process, holds the name. Where the file system knows no locks, holds nothing.
    Lock(const CacheFolder& folder, std::string name);
    ~Lock();
    Lock(const Lock&) = delete;
    Lock& operator=(const Lock&) = delete;

   private:
    const CacheFolder& folder_;
    std::string name_;
    FileDescriptor file_;
  };

  struct File {
    std::string name;
    std::int64_t n_bytes = 0;
    std::int64_t modified_ns = 0;  // since 1970
  };
  /// The regular files, in no order.
  std::vector<File> list() const;

 private:
  std::filesystem::path path_;
  FileDescriptor folder_;
};

}  // namespace eddy::compiler
