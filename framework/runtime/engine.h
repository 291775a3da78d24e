#pragma once
/// How the functions of programs are run in this process: threads, device, compiled or interpreted.

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "framework/core/array.h"
#include "framework/core/thread_pool.h"
#include "framework/devices/device.h"
#include "framework/ir/module.h"

namespace eddy::runtime {

enum class Mode {
  compiled,  ///< one native call
  eager,     ///< operation by operation, by the interpreter
};
const char* name(Mode mode);

/// A function that is ready to run. Not for two threads at once.
class Runnable {
 public:
  virtual ~Runnable() = default;
  virtual const std::vector<std::string>& argument_names() const = 0;
  virtual const std::vector<std::string>& result_names() const = 0;
  /// Runs on arrays in the order of the function's arguments. `results` is empty, and then made, or holds arrays of the
  /// results' types that share no memory with the arguments. They may be replaced by others, which may share memory
  /// with arguments. UserError when dtypes or shapes of arguments do not fit.
  virtual void run(std::span<const Array> arguments, std::vector<Array>& results) = 0;
};

class Engine {
 public:
  struct Options {
    std::string device = "cpu";
    Mode mode = Mode::compiled;
    int n_threads = 0;  ///< 0: as many as there are processors
  };

  /// UserError when there is no such device.
  explicit Engine(const Options& options);

  ThreadPool& pool() { return *pool_; }
  const devices::Device& device() const { return device_; }
  int n_threads() const { return pool_->n_threads(); }
  Mode mode() const { return mode_; }

  /// Makes a copy of `function` ready to run. It may have composite operations and requests for derivatives in it.
  /// Where there is no C compiler, the mode becomes `eager`, with a warning.
  std::unique_ptr<Runnable> load(ir::Function function);

 private:
  std::unique_ptr<ThreadPool> pool_;
  devices::Device device_;
  Mode mode_;
};

}  // namespace eddy::runtime
