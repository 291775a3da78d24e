/// A device that counts and checks and computes nothing: what a program asks of a device, and whether it asks rightly.
/// Buffers are addresses without memory behind them, so that a host that touches one crashes at once.

#include <algorithm>
#include <cstdio>
#include <map>
#include <mutex>
#include <set>

#include "framework/devices/backend.h"

namespace {

using eddy::devices::LastError;

thread_local LastError last_failure;

// Beyond what processes are given on any system we know: bit 55 makes it no valid user address.
constexpr std::uintptr_t kFirstAddress = std::uintptr_t{1} << 55;
constexpr std::uintptr_t kAlignment = 64;

struct NullDevice {
  std::mutex mutex;
  EddyStatistics counts{};
  std::uintptr_t next_address = kFirstAddress;
  std::map<std::uintptr_t, std::int64_t> buffers;  // sizes by address
  std::set<const void*> streams, events, modules;
  std::map<const void*, const void*> kernels;  // module by kernel

  /// Whether `n_bytes` from `address` on lie in one buffer.
  bool owns(const void* address, std::int64_t n_bytes) const {
    const auto at = reinterpret_cast<std::uintptr_t>(address);
    auto next = buffers.upper_bound(at);
    if (next == buffers.begin()) return false;
    const auto& [first, size] = *--next;
    const auto offset = static_cast<std::int64_t>(at - first);
    return offset <= size && n_bytes <= size - offset;
  }
  bool knows(const EddyStream* stream) const { return stream == nullptr || streams.count(stream) != 0; }
  /// A new address that stands for a stream, a kernel, ...
  void* take_address(std::int64_t n_bytes) {
    const std::uintptr_t address = next_address;
    next_address += (static_cast<std::uintptr_t>(n_bytes) / kAlignment + 1) * kAlignment;
    return reinterpret_cast<void*>(address);
  }
};

NullDevice& cast(EddyDevice* device) { return *reinterpret_cast<NullDevice*>(device); }

/// Runs f(device) under its lock, with what the standard library throws (only out of memory) turned into a status.
template <typename F>
EddyStatus locked(EddyDevice* device, F f) {
  try {
    const std::lock_guard lock(cast(device).mutex);
    return f(cast(device));
  } catch (const std::bad_alloc&) {
    return last_failure.fail(EDDY_OUT_OF_MEMORY, "out of memory");
  }
}
template <typename... Args>
EddyStatus refuse(fmt::format_string<Args...> format, Args&&... args) {
  return last_failure.fail(EDDY_INVALID_ARGUMENT, format, std::forward<Args>(args)...);
}

const char* last_error() { return last_failure.words.c_str(); }
std::int32_t n_devices() { return 1; }

EddyStatus open(const EddyDeviceConfig* config, EddyDevice** device) {
  if (config == nullptr || config->index != 0) return refuse("open: there is one null device");
  auto* opened = new (std::nothrow) NullDevice;
  if (opened == nullptr) return last_failure.fail(EDDY_OUT_OF_MEMORY, "out of memory");
  *device = reinterpret_cast<EddyDevice*>(opened);
  return EDDY_OK;
}

EddyStatus close(EddyDevice* device) {
  const NullDevice& d = cast(device);
  const std::size_t n_buffers = d.buffers.size(), n_handles = d.streams.size() + d.events.size() + d.modules.size();
  delete &d;
  if (n_buffers == 0 && n_handles == 0) return EDDY_OK;
  return refuse("close: {} buffers and {} streams, events or modules are left", n_buffers, n_handles);
}

EddyStatus describe(EddyDevice*, EddyDeviceInfo* info) {
  if (info == nullptr || !EDDY_HAS_FIELD(EddyDeviceInfo, info, n_units)) return refuse("describe: another version");
  std::snprintf(info->description, sizeof(info->description), "counts and checks, computes nothing");
  info->memory_bytes = 0;
  info->n_units = 1;
  return EDDY_OK;
}

EddyStatus allocate(EddyDevice* device, std::int64_t n_bytes, void** buffer) {
  return locked(device, [&](NullDevice& d) {
    if (n_bytes < 0) return refuse("allocate: {} bytes", n_bytes);
    if (n_bytes > std::int64_t{1} << 50) return last_failure.fail(EDDY_OUT_OF_MEMORY, "out of addresses");
    *buffer = d.take_address(n_bytes);
    d.buffers.emplace(reinterpret_cast<std::uintptr_t>(*buffer), n_bytes);
    ++d.counts.n_allocations;
    ++d.counts.n_live_buffers;
    d.counts.live_bytes += n_bytes;
    d.counts.peak_bytes = std::max(d.counts.peak_bytes, d.counts.live_bytes);
    return EDDY_OK;
  });
}

EddyStatus release(EddyDevice* device, void* buffer) {
  return locked(device, [&](NullDevice& d) {
    const auto found = d.buffers.find(reinterpret_cast<std::uintptr_t>(buffer));
    if (found == d.buffers.end()) return refuse("release: {} is no buffer, or released already", buffer);
    --d.counts.n_live_buffers;
    d.counts.live_bytes -= found->second;
    d.buffers.erase(found);
    return EDDY_OK;
  });
}

EddyStatus copy(EddyDevice* device, EddyStream* stream, void* to, const void* from, std::int64_t n_bytes,
                EddyCopyKind kind) {
  return locked(device, [&](NullDevice& d) {
    if (!d.knows(stream)) return refuse("copy: unknown stream");
    if (n_bytes < 0) return refuse("copy: {} bytes", n_bytes);
    const bool to_device = kind != EDDY_DEVICE_TO_HOST, from_device = kind != EDDY_HOST_TO_DEVICE;
    // Host addresses can only be told from device addresses.
    if (to_device ? !d.owns(to, n_bytes) : d.owns(to, 0))
      return refuse("copy: {} bytes do not fit the target", n_bytes);
    if (from_device ? !d.owns(from, n_bytes) : d.owns(from, 0)) {
      return refuse("copy: {} bytes are not in the source", n_bytes);
    }
    ++d.counts.n_copies;
    d.counts.copied_bytes += n_bytes;
    return EDDY_OK;
  });
}

EddyStatus fill(EddyDevice* device, EddyStream* stream, void* buffer, unsigned char, std::int64_t n_bytes) {
  return locked(device, [&](NullDevice& d) {
    if (!d.knows(stream)) return refuse("fill: unknown stream");
    if (n_bytes < 0 || !d.owns(buffer, n_bytes)) return refuse("fill: {} bytes do not fit the buffer", n_bytes);
    return EDDY_OK;
  });
}

template <typename T>
EddyStatus create(EddyDevice* device, std::set<const void*> NullDevice::*live, T** handle) {
  return locked(device, [&](NullDevice& d) {
    *handle = static_cast<T*>(d.take_address(0));
    (d.*live).insert(*handle);
    return EDDY_OK;
  });
}
EddyStatus destroy(EddyDevice* device, std::set<const void*> NullDevice::*live, const void* handle, const char* what) {
  return locked(device, [&](NullDevice& d) {
    if ((d.*live).erase(handle) == 0) return refuse("unknown {}, or destroyed already", what);
    return EDDY_OK;
  });
}

EddyStatus create_stream(EddyDevice* device, EddyStream** stream) {
  return create(device, &NullDevice::streams, stream);
}
EddyStatus destroy_stream(EddyDevice* device, EddyStream* stream) {
  return destroy(device, &NullDevice::streams, stream, "stream");
}
EddyStatus create_event(EddyDevice* device, EddyEvent** event) { return create(device, &NullDevice::events, event); }
EddyStatus destroy_event(EddyDevice* device, EddyEvent* event) {
  return destroy(device, &NullDevice::events, event, "event");
}

EddyStatus synchronize(EddyDevice* device, EddyStream* stream) {
  return locked(device,
                [&](NullDevice& d) { return d.knows(stream) ? EDDY_OK : refuse("synchronize: unknown stream"); });
}
EddyStatus record_event(EddyDevice* device, EddyEvent* event, EddyStream* stream) {
  return locked(device, [&](NullDevice& d) {
    return d.knows(stream) && d.events.count(event) != 0 ? EDDY_OK : refuse("record_event: unknown event or stream");
  });
}
EddyStatus wait_event(EddyDevice* device, EddyStream* stream, EddyEvent* event) {
  return record_event(device, event, stream);
}

EddyStatus load_module(EddyDevice* device, const EddyModuleSource* source, EddyModule** module) {
  if (source == nullptr || source->path == nullptr) return refuse("load_module: no path");
  return create(device, &NullDevice::modules, module);
}
EddyStatus unload_module(EddyDevice* device, EddyModule* module) {
  return locked(device, [&](NullDevice& d) {
    if (d.modules.erase(module) == 0) return refuse("unknown module, or unloaded already");
    std::erase_if(d.kernels, [&](const auto& entry) { return entry.second == module; });
    return EDDY_OK;
  });
}
EddyStatus find_kernel(EddyDevice* device, EddyModule* module, const char* name, const EddyKernel** kernel) {
  return locked(device, [&](NullDevice& d) {
    if (name == nullptr || d.modules.count(module) == 0) return refuse("find_kernel: unknown module");
    *kernel = static_cast<const EddyKernel*>(d.take_address(0));
    d.kernels.emplace(*kernel, module);
    return EDDY_OK;
  });
}
EddyStatus launch(EddyDevice* device, EddyStream* stream, const EddyLaunch* launch) {
  return locked(device, [&](NullDevice& d) {
    if (!d.knows(stream)) return refuse("launch: unknown stream");
    if (launch == nullptr || d.kernels.count(launch->kernel) == 0) return refuse("launch: unknown kernel");
    if (launch->n_args < 0 || (launch->n_args > 0 && launch->args == nullptr)) return refuse("launch: no arguments");
    ++d.counts.n_launches;
    return EDDY_OK;
  });
}

EddyStatus parallel_for(EddyDevice*, std::int64_t n, EddyLoopBody body, void*) {
  return n < 0 || body == nullptr ? refuse("parallel_for: nothing to do") : EDDY_OK;
}

EddyStatus gemm(EddyDevice* device, EddyStream* stream, const EddyGemm* gemm) {
  return locked(device, [&](NullDevice& d) {
    if (!d.knows(stream)) return refuse("gemm: unknown stream");
    if (const char* fault = eddy::devices::find_fault(gemm)) return refuse("{}", fault);
    ++d.counts.n_gemms;
    d.counts.gemm_flops += eddy::devices::flops(*gemm);
    const std::int64_t size = gemm->dtype == EDDY_F32 ? 4 : 8;
    const auto extent = [&](std::int64_t rows, std::int64_t columns, std::int64_t ld) {
      return rows == 0 || columns == 0 ? 0 : ((rows - 1) * ld + columns) * size;
    };
    const std::int64_t a =
        gemm->transpose_a ? extent(gemm->k, gemm->m, gemm->lda) : extent(gemm->m, gemm->k, gemm->lda);
    const std::int64_t b =
        gemm->transpose_b ? extent(gemm->n, gemm->k, gemm->ldb) : extent(gemm->k, gemm->n, gemm->ldb);
    const std::int64_t c = extent(gemm->m, gemm->n, gemm->ldc);
    if ((a > 0 && !d.owns(gemm->a, a)) || (b > 0 && !d.owns(gemm->b, b)) || (c > 0 && !d.owns(gemm->c, c))) {
      return refuse("gemm: a matrix reaches beyond its buffer");
    }
    return EDDY_OK;
  });
}

EddyStatus statistics(EddyDevice* device, EddyStatistics* statistics) {
  if (statistics == nullptr || !EDDY_HAS_FIELD(EddyStatistics, statistics, gemm_flops)) {
    return refuse("statistics: a struct of another version");
  }
  return locked(device, [&](NullDevice& d) {
    const std::size_t size = statistics->struct_size;
    *statistics = d.counts;
    statistics->struct_size = size;
    return EDDY_OK;
  });
}

constexpr EddyDeviceApi kApi{
    .abi_version = EDDY_DEVICE_ABI_VERSION,
    .struct_size = sizeof(EddyDeviceApi),
    .name = "null",
    .capabilities = EDDY_CAN_LOAD_OBJECTS | EDDY_HAS_PARALLEL_FOR | EDDY_HAS_GEMM | EDDY_HAS_STATISTICS,
    .last_error = last_error,
    .n_devices = n_devices,
    .open = open,
    .close = close,
    .describe = describe,
    .allocate = allocate,
    .release = release,
    .copy = copy,
    .fill = fill,
    .create_stream = create_stream,
    .destroy_stream = destroy_stream,
    .synchronize = synchronize,
    .create_event = create_event,
    .destroy_event = destroy_event,
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

extern "C" const EddyDeviceApi* eddy_device_null(void) { return &kApi; }
