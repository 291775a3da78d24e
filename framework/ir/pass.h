#pragma once
/// Passes over programs and the manager that runs a list of them.

#include <functional>
#include <string>
#include <vector>

#include "framework/ir/module.h"

namespace eddy::ir {

/// One step of a pipeline.
struct Pass {
  std::string name;
  /// Returns whether it changed the program. Debug builds check that "unchanged" is true.
  std::function<bool(Module&)> run;
};

/// What one pass did.
struct PassStatistics {
  std::string name;
  double seconds = 0;         ///< of the pass
  double verify_seconds = 0;  ///< of the verifier after it
  bool changed = false;
  std::size_t n_ops_before = 0, n_ops_after = 0;
};

/// Runs passes in the order they were added, verifies the program after each that changed it, and times both.
class PassManager {
 public:
  /// Receives the program before the first pass (stage "input") and after each pass (stage: its name).
  using Dump = std::function<void(const std::string& stage, const Module& module)>;

  PassManager& add(Pass pass);
  PassManager& add(std::string name, std::function<bool(Module&)> run) {
    return add({std::move(name), std::move(run)});
  }
  void set_dump(Dump dump) { dump_ = std::move(dump); }
  std::vector<std::string> pass_names() const;

  /// Returns whether any pass changed the program. InternalError, naming the pass, when one leaves an invalid program.
  bool run(Module& module);

  /// Of the last run.
  const std::vector<PassStatistics>& statistics() const { return statistics_; }
  /// The statistics as lines of text: name, milliseconds, operations before and after, "(unchanged)".
  std::string table() const;

 private:
  std::vector<Pass> passes_;
  Dump dump_;
  std::vector<PassStatistics> statistics_;
};

}  // namespace eddy::ir
