#pragma once
/// The textual form of programs.
///
///     module @main format 1 {
///       func @step(%x: f64[n, 2], %w: f64[2, 32]) -> (loss: f64[]) {
///         %h = prim.dot_general(%x, %w) {contract_lhs = [1], contract_rhs = [0]} : f64[n, 32]
///         %0, %h.1 = some.op(%h) : f64[n], f64[] ({
///           ^(%a: f64[]):
///             return %a
///         })
///         return %h.1
///       }
///     }
///
/// Values are named after their hints; the second `%h` of a function is `%h.1`, values without hint are numbered. Names
/// that are no identifiers stand in quotes (`%"odd name"`). The text depends on the program alone, never on addresses,
/// and parse_module() reads it back to a program that prints the same text.

#include <string>

#include "framework/ir/module.h"

namespace eddy::ir {

/// The version of the textual form, written into each module. Raised when older readers could not understand it.
inline constexpr int kTextFormat = 1;

struct PrintOptions {
  bool locations = false;  ///< adds loc("file":line:column) to operations that have one
};

std::string print(const Module& module, const PrintOptions& options = {});
std::string print(const Function& function, const PrintOptions& options = {});
/// One operation, with the value names it has within its function. Any operation can be printed, valid or not: operands
/// defined nowhere in the function appear as `%<unknown>`.
std::string print(const Operation& op, const PrintOptions& options = {});

}  // namespace eddy::ir
