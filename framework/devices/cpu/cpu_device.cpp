/// The host as a device: everything is done when a call returns, so streams and events are only names.

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <unistd.h>

#include "framework/devices/backend.h"
#include "framework/devices/cpu/gemm.h"

namespace {

using eddy::devices::find_fault;
using eddy::devices::LastError;
namespace cpu = eddy::devices::cpu;

thread_local LastError last_failure;

constexpr std::size_t kAlignment = 64;  // a cache line, and the widest vector

struct CpuDevice {
  EddyKernelHost host{};
  std::atomic<std::int64_t> n_allocations{0}, n_live_buffers{0}, live_bytes{0}, peak_bytes{0};
  std::atomic<std::int64_t> n_copies{0}, copied_bytes{0}, n_launches{0}, n_gemms{0}, n_handles{0};
  std::atomic<double> gemm_flops{0};
};

CpuDevice& cast(EddyDevice* device) { return *reinterpret_cast<CpuDevice*>(device); }

const char* last_error() { return last_failure.words.c_str(); }
std::int32_t n_devices() { return 1; }

EddyStatus open(const EddyDeviceConfig* config, EddyDevice** device) {
  if (config == nullptr || !EDDY_HAS_FIELD(EddyDeviceConfig, config, threads) ||
      config->threads.parallel_for == nullptr) {
    return last_failure.fail(EDDY_INVALID_ARGUMENT, "open: no threads were lent");
  }
  if (config->index != 0)
    return last_failure.fail(EDDY_INVALID_ARGUMENT, "open: there is one host, no number {}", config->index);
  auto* opened = new (std::nothrow) CpuDevice;
  if (opened == nullptr) return last_failure.fail(EDDY_OUT_OF_MEMORY, "out of memory");
  opened->host = {EDDY_DEVICE_ABI_VERSION, sizeof(EddyKernelHost), config->threads,
                  [](const EddyGemm* gemm) { cpu::gemm(*gemm); }};
  try {
    cpu::chosen_library(EDDY_F32);  // all are chosen and checked here, before any parallel loop
  } catch (const std::exception& error) {
    delete opened;
    return last_failure.fail(EDDY_FAILED, "cannot check the libraries: {}", error.what());
  }
  *device = reinterpret_cast<EddyDevice*>(opened);
  return EDDY_OK;
}

EddyStatus close(EddyDevice* device) {
  const std::int64_t n_buffers = cast(device).n_live_buffers, n_handles = cast(device).n_handles;
  delete &cast(device);
  if (n_buffers == 0 && n_handles == 0) return EDDY_OK;
  return last_failure.fail(EDDY_INVALID_ARGUMENT, "close: {} buffers and {} streams, events or modules are left",
                           n_buffers, n_handles);
}

EddyStatus describe(EddyDevice* device, EddyDeviceInfo* info) {
  if (info == nullptr || !EDDY_HAS_FIELD(EddyDeviceInfo, info, n_units)) {
    return last_failure.fail(EDDY_INVALID_ARGUMENT, "describe: a struct of another version");
  }
  std::snprintf(info->description, sizeof(info->description), "host; matrix products by %s (f32), %s (f64)",
                cpu::chosen_library(EDDY_F32).name, cpu::chosen_library(EDDY_F64).name);
  info->memory_bytes = static_cast<std::int64_t>(sysconf(_SC_PHYS_PAGES)) * sysconf(_SC_PAGESIZE);
  info->n_units = cast(device).host.threads.n_threads;
  return EDDY_OK;
}

/// In front of each buffer, one alignment long.
struct Header {
  std::int64_t n_bytes;
};
Header* header_of(void* buffer) { return reinterpret_cast<Header*>(static_cast<char*>(buffer) - kAlignment); }

EddyStatus allocate(EddyDevice* device, std::int64_t n_bytes, void** buffer) {
  constexpr std::int64_t kMost = std::int64_t{1} << 47;  // the address space of a process
  if (n_bytes < 0) return last_failure.fail(EDDY_INVALID_ARGUMENT, "allocate: {} bytes", n_bytes);
  void* memory = nullptr;
  if (n_bytes <= kMost) {
    const std::size_t n_lines = (static_cast<std::size_t>(n_bytes) + kAlignment - 1) / kAlignment;
    memory = std::aligned_alloc(kAlignment, (n_lines + 1) * kAlignment);
  }
  if (memory == nullptr)
    return last_failure.fail(EDDY_OUT_OF_MEMORY, "out of memory: {} bytes were asked for", n_bytes);
  *buffer = static_cast<char*>(memory) + kAlignment;
  new (memory) Header{n_bytes};
  CpuDevice& cpu_device = cast(device);
  ++cpu_device.n_allocations;
  ++cpu_device.n_live_buffers;
  const std::int64_t live = cpu_device.live_bytes += n_bytes;
  std::int64_t peak = cpu_device.peak_bytes;
  while (peak < live && !cpu_device.peak_bytes.compare_exchange_weak(peak, live)) {
  }
  return EDDY_OK;
}

EddyStatus release(EddyDevice* device, void* buffer) {
  if (buffer == nullptr) return last_failure.fail(EDDY_INVALID_ARGUMENT, "release: null buffer");
  cast(device).live_bytes -= header_of(buffer)->n_bytes;
  --cast(device).n_live_buffers;
  std::free(header_of(buffer));
  return EDDY_OK;
}

EddyStatus copy(EddyDevice* device, EddyStream*, void* to, const void* from, std::int64_t n_bytes, EddyCopyKind) {
  if (n_bytes < 0 || (n_bytes > 0 && (to == nullptr || from == nullptr))) {
    return last_failure.fail(EDDY_INVALID_ARGUMENT, "copy: {} bytes from or to nowhere", n_bytes);
  }
  if (n_bytes > 0) std::memmove(to, from, static_cast<std::size_t>(n_bytes));
  ++cast(device).n_copies;
  cast(device).copied_bytes += n_bytes;
  return EDDY_OK;
}

EddyStatus fill(EddyDevice*, EddyStream*, void* buffer, unsigned char value, std::int64_t n_bytes) {
  if (n_bytes < 0 || (n_bytes > 0 && buffer == nullptr)) {
    return last_failure.fail(EDDY_INVALID_ARGUMENT, "fill: {} bytes of nothing", n_bytes);
  }
  if (n_bytes > 0) std::memset(buffer, value, static_cast<std::size_t>(n_bytes));
  return EDDY_OK;
}

/// A stream or event: there is nothing to hold, but what is made must be given back.
template <typename T>
EddyStatus create_handle(EddyDevice* device, T** handle) {
  auto* made = new (std::nothrow) char;
  if (made == nullptr) return last_failure.fail(EDDY_OUT_OF_MEMORY, "out of memory");
  ++cast(device).n_handles;
  *handle = reinterpret_cast<T*>(made);
  return EDDY_OK;
}
template <typename T>
EddyStatus destroy_handle(EddyDevice* device, T* handle) {
  if (handle == nullptr) return last_failure.fail(EDDY_INVALID_ARGUMENT, "the default stream cannot be destroyed");
  --cast(device).n_handles;
  delete reinterpret_cast<char*>(handle);
  return EDDY_OK;
}

EddyStatus synchronize(EddyDevice*, EddyStream*) { return EDDY_OK; }
EddyStatus record_event(EddyDevice*, EddyEvent*, EddyStream*) { return EDDY_OK; }
EddyStatus wait_event(EddyDevice*, EddyStream*, EddyEvent*) { return EDDY_OK; }

EddyStatus load_module(EddyDevice* device, const EddyModuleSource* source, EddyModule** module) {
  // Without a slash dlopen would search the system's folders instead.
  if (source == nullptr || source->path == nullptr || std::strchr(source->path, '/') == nullptr) {
    return last_failure.fail(EDDY_INVALID_ARGUMENT, "load_module: a path with a folder is needed");
  }
  void* object = dlopen(source->path, RTLD_NOW | RTLD_LOCAL);
  if (object == nullptr) return last_failure.fail(EDDY_FAILED, "cannot load {}: {}", source->path, dlerror());
  ++cast(device).n_handles;
  *module = static_cast<EddyModule*>(object);
  return EDDY_OK;
}

EddyStatus unload_module(EddyDevice* device, EddyModule* module) {
  --cast(device).n_handles;
  if (dlclose(module) != 0) return last_failure.fail(EDDY_FAILED, "cannot unload a module: {}", dlerror());
  return EDDY_OK;
}

EddyStatus find_kernel(EddyDevice*, EddyModule* module, const char* name, const EddyKernel** kernel) {
  *kernel = static_cast<const EddyKernel*>(dlsym(module, name));
  if (*kernel == nullptr) return last_failure.fail(EDDY_FAILED, "there is no kernel '{}' in the module", name);
  return EDDY_OK;
}

EddyStatus launch(EddyDevice* device, EddyStream*, const EddyLaunch* launch) {
  if (launch == nullptr || launch->kernel == nullptr || launch->n_args < 0 ||
      (launch->n_args > 0 && launch->args == nullptr)) {
    return last_failure.fail(EDDY_INVALID_ARGUMENT, "launch: no kernel or no arguments");
  }
  ++cast(device).n_launches;
  reinterpret_cast<EddyCpuKernel>(const_cast<EddyKernel*>(launch->kernel))(&cast(device).host, launch->args);
  return EDDY_OK;
}

EddyStatus parallel_for(EddyDevice* device, std::int64_t n, EddyLoopBody body, void* body_context) {
  const EddyThreads& threads = cast(device).host.threads;
  threads.parallel_for(threads.context, n, body, body_context);
  return EDDY_OK;
}

EddyStatus gemm(EddyDevice* device, EddyStream*, const EddyGemm* gemm) {
  if (const char* fault = find_fault(gemm)) return last_failure.fail(EDDY_INVALID_ARGUMENT, "{}", fault);
  ++cast(device).n_gemms;
  cast(device).gemm_flops += eddy::devices::flops(*gemm);
  cpu::parallel_gemm(*gemm, cast(device).host.threads);
  return EDDY_OK;
}

EddyStatus statistics(EddyDevice* device, EddyStatistics* statistics) {
  if (statistics == nullptr || !EDDY_HAS_FIELD(EddyStatistics, statistics, gemm_flops)) {
    return last_failure.fail(EDDY_INVALID_ARGUMENT, "statistics: a struct of another version");
  }
  const CpuDevice& d = cast(device);
  *statistics = {statistics->struct_size, d.n_allocations, d.n_live_buffers, d.live_bytes, d.peak_bytes, d.n_copies,
                 d.copied_bytes,          d.n_launches,    d.n_gemms,        d.gemm_flops};
  return EDDY_OK;
}

constexpr EddyDeviceApi kApi{
    .abi_version = EDDY_DEVICE_ABI_VERSION,
    .struct_size = sizeof(EddyDeviceApi),
    .name = "cpu",
    .capabilities = EDDY_CAN_COMPUTE | EDDY_HAS_HOST_MEMORY | EDDY_CAN_LOAD_OBJECTS | EDDY_HAS_PARALLEL_FOR |
                    EDDY_HAS_GEMM | EDDY_HAS_STATISTICS,
    .last_error = last_error,
    .n_devices = n_devices,
    .open = open,
    .close = close,
    .describe = describe,
    .allocate = allocate,
    .release = release,
    .copy = copy,
    .fill = fill,
    .create_stream = create_handle<EddyStream>,
    .destroy_stream = destroy_handle<EddyStream>,
    .synchronize = synchronize,
    .create_event = create_handle<EddyEvent>,
    .destroy_event = destroy_handle<EddyEvent>,
    .record_event = record_event,
    .wait_event = wait_event,
    .load_module = load_module,
    .unload_module = unload_module,
    .find_kernel = find_kernel,
    .launch = launch,
    .parallel_for = parallel_for,
    .gemm = gemm,
    .statistics = statistics,
};

}  // namespace

extern "C" const EddyDeviceApi* eddy_device_cpu(void) { return &kApi; }
