#include "framework/ops/dialects.h"

namespace eddy::ops {

void register_all(ir::Context& context) {
  register_sources(context);
  register_arithmetic(context);
  register_powers(context);
  register_transcendental(context);
  register_piecewise(context);
  register_conversions(context);
  register_contraction(context);
  register_shape(context);
  register_slicing(context);
  register_reduction(context);
  register_scan(context);
  register_indexing(context);
  register_derivative(context);
  register_activations(context);
  register_layers(context);
}

const ir::Context& default_context() {
  static const ir::Context* context = [] {
    static ir::Context all;
    register_all(all);
    return &all;
  }();
  return *context;
}

}  // namespace eddy::ops
