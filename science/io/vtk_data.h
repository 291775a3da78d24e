#pragma once
/// Grids and meshes with fields, as VTK's files hold them.

#include <cstdint>
#include <vector>

#include "science/io/named_array.h"

namespace eddy::io {

/// A regular grid in one to three dimensions; the axes are x, y, z in this order.
struct ImageData {
  /// Points along each axis: 1 to 3 sizes. Axes that are not there have one point at 0.
  std::vector<std::int64_t> dims;
  /// The first point and the distance between neighbours, as many as `dims`.
  std::vector<double> origin, spacing;
  /// Values at the points, [dims...] or [dims..., n_components], row-major: the last axis varies fastest, as everywhere
  /// but in VTK's files (reader and writer transpose). f32, f64, i64 or bool (stored as bytes).
  std::vector<NamedArray> fields;
};

/// Points and cells of any of VTK's linear or higher-order types.
struct Mesh {
  /// [n_points, 1 to 3], f32 or f64; read back as [n_points, 3].
  Array points;
  /// Cell i has the points connectivity[offsets[i] .. offsets[i+1]); i64 [n_cells + 1] and i64 [offsets[n_cells]].
  Array offsets = Array(DType::i64, {1});
  Array connectivity = Array(DType::i64, {0});
  /// VTK's numbers of the cell types (5 triangle, 9 quadrilateral, 10 tetrahedron, 12 hexahedron, ...), i64 [n_cells].
  Array cell_types = Array(DType::i64, {0});
  /// [n_points] or [n_points, n_components], and the same for cells.
  std::vector<NamedArray> point_fields, cell_fields;

  std::int64_t n_points() const { return points.shape()[0]; }
  std::int64_t n_cells() const { return cell_types.n_elements(); }
};

}  // namespace eddy::io
