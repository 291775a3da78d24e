#pragma once
/// The backends that were linked in. Its source is written by CMake from the list in CMakeLists.txt: each backend is
/// one function `const EddyDeviceApi* eddy_device_<name>(void)` with C linkage, what a plug-in would export.

#include <vector>

#include "framework/devices/device_api.h"

namespace eddy::devices {

const std::vector<const EddyDeviceApi*>& device_table();

}  // namespace eddy::devices
