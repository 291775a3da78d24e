#pragma once
/// Minimization driven from the host, iteration by iteration.

#include <functional>
#include <span>
#include <vector>

#include "science/io/named_array.h"

namespace eddy::optimizers {

/// The loss at `x` [n]; writes its gradient [n]. May be NaN or infinite where the loss does not exist.
using Objective = std::function<double(std::span<const double> x, std::span<double> gradient)>;

/// Why there are no further iterations.
enum class Standstill {
  none,            ///< there are
  small_gradient,  ///< its largest component is below the optimizer's tolerance
  no_decrease,     ///< no step along the steepest descent makes the loss smaller: the limit of rounding
};
/// For messages.
const char* describe(Standstill standstill);

/// A minimization in f64. The loss never increases from one iteration to the next.
class Minimizer {
 public:
  virtual ~Minimizer() = default;

  /// Begins at `x` [n]. `loss` and `gradient` there come from the objective, which is called once.
  virtual void start(std::span<const double> x, const Objective& objective) = 0;
  /// One iteration; changes nothing when it does not return `none`.
  virtual Standstill iterate(const Objective& objective) = 0;

  virtual std::span<const double> x() const = 0;
  virtual double loss() const = 0;
  virtual std::span<const double> gradient() const = 0;

  /// Everything that the next iterations depend on: restore() in another process goes on with the same bits.
  virtual std::vector<io::NamedArray> save() const = 0;
  /// UserError when these are not the arrays of a save() with n components.
  virtual void restore(const std::vector<io::NamedArray>& state, std::size_t n) = 0;
};

}  // namespace eddy::optimizers
