#pragma once
/// Data files under the problem's names.

#include <string>
#include <vector>

#include "science/config/problem_file.h"
#include "science/geometry/point_set.h"

namespace eddy::problem {

/// Points with every coordinate of the problem, and values there.
struct DataSet {
  geometry::PointSet points;             ///< coordinates only
  std::vector<geometry::Column> fields;  ///< by the problem's names

  /// Null when there is none.
  const geometry::Column* field(const std::string& name) const;
};

/// Reads all points of a data set. `coordinates` are the problem's; each must be an axis, a column or fixed. UserError
/// in the file's own terms, or at the specification.
DataSet read_data_set(const config::DataSpec& spec, const std::vector<std::string>& coordinates);

}  // namespace eddy::problem
