#include "framework/autodiff/slice.h"

#include <set>

#include "framework/ir/transforms.h"

namespace eddy::autodiff {

std::vector<ir::Operation*> dependent_operations(std::span<const ir::Value> inputs,
                                                 std::span<const ir::Value> outputs) {
  if (outputs.empty()) return {};
  std::set<ir::Value> reached(inputs.begin(), inputs.end());
  std::vector<ir::Operation*> ordered;
  for (ir::Operation* op : ir::backward_slice(*outputs.front().block(), outputs)) {
    bool depends = false;
    for (const ir::Value operand : op->operands()) depends |= reached.count(operand) != 0;
    if (!depends) continue;
    // An input cuts the path: what defines it is not differentiated through.
    bool defines_more = false;
    for (const ir::Value result : op->results()) defines_more |= reached.insert(result).second;
    if (defines_more) ordered.push_back(op);
  }
  return ordered;
}

}  // namespace eddy::autodiff
