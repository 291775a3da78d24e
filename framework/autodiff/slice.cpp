#include "framework/autodiff/slice.h"

namespace eddy::autodiff {

std::vector<ir::Operation*> needed_operations(std::span<const ir::Value> outputs) {
  std::set<ir::Operation*> needed;
  std::vector<ir::Operation*> open;
  ir::Block* block = nullptr;
  const auto add = [&](ir::Value value) {
    ir::Operation* op = value.defining_op();
    if (!op || !needed.insert(op).second) return;
    EDDY_CHECK(block == nullptr || op->block() == block, "values of several blocks");
    block = op->block();
    open.push_back(op);
  };
  for (const ir::Value output : outputs) add(output);
  while (!open.empty()) {
    const ir::Operation* op = open.back();
    open.pop_back();
    for (const ir::Value operand : op->operands()) add(operand);
  }
  std::vector<ir::Operation*> ordered;
  if (!block) return ordered;
  for (ir::Operation* op = block->front(); op; op = op->next()) {
    if (needed.count(op)) ordered.push_back(op);
  }
  return ordered;
}

std::vector<ir::Operation*> dependent_operations(std::span<const ir::Value> inputs,
                                                 std::span<const ir::Value> outputs) {
  std::set<ir::Value> reached(inputs.begin(), inputs.end());
  std::vector<ir::Operation*> ordered;
  for (ir::Operation* op : needed_operations(outputs)) {
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
