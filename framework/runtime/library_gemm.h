#pragma once
/// Contractions by the device's matrix library, for eager runs where the reference kernel's loops take too long.

#include "framework/devices/device.h"
#include "framework/runtime/interpreter.h"

namespace eddy::runtime {

/// Options with which interpret() hands real matrix products without batch dims to the device; all else stays with the
/// reference kernels. The device is kept open.
InterpreterOptions library_contractions(devices::Device device);

}  // namespace eddy::runtime
