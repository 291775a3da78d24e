#include "framework/compiler/pipeline.h"

#include "framework/ir/transforms.h"
#include "framework/ops/decompose.h"
#include "framework/ops/simplify.h"

namespace eddy::compiler {

Prepared prepare(ir::Function function, const ir::PassManager::Dump& dump) {
  Prepared prepared;
  prepared.module = std::make_unique<ir::Module>(function.context(), function.name());
  ir::Builder builder(function.context(), prepared.module->body());
  ir::ValueMap map;
  builder.clone(*function.op(), map);

  ir::PassManager passes;
  if (dump) passes.set_dump(dump);
  passes.add("decompose", [](ir::Module& module) { return ops::decompose_composites(module.functions().front()); });
  passes.add("expand_derivatives", [&](ir::Module& module) {
    prepared.plans = autodiff::expand_derivatives(module.functions().front());
    return !prepared.plans.empty();
  });
  passes.add("cse", ir::eliminate_common_subexpressions);
  passes.add("simplify", ops::simplify);
  passes.add("cse", ir::eliminate_common_subexpressions);
  passes.add("dce", ir::eliminate_dead_code);
  passes.run(*prepared.module);
  prepared.statistics = passes.statistics();
  prepared.table = passes.table();
  return prepared;
}

}  // namespace eddy::compiler
