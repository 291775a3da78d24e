#include "equations/registry.h"

namespace eddy::equations {

problem::Registry built_in() {
  problem::Registry registry;
  register_all(registry.equations);
  networks::register_all(registry.networks);
  optimizers::register_all(registry.optimizers);
  return registry;
}

}  // namespace eddy::equations
