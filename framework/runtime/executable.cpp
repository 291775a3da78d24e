#include "framework/runtime/executable.h"

#include <algorithm>

#include "framework/compiler/host_compiler.h"
#include "framework/compiler/interval_packer.h"
#include "framework/compiler/kernel_cache.h"
#include "framework/compiler/schedule.h"
#include "framework/ir/binding.h"
#include "framework/ir/builder.h"

namespace eddy::runtime {

namespace {
constexpr std::int64_t kAlignment = 64;
std::int64_t aligned(std::int64_t bytes) { return checked_add(bytes, kAlignment - 1) / kAlignment * kAlignment; }
}  // namespace

struct Executable::State {
  std::vector<std::string> argument_names, result_names;
  std::vector<ir::Type> result_types;
  std::unique_ptr<ir::Module> module;  // owns the values that the program's buffers refer to
  compiler::Program program;
  std::shared_ptr<compiler::ObjectFile> object;
  devices::Device device;
  devices::Module loaded;
  const EddyKernel* kernel = nullptr;
  int n_threads;

  DimBindings dims;
  std::vector<std::int64_t> dim_values;
  bool is_bound = false;
  devices::Buffer arena, scratch;
  std::vector<void*> buffers;

  State(ir::Function function, devices::Device device_used, int threads)
      : argument_names(function.argument_names()),
        result_names(function.result_names()),
        module(isolate(function)),
        device(std::move(device_used)),
        n_threads(threads) {
    // Each of the device's threads has scratch memory of its own.
    EDDY_CHECK(n_threads >= device.info().n_units, "{} threads, the device has {}", n_threads, device.info().n_units);
    const ir::Function own = this->function();
    for (const ir::Value result : own.results()) result_types.push_back(result.type());
    program = compiler::print_program(compiler::schedule(own), {compiler::native_vector_bytes()});
    object = compiler::compile_object(std::span(&program.source, 1));
    loaded = device.load_module(object->path());
    kernel = device.kernel(loaded, compiler::kEntryPoint);
  }

  ir::Function function() const { return module->functions().front(); }

  /// The function in a module of its own: scheduling may insert copies.
  static std::unique_ptr<ir::Module> isolate(ir::Function function) {
    auto module = std::make_unique<ir::Module>(function.context(), "executable");
    ir::Builder builder(function.context(), module->body());
    ir::ValueMap map;
    builder.clone(*function.op(), map);
    return module;
  }

  /// Places all intermediate buffers for the present sizes.
  void bind() {
    dim_values.clear();
    for (const std::string& symbol : program.symbols) dim_values.push_back(dims.at(symbol));
    buffers.assign(program.buffers.size(), nullptr);
    compiler::IntervalPacker packer;
    std::vector<std::int64_t> offsets(buffers.size(), -1);
    for (std::size_t i = 0; i < buffers.size(); ++i) {
      const compiler::Buffer& buffer = program.buffers[i];
      if (buffer.kind == compiler::BufferKind::constant) {
        buffers[i] = const_cast<void*>(buffer.value.defining_op()->at("value").as_dense().raw());
      } else if (buffer.kind != compiler::BufferKind::argument && buffer.kind != compiler::BufferKind::result) {
        offsets[i] = packer.place(aligned(buffer.n_bytes(dims)), buffer.first_level, buffer.last_level);
      }
    }
    arena = device.allocate(packer.total());
    for (std::size_t i = 0; i < buffers.size(); ++i) {
      if (offsets[i] >= 0) buffers[i] = static_cast<char*>(arena.data()) + offsets[i];
    }
    if (!scratch.data()) scratch = device.allocate(checked_multiply(aligned(program.scratch_bytes), n_threads));
    is_bound = true;
  }

  void run(std::span<const Array> arguments, std::span<Array> results) {
    for (std::size_t i = 0; i < buffers.size(); ++i) {
      const compiler::Buffer& buffer = program.buffers[i];
      if (buffer.kind == compiler::BufferKind::argument) {
        buffers[i] = const_cast<void*>(arguments[buffer.index].raw());
      } else if (buffer.kind == compiler::BufferKind::result) {
        buffers[i] = results[buffer.index].raw();
      }
    }
    compiler::ProgramCall call{buffers.data(), dim_values.data(), static_cast<char*>(scratch.data()),
                               aligned(program.scratch_bytes)};
    device.launch(kernel, {&call});
  }
};

Executable::Executable(ir::Function function, const devices::Device& device, int n_threads)
    : state_(std::make_unique<State>(function, device, n_threads)) {}
Executable::~Executable() = default;
Executable::Executable(Executable&&) noexcept = default;
Executable& Executable::operator=(Executable&&) noexcept = default;

const std::vector<std::string>& Executable::argument_names() const { return state_->argument_names; }
const std::vector<std::string>& Executable::result_names() const { return state_->result_names; }
double Executable::compile_seconds() const { return state_->object->compile_seconds; }
bool Executable::from_cache() const { return state_->object->from_cache; }
std::int64_t Executable::n_arena_bytes() const { return state_->arena.n_bytes() + state_->scratch.n_bytes(); }

std::vector<Array> Executable::run(std::span<const Array> arguments) {
  const DimBindings dims = ir::bind_arguments(state_->function(), arguments);
  std::vector<Array> results;
  for (const ir::Type type : state_->result_types) results.emplace_back(type.dtype(), evaluate(type.shape(), dims));
  run(arguments, results);
  return results;
}

void Executable::run(std::span<const Array> arguments, std::span<Array> results) {
  const DimBindings dims = ir::bind_arguments(state_->function(), arguments);
  EDDY_CHECK(results.size() == state_->result_types.size());
  for (std::size_t i = 0; i < results.size(); ++i) {
    EDDY_CHECK(results[i].dtype() == state_->result_types[i].dtype());
    EDDY_CHECK(results[i].shape() == evaluate(state_->result_types[i].shape(), dims));
  }
  if (!state_->is_bound || dims != state_->dims) {
    state_->dims = dims;
    state_->bind();
  }
  state_->run(arguments, results);
}

}  // namespace eddy::runtime
