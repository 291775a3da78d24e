#pragma once
/// Reference kernels: what an operation means, one element after another, in plain C++.

#include <span>

#include "framework/core/array.h"
#include "framework/core/dim.h"
#include "framework/ir/operation.h"

namespace eddy::ops {

struct KernelArgs {
  const ir::Operation& op;
  std::span<const Array> operands;
  std::span<Array> results;  ///< allocated with their final shapes, zero-filled
  const DimBindings& dims;   ///< values of the symbols in attributes and types
};

/// Shapes and dtypes agree with the operation's types already. Sums are naive, in index order.
struct ReferenceKernel {
  void (*run)(const KernelArgs& args) = nullptr;
};

}  // namespace eddy::ops
