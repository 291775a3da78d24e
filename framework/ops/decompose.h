#pragma once
/// Composite operations as primitives.

#include "framework/ir/module.h"

namespace eddy::ops {

/// Replaces every operation that has a DecomposeRule, also those that a decomposition brings in. Hints of results stay.
/// Returns whether there were any.
bool decompose_composites(ir::Function function);

}  // namespace eddy::ops
