#include "framework/runtime/engine.h"

#include "framework/autodiff/planner.h"
#include "framework/compiler/host_compiler.h"
#include "framework/compiler/pipeline.h"
#include "framework/core/log.h"
#include "framework/ops/decompose.h"
#include "framework/runtime/executable.h"
#include "framework/runtime/interpreter.h"
#include "framework/runtime/library_gemm.h"

namespace eddy::runtime {

namespace {

class Compiled final : public Runnable {
 public:
  Compiled(ir::Function function, const devices::Device& device, int n_threads)
      : executable_(compiler::prepare(function).function(), device, n_threads) {}

  const std::vector<std::string>& argument_names() const override { return executable_.argument_names(); }
  const std::vector<std::string>& result_names() const override { return executable_.result_names(); }
  void run(std::span<const Array> arguments, std::vector<Array>& results) override {
    if (results.empty()) {
      results = executable_.run(arguments);
    } else {
      executable_.run(arguments, results);
    }
  }

 private:
  Executable executable_;
};

/// Keeps the function as primitives: the interpreter would otherwise expand derivatives in every run.
class Interpreted final : public Runnable {
 public:
  Interpreted(ir::Function function, const devices::Device& device)
      : options_(library_contractions(device)),
        module_(function.context(), function.name()),
        argument_names_(function.argument_names()),
        result_names_(function.result_names()) {
    ir::ValueMap map;
    ir::Operation* copy = ir::Builder(function.context(), module_.body()).clone(*function.op(), map);
    function_ = ir::Function(function.context(), copy);
    ops::decompose_composites(function_);
    autodiff::expand_derivatives(function_);
  }

  const std::vector<std::string>& argument_names() const override { return argument_names_; }
  const std::vector<std::string>& result_names() const override { return result_names_; }
  void run(std::span<const Array> arguments, std::vector<Array>& results) override {
    results = interpret(function_, arguments, options_);
  }

 private:
  InterpreterOptions options_;
  ir::Module module_;
  ir::Function function_;
  std::vector<std::string> argument_names_, result_names_;
};

}  // namespace

const char* name(Mode mode) { return mode == Mode::compiled ? "compiled" : "eager"; }

Engine::Engine(const Options& options)
    : pool_(std::make_unique<ThreadPool>(options.n_threads > 0 ? options.n_threads : n_available_processors())),
      device_(devices::Device::open(options.device, *pool_)),
      mode_(options.mode) {}

std::unique_ptr<Runnable> Engine::load(ir::Function function) {
  if (mode_ == Mode::compiled) {
    try {
      return std::make_unique<Compiled>(function, device_, n_threads());
    } catch (const compiler::NoCompiler& error) {
      log::warning(fmt::format("{}; going on without compiling, which is much slower", error.what()));
      mode_ = Mode::eager;
    }
  }
  return std::make_unique<Interpreted>(function, device_);
}

}  // namespace eddy::runtime
