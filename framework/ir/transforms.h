#pragma once
/// Passes and queries that need to know nothing of particular operations.

#include <span>
#include <vector>

#include "framework/ir/module.h"

namespace eddy::ir {

/// Removes pure operations whose results are not used. Returns whether there were any.
bool eliminate_dead_code(Module& module);

/// Merges pure operations of the same kind, operands (in any order where commutative), attributes and result types;
/// those with regions are left alone. The first one stays, wherever it is visible. Returns whether there were any.
bool eliminate_common_subexpressions(Module& module);

/// Operations in the program, nested ones included.
std::size_t n_operations(const Module& module);

/// Whether `op` computes nothing that anybody sees: pure, no terminator, no result used.
bool is_dead(const Operation& op);

/// Values defined outside of `op` that operations in its regions use; each once, in order of first use.
std::vector<Value> captured_values(const Operation& op);

/// The operations of `block` on which `values` depend, directly or not, also through values captured by regions. In
/// program order.
std::vector<Operation*> backward_slice(const Block& block, std::span<const Value> values);

/// The operations of `block` that depend on `values`, directly or not, also through values captured by regions. In
/// program order.
std::vector<Operation*> forward_slice(const Block& block, std::span<const Value> values);

/// Whether every operation of `block` follows the operations of the same block whose results it, or its regions, use.
bool is_topologically_sorted(const Block& block);

}  // namespace eddy::ir
