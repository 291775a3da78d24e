#pragma once
/// Steps of a schedule as loop IR.

#include <functional>
#include <string>

#include "framework/compiler/schedule.h"
#include "framework/loops/stmt.h"

namespace eddy::compiler {

/// Names by which a step's statements read and write values. `local` buffers start at the tile's first row, `global`
/// ones at the tensor's.
struct StepNames {
  std::function<std::string(ir::Value)> local;
  std::function<std::string(ir::Value)> global;
};

/// The variables that a tiled step's statements may use: the tile's first row and its number of rows.
inline constexpr const char* kFirstRow = "row0";
inline constexpr const char* kTileRows = "rows";

/// Statements of a step of kind loops, reduce or nest. A tiled reduction over rows adds to its buffer, which holds the
/// identity or earlier tiles' sums; any other reduction sets it.
loops::Stmt lower_step(const Schedule& schedule, const Section& section, const Step& step, const StepNames& names);

}  // namespace eddy::compiler
