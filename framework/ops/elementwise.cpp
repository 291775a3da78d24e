#include "framework/ops/elementwise.h"

#include <numeric>

namespace eddy::ops {

std::vector<ir::Type> Elementwise::infer(const ir::InferArgs& args) {
  for (const ir::Type type : args.operands) {
    if (type != args.operands[0]) args.fail("the operands must have one dtype and shape");
  }
  return {args.operands[0]};
}

ir::AxesMap Elementwise::axes(const ir::Operation& op) {
  std::vector<int> labels(op.result().rank());
  std::iota(labels.begin(), labels.end(), 0);
  ir::AxesMap map;
  map.operands.assign(op.n_operands(), labels);
  map.results.assign(op.n_results(), labels);
  return map;
}

void no_kernel(const KernelArgs& args) {
  throw RuntimeError(
      fmt::format("{} has no reference kernel for {}", args.op.name(), name(args.op.operand(0).dtype())));
}

}  // namespace eddy::ops
