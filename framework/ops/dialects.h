#pragma once
/// The operations of the framework, registered by group.

#include "framework/ir/dialect.h"

namespace eddy::ops {

/// Enters every operation of this folder: dialects `prim`, `nn` and `ad`.
void register_all(ir::Context& context);
/// The context of the process, with every operation; made on first use, then read only.
const ir::Context& default_context();

// The groups, one source file each.
void register_sources(ir::Context& context);
void register_arithmetic(ir::Context& context);
void register_powers(ir::Context& context);
void register_transcendental(ir::Context& context);
void register_piecewise(ir::Context& context);
void register_conversions(ir::Context& context);
void register_contraction(ir::Context& context);
void register_shape(ir::Context& context);
void register_slicing(ir::Context& context);
void register_reduction(ir::Context& context);
void register_scan(ir::Context& context);
void register_indexing(ir::Context& context);
void register_derivative(ir::Context& context);
void register_activations(ir::Context& context);
void register_layers(ir::Context& context);

}  // namespace eddy::ops
