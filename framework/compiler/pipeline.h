#pragma once
/// The visible list of what happens to a function between its trace and its schedule.

#include <memory>
#include <string>
#include <vector>

#include "framework/autodiff/planner.h"
#include "framework/compiler/program.h"
#include "framework/ir/module.h"
#include "framework/ir/pass.h"

namespace eddy::compiler {

/// A function made ready for code: primitives only, derivatives expanded, simplified.
struct Prepared {
  std::unique_ptr<ir::Module> module;
  std::vector<autodiff::DerivativePlan> plans;
  std::vector<ir::PassStatistics> statistics;
  std::string table;  ///< the statistics as lines of text

  ir::Function function() const { return module->functions().front(); }
};

/// Copies the function into a module of its own and runs the passes on it. `dump` sees the program after each.
Prepared prepare(ir::Function function, const ir::PassManager::Dump& dump = {});

}  // namespace eddy::compiler
