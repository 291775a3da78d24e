#pragma once
/// Data sets of any file format under one view: named arrays, then fields on a grid or at points.

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "framework/core/array.h"
#include "science/io/named_array.h"

namespace eddy::io {

/// Reads the named arrays of a file; no name means all that are numeric. The format follows from the extension:
///   .mat               variables
///   .h5 .hdf5          data sets
///   .csv .dat .txt     columns by header, or by number from 0; all columns of a table without header are named by
///   number .vti               fields [nx, ny, nz] and the axes x, y, z as vectors .vtu .vtk          point fields and
///   the coordinates x, y, z of the points
/// A VTK field of three components `v` is also there as v_x, v_y, v_z. Every error is a UserError with the file, and
/// the name where there is one.
std::map<std::string, Array> read_arrays(const std::filesystem::path& path, const std::vector<std::string>& names = {});

/// UserError naming file, data set and index when a value is NaN or infinite.
void check_finite(const std::filesystem::path& path, const std::string& name, const Array& values);

/// Our name for something, and the name it has in the file.
using DataNames = std::vector<std::pair<std::string, std::string>>;

/// Fields on the tensor product of axes.
struct GridData {
  std::vector<std::string> axis_names;
  /// One f64 vector for each axis, strictly increasing or strictly decreasing.
  std::vector<Array> axes;
  /// f64 [n_0, n_1, ...] in the order of the axes, the last varying fastest.
  std::vector<NamedArray> fields;

  std::int64_t n_points() const;
  /// The grid's points, f64 [n_points, n_axes], in the order of the fields' values.
  Array points() const;
};

/// Values at points in no order.
struct PointData {
  std::vector<std::string> coordinate_names;
  /// f64 [n_points, n_coordinates]
  Array points;
  /// f64 [n_points]
  std::vector<NamedArray> fields;
};

/// Reads a gridded data set. A field may have its axes in any order: they are recognized by their sizes, and where
/// sizes are equal the order in which the axes are given is taken if it fits. Sizes of one are ignored. Checks that all
/// values are finite.
GridData read_grid(const std::filesystem::path& path, const DataNames& axes, const DataNames& fields);

/// Reads values at points: vectors of one length. Checks that all values are finite.
PointData read_points(const std::filesystem::path& path, const DataNames& coordinates, const DataNames& fields);

}  // namespace eddy::io
