/// Changes of dtype: real, imag, complex, conj.

#include "framework/ops/dialects.h"
#include "framework/ops/elementwise.h"

namespace eddy::ops {

Value conj(Builder& b, Value x) { return is_complex(x.dtype()) ? b.op("prim.conj", {x}) : x; }

}  // namespace eddy::ops
