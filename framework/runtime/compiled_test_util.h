#pragma once
/// Compiled programs beside the interpreter. For tests.

#include <cstring>
#include <string>
#include <vector>

#include "framework/compiler/pipeline.h"
#include "framework/core/thread_pool.h"
#include "framework/devices/device_table.h"
#include "framework/ops/dialects.h"
#include "framework/runtime/executable.h"
#include "framework/runtime/interpreter.h"

namespace eddy::runtime::testing {

inline const EddyDeviceApi& cpu_table() {
  for (const EddyDeviceApi* table : devices::device_table()) {
    if (std::string(table->name) == "cpu") return *table;
  }
  throw InternalError("the cpu backend is not there");
}

/// The bits of what nobody wrote: a NaN, a boolean that is none, a number out of every range.
inline constexpr int kGarbage = 0xff;

/// The cpu device, whose memory begins as garbage: a program that relies on zeros does not get away with it.
inline devices::Device littered_cpu(ThreadPool& pool) {
  static const EddyDeviceApi api = [] {
    EddyDeviceApi table = cpu_table();
    table.allocate = [](EddyDevice* device, std::int64_t n_bytes, void** buffer) {
      const EddyStatus status = cpu_table().allocate(device, n_bytes, buffer);
      if (status == EDDY_OK) std::memset(*buffer, kGarbage, static_cast<std::size_t>(n_bytes));
      return status;
    };
    return table;
  }();
  return devices::Device::open(api, pool);
}

/// A function compiled for one and for two threads, beside itself interpreted as it is.
class Compiled {
 public:
  explicit Compiled(ir::Function function)
      : function_(function),
        prepared_(compiler::prepare(function)),
        one_(prepared_.function(), littered_cpu(one_thread_), 1),
        two_(prepared_.function(), littered_cpu(two_threads_), 2) {}

  /// What was compiled: the function after the passes.
  ir::Function prepared() const { return prepared_.function(); }
  double compile_seconds() const { return one_.compile_seconds(); }

  struct Results {
    std::vector<Array> interpreted, one_thread, two_threads;
  };
  Results run(const std::vector<Array>& arguments) {
    Results results{interpret(function_, arguments), {}, {}};
    for (const Array& array : results.interpreted) {
      for (auto* list : {&results.one_thread, &results.two_threads}) {
        list->emplace_back(array.dtype(), array.shape());
        std::memset(list->back().raw(), kGarbage, list->back().n_bytes());
      }
    }
    one_.run(arguments, results.one_thread);
    two_.run(arguments, results.two_threads);
    return results;
  }

 private:
  ThreadPool one_thread_{1}, two_threads_{2};
  ir::Function function_;
  compiler::Prepared prepared_;
  Executable one_, two_;
};

}  // namespace eddy::runtime::testing
