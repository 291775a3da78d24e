#pragma once
/// The symbolic request for derivatives, `ad.derivative`: it stays in the program until the planner expands it.

#include <string>
#include <vector>

#include "framework/ir/builder.h"
#include "framework/ir/multi_index.h"

namespace eddy::autodiff {

inline constexpr std::string_view kDerivativeOp = "ad.derivative";

/// weight * d^orders: one summand of a request.
struct DerivativeTerm {
  ir::MultiIndex orders;
  double weight = 1;
};

/// Requests the sum of `terms` of `expression` by the coordinate values `coordinates` (term.orders has one entry per
/// coordinate): the push-forward of the coordinates along unit seeds. It equals the partial derivatives row by row
/// where the rows (dim 0) are independent; the planner proves that or rejects the request. Result: the expression's
/// type.
ir::Value derivative(ir::Builder& b, ir::Value expression, std::span<const ir::Value> coordinates,
                     const std::vector<DerivativeTerm>& terms);

/// What a request asks for.
struct DerivativeRequest {
  ir::Operation* op = nullptr;
  ir::Value expression;
  std::vector<ir::Value> coordinates;
  std::vector<DerivativeTerm> terms;

  static DerivativeRequest of(ir::Operation* op);
};

/// Throws UserError at the request's location unless the axes of all operations between the coordinates and the
/// expression prove that row i of the expression depends on row i of each coordinate only.
void check_rows_independent(const DerivativeRequest& request);

}  // namespace eddy::autodiff
