#include "framework/ops/decompose.h"

#include "framework/ir/dialect.h"
#include "framework/ir/rules.h"

namespace eddy::ops {

bool decompose_composites(ir::Function function) {
  bool changed = false;
  // What a rule emits stands before the operation: going on from its predecessor visits that as well.
  for (ir::Operation* op = function.body().front(); op;) {
    const auto* rule = op->info().get<ir::DecomposeRule>();
    if (!rule) {
      op = op->next();
      continue;
    }
    ir::Operation* before = op->previous();
    ir::Builder builder = ir::Builder::before(function.context(), op);
    builder.set_location(op->location());
    const std::vector<ir::Value> results = rule->decompose(builder, *op);
    EDDY_CHECK(results.size() == op->n_results(), "{}", op->name());
    for (std::size_t i = 0; i < results.size(); ++i) {
      EDDY_CHECK(results[i].type() == op->result(i).type(), "{} decomposes into a {}", op->name(),
                 results[i].type().str());
      ir::Value value = results[i];
      if (value.hint().empty()) value.set_hint(op->result(i).hint());
      op->result(i).replace_all_uses_with(value);
    }
    op->erase();
    op = before ? before->next() : function.body().front();
    changed = true;
  }
  return changed;
}

}  // namespace eddy::ops
