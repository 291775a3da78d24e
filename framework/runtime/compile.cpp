#include "framework/runtime/compile.h"

#include "framework/compiler/pipeline.h"

namespace eddy::runtime {

Executable compile(const ir::Context& context, const std::string& name, const std::vector<ArgumentSpec>& arguments,
                   const TensorFunction& fn, const devices::Device& device, int n_threads) {
  const std::unique_ptr<ir::Module> module = trace(context, name, arguments, fn);
  return Executable(compiler::prepare(module->functions().front()).function(), device, n_threads);
}

}  // namespace eddy::runtime
