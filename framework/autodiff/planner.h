#pragma once
/// Chooses how requests for derivatives are computed and expands them.

#include <string>
#include <vector>

#include "framework/autodiff/jet.h"
#include "framework/ir/module.h"

namespace eddy::autodiff {

/// The plan for all requests that share their rows: one pass of lanes through everything between the coordinates and
/// the expressions.
struct DerivativePlan {
  std::string function;
  std::vector<std::string> coordinates;  ///< hints of the coordinate values
  std::string rows;                      ///< the rows' size
  std::vector<std::string> requests;     ///< readable, for instance "u: 1 (0,2) + 1 (2,0)"
  LanePlan lanes;

  /// For `eddy inspect --stage plan`.
  std::string str() const;
};

/// Replaces every `ad.derivative` of the function by primitives; composites on the way must have been decomposed. A
/// request of one derivative becomes a lane of a multi-index jet. Of a request of several (a Laplacian) that nothing
/// differentiates further, the terms that are no lanes anyway become one collapsed lane.
/// Throws UserError at the request where rows are not independent.
std::vector<DerivativePlan> expand_derivatives(ir::Function function);

}  // namespace eddy::autodiff
