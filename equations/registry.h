#pragma once
/// What is built into the program.

#include "science/problem/registry.h"

namespace eddy::equations {

/// Enters every equation of this folder.
void register_all(Catalogue& catalogue);

/// All equations, networks and optimizers of the source tree.
problem::Registry built_in();

}  // namespace eddy::equations
