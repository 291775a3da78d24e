/// Built where oneDNN is absent.

#include "framework/devices/cpu/gemm.h"

namespace eddy::devices::cpu {

GemmLibrary dnnl_library() { return {"oneDNN", nullptr, nullptr}; }

}  // namespace eddy::devices::cpu
