#pragma once
/// Optimizers: kinds of them by name, and one with its options chosen.

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "framework/ir/builder.h"
#include "science/config/catalogue.h"
#include "science/optimizers/minimizer.h"

namespace eddy::optimizers {

/// What all optimizers have in common; what they do depends on their order.
class Optimizer {
 public:
  virtual ~Optimizer() = default;
};

/// An optimizer whose update of each tensor follows from the tensor's own gradient: it becomes a part of the step
/// program.
class FirstOrder : public Optimizer {
 public:
  /// The rate of a stage that names none.
  virtual double default_rate() const = 0;
  /// Names of the tensors it keeps for each parameter, of the parameter's shape; they start at zero.
  virtual std::vector<std::string> state() const = 0;
  /// Emits one update. `rate` is a scalar of the parameter's dtype, `step` an i64 scalar that counts from 1. Result:
  /// the new parameter, then its new state.
  virtual std::vector<ir::Value> update(ir::Builder& b, ir::Value parameter, ir::Value gradient,
                                        std::span<const ir::Value> state, ir::Value rate, ir::Value step) const = 0;
};

/// An optimizer that finds its own step lengths: driven from the host by losses and gradients, in f64 and on points
/// that stay the same.
class QuasiNewton : public Optimizer {
 public:
  virtual std::unique_ptr<Minimizer> minimizer() const = 0;
};

struct OptimizerKind {
  std::string about;
  config::TypePtr options;
  std::function<std::unique_ptr<Optimizer>(const config::Options&)> make;
};
using Catalogue = config::Catalogue<OptimizerKind>;

/// Enters every optimizer of this folder.
void register_all(Catalogue& catalogue);

/// The kind of a class that has `static constexpr about`, `static Schema<...> schema()` and a constructor from the
/// options read with it.
template <typename O>
OptimizerKind optimizer_kind() {
  return {O::about, O::schema().type, [](const config::Options& options) {
            return std::make_unique<O>(config::read_options(O::schema(), options));
          }};
}

}  // namespace eddy::optimizers

/// Ends the source `name.cpp` of this folder: enters class `Class` under `name`.
#define EDDY_OPTIMIZER(name, Class)                                                                 \
  namespace eddy::optimizers {                                                                      \
  void register_optimizer_##name(Catalogue& catalogue) { /* NOLINT: named by the generated table */ \
    catalogue.add(#name, optimizer_kind<Class>());                                                  \
  }                                                                                                 \
  }
