#pragma once
/// Messages to the person who runs the program. They go to standard error; results go to standard output.

#include <string_view>

namespace eddy::log {

enum class Level { debug, info, warning, error, off };

/// Messages below `level` are dropped. The default is `info`.
void set_level(Level level);

void debug(std::string_view message);
void info(std::string_view message);
void warning(std::string_view message);
void error(std::string_view message);

/// As `warning`, but each `key` is reported once per process (a slow dtype, a missing compiler, ...).
void warning_once(std::string_view key, std::string_view message);

}  // namespace eddy::log
