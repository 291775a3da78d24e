#pragma once
/// Regular grids over a problem's shapes.

#include <cstdint>
#include <vector>

#include "science/geometry/point_set.h"
#include "science/problem/model.h"

namespace eddy::fields {

/// A grid over the bounding box of a shape, both ends of each axis included.
struct Grid {
  std::vector<std::string> axes;  ///< coordinates of space
  std::vector<std::int64_t> dims;
  std::vector<double> min, max;

  std::int64_t n_points() const;
  /// Between neighbours; 0 on an axis with one point.
  std::vector<double> spacing() const;
};

/// `sizes` has one number for each axis or one for all. UserError at `where` when it fits neither, or the grid has more
/// than 2^31 points.
Grid make_grid(const problem::Model& model, const geometry::Geometry& shape, const std::vector<std::int64_t>& sizes,
               const SourceLocation& where);

/// The grid's points, the last axis varying fastest, at `time` where the problem has time. `shape` gives the distance
/// to the boundary; it may be null.
geometry::PointSet grid_points(const problem::Model& model, const Grid& grid, double time,
                               const geometry::Geometry* shape);

/// Listed points [n][n_space] at `time`.
geometry::PointSet listed_points(const problem::Model& model, const config::PointList& list, double time);

/// `n` moments, evenly spaced with both ends of the time range; 1: the end. {0} for steady problems.
std::vector<double> moments(const problem::Model& model, std::int64_t n);

}  // namespace eddy::fields
