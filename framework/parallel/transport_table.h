#pragma once
/// The transports that were linked in. Its source is written by CMake from the list in CMakeLists.txt.

#include <memory>
#include <string>
#include <vector>

#include "framework/parallel/transport.h"

namespace eddy::parallel {

struct TransportEntry {
  std::string name;
  std::unique_ptr<Transport> (*open)();
};
const std::vector<TransportEntry>& transport_table();

}  // namespace eddy::parallel
