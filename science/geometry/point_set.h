#pragma once
/// Points a problem is evaluated at, column by column.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace eddy::geometry {

/// One named number per point.
struct Column {
  std::string name;
  std::vector<double> values;
};

/// `n_points` points with their coordinates and what the geometry knows about each of them.
struct PointSet {
  std::int64_t n_points = 0;
  /// One column per coordinate, in the problem's order, for instance t, x, y.
  std::vector<Column> coordinates;
  /// Outward unit normals on boundaries, one column `n<coordinate>` per spatial coordinate (nx, ny); empty elsewhere.
  std::vector<Column> normals;
  /// [n_points]: measure (length, area, volume; a number of points in 0-D) of the spatial region / n_points. Their sum
  /// is the region's measure, so that sum(area * f) is an integral over space and, for unsteady problems, a mean over
  /// time.
  std::vector<double> area;
  /// [n_points]: signed distance to the boundary of the shape the point was drawn from, positive inside.
  std::vector<double> sdf;

  /// Values of the coordinate, normal, `area` or `sdf` of that name; null when there is none.
  const std::vector<double>* find(std::string_view name) const;
  /// As find(); InternalError when there is none.
  const std::vector<double>& column(std::string_view name) const;

  /// Adds the points of `other`, which has the same columns. Areas are copied as they are.
  void append(const PointSet& other);
  /// The points at `rows`, in that order. Areas are scaled by n_points / rows.size(), so that their mean total stays.
  PointSet select(std::span<const std::int64_t> rows) const;
};

/// Splits `n` into whole parts proportional to `shares` (each >= 0, their sum > 0) by largest remainder; ties go to the
/// earlier part. The parts always add up to n.
std::vector<std::int64_t> apportion(std::int64_t n, std::span<const double> shares);

}  // namespace eddy::geometry
