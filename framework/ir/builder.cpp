#include "framework/ir/builder.h"

#include "framework/ir/rules.h"

namespace eddy::ir {

Operation* Builder::create(std::string_view name, std::span<const Value> operands, AttributeMap attributes,
                           std::size_t n_regions) {
  const OpInfo& info = context_->at(name);
  const auto* rule = info.get<ShapeRule>();
  EDDY_CHECK(rule != nullptr, "{} has no shape rule: its result types must be given", name);
  std::vector<Type> types;
  types.reserve(operands.size());
  for (const Value operand : operands) {
    EDDY_CHECK(static_cast<bool>(operand), "null operand of {}", name);
    types.push_back(operand.type());
  }
  const std::vector<Type> results = rule->infer({info, types, attributes, location_});
  return create_typed(name, operands, results, std::move(attributes), n_regions);
}

Operation* Builder::create_typed(std::string_view name, std::span<const Value> operands,
                                 std::span<const Type> result_types, AttributeMap attributes, std::size_t n_regions) {
  Operation* op = block_->insert(
      Operation::create(context_->at(name), operands, result_types, std::move(attributes), n_regions, location_),
      before_);
  inserted(op);
  return op;
}

Operation* Builder::clone(const Operation& op, ValueMap& map) {
  std::vector<Value> operands = op.operands();
  for (Value& operand : operands) {
    const auto found = map.find(operand);
    if (found != map.end()) operand = found->second;
  }
  std::vector<Type> types;
  for (const Value result : op.results()) types.push_back(result.type());
  Operation* copy = block_->insert(
      Operation::create(op.info(), operands, types, op.attributes(), op.n_regions(), op.location()), before_);
  for (std::size_t i = 0; i < op.n_results(); ++i) {
    copy->result(i).set_hint(op.result(i).hint());
    map[op.result(i)] = copy->result(i);
  }
  for (std::size_t r = 0; r < op.n_regions(); ++r) {
    for (std::size_t b = 0; b < op.region(r).n_blocks(); ++b) {
      const Block& source = op.region(r).block(b);
      Block& target = copy->region(r).add_block();
      for (const Value argument : source.arguments()) {
        map[argument] = target.add_argument(argument.type(), argument.hint());
      }
      Builder inner(*context_, target);
      for (const Operation* inside : source.operations()) inner.clone(*inside, map);
    }
  }
  inserted(copy);
  return copy;
}

std::vector<Value> Builder::inline_block(const Block& source, ValueMap& map) {
  const Operation* terminator = source.terminator();
  EDDY_CHECK(terminator != nullptr);
  for (const Operation* op : source.operations()) {
    if (op != terminator) clone(*op, map);
  }
  std::vector<Value> results = terminator->operands();
  for (Value& result : results) {
    const auto found = map.find(result);
    if (found != map.end()) result = found->second;
  }
  return results;
}

}  // namespace eddy::ir
