#pragma once
/// Checks that a program is well formed. Run after every pass.

#include "framework/ir/module.h"

namespace eddy::ir {

/// Checks the whole program: use-def chains agree, every operand is defined before its use in the same block or around
/// it (not across an isolated operation), terminators stand at the ends of their blocks only, functions have unique
/// names and return as many values as they name, and every operation passes verify_operation(). Throws InternalError
/// for broken structure and UserError for operations that their rules reject; both name function and operation.
void verify(const Module& module);

/// Checks one operation: result types agree with its ShapeRule, its VerifyRule passes. Throws UserError.
void verify_operation(const Operation& op);

}  // namespace eddy::ir
