#include "science/optimizers/minimizer.h"

#include "framework/core/errors.h"

namespace eddy::optimizers {

const char* describe(Standstill standstill) {
  switch (standstill) {
    case Standstill::none: return "goes on";
    case Standstill::small_gradient: return "the gradient is below the tolerance";
    case Standstill::no_decrease: return "no step along the steepest descent makes the loss smaller";
  }
  throw InternalError("unknown standstill");
}

}  // namespace eddy::optimizers
