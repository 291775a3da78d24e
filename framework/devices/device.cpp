#include "framework/devices/device.h"

#include <fmt/ranges.h>

#include "framework/core/errors.h"
#include "framework/core/log.h"
#include "framework/devices/device_table.h"

namespace eddy::devices {

namespace detail {

struct DeviceState {
  const EddyDeviceApi* api = nullptr;
  EddyDevice* device = nullptr;

  DeviceState(const EddyDeviceApi* table, const EddyDeviceConfig& config) : api(table) {
    check(api->open(&config, &device));
  }
  ~DeviceState() { report(api->close(device)); }
  DeviceState(const DeviceState&) = delete;
  DeviceState& operator=(const DeviceState&) = delete;

  std::string words() const {
    const char* message = api->last_error();
    return fmt::format("device {}: {}", api->name, message != nullptr ? message : "failed without a word");
  }
  void check(EddyStatus status) const {
    if (status == EDDY_OK) return;
    if (status == EDDY_INVALID_ARGUMENT) throw InternalError(words());
    throw RuntimeError(words());
  }
  /// For destructors, which must not throw.
  void report(EddyStatus status) const {
    if (status != EDDY_OK) log::error(words());
  }
};

}  // namespace detail

namespace {

void check_table(const EddyDeviceApi& api) {
  if (api.abi_version != EDDY_DEVICE_ABI_VERSION) {
    throw RuntimeError(
        fmt::format("a device backend has version {} of the interface, this program version {}: build both "
                    "from the same release",
                    api.abi_version, EDDY_DEVICE_ABI_VERSION));
  }
  // All functions of this version's first release; later ones are optional and checked where they are used.
  if (!EDDY_HAS_FIELD(EddyDeviceApi, &api, statistics)) {
    throw RuntimeError(fmt::format("device backend '{}' has a table of {} bytes, at least {} are needed", api.name,
                                   api.struct_size, sizeof(EddyDeviceApi)));
  }
}

EddyThreads lend(ThreadPool& pool) {
  return {&pool, pool.n_threads(), [](void* context, std::int64_t n, EddyLoopBody body, void* body_context) {
            static_cast<ThreadPool*>(context)->parallel_for(n, body, body_context);
          }};
}

void check_size(const Buffer& buffer, std::int64_t n_bytes) {
  EDDY_CHECK(n_bytes >= 0 && n_bytes <= buffer.n_bytes(), "{} bytes of a buffer of {}", n_bytes, buffer.n_bytes());
}

}  // namespace

std::vector<std::string> Device::names() {
  std::vector<std::string> names;
  for (const EddyDeviceApi* api : device_table()) names.emplace_back(api->name);
  return names;
}

Device Device::open(const std::string& name, ThreadPool& pool, int index) {
  for (const EddyDeviceApi* api : device_table()) {
    if (api->name == name) return open(*api, pool, index);
  }
  throw UserError(fmt::format("there is no device '{}' in this program", name),
                  fmt::format("it was built with: {}", fmt::join(names(), ", ")));
}

Device Device::open(const EddyDeviceApi& api, ThreadPool& pool, int index) {
  check_table(api);
  const EddyDeviceConfig config{sizeof(EddyDeviceConfig), index, lend(pool)};
  return Device(std::make_shared<detail::DeviceState>(&api, config));
}

std::string Device::name() const { return state_->api->name; }

EddyDeviceInfo Device::info() const {
  EddyDeviceInfo info{};
  info.struct_size = sizeof(info);
  state_->check(state_->api->describe(state_->device, &info));
  return info;
}

bool Device::has(EddyCapability capability) const { return (state_->api->capabilities & capability) != 0; }

void Device::require(EddyCapability capability, const char* what) const {
  if (!has(capability)) throw UserError(fmt::format("device {} has no {}", name(), what), "choose another device");
}

Buffer Device::allocate(std::int64_t n_bytes) const {
  EDDY_CHECK(n_bytes >= 0);
  void* memory = nullptr;
  state_->check(state_->api->allocate(state_->device, n_bytes, &memory));
  Buffer buffer;
  buffer.n_bytes_ = n_bytes;
  buffer.memory_ = std::shared_ptr<void>(
      memory, [state = state_](void* pointer) { state->report(state->api->release(state->device, pointer)); });
  return buffer;
}

void Device::copy_in(const Buffer& to, const void* from, std::int64_t n_bytes, const Stream& stream) const {
  check_size(to, n_bytes);
  state_->check(state_->api->copy(state_->device, stream.get(), to.data(), from, n_bytes, EDDY_HOST_TO_DEVICE));
}

void Device::copy_out(void* to, const Buffer& from, std::int64_t n_bytes, const Stream& stream) const {
  check_size(from, n_bytes);
  state_->check(state_->api->copy(state_->device, stream.get(), to, from.data(), n_bytes, EDDY_DEVICE_TO_HOST));
}

void Device::copy(const Buffer& to, const Buffer& from, std::int64_t n_bytes, const Stream& stream) const {
  check_size(to, n_bytes);
  check_size(from, n_bytes);
  state_->check(
      state_->api->copy(state_->device, stream.get(), to.data(), from.data(), n_bytes, EDDY_DEVICE_TO_DEVICE));
}

void Device::fill(const Buffer& buffer, unsigned char value, const Stream& stream) const {
  state_->check(state_->api->fill(state_->device, stream.get(), buffer.data(), value, buffer.n_bytes()));
}

Stream Device::create_stream() const {
  EddyStream* stream = nullptr;
  state_->check(state_->api->create_stream(state_->device, &stream));
  return Stream(std::shared_ptr<EddyStream>(stream, [state = state_](EddyStream* pointer) {
    state->report(state->api->destroy_stream(state->device, pointer));
  }));
}

Event Device::create_event() const {
  EddyEvent* event = nullptr;
  state_->check(state_->api->create_event(state_->device, &event));
  return Event(std::shared_ptr<EddyEvent>(event, [state = state_](EddyEvent* pointer) {
    state->report(state->api->destroy_event(state->device, pointer));
  }));
}

void Device::record(const Event& event, const Stream& stream) const {
  state_->check(state_->api->record_event(state_->device, event.get(), stream.get()));
}

void Device::wait(const Stream& stream, const Event& event) const {
  state_->check(state_->api->wait_event(state_->device, stream.get(), event.get()));
}

void Device::synchronize(const Stream& stream) const {
  state_->check(state_->api->synchronize(state_->device, stream.get()));
}

Module Device::load_module(const std::string& path) const {
  require(EDDY_CAN_LOAD_OBJECTS, "shared objects of kernels");
  const EddyModuleSource source{sizeof(EddyModuleSource), path.c_str()};
  EddyModule* loaded = nullptr;
  state_->check(state_->api->load_module(state_->device, &source, &loaded));
  Module module;
  module.module_ = std::shared_ptr<EddyModule>(loaded, [state = state_](EddyModule* pointer) {
    state->report(state->api->unload_module(state->device, pointer));
  });
  return module;
}

const EddyKernel* Device::kernel(const Module& module, const std::string& name) const {
  const EddyKernel* kernel = nullptr;
  state_->check(state_->api->find_kernel(state_->device, module.module_.get(), name.c_str(), &kernel));
  return kernel;
}

void Device::launch(EddyLaunch launch, const Stream& stream) const {
  launch.struct_size = sizeof(launch);
  state_->check(state_->api->launch(state_->device, stream.get(), &launch));
}

void Device::launch(const EddyKernel* kernel, const std::vector<void*>& args, const Stream& stream) const {
  EddyLaunch arguments{};
  arguments.kernel = kernel;
  arguments.args = args.data();
  arguments.n_args = static_cast<std::int32_t>(args.size());
  launch(arguments, stream);
}

void Device::parallel_for(std::int64_t n, EddyLoopBody body, void* body_context) const {
  require(EDDY_HAS_PARALLEL_FOR, "parallel loops");
  state_->check(state_->api->parallel_for(state_->device, n, body, body_context));
}

void Device::gemm(EddyGemm gemm, const Stream& stream) const {
  require(EDDY_HAS_GEMM, "matrix product");
  gemm.struct_size = sizeof(gemm);
  state_->check(state_->api->gemm(state_->device, stream.get(), &gemm));
}

EddyStatistics Device::statistics() const {
  require(EDDY_HAS_STATISTICS, "statistics");
  EddyStatistics statistics{};
  statistics.struct_size = sizeof(statistics);
  state_->check(state_->api->statistics(state_->device, &statistics));
  return statistics;
}

}  // namespace eddy::devices
