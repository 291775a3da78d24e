#include "framework/ir/transforms.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "framework/ir/dialect.h"

namespace eddy::ir {

namespace {

template <typename F>
void for_each_block(const Operation& op, F&& f) {
  for (std::size_t r = 0; r < op.n_regions(); ++r) {
    for (std::size_t b = 0; b < op.region(r).n_blocks(); ++b) f(op.region(r).block(b));
  }
}

// Users stand behind what they use, also when they are nested: one sweep from the end finds everything.
bool eliminate_dead_code(Block& block) {
  bool changed = false;
  for (Operation* op = block.back(); op != nullptr;) {
    Operation* previous = op->previous();
    if (is_dead(*op)) {
      op->erase();
      changed = true;
    } else {
      for_each_block(*op, [&](Block& inner) { changed = eliminate_dead_code(inner) || changed; });
    }
    op = previous;
  }
  return changed;
}

std::size_t combine(std::size_t seed, const void* pointer) {
  return (seed ^ std::hash<const void*>()(pointer)) * UINT64_C(0x9e3779b97f4a7c15);
}

/// What has to be equal for two operations to compute the same.
struct Expression {
  const OpInfo* info = nullptr;
  std::vector<Value> operands;
  const AttributeMap* attributes = nullptr;
  std::vector<Type> types;
  std::size_t hash = 0;

  explicit Expression(const Operation& op) : info(&op.info()), operands(op.operands()), attributes(&op.attributes()) {
    if (info->has_trait(Trait::commutative)) std::sort(operands.begin(), operands.end());
    for (const Value result : op.results()) types.push_back(result.type());
    hash = combine(0, info);
    for (const Value operand : operands) hash = combine(hash, operand.impl());
    for (const auto& [name, value] : *attributes)
      hash = combine(hash, value.str().data());  // interned: the text is one
  }
  bool operator==(const Expression& other) const {
    return info == other.info && operands == other.operands && types == other.types && *attributes == *other.attributes;
  }
};

struct ExpressionHash {
  std::size_t operator()(const Expression& expression) const { return expression.hash; }
};

using Expressions = std::unordered_map<Expression, Operation*, ExpressionHash>;

// `known` holds what is visible from around the block; what the block adds is taken out again at its end.
bool eliminate_common_subexpressions(Block& block, Expressions& known) {
  bool changed = false;
  std::vector<Expressions::iterator> added;
  for (Operation *op = block.front(), *next = nullptr; op != nullptr; op = next) {
    next = op->next();
    if (op->n_regions() != 0) {
      Expressions nothing;
      Expressions& visible = op->info().has_trait(Trait::isolated) ? nothing : known;
      for_each_block(*op, [&](Block& inner) { changed = eliminate_common_subexpressions(inner, visible) || changed; });
      continue;
    }
    if (!op->info().has_trait(Trait::pure) || op->info().has_trait(Trait::terminator)) continue;
    const auto [found, is_new] = known.try_emplace(Expression(*op), op);
    if (is_new) {
      added.push_back(found);
      continue;
    }
    for (std::size_t i = 0; i < op->n_results(); ++i) {
      Value kept = found->second->result(i);
      if (kept.hint().empty()) kept.set_hint(op->result(i).hint());
      op->result(i).replace_all_uses_with(kept);
    }
    op->erase();
    changed = true;
  }
  for (const auto& entry : added) known.erase(entry);
  return changed;
}

void add_captured(const Operation& op, std::unordered_set<const detail::ValueImpl*>& seen,
                  std::vector<Value>& captured) {
  for_each_block(op, [&](const Block& block) {
    for (const Value argument : block.arguments()) seen.insert(argument.impl());
    for (const Operation* inner = block.front(); inner; inner = inner->next()) {
      for (const Value operand : inner->operands()) {
        if (seen.insert(operand.impl()).second) captured.push_back(operand);
      }
      add_captured(*inner, seen, captured);
      for (const Value result : inner->results()) seen.insert(result.impl());
    }
  });
}

std::vector<Value> all_operands(const Operation& op) {
  std::vector<Value> values = op.operands();
  if (op.n_regions() != 0) {
    for (const Value value : captured_values(op)) values.push_back(value);
  }
  return values;
}

}  // namespace

bool is_dead(const Operation& op) {
  return op.info().has_trait(Trait::pure) && !op.info().has_trait(Trait::terminator) && op.is_unused();
}

bool eliminate_dead_code(Module& module) { return eliminate_dead_code(module.body()); }

bool eliminate_common_subexpressions(Module& module) {
  Expressions known;
  return eliminate_common_subexpressions(module.body(), known);
}

std::size_t n_operations(const Module& module) {
  std::size_t n = 0;
  walk(module.body(), [&](const Operation*) { ++n; });
  return n;
}

std::vector<Value> captured_values(const Operation& op) {
  std::unordered_set<const detail::ValueImpl*> seen;
  std::vector<Value> captured;
  add_captured(op, seen, captured);
  return captured;
}

std::vector<Operation*> backward_slice(const Block& block, std::span<const Value> values) {
  std::unordered_set<const detail::ValueImpl*> needed;
  for (const Value value : values) needed.insert(value.impl());
  std::vector<Operation*> slice;
  for (Operation* op = block.back(); op; op = op->previous()) {
    const std::vector<Value> results = op->results();
    if (std::none_of(results.begin(), results.end(), [&](Value v) { return needed.count(v.impl()) != 0; })) continue;
    slice.push_back(op);
    for (const Value operand : all_operands(*op)) needed.insert(operand.impl());
  }
  std::reverse(slice.begin(), slice.end());
  return slice;
}

std::vector<Operation*> forward_slice(const Block& block, std::span<const Value> values) {
  std::unordered_set<const detail::ValueImpl*> reached;
  for (const Value value : values) reached.insert(value.impl());
  std::vector<Operation*> slice;
  for (Operation* op = block.front(); op; op = op->next()) {
    const std::vector<Value> operands = all_operands(*op);
    if (std::none_of(operands.begin(), operands.end(), [&](Value v) { return reached.count(v.impl()) != 0; })) continue;
    slice.push_back(op);
    for (const Value result : op->results()) reached.insert(result.impl());
  }
  return slice;
}

bool is_topologically_sorted(const Block& block) {
  std::unordered_set<const Operation*> passed;
  for (const Operation* op = block.front(); op; op = op->next()) {
    for (const Value operand : all_operands(*op)) {
      const Operation* definition = operand.defining_op();
      if (definition && definition->block() == &block && passed.count(definition) == 0) return false;
    }
    passed.insert(op);
  }
  return true;
}

}  // namespace eddy::ir
