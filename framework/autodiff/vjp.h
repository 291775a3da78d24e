#pragma once
/// Reverse mode as an IR transform.

#include <span>
#include <vector>

#include "framework/ir/builder.h"

namespace eddy::autodiff {

/// Emits at the builder's insertion point the cotangents of `inputs` for given cotangents of `outputs` (null is zero):
/// with <a, b> = Re sum conj(a) b, the adjoint of the map from inputs to outputs at the current values.
/// All operations between inputs and outputs are in one block, before the insertion point, and are primitives or
/// composites with a rule of their own; requests for derivatives must have been expanded.
/// Result: one value per input, of its type; null where no output depends on it.
std::vector<ir::Value> vjp(ir::Builder& b, std::span<const ir::Value> outputs, std::span<const ir::Value> cotangents,
                           std::span<const ir::Value> inputs);

}  // namespace eddy::autodiff
