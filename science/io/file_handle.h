#pragma once
/// Internal to science/io: a POSIX file descriptor that closes itself, and errors with the system's text.

#include <filesystem>
#include <string>
#include <string_view>

namespace eddy::io {

/// The system's text for an errno value.
std::string system_message(int error);
/// RuntimeError "<what> '<path>': <system's text>".
[[noreturn]] void fail_system(std::string_view what, const std::filesystem::path& path, int error);

class FileHandle {
 public:
  FileHandle() = default;
  explicit FileHandle(int descriptor) : descriptor_(descriptor) {}
  FileHandle(FileHandle&& other) noexcept : descriptor_(other.release()) {}
  FileHandle& operator=(FileHandle&& other) noexcept;
  ~FileHandle() { close(); }

  explicit operator bool() const { return descriptor_ >= 0; }
  int get() const { return descriptor_; }
  int release();
  /// Closes the descriptor; what close(2) returned, for writers that must know.
  int close();

 private:
  int descriptor_ = -1;
};

/// Writes all of `bytes`, going on after short writes; RuntimeError naming `path` otherwise.
void write_all(const FileHandle& handle, std::string_view bytes, const std::filesystem::path& path);

}  // namespace eddy::io
