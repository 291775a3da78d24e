#pragma once
/// Fusion: which operations of a program run together, in which order, and where their values live.
///
/// A Section is a stretch of the program that runs as one loop over tiles of rows (is_tiled), or plainly over whole
/// tensors. All operations that treat the rows of a batch independently, or sum over them, form one tiled section as
/// long as none of them needs a sum over all rows first; forward pass, derivatives, loss and backward pass of one
/// constraint usually are a single section. Within a tile every intermediate value is small and stays in cache. A Step
/// is one loop nest, one contraction or one statement nest of a section.

#include <map>
#include <set>
#include <string>
#include <vector>

#include "framework/ir/axis_classes.h"
#include "framework/ir/module.h"

namespace eddy::compiler {

enum class StepKind {
  loops,     ///< elementwise operations over one domain, in registers
  reduce,    ///< one reduction as a loop nest
  contract,  ///< one contraction by a tile kernel
  nest,      ///< one operation with statements of its own
};

/// The two contractions that have tile kernels.
enum class ContractForm {
  rows,  ///< [rows, k] x [k, n] -> [rows, n]; the weights may be stored as [n, k]
  rows_transposed,
  gradient,  ///< [rows, k]^T x [rows, n] -> [k, n], summed over rows
};

struct Step {
  StepKind kind = StepKind::loops;
  std::vector<ir::Operation*> ops;
  Shape domain;  ///< of a loops step
  ContractForm form = ContractForm::rows;
};

struct Section {
  bool is_tiled = false;
  int row_class = -1;
  Dim rows;       ///< of a tiled section
  int level = 0;  ///< sections of one level do not depend on each other, but plain ones come before tiled ones
  std::vector<ir::Operation*> ops;
  std::vector<Step> steps;
};

/// Where a value lives.
enum class Home {
  nowhere,      ///< a view, or only in registers of its loop
  argument,     ///< the caller's buffer
  constant,     ///< data of the program
  whole,        ///< a buffer for the whole tensor (a result's buffer, when it is a result)
  tile,         ///< a buffer for the rows of one tile
  accumulator,  ///< one partial sum per chunk of tiles, combined into a whole buffer after the section
};

struct Place {
  Home home = Home::nowhere;
  int section = -1;  ///< where it is computed; -1 for arguments and constants
  int step = -1;
  /// A value that stands in for another accumulator: sums of sums over rows are summed in one place.
  ir::Value accumulator;
};

struct Schedule {
  ir::Function function;
  std::vector<Section> sections;  ///< in execution order
  std::map<ir::Value, Place> places;

  const Place& place(ir::Value value) const;
  bool is_stored(ir::Value value) const;
  /// The accumulators of a level's tiled sections: the representative values, in program order.
  std::vector<ir::Value> accumulators(int level) const;
  /// Readable text, for `eddy inspect --stage fused`.
  std::string str() const;
};

/// The function's body is one block of primitives, after simplification. Copies are inserted where a result is an
/// argument or is returned twice, so the function may change.
Schedule schedule(ir::Function function);

/// A short name for comments and dumps: "%hint" or "%12".
std::string value_name(const Schedule& schedule, ir::Value value);

}  // namespace eddy::compiler
