/// Built where BLIS is absent.

#include "framework/devices/cpu/gemm.h"

namespace eddy::devices::cpu {

GemmLibrary blis_library() { return {"BLIS", nullptr, nullptr}; }

}  // namespace eddy::devices::cpu
