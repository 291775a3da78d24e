#include "framework/devices/device.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <cstring>
#include <vector>

#include "framework/core/errors.h"

using namespace eddy;
using namespace eddy::devices;

namespace {
std::vector<double> iota(std::size_t n) {
  std::vector<double> values(n);
  for (std::size_t i = 0; i < n; ++i) values[i] = static_cast<double>(i);
  return values;
}
/// The table behind a device, to make altered copies of.
extern "C" const EddyDeviceApi* eddy_device_null(void);
}  // namespace

TEST_CASE("devices are opened by name") {
  ThreadPool pool(2);
  CHECK(Device::names() == std::vector<std::string>{"cpu", "null"});
  CHECK(Device::open("cpu", pool).name() == "cpu");
  CHECK(Device::open("cpu", pool).info().n_units == 2);
  CHECK_THROWS_AS(Device::open("cuda", pool), UserError);
  CHECK_THROWS_AS(Device::open("cpu", pool, 1), InternalError);
}

TEST_CASE("tables of another version or a smaller size are refused, larger ones are not") {
  ThreadPool pool(1);
  EddyDeviceApi api = *eddy_device_null();
  CHECK_NOTHROW(Device::open(api, pool));
  api.abi_version += 1;
  CHECK_THROWS_AS(Device::open(api, pool), RuntimeError);
  api = *eddy_device_null();
  api.struct_size = offsetof(EddyDeviceApi, statistics);
  CHECK_THROWS_AS(Device::open(api, pool), RuntimeError);
  api.struct_size = sizeof(EddyDeviceApi) + 64;  // a newer backend with more functions
  CHECK_NOTHROW(Device::open(api, pool));
}

TEST_CASE("host memory: alignment, copies, statistics") {
  ThreadPool pool(1);
  const Device device = Device::open("cpu", pool);
  const std::vector<double> values = iota(100);
  std::vector<double> back(100);
  {
    const Buffer a = device.allocate(800), b = device.allocate(800), none = device.allocate(0);
    CHECK(reinterpret_cast<std::uintptr_t>(a.data()) % 64 == 0);
    CHECK(none.data() != nullptr);
    device.copy_in(a, values.data(), 800);
    device.copy(b, a, 800);
    device.copy_out(back.data(), b, 800);
    CHECK(back == values);
    device.fill(b, 0);
    CHECK(static_cast<double*>(b.data())[99] == 0);
    CHECK_THROWS_AS(device.copy_in(a, values.data(), 801), InternalError);
    CHECK(device.statistics().n_live_buffers == 3);
    CHECK(device.statistics().live_bytes == 1600);
  }
  CHECK(device.statistics().live_bytes == 0);
  CHECK(device.statistics().peak_bytes == 1600);
  CHECK(device.statistics().n_copies == 3);
  CHECK_THROWS_AS(device.allocate(INT64_MAX), RuntimeError);
  CHECK_THROWS_AS(device.allocate(INT64_MAX / 2), RuntimeError);
}

TEST_CASE("a device lives as long as what was made on it") {
  ThreadPool pool(1);
  Buffer buffer;
  {
    const Device device = Device::open("cpu", pool);
    buffer = device.allocate(8);
  }
  std::memset(buffer.data(), 0, 8);
}

TEST_CASE("streams and events on every device") {
  ThreadPool pool(1);
  for (const std::string& name : Device::names()) {
    const Device device = Device::open(name, pool);
    const Stream a = device.create_stream(), b = device.create_stream();
    const Event event = device.create_event();
    device.record(event, a);
    device.wait(b, event);
    device.synchronize(b);
    device.synchronize();
  }
}

TEST_CASE("kernels from a shared object run on the pool's threads") {
  ThreadPool pool(2);
  const Device device = Device::open("cpu", pool);
  const Module module = device.load_module(TEST_KERNELS);
  std::vector<double> in = iota(1000), out(1000);
  double factor = 3;
  std::int64_t n = 1000;
  device.launch(device.kernel(module, "scale"), {in.data(), out.data(), &factor, &n});
  for (std::size_t i = 0; i < 1000; ++i) CHECK(out[i] == 3 * in[i]);

  std::vector<double> a{1, 2, 3, 4}, b{5, 6, 7, 8}, c(4);
  device.launch(device.kernel(module, "product"), {a.data(), b.data(), c.data()});
  CHECK(c == std::vector<double>{19, 22, 43, 50});

  CHECK_THROWS_AS(device.kernel(module, "scael"), RuntimeError);
  CHECK_THROWS_AS(device.load_module("./no/such/object.so"), RuntimeError);
  CHECK_THROWS_AS(device.load_module("libm.so.6"), InternalError);
  CHECK(device.statistics().n_launches == 2);
}

TEST_CASE("parallel loops visit each index once") {
  ThreadPool pool(2);
  const Device device = Device::open("cpu", pool);
  std::vector<int> visits(1000);
  device.parallel_for(
      1000,
      [](void* context, std::int64_t index, int) {
        ++(*static_cast<std::vector<int>*>(context))[static_cast<std::size_t>(index)];
      },
      &visits);
  CHECK(visits == std::vector<int>(1000, 1));
}

TEST_CASE("the null device counts and checks and touches no memory") {
  ThreadPool pool(1);
  const Device device = Device::open("null", pool);
  CHECK_FALSE(device.has(EDDY_CAN_COMPUTE));
  CHECK_FALSE(device.has(EDDY_HAS_HOST_MEMORY));
  const std::vector<double> values = iota(12);
  std::vector<double> back(12, -1.0);
  const Buffer a = device.allocate(96), b = device.allocate(96), c = device.allocate(128);
  device.copy_in(a, values.data(), 96);
  device.copy(b, a, 96);
  device.copy_out(back.data(), b, 96);
  CHECK(back == std::vector<double>(12, -1.0));
  // [4, 3] times [3, 4] fits 96, 96 and 128 bytes; one more row does not.
  EddyGemm gemm{0, EDDY_F64, 0, 0, 0, 4, 4, 3, a.data(), 3, b.data(), 4, c.data(), 4};
  device.gemm(gemm);
  gemm.m = 5;
  CHECK_THROWS_AS(device.gemm(gemm), InternalError);
  gemm.m = 4;
  gemm.a = values.data();  // host memory
  CHECK_THROWS_AS(device.gemm(gemm), InternalError);
  gemm.a = a.data();
  gemm.lda = 2;
  CHECK_THROWS_AS(device.gemm(gemm), InternalError);

  const Module module = device.load_module("anything");
  const EddyKernel* kernel = device.kernel(module, "anything");
  device.launch(kernel, {a.data()});
  CHECK_THROWS_AS(device.launch(nullptr, {}), InternalError);
  const EddyStatistics counts = device.statistics();
  CHECK(counts.n_launches == 1);
  CHECK(counts.n_gemms == 3);  // those with sensible arguments
  CHECK(counts.live_bytes == 320);
  CHECK(counts.copied_bytes == 288);

  // What is released twice or never is told at the table.
  const EddyDeviceApi& api = *eddy_device_null();
  const EddyDeviceConfig config{sizeof(EddyDeviceConfig), 0, {}};
  EddyDevice* raw = nullptr;
  void* memory = nullptr;
  REQUIRE(api.open(&config, &raw) == EDDY_OK);
  REQUIRE(api.allocate(raw, 8, &memory) == EDDY_OK);
  CHECK(api.release(raw, memory) == EDDY_OK);
  CHECK(api.release(raw, memory) == EDDY_INVALID_ARGUMENT);
  REQUIRE(api.allocate(raw, 8, &memory) == EDDY_OK);
  CHECK(api.close(raw) == EDDY_INVALID_ARGUMENT);
  CHECK(std::string(api.last_error()) == "close: 1 buffers and 0 streams, events or modules are left");
}

TEST_CASE("matrix products do not depend on the number of threads") {
  const std::int64_t m = 700, n = 50, k = 61;
  for (const EddyDType dtype : {EDDY_F32, EDDY_F64}) {
    std::vector<std::vector<unsigned char>> results;
    for (const int n_threads : {1, 2, 3}) {
      ThreadPool pool(n_threads);
      const Device device = Device::open("cpu", pool);
      const std::size_t size = dtype == EDDY_F32 ? 4 : 8;
      std::vector<unsigned char> a(m * k * size), b(k * n * size), c(m * n * size);
      for (std::int64_t i = 0; i < m * k; ++i) {
        const double value = std::sin(static_cast<double>(i));
        const auto narrow = static_cast<float>(value);
        std::memcpy(&a[i * size], size == 4 ? static_cast<const void*>(&narrow) : &value, size);
        if (i < k * n) std::memcpy(&b[i * size], size == 4 ? static_cast<const void*>(&narrow) : &value, size);
      }
      // a is stored transposed, [k, m].
      device.gemm({0, dtype, 1, 0, 0, m, n, k, a.data(), m, b.data(), n, c.data(), n});
      results.push_back(c);
    }
    CHECK(results[0] == results[1]);
    CHECK(results[0] == results[2]);
  }
}
