#pragma once
/// Runs a program as it is written, operation by operation, by the reference kernels: the meaning that compiled code is
/// compared with.

#include <functional>
#include <span>
#include <vector>

#include "framework/core/array.h"
#include "framework/ir/module.h"
#include "framework/ops/kernel.h"

namespace eddy::runtime {

struct InterpreterOptions {
  /// Runs an operation instead of its reference kernel and returns true, or returns false. Made for contractions by a
  /// library.
  std::function<bool(const ops::KernelArgs&)> library;
};

/// The function's results. Sizes are bound from the arguments (ir::bind_arguments). Composite operations are decomposed
/// when they are met, requests for derivatives expanded before; a value is freed after its last use. Results may share
/// memory with arguments.
std::vector<Array> interpret(const ir::Function& function, std::span<const Array> arguments,
                             const InterpreterOptions& options = {});

}  // namespace eddy::runtime
