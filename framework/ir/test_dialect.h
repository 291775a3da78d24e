#pragma once
/// Operations for the tests of this folder.

#include <memory>

#include "framework/core/rng.h"
#include "framework/ir/builder.h"
#include "framework/ir/module.h"
#include "framework/ir/rules.h"

namespace eddy::ir::testing {

/// test.add, mul, sub (same types), neg, exp; test.const {value = dense}; test.splat {value, type}; test.source (types
/// given, not pure); test.region (types given, regions), test.isolated; test.yield; test.even (VerifyRule: the
/// attribute `n` is an even integer).
std::unique_ptr<Context> make_context();

/// A program of `n_ops` random operations over all dtypes, attributes, odd names and nested regions.
std::unique_ptr<Module> random_module(const Context& context, const Rng& rng, int n_ops);

}  // namespace eddy::ir::testing
