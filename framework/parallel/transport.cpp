#include "framework/parallel/transport.h"

#include <fmt/ranges.h>

#include "framework/core/errors.h"
#include "framework/parallel/transport_table.h"

namespace eddy::parallel {

std::unique_ptr<Transport> open_transport(std::string_view name) {
  for (const TransportEntry& entry : transport_table()) {
    if (entry.name == name) return entry.open();
  }
  throw UserError(fmt::format("there is no transport '{}' in this program", name),
                  fmt::format("it was built with: {}", fmt::join(transport_names(), ", ")));
}

std::vector<std::string> transport_names() {
  std::vector<std::string> names;
  for (const TransportEntry& entry : transport_table()) names.push_back(entry.name);
  return names;
}

}  // namespace eddy::parallel
