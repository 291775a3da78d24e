#pragma once
/// Where an operation reads: its elements as expressions over the elements of stored values.

#include <functional>
#include <vector>

#include "framework/ir/operation.h"
#include "framework/loops/lowering.h"

namespace eddy::compiler {

/// True for operations that only rename indices or make constants: usually they are evaluated where they are read.
bool is_view(const ir::Operation& op);

/// One read of an element of a value that has a place of its own; a null expression when it has none, so that the views
/// that define it are resolved.
using ReadElement = std::function<loops::Expr(ir::Value value, const std::vector<loops::Expr>& index)>;

/// Element `index` of `value`, with views resolved down to the values that `read` supplies.
loops::Expr element(ir::Value value, const std::vector<loops::Expr>& index, const ReadElement& read);

/// Element `index` of the only result of an operation with a PointLowering; or the summand, for a ReduceLowering at
/// (result index..., reduced index...).
loops::Expr element_of_operation(const ir::Operation& op, const std::vector<loops::Expr>& index,
                                 const ReadElement& read);

/// The index by which a loop nest over the dims of `shape` that are not 1 visits a tensor of that shape: loop variables
/// "i0", "i1", ... at those dims, 0 at dims of extent 1.
std::vector<loops::Expr> canonical_index(const Shape& shape);
/// The dims of `shape` that are not 1.
Shape loop_domain(const Shape& shape);

/// One read that computing an operation over its domain performs.
struct Access {
  ir::Value value;
  /// Over canonical variables of the operation's domain: result dims, then reduced dims.
  std::vector<loops::Expr> index;
  /// Reads exactly the element that the loop nest visits: the value may stay in a register when computed in the same
  /// loop.
  bool is_identity = false;
};
/// `is_stored(value)` tells which views have a place of their own; all other values have.
std::vector<Access> accesses_of(const ir::Operation& op, const std::function<bool(ir::Value)>& is_stored);

/// Result dims, then reduced dims.
Shape full_domain(const ir::Operation& op);
/// The same without extents of 1: what the loop nest runs over.
Shape domain_of(const ir::Operation& op);

}  // namespace eddy::compiler
