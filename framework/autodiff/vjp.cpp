#include "framework/autodiff/vjp.h"

#include <map>
#include <set>

#include "framework/autodiff/slice.h"
#include "framework/ir/rules.h"
#include "framework/ops/emit.h"

namespace eddy::autodiff {

std::vector<ir::Value> vjp(ir::Builder& b, std::span<const ir::Value> outputs, std::span<const ir::Value> cotangents,
                           std::span<const ir::Value> inputs) {
  EDDY_CHECK(outputs.size() == cotangents.size());
  const std::vector<ir::Operation*> path = dependent_operations(inputs, outputs);
  std::set<ir::Value> active(inputs.begin(), inputs.end());
  for (ir::Operation* op : path) {
    if (op->info().has_trait(ir::Trait::zero_derivative)) continue;
    for (const ir::Value operand : op->operands()) {
      if (!active.count(operand)) continue;
      for (const ir::Value result : op->results()) active.insert(result);
    }
  }

  std::map<ir::Value, ir::Value> cotangent_of;
  const auto accumulate = [&](ir::Value value, ir::Value cotangent) {
    if (!cotangent || !active.count(value)) return;
    EDDY_CHECK(cotangent.type() == value.type(), "cotangent {} of a {}", cotangent.type().str(), value.type().str());
    ir::Value& total = cotangent_of[value];
    total = total ? ops::add(b, total, cotangent) : cotangent;
  };
  for (std::size_t i = 0; i < outputs.size(); ++i) accumulate(outputs[i], cotangents[i]);

  for (auto it = path.rbegin(); it != path.rend(); ++it) {
    ir::Operation& op = **it;
    if (op.info().has_trait(ir::Trait::zero_derivative)) continue;
    std::vector<ir::Value> of_results;
    bool any = false;
    for (const ir::Value result : op.results()) {
      const auto found = cotangent_of.find(result);
      of_results.push_back(found == cotangent_of.end() ? ir::Value() : found->second);
      any |= static_cast<bool>(of_results.back());
    }
    if (!any) continue;
    const auto* rule = op.info().get<ir::VjpRule>();
    EDDY_CHECK(rule != nullptr, "{} has no reverse rule", op.name());
    std::vector<char> needed;
    for (const ir::Value operand : op.operands()) needed.push_back(active.count(operand) != 0);
    b.set_location(op.location());
    const std::vector<ir::Value> of_operands = rule->vjp({b, op, of_results, needed});
    EDDY_CHECK(of_operands.size() == op.n_operands(), "{}", op.name());
    for (std::size_t i = 0; i < of_operands.size(); ++i) accumulate(op.operand(i), of_operands[i]);
  }

  std::vector<ir::Value> result;
  for (const ir::Value input : inputs) {
    const auto found = cotangent_of.find(input);
    result.push_back(found == cotangent_of.end() ? ir::Value() : found->second);
  }
  return result;
}

}  // namespace eddy::autodiff
