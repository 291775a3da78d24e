#pragma once
/// Whole files, written so that a crash, a full disk or a kill never leaves half of one under the final name.

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

namespace eddy::io {

/// Replaces the file `path` by `bytes`: a temporary file in the same folder is written, flushed to the disk and
/// renamed. On failure the temporary file is removed, whatever was at `path` before is untouched, and a RuntimeError
/// gives the path and the system's text. A symbolic link is followed; anything else that is no regular file (a folder,
/// a device) is refused.
void write_file(const std::filesystem::path& path, std::string_view bytes);

/// The same where a library or another program has to write the file: `writer` gets the name of the temporary file,
/// which exists and is empty. An exception it throws is passed on after the temporary file is removed.
void write_file_with(const std::filesystem::path& path,
                     const std::function<void(const std::filesystem::path& temporary)>& writer);

/// Removes the temporary files (`.*.tmp`) that killed processes left in `folder`. Only for a folder nobody else writes
/// into.
void remove_stale_temporaries(const std::filesystem::path& folder);

/// The bytes of a file the user named. UserError with the path and the system's text when it cannot be read.
std::string read_file(const std::filesystem::path& path);

}  // namespace eddy::io
