#include "framework/ops/simplify.h"

#include "framework/ops/simplify_patterns.h"

namespace eddy::ops {

bool simplify(ir::Module& module) {
  ir::walk(module.body(), [](const ir::Operation* op) {
    EDDY_CHECK(!op->is("ad.derivative"), "simplification may bypass the coordinates of a request for derivatives");
  });
  ir::PatternSet patterns;
  add_algebra_patterns(module.context(), patterns);
  add_constant_patterns(patterns);
  add_shape_patterns(patterns);
  add_broadcast_patterns(patterns);
  return ir::rewrite_to_fixed_point(module, patterns);
}

}  // namespace eddy::ops
