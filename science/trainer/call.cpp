#include "science/trainer/call.h"

#include <algorithm>

#include "framework/core/errors.h"

namespace eddy::trainer {

std::size_t Call::index(const std::vector<std::string>& names, const std::string& name) {
  const auto found = std::find(names.begin(), names.end(), name);
  EDDY_CHECK(found != names.end(), "the program has no '{}'", name);
  return static_cast<std::size_t>(found - names.begin());
}

}  // namespace eddy::trainer
