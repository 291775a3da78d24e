#pragma once
/// Which operations lie between values.

#include <span>
#include <vector>

#include "framework/ir/operation.h"

namespace eddy::autodiff {

/// The operations on paths from `inputs` to `outputs`, in program order. All in one block. An operation that defines an
/// input is not on such a path unless it depends on another input.
std::vector<ir::Operation*> dependent_operations(std::span<const ir::Value> inputs, std::span<const ir::Value> outputs);

}  // namespace eddy::autodiff
