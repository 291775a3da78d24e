#pragma once
/// Everything a problem file may name.

#include "science/networks/network.h"
#include "science/optimizers/optimizer.h"
#include "science/problem/equation.h"

namespace eddy::problem {

struct Registry {
  EquationCatalogue equations{"equation"};
  networks::Catalogue networks{"network type"};
  optimizers::Catalogue optimizers{"optimizer"};
};

}  // namespace eddy::problem
