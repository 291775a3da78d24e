#include "framework/core/log.h"

#include <mutex>
#include <set>
#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>
#include <string>

namespace eddy::log {

namespace {
spdlog::logger& logger() {
  static const std::shared_ptr<spdlog::logger> instance = [] {
    auto created = spdlog::stderr_color_mt("eddy");
    created->set_pattern("%^%l%$: %v");
    return created;
  }();
  return *instance;
}
}  // namespace

void set_level(Level level) {
  switch (level) {
    case Level::debug: return logger().set_level(spdlog::level::debug);
    case Level::info: return logger().set_level(spdlog::level::info);
    case Level::warning: return logger().set_level(spdlog::level::warn);
    case Level::error: return logger().set_level(spdlog::level::err);
    case Level::off: return logger().set_level(spdlog::level::off);
  }
}

void debug(std::string_view message) { logger().debug(message); }
void info(std::string_view message) { logger().info(message); }
void warning(std::string_view message) { logger().warn(message); }
void error(std::string_view message) { logger().error(message); }

void warning_once(std::string_view key, std::string_view message) {
  static std::mutex mutex;
  static std::set<std::string, std::less<>> seen;
  {
    const std::lock_guard lock(mutex);
    if (!seen.emplace(key).second) return;
  }
  warning(message);
}

}  // namespace eddy::log
