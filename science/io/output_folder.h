#pragma once
/// The folder a run writes into.

#include <filesystem>

#include "science/io/file_handle.h"

namespace eddy::io {

/// What to do with a folder that already holds something.
enum class IfOccupied { refuse, accept };

/// An output folder, created where it is missing and locked against other runs for as long as the object lives. The
/// lock (file `.lock`, flock) is released by the system when the process ends, however it ends.
class OutputFolder {
 public:
  /// UserError when the folder is locked by another run, or holds files and `occupied` is `refuse` (the message names
  /// --resume and --force); RuntimeError with path and system error when it cannot be created or written.
  OutputFolder(const std::filesystem::path& path, IfOccupied occupied);

  const std::filesystem::path& path() const { return path_; }
  /// Whether there was anything in it before.
  bool was_occupied() const { return was_occupied_; }

 private:
  std::filesystem::path path_;
  FileHandle lock_;
  bool was_occupied_ = false;
};

}  // namespace eddy::io
