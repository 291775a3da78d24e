#include "framework/runtime/call.h"

#include <algorithm>

#include "framework/core/errors.h"

namespace eddy::runtime {

bool Call::has_argument(const std::string& name) const {
  const std::vector<std::string>& names = function_->argument_names();
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::size_t Call::index(const std::vector<std::string>& names, const std::string& name) {
  const auto found = std::find(names.begin(), names.end(), name);
  EDDY_CHECK(found != names.end(), "the program has no '{}'", name);
  return static_cast<std::size_t>(found - names.begin());
}

}  // namespace eddy::runtime
