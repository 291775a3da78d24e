#include "framework/ir/pass.h"

#include <algorithm>
#include <chrono>

#include "framework/core/log.h"
#include "framework/ir/printer.h"
#include "framework/ir/transforms.h"
#include "framework/ir/verifier.h"

namespace eddy::ir {

namespace {

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

std::string line(const PassStatistics& pass, std::size_t width) {
  return fmt::format("{:<{}} {:>9.3f} ms {:>7} -> {:<7} ops{}", pass.name, width, 1e3 * pass.seconds, pass.n_ops_before,
                     pass.n_ops_after, pass.changed ? "" : " (unchanged)");
}

}  // namespace

PassManager& PassManager::add(Pass pass) {
  passes_.push_back(std::move(pass));
  return *this;
}

std::vector<std::string> PassManager::pass_names() const {
  std::vector<std::string> names;
  for (const Pass& pass : passes_) names.push_back(pass.name);
  return names;
}

bool PassManager::run(Module& module) {
  statistics_.clear();
  if (dump_) dump_("input", module);
  bool any_changed = false;
  for (const Pass& pass : passes_) {
    PassStatistics statistics{.name = pass.name, .n_ops_before = n_operations(module)};
#ifndef NDEBUG
    const std::string before = print(module);
#endif
    auto start = std::chrono::steady_clock::now();
    statistics.changed = pass.run(module);
    statistics.seconds = seconds_since(start);
    statistics.n_ops_after = n_operations(module);
    if (statistics.changed) {
      any_changed = true;
      start = std::chrono::steady_clock::now();
      try {
        verify(module);
      } catch (const Error& error) {
        throw InternalError(fmt::format("the pass '{}' left an invalid program: {}", pass.name, error.what()));
      }
      statistics.verify_seconds = seconds_since(start);
    } else {
      EDDY_ASSERT(print(module) == before, "the pass '{}' changed the program and says it did not", pass.name);
    }
    log::debug(line(statistics, 0));
    statistics_.push_back(std::move(statistics));
    if (dump_) dump_(pass.name, module);
  }
  return any_changed;
}

std::string PassManager::table() const {
  std::size_t width = 0;
  for (const PassStatistics& pass : statistics_) width = std::max(width, pass.name.size());
  std::string text;
  for (const PassStatistics& pass : statistics_) text += line(pass, width) + "\n";
  return text;
}

}  // namespace eddy::ir
