#pragma once
/// Devices as C++ sees them: owners of what the C table of device_api.h hands out, with errors as exceptions.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "framework/core/thread_pool.h"
#include "framework/devices/device_api.h"

namespace eddy::devices {

class Device;

namespace detail {
/// Keeps an open device alive for what was made on it.
struct DeviceState;
}  // namespace detail

/// Owns one handle of a device and gives it back. Movable.
template <typename T>
class Handle {
 public:
  Handle() = default;
  T* get() const { return pointer_.get(); }
  explicit operator bool() const { return pointer_ != nullptr; }

 private:
  friend class Device;
  explicit Handle(std::shared_ptr<T> pointer) : pointer_(std::move(pointer)) {}
  std::shared_ptr<T> pointer_;
};

using Stream = Handle<EddyStream>;
using Event = Handle<EddyEvent>;

/// Device memory. Not cleared. The host may touch data() only on devices with EDDY_HAS_HOST_MEMORY.
class Buffer {
 public:
  Buffer() = default;
  void* data() const { return memory_.get(); }
  std::int64_t n_bytes() const { return n_bytes_; }

 private:
  friend class Device;
  std::shared_ptr<void> memory_;
  std::int64_t n_bytes_ = 0;
};

/// Loaded code. A kernel is good for as long as its module lives.
class Module {
 public:
  Module() = default;

 private:
  friend class Device;
  std::shared_ptr<EddyModule> module_;
};

/// An open device. Copies refer to the same one, which closes when the last copy and everything made on it are gone.
/// A call that fails throws RuntimeError with the device's own words; a capability that is absent, UserError.
class Device {
 public:
  /// Opens the backend called `name`. UserError when it was not built, with the names there are. The pool must outlive
  /// the device.
  static Device open(const std::string& name, ThreadPool& pool, int index = 0);
  /// Opens a backend by its table. RuntimeError when the table's version or size does not fit.
  static Device open(const EddyDeviceApi& api, ThreadPool& pool, int index = 0);
  /// The backends in this program.
  static std::vector<std::string> names();

  std::string name() const;
  EddyDeviceInfo info() const;
  bool has(EddyCapability capability) const;

  Buffer allocate(std::int64_t n_bytes) const;
  /// Copies `n_bytes` between host memory and the front of a buffer, or between two buffers; sizes are checked.
  void copy_in(const Buffer& to, const void* from, std::int64_t n_bytes, const Stream& stream = {}) const;
  void copy_out(void* to, const Buffer& from, std::int64_t n_bytes, const Stream& stream = {}) const;
  void copy(const Buffer& to, const Buffer& from, std::int64_t n_bytes, const Stream& stream = {}) const;
  /// Sets every byte of the buffer.
  void fill(const Buffer& buffer, unsigned char value, const Stream& stream = {}) const;

  Stream create_stream() const;
  Event create_event() const;
  void record(const Event& event, const Stream& stream = {}) const;
  void wait(const Stream& stream, const Event& event) const;
  /// Returns when the stream's work is done.
  void synchronize(const Stream& stream = {}) const;

  /// Loads a shared object of kernels.
  Module load_module(const std::string& path) const;
  const EddyKernel* kernel(const Module& module, const std::string& name) const;
  /// On devices with a grid, `grid` and `block` are in the launch; struct_size is set here.
  void launch(EddyLaunch launch, const Stream& stream = {}) const;
  void launch(const EddyKernel* kernel, const std::vector<void*>& args, const Stream& stream = {}) const;

  void parallel_for(std::int64_t n, EddyLoopBody body, void* body_context) const;
  /// A matrix product (device_api.h); struct_size is set here. The result's bits do not depend on the number of
  /// threads.
  void gemm(EddyGemm gemm, const Stream& stream = {}) const;
  EddyStatistics statistics() const;

 private:
  explicit Device(std::shared_ptr<detail::DeviceState> state) : state_(std::move(state)) {}
  void require(EddyCapability capability, const char* what) const;
  std::shared_ptr<detail::DeviceState> state_;
};

}  // namespace eddy::devices
