/// eddy cache: the compiled programs on disk.
#include <CLI/CLI.hpp>
#include <cstdio>

#include "apps/command.h"
#include "framework/compiler/kernel_cache.h"

namespace eddy::apps {

namespace {

int cache(const std::string& what) {
  compiler::KernelCache& cache = compiler::KernelCache::of_process();
  if (what == "clear") {
    cache.clear();
  } else if (what != "info") {
    throw UserError(fmt::format("the cache knows no '{}'", what), "eddy cache info, or eddy cache clear");
  }
  const compiler::CacheStatistics statistics = cache.statistics();
  constexpr double kMiB = 1024.0 * 1024.0;
  fmt::print("{}: {} programs, {:.1f} of {:.0f} MiB\n", cache.folder().string(), statistics.n_objects,
             static_cast<double>(statistics.n_bytes) / kMiB, static_cast<double>(statistics.max_bytes) / kMiB);
  return 0;
}

}  // namespace

void add_cache(CLI::App& app, Action& chosen) {
  auto what = std::make_shared<std::string>("info");
  CLI::App* command = app.add_subcommand("cache", "Show or clear the compiled programs on disk");
  command->add_option("WHAT", *what, "info (the default) or clear");
  command->footer("Examples:\n  eddy cache\n  eddy cache clear");
  command->callback([what, &chosen] { chosen = [what] { return cache(*what); }; });
}

}  // namespace eddy::apps
