#include "science/fields/grid.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace eddy::fields {

std::int64_t Grid::n_points() const { return n_elements(dims); }

std::vector<double> Grid::spacing() const {
  std::vector<double> spacing;
  for (std::size_t i = 0; i < dims.size(); ++i) {
    spacing.push_back(dims[i] > 1 ? (max[i] - min[i]) / static_cast<double>(dims[i] - 1) : 0);
  }
  return spacing;
}

Grid make_grid(const problem::Model& model, const geometry::Geometry& shape, const std::vector<std::int64_t>& sizes,
               const SourceLocation& where) {
  Grid grid{model.symbols().space(), sizes, shape.bounds().min, shape.bounds().max};
  if (sizes.size() == 1) grid.dims.assign(grid.axes.size(), sizes[0]);
  if (grid.dims.size() != grid.axes.size()) {
    throw UserError(where,
                    fmt::format("the grid has {} numbers for the axes {}", sizes.size(), fmt::join(grid.axes, ", ")),
                    fmt::format("give {} numbers, or one for all axes", grid.axes.size()));
  }
  double total = 1;
  for (const std::int64_t size : grid.dims) total *= static_cast<double>(size);
  if (total > 2147483648.0) throw UserError(where, fmt::format("a grid of {:.3g} points is too large", total));
  return grid;
}

geometry::PointSet grid_points(const problem::Model& model, const Grid& grid, double time,
                               const geometry::Geometry* shape) {
  geometry::PointSet points;
  points.n_points = grid.n_points();
  const auto n = static_cast<std::size_t>(points.n_points);
  const std::vector<double> spacing = grid.spacing();
  for (const std::string& name : model.symbols().coordinates()) {
    geometry::Column column{name, std::vector<double>(n, time)};
    std::size_t stride = n;
    for (std::size_t axis = 0; axis < grid.axes.size(); ++axis) {
      const auto size = static_cast<std::size_t>(grid.dims[axis]);
      stride /= size;
      if (grid.axes[axis] != name) continue;
      for (std::size_t i = 0; i < n; ++i) {
        const std::size_t k = i / stride % size;
        // The last point exactly, so that conditions and hard constraints hold there.
        column.values[i] =
            k + 1 == size && size > 1 ? grid.max[axis] : grid.min[axis] + static_cast<double>(k) * spacing[axis];
      }
    }
    points.coordinates.push_back(std::move(column));
  }
  if (shape != nullptr) {
    std::vector<double> space;
    space.reserve(n * grid.axes.size());
    for (std::size_t i = 0; i < n; ++i) {
      for (const std::string& axis : grid.axes) space.push_back(points.column(axis)[i]);
    }
    points.sdf.resize(n);
    shape->signed_distance(space, points.sdf);
  }
  return points;
}

geometry::PointSet listed_points(const problem::Model& model, const config::PointList& list, double time) {
  geometry::PointSet points;
  points.n_points = static_cast<std::int64_t>(list.size());
  std::size_t axis = 0;
  for (const std::string& name : model.symbols().coordinates()) {
    geometry::Column column{name, std::vector<double>(list.size(), time)};
    if (name != model.symbols().time()) {
      for (std::size_t i = 0; i < list.size(); ++i) column.values[i] = list[i].at(axis);
      ++axis;
    }
    points.coordinates.push_back(std::move(column));
  }
  return points;
}

std::vector<double> moments(const problem::Model& model, std::int64_t n) {
  const std::string& time = model.symbols().time();
  if (time.empty()) return {0};
  const auto [begin, end] = model.range(time);
  std::vector<double> result;
  for (std::int64_t i = 0; i < n; ++i) {
    result.push_back(i + 1 == n ? end : begin + (end - begin) * static_cast<double>(i) / static_cast<double>(n - 1));
  }
  return result;
}

}  // namespace eddy::fields
