#pragma once
/// A scheduled function as one self-contained C source and the plan of its memory.

#include <cstdint>
#include <string>
#include <vector>

#include "framework/compiler/schedule.h"

namespace eddy::compiler {

/// Partial sums over rows are kept for at most this many chunks of tiles per section: enough for the threads to share
/// the work evenly, few enough to add them quickly. The number depends on the batch size only, so results do not depend
/// on the number of threads.
inline constexpr int kMaxChunks = 16;

enum class BufferKind {
  argument,
  result,
  constant,
  whole,        ///< an intermediate value, live from first_level to last_level
  accumulator,  ///< n_slots partial sums
  packed,       ///< weights rearranged for a tile kernel
};

/// One entry of the table of pointers that the program receives.
struct Buffer {
  BufferKind kind;
  ir::Value value;
  DType dtype = DType::f64;
  Shape shape;  ///< of one slot
  std::int64_t n_slots = 1;
  std::size_t index = 0;  ///< of the argument or result
  int first_level = 0;
  int last_level = 0;
  std::string comment;

  /// Bytes under a binding of the sizes; checked.
  std::int64_t n_bytes(const DimBindings& dims) const;
};

/// The one argument of the printed program's entry point, an EddyCpuKernel (framework/devices/device_api.h). The C
/// source declares the same struct.
struct ProgramCall {
  void** buffers;
  const std::int64_t* dims;  ///< values of `symbols`
  char* scratch;             ///< scratch_stride bytes for each thread
  std::int64_t scratch_stride;
  const void* threads = nullptr;  ///< set by the program itself
};
inline constexpr const char* kEntryPoint = "eddy_run";

struct Program {
  std::string source;
  std::string loops;  ///< the loop IR, readable
  std::vector<Buffer> buffers;
  std::vector<std::string> symbols;  ///< sorted
  std::int64_t scratch_bytes = 0;    ///< per thread

  /// For `eddy inspect --stage memory`: every buffer with its bytes under a binding of all sizes, and their sums.
  std::string memory_plan(const DimBindings& dims) const;
};

/// What the code is printed for.
struct Target {
  int vector_bytes = 64;  ///< of the widest vector registers
};

Program print_program(const Schedule& schedule, const Target& target);

}  // namespace eddy::compiler
