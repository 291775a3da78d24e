#pragma once
/// A compiled function bound to a device: one native call runs it.

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "framework/compiler/program.h"
#include "framework/core/array.h"
#include "framework/devices/device.h"
#include "framework/ir/module.h"

namespace eddy::runtime {

class Executable {
 public:
  /// Compiles `function`, which is prepared (compiler/pipeline.h) or plain primitives, for the cpu device. The text
  /// goes through the kernel cache. Throws compiler::NoCompiler where there is no C compiler.
  Executable(ir::Function function, const devices::Device& device, int n_threads);
  ~Executable();
  Executable(Executable&&) noexcept;
  Executable& operator=(Executable&&) noexcept;

  const std::vector<std::string>& argument_names() const;
  const std::vector<std::string>& result_names() const;
  double compile_seconds() const;
  bool from_cache() const;
  /// Bytes of intermediate memory at the present sizes.
  std::int64_t n_arena_bytes() const;

  /// Runs on arrays in the order of the function's arguments. Sizes are bound from the arguments' shapes; they may
  /// change from call to call. UserError when dtypes or shapes do not fit.
  std::vector<Array> run(std::span<const Array> arguments);
  /// As above, into arrays that the caller owns, of the results' types. They must not share memory with the arguments.
  void run(std::span<const Array> arguments, std::span<Array> results);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace eddy::runtime
