#include "framework/ops/simplify.h"

#include "framework/ops/simplify_patterns.h"

namespace eddy::ops {

bool simplify(ir::Module& module) {
  ir::PatternSet patterns;
  add_algebra_patterns(module.context(), patterns);
  add_constant_patterns(patterns);
  add_shape_patterns(patterns);
  add_broadcast_patterns(patterns);
  return ir::rewrite_to_fixed_point(module, patterns);
}

}  // namespace eddy::ops
