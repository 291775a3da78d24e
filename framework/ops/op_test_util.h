#pragma once
/// Checks of an operation's rules against each other and against what is known independently. For tests.

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "framework/core/array.h"
#include "framework/ir/module.h"
#include "framework/ops/emit.h"
#include "framework/ops/lanes.h"

namespace eddy::ops::testing {

/// Emits what is tested, applied to the arguments.
using Build = std::function<Value(Builder&, const std::vector<Value>&)>;

/// A context with every operation.
const ir::Context& context();

/// A function that applies `build` to arguments of the given types. Composite operations are decomposed.
struct Traced {
  Traced(const Build& build, const std::vector<ir::Type>& types);

  std::unique_ptr<ir::Module> module;
  ir::Function function;
  Builder builder;  ///< at the end of the body
  std::vector<Value> arguments;
  Value result;

  /// Values of `wanted` (null: an empty optional) by the reference kernels, one operation after another.
  std::vector<std::optional<Array>> evaluate(std::span<const Array> values, const std::vector<Value>& wanted,
                                             const DimBindings& dims = {}) const;
};

ir::Type type_of(const Array& array);
std::vector<ir::Type> types_of(std::span<const Array> arrays);

/// Runs the reference kernel of one operation.
std::vector<Array> run_kernel(const ir::Operation& op, std::span<const Array> operands, const DimBindings& dims = {});

/// The value of `build` at the arguments, by the reference kernels.
Array apply(const Build& build, const std::vector<Array>& arguments, const DimBindings& dims = {});

/// Reproducible data, uniform in [low, high).
Array random_array(DType dtype, const std::vector<std::int64_t>& shape, double low, double high, unsigned seed = 1);

/// Shapes to try elementwise operations on: rank 0, extents 0 and 1, several dims.
const std::vector<std::vector<std::int64_t>>& shapes();

/// Requires |a - b| <= tolerance * max(1, |b|) for all elements, NaN equal to NaN.
void require_close(const Array& a, const Array& b, double tolerance);

/// Reverse rule against central differences, all f64 arguments, elementwise. The step is cbrt(eps) * max(1, |x|), which
/// balances truncation and rounding; the tolerance is what a doubled step changes (four times the truncation error)
/// plus the rounding of two evaluations.
void check_vjp(const Build& build, const std::vector<Array>& arguments);

/// Moving the elements of the operands along a labelled axis moves those of the results in the same way, for every
/// operation that `build` emits; along a reduced or a new axis the results stay (reduced: up to rounding).
void check_axes(const Build& build, const std::vector<Array>& arguments);

/// The loop lowering of every operation that `build` emits, evaluated node by node, gives what its reference kernel
/// gives, up to `tolerance` as in require_close. Arguments have the given types, whose symbols `dims` binds; without
/// types, their own.
void check_lowering(const Build& build, const std::vector<Array>& arguments, double tolerance = 0);
void check_lowering(const Build& build, const std::vector<ir::Type>& types, const std::vector<Array>& arguments,
                    const DimBindings& dims, double tolerance = 0);

/// The Taylor rules of a map that is linear in all its f64 arguments together: each lane of the result is the map
/// applied to the arguments' lanes, a null lane where all of theirs are.
void check_linear_jet(const Build& build, const std::vector<Array>& arguments);

/// Lanes of an argument by position in an index set; an empty optional is a null lane.
using LaneValues = std::vector<std::optional<Array>>;

/// The result's lanes by the operations' Taylor rules, evaluated.
LaneValues jet(const Build& build, const ir::IndexSet& set, const std::vector<LaneValues>& arguments);

/// Lanes with random content at all positions but 0, which is `value`.
LaneValues random_lanes(const ir::IndexSet& set, const Array& value, unsigned seed = 2);

/// All multi-indices of total order <= `order`.
ir::IndexSet full_set(std::size_t n_directions, int order);

/// Truncated power series over an index set, in extended precision: what Taylor rules are compared with.
class Series {
 public:
  explicit Series(const ir::IndexSet& set) : set_(&set), c_(set.size(), 0) {}
  long double& operator[](std::size_t k) { return c_[k]; }
  long double operator[](std::size_t k) const { return c_[k]; }
  std::size_t size() const { return c_.size(); }
  const ir::IndexSet& set() const { return *set_; }

  friend Series operator+(const Series& a, const Series& b);
  friend Series operator*(const Series& a, const Series& b);
  /// f(u) = sum over k of f^(k)(u_0)/k! (u - u_0)^k, from the derivatives f, f', f'', ... at u_0.
  friend Series compose(const std::vector<long double>& derivatives, const Series& u);
  /// Absolute values of all coefficients.
  friend Series magnitude(const Series& a);

 private:
  const ir::IndexSet* set_;
  std::vector<long double> c_;
};

/// f, f', ..., f'''' at u, in extended precision.
using DerivativeTable = std::function<std::vector<long double>(long double u)>;

/// The Taylor rule of an elementwise function of one variable against its table of derivatives, to order 4 in 3
/// directions, on operands in [low, high); also that lanes stay null where the argument's are.
void check_unary_jet(const Build& build, const DerivativeTable& table, double low, double high);

}  // namespace eddy::ops::testing
