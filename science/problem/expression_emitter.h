#pragma once
/// Expressions as programs.

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "framework/ir/builder.h"
#include "science/problem/model.h"

namespace eddy::problem {

/// Arguments of the function that is being built, by name.
using Arguments = std::map<std::string, ir::Value, std::less<>>;

/// What is known at the points where expressions are evaluated; columns [n, 1] of one dtype.
struct PointValues {
  std::map<std::string, ir::Value> coordinates;
  std::vector<ir::Value> normals;  ///< in the order of Symbols::space(); empty where there are none
  ir::Value sdf;                   ///< null where it is not known
  std::string hint;                ///< before the names of values, for readers of the program
};

/// Emits expressions over one set of points. Names of outputs, residuals and definitions are emitted once and kept.
class ExpressionEmitter {
 public:
  /// `arguments` must hold the state and the scalars that expressions use. The builder's insertion point must not move
  /// between calls.
  ExpressionEmitter(ir::Builder& b, const Model& model, const Arguments& arguments, DType dtype, Dim n_points,
                    PointValues points);

  /// The value of a resolved expression, [n, 1]; of a condition in bool.
  ir::Value column(const config::Expression& expression);
  /// The same without stretching: a scalar where the expression does not depend on the point.
  ir::Value value(const config::Expression& expression);

 private:
  ir::Value emit(const config::Expression& e);
  ir::Value name(const config::Expression& e);
  ir::Value symbol(const std::string& name, const config::Expression& e);
  ir::Value output(const Symbol& symbol);
  ir::Value trainable(const std::string& name);
  ir::Value call(const config::Expression& e);
  ir::Value derivative(const config::Expression& e);
  ir::Value sum_of_derivatives(const config::Expression& e, const std::vector<std::vector<std::string>>& terms);
  ir::Value normal_derivative(const config::Expression& e);
  ir::Value compare(const config::Expression& e);
  ir::Value power(const config::Expression& e);
  ir::Value argument(const std::string& name) const;
  ir::Value coordinate(const std::string& name, const config::Expression& e) const;

  using Binary = ir::Value (*)(ir::Builder&, ir::Value, ir::Value);
  ir::Value binary(Binary op, ir::Value x, ir::Value y);
  ir::Value binary(Binary op, const config::Expression& e);
  ir::Value stretch(ir::Value x);
  std::string hint(const std::string& name) const;
  /// The value of an expression of numbers alone, computed in double so that f32 programs round it once.
  std::optional<double> literal(const config::Expression& e) const;

  ir::Builder& b_;
  const Model& model_;
  const Arguments& arguments_;
  DType dtype_;
  Shape column_;
  PointValues points_;
  std::map<std::string, ir::Value> named_;
  std::map<std::size_t, ir::Value> networks_;  // [n, n_out]
};

}  // namespace eddy::problem
