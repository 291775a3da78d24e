#pragma once
/// A C++ function over tensors as compiled code.

#include <string>
#include <vector>

#include "framework/runtime/executable.h"
#include "framework/runtime/tensor.h"

namespace eddy::runtime {

/// Traces `fn` (the same function that runs eagerly), prepares the program and compiles it. Symbolic sizes in the
/// arguments' types make one compiled function serve every batch size.
Executable compile(const ir::Context& context, const std::string& name, const std::vector<ArgumentSpec>& arguments,
                   const TensorFunction& fn, const devices::Device& device, int n_threads);

}  // namespace eddy::runtime
