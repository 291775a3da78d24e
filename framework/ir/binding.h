#pragma once
/// Sizes of one run: the values of a function's symbols.

#include <span>

#include "framework/core/array.h"
#include "framework/ir/module.h"

namespace eddy::ir {

/// The values of the symbols in the types of the function's arguments, from the arguments' shapes. Checks the
/// arguments' number, dtypes, ranks and sizes, and the conditions on sizes of all operations. UserError names function
/// and argument.
DimBindings bind_arguments(const Function& function, std::span<const Array> arguments);

/// Throws UserError when an operation's conditions on sizes (SizeRule) do not hold under `dims`.
void check_size_conditions(const Function& function, const DimBindings& dims);

}  // namespace eddy::ir
