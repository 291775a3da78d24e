#pragma once
/// The groups of patterns of simplify(), one source file each, and what they share.

#include "framework/ir/rewrite.h"
#include "framework/ops/emit.h"

namespace eddy::ops {

/// Identities of the elementwise operations.
void add_algebra_patterns(const ir::Context& context, ir::PatternSet& patterns);
/// Evaluation of what is known.
void add_constant_patterns(ir::PatternSet& patterns);
/// Operations that move elements, merged with each other and with contractions.
void add_shape_patterns(ir::PatternSet& patterns);
/// Computing before stretching.
void add_broadcast_patterns(ir::PatternSet& patterns);

/// The operation that defines `value` when it is of that kind, else null.
inline ir::Operation* defined_by(Value value, std::string_view name) {
  ir::Operation* op = value.defining_op();
  return op && op->is(name) ? op : nullptr;
}

}  // namespace eddy::ops
