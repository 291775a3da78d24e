#pragma once
/* The contract between Eddyline and a device: a table of functions in plain C, so that a backend may be linked in or
 * loaded as a plug-in built by another compiler.
 *
 * Versions. `abi_version` changes when the meaning of something existing changes; tables of another version are
 * refused. `struct_size` is what the backend was compiled with: new functions are added at the end, and one that lies
 * beyond struct_size is absent. Every struct that crosses the boundary carries its own size and grows in the same way.
 *
 * Failure. Functions return an EddyStatus; last_error() of the same thread then says what happened. No function throws.
 *
 * Order. Work on one stream runs in the order it was given; the host may go on before it is done. A null stream is the
 * device's default stream. Buffers, modules, streams and events belong to the device that made them. */

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define EDDY_DEVICE_ABI_VERSION 1u

typedef enum EddyStatus {
  EDDY_OK = 0,
  EDDY_OUT_OF_MEMORY = 1,
  EDDY_INVALID_ARGUMENT = 2, /* the caller's mistake */
  EDDY_UNSUPPORTED = 3,      /* the capability is absent */
  EDDY_FAILED = 4            /* the device, a library or a file failed */
} EddyStatus;

/* What a device can do, as bits of EddyDeviceApi.capabilities. */
typedef enum EddyCapability {
  EDDY_CAN_COMPUTE = 1 << 0,      /* launches and gemm do real work (the null device only checks them) */
  EDDY_HAS_HOST_MEMORY = 1 << 1,  /* its buffers may be read and written by the host */
  EDDY_CAN_LOAD_OBJECTS = 1 << 2, /* modules are shared objects of this machine, given by path */
  EDDY_HAS_PARALLEL_FOR = 1 << 3,
  EDDY_HAS_GEMM = 1 << 4,
  EDDY_HAS_STATISTICS = 1 << 5
} EddyCapability;

typedef enum EddyDType { EDDY_F32 = 0, EDDY_F64 = 1 } EddyDType;

typedef struct EddyDevice EddyDevice;
typedef struct EddyStream EddyStream;
typedef struct EddyEvent EddyEvent;
typedef struct EddyModule EddyModule;
typedef struct EddyKernel EddyKernel;

/* One step of a parallel loop. `thread` is in [0, n_threads). */
typedef void (*EddyLoopBody)(void* body_context, int64_t index, int thread);

/* The process's threads, lent to devices and to generated code: there is one pool for all. Bodies run in any order,
 * each index once; a loop inside a body runs on the calling thread. */
typedef struct EddyThreads {
  void* context;
  int32_t n_threads;
  void (*parallel_for)(void* context, int64_t n, EddyLoopBody body, void* body_context);
} EddyThreads;

/* c [m, n] = op(a) [m, k] op(b) [k, n], plus what was in c where accumulate is set. Row-major; ld* is the distance
 * between rows as stored; op is transposition where the flag is set. c must not overlap a or b. Sizes may be 0. */
typedef struct EddyGemm {
  size_t struct_size;
  EddyDType dtype;
  int32_t transpose_a, transpose_b, accumulate;
  int64_t m, n, k;
  const void* a;
  int64_t lda;
  const void* b;
  int64_t ldb;
  void* c;
  int64_t ldc;
} EddyGemm;

/* What a kernel of the cpu device gets. `gemm` runs on the calling thread alone, for tiles inside a parallel loop; its
 * arguments are the kernel's responsibility. */
typedef struct EddyKernelHost {
  uint32_t abi_version;
  size_t struct_size;
  EddyThreads threads;
  void (*gemm)(const EddyGemm* gemm);
} EddyKernelHost;

/* The entry point of a kernel of the cpu device: `args` are pointers to buffers or scalars, as launched. */
typedef void (*EddyCpuKernel)(const EddyKernelHost* host, void* const* args);

typedef struct EddyDeviceConfig {
  size_t struct_size;
  int32_t index;       /* which of n_devices() */
  EddyThreads threads; /* must outlive the device */
} EddyDeviceConfig;

typedef struct EddyDeviceInfo {
  size_t struct_size;
  char description[128];
  int64_t memory_bytes; /* 0 where unknown */
  int32_t n_units;      /* threads or multiprocessors */
} EddyDeviceInfo;

typedef enum EddyCopyKind { EDDY_HOST_TO_DEVICE = 0, EDDY_DEVICE_TO_HOST = 1, EDDY_DEVICE_TO_DEVICE = 2 } EddyCopyKind;

typedef struct EddyModuleSource {
  size_t struct_size;
  const char* path; /* of a shared object, where the device has EDDY_CAN_LOAD_OBJECTS */
} EddyModuleSource;

typedef struct EddyLaunch {
  size_t struct_size;
  const EddyKernel* kernel;
  void* const* args;
  int32_t n_args;
  int32_t grid[3], block[3]; /* ignored by the cpu device, whose kernels loop themselves */
  int32_t shared_bytes;
} EddyLaunch;

/* Sums since the device was opened. */
typedef struct EddyStatistics {
  size_t struct_size;
  int64_t n_allocations, n_live_buffers, live_bytes, peak_bytes;
  int64_t n_copies, copied_bytes;
  int64_t n_launches, n_gemms;
  double gemm_flops; /* 2 m n k each */
} EddyStatistics;

typedef struct EddyDeviceApi {
  uint32_t abi_version;
  size_t struct_size;
  const char* name;
  uint64_t capabilities;

  const char* (*last_error)(void);
  int32_t (*n_devices)(void);
  EddyStatus (*open)(const EddyDeviceConfig* config, EddyDevice** device);
  /* Everything the device made must have been given back; EDDY_INVALID_ARGUMENT where it was not (closed all the same).
   */
  EddyStatus (*close)(EddyDevice* device);
  EddyStatus (*describe)(EddyDevice* device, EddyDeviceInfo* info);

  /* Buffers are aligned to 64 bytes and not cleared; 0 bytes give a buffer, too. */
  EddyStatus (*allocate)(EddyDevice* device, int64_t n_bytes, void** buffer);
  EddyStatus (*release)(EddyDevice* device, void* buffer);
  EddyStatus (*copy)(EddyDevice* device, EddyStream* stream, void* to, const void* from, int64_t n_bytes,
                     EddyCopyKind kind);
  EddyStatus (*fill)(EddyDevice* device, EddyStream* stream, void* buffer, unsigned char value, int64_t n_bytes);

  EddyStatus (*create_stream)(EddyDevice* device, EddyStream** stream);
  EddyStatus (*destroy_stream)(EddyDevice* device, EddyStream* stream);
  EddyStatus (*synchronize)(EddyDevice* device, EddyStream* stream);
  EddyStatus (*create_event)(EddyDevice* device, EddyEvent** event);
  EddyStatus (*destroy_event)(EddyDevice* device, EddyEvent* event);
  EddyStatus (*record_event)(EddyDevice* device, EddyEvent* event, EddyStream* stream);
  /* Later work on `stream` waits for the event's last recording; an event never recorded holds nothing up. */
  EddyStatus (*wait_event)(EddyDevice* device, EddyStream* stream, EddyEvent* event);

  EddyStatus (*load_module)(EddyDevice* device, const EddyModuleSource* source, EddyModule** module);
  EddyStatus (*unload_module)(EddyDevice* device, EddyModule* module);
  /* The kernel lives as long as its module. */
  EddyStatus (*find_kernel)(EddyDevice* device, EddyModule* module, const char* name, const EddyKernel** kernel);
  EddyStatus (*launch)(EddyDevice* device, EddyStream* stream, const EddyLaunch* launch);

  EddyStatus (*parallel_for)(EddyDevice* device, int64_t n, EddyLoopBody body, void* body_context);
  EddyStatus (*gemm)(EddyDevice* device, EddyStream* stream, const EddyGemm* gemm);
  EddyStatus (*statistics)(EddyDevice* device, EddyStatistics* statistics);
} EddyDeviceApi;

/* Whether a struct that carries its size reaches to the end of `field`. */
#define EDDY_HAS_FIELD(type, pointer, field) \
  ((pointer)->struct_size >= offsetof(type, field) + sizeof((pointer)->field))

#ifdef __cplusplus
}
#endif
