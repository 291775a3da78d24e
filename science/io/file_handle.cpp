#include "science/io/file_handle.h"

#include <cerrno>
#include <system_error>
#include <unistd.h>

#include "framework/core/errors.h"

namespace eddy::io {

std::string system_message(int error) { return std::generic_category().message(error); }

void fail_system(std::string_view what, const std::filesystem::path& path, int error) {
  throw RuntimeError(fmt::format("{} '{}': {}", what, path.string(), system_message(error)));
}

FileHandle& FileHandle::operator=(FileHandle&& other) noexcept {
  if (this != &other) {
    close();
    descriptor_ = other.release();
  }
  return *this;
}

int FileHandle::release() {
  const int descriptor = descriptor_;
  descriptor_ = -1;
  return descriptor;
}

int FileHandle::close() { return descriptor_ < 0 ? 0 : ::close(release()); }

void write_all(const FileHandle& handle, std::string_view bytes, const std::filesystem::path& path) {
  while (!bytes.empty()) {
    const ssize_t n = ::write(handle.get(), bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) fail_system("cannot write", path, errno);
    bytes.remove_prefix(static_cast<std::size_t>(n));
  }
}

}  // namespace eddy::io
