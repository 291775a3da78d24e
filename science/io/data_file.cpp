#include "science/io/data_file.h"

#include <algorithm>
#include <cmath>
#include <fmt/ranges.h>
#include <memory>
#include <numeric>

#include "framework/core/dim.h"
#include "science/io/csv.h"
#include "science/io/hdf5_file.h"
#include "science/io/mat_file.h"
#include "science/io/vtk_reader.h"

namespace eddy::io {

namespace fs = std::filesystem;

namespace {

using Arrays = std::map<std::string, Array>;

[[noreturn]] void fail(const fs::path& path, const std::string& message, const std::string& hint = {}) {
  throw UserError(SourceLocation{std::make_shared<const std::string>(path.string())}, message, hint);
}

Arrays read_mat_arrays(const fs::path& path, const std::vector<std::string>& names) {
  if (names.empty()) return read_mat(path);
  Arrays result;
  for (const std::string& name : names) result[name] = read_mat(path, name);
  return result;
}

Arrays read_hdf5_arrays(const fs::path& path, const std::vector<std::string>& names) {
  const Hdf5File file(path);
  if (names.empty()) return file.read_all().arrays;
  Arrays result;
  for (const std::string& name : names) result[name] = file.read(name);
  return result;
}

Arrays read_csv_arrays(const fs::path& path, std::vector<std::string> names) {
  const CsvFile file = CsvFile::read(path);
  if (names.empty()) {
    names = file.names();
    for (std::int64_t i = 0; file.names().empty() && i < file.n_columns(); ++i) names.push_back(std::to_string(i));
  }
  Arrays result;
  for (const std::string& name : names) result[name] = file.column(name);
  return result;
}

/// Column `index` of [..., n] as [...].
Array component(const Array& values, std::int64_t index) {
  std::vector<std::int64_t> shape = values.shape();
  const std::int64_t n = shape.back();
  shape.pop_back();
  Array result(values.dtype(), shape);
  visit_dtype(values.dtype(), [&](auto zero) {
    using T = decltype(zero);
    for (std::int64_t i = 0; i < result.n_elements(); ++i) {
      result.data<T>()[static_cast<std::size_t>(i)] = values.data<T>()[static_cast<std::size_t>(i * n + index)];
    }
  });
  return result;
}

constexpr const char* kCoordinates[] = {"x", "y", "z"};

Arrays read_vtk_arrays(const fs::path& path, const std::vector<std::string>& names) {
  const auto content = read_vtk(path);
  Arrays all;
  const auto add_fields = [&](const std::vector<NamedArray>& fields, std::size_t rank) {
    for (const NamedArray& field : fields) {
      all[field.name] = field.values;
      if (field.values.rank() == rank || field.values.shape().back() != 3) continue;
      for (int c = 0; c < 3; ++c) all[fmt::format("{}_{}", field.name, kCoordinates[c])] = component(field.values, c);
    }
  };
  if (const auto* image = std::get_if<ImageData>(&content)) {
    add_fields(image->fields, image->dims.size());
    for (std::size_t i = 0; i < image->dims.size(); ++i) {
      Array axis(DType::f64, {image->dims[i]});
      for (std::size_t j = 0; j < axis.data<double>().size(); ++j) {
        axis.data<double>()[j] = image->origin[i] + static_cast<double>(j) * image->spacing[i];
      }
      all[kCoordinates[i]] = axis;
    }
  } else {
    const auto& mesh = std::get<Mesh>(content);
    add_fields(mesh.point_fields, 1);
    for (int i = 0; i < 3; ++i) all[kCoordinates[i]] = component(mesh.points, i);
  }
  if (names.empty()) return all;

  Arrays result;
  for (const std::string& name : names) {
    const auto found = all.find(name);
    if (found == all.end()) {
      std::vector<std::string> known;
      for (const auto& entry : all) known.push_back(entry.first);
      const std::string near = nearest_name(name, known);
      fail(path, fmt::format("there is no field '{}'", name),
           !near.empty() ? fmt::format("did you mean '{}'?", near)
                         : fmt::format("it holds: {}", fmt::join(known, ", ")));
    }
    result.insert(*found);
  }
  return result;
}

std::vector<std::string> file_names(const DataNames& a, const DataNames& b) {
  std::vector<std::string> result;
  for (const auto& entry : a) result.push_back(entry.second);
  for (const auto& entry : b) result.push_back(entry.second);
  return result;
}

std::vector<std::int64_t> without_ones(const std::vector<std::int64_t>& shape) {
  std::vector<std::int64_t> result;
  std::copy_if(shape.begin(), shape.end(), std::back_inserter(result), [](std::int64_t n) { return n != 1; });
  return result;
}

/// A vector, f64, finite.
Array read_vector(const fs::path& path, const std::string& name, const Array& values) {
  if (without_ones(values.shape()).size() > 1) {
    fail(path,
         fmt::format("data set '{}' is of shape [{}], a vector is needed", name, fmt::join(values.shape(), ", ")));
  }
  check_finite(path, name, values);
  return values.reshaped({values.n_elements()}).cast(DType::f64);
}

void check_monotone(const fs::path& path, const std::string& name, const Array& axis) {
  const auto x = axis.data<double>();
  for (std::size_t i = 1; i < x.size(); ++i) {
    if (x[i] == x[i - 1] || (x[i] > x[i - 1]) != (x[1] > x[0])) {
      fail(path, fmt::format("axis '{}' neither increases nor decreases throughout: {} follows {} at index {}", name,
                             x[i], x[i - 1], i));
    }
  }
}

/// For each dimension of `shape` the axis it belongs to; see read_grid().
std::vector<std::size_t> match_axes(const fs::path& path, const std::string& name,
                                    const std::vector<std::int64_t>& shape, const std::vector<std::int64_t>& sizes) {
  std::vector<std::size_t> order(sizes.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::vector<std::vector<std::size_t>> fitting;
  if (shape.size() == sizes.size()) {
    do {
      bool fits = true;
      for (std::size_t i = 0; i < shape.size(); ++i) fits = fits && shape[i] == sizes[order[i]];
      if (fits) fitting.push_back(order);
    } while (std::next_permutation(order.begin(), order.end()));
  }
  if (fitting.empty()) {
    fail(path, fmt::format("data set '{}' of shape [{}] does not fit axes of sizes [{}]", name, fmt::join(shape, ", "),
                           fmt::join(sizes, ", ")));
  }
  // The permutations come in lexicographic order, so that the given order is the first if it fits.
  if (fitting.size() > 1 && !std::is_sorted(fitting[0].begin(), fitting[0].end())) {
    fail(path,
         fmt::format("data set '{}' of shape [{}] fits axes of sizes [{}] in several ways", name,
                     fmt::join(shape, ", "), fmt::join(sizes, ", ")),
         "give the axes in the order of its dimensions");
  }
  return fitting[0];
}

/// Reorders a row-major array so that dimension i of the source becomes dimension order[i] of the result.
Array transpose(const Array& source, const std::vector<std::size_t>& order) {
  const std::vector<std::int64_t>& shape = source.shape();
  std::vector<std::int64_t> target_shape(shape.size());
  for (std::size_t i = 0; i < shape.size(); ++i) target_shape[order[i]] = shape[i];
  Array result(DType::f64, target_shape);
  std::vector<std::int64_t> strides(shape.size(), 1);
  for (std::size_t i = shape.size(); i-- > 1;) strides[i - 1] = strides[i] * target_shape[i];
  std::vector<std::int64_t> index(shape.size(), 0);
  const auto from = source.data<double>();
  const auto to = result.data<double>();
  for (const double value : from) {
    std::int64_t at = 0;
    for (std::size_t i = 0; i < shape.size(); ++i) at += index[i] * strides[order[i]];
    to[static_cast<std::size_t>(at)] = value;
    for (std::size_t i = shape.size(); i-- > 0 && ++index[i] == shape[i];) index[i] = 0;
  }
  return result;
}

}  // namespace

Arrays read_arrays(const fs::path& path, const std::vector<std::string>& names) {
  const std::string kind = path.extension().string();
  if (kind == ".mat") return read_mat_arrays(path, names);
  if (kind == ".h5" || kind == ".hdf5") return read_hdf5_arrays(path, names);
  if (kind == ".csv" || kind == ".dat" || kind == ".txt") return read_csv_arrays(path, names);
  if (kind == ".vti" || kind == ".vtu" || kind == ".vtk") return read_vtk_arrays(path, names);
  fail(path, fmt::format("data files of kind '{}' are not read", kind),
       "use .mat, .h5, .hdf5, .csv, .dat, .txt, .vti, .vtu or .vtk");
}

void check_finite(const fs::path& path, const std::string& name, const Array& values) {
  visit_dtype(values.dtype(), [&](auto zero) {
    using T = decltype(zero);
    if constexpr (!std::is_integral_v<T>) {
      const auto data = values.data<T>();
      for (std::size_t i = 0; i < data.size(); ++i) {
        const bool finite = std::isfinite(std::real(data[i])) && std::isfinite(std::imag(data[i]));
        if (finite) continue;
        std::vector<std::size_t> index(values.rank());
        std::size_t rest = i;
        for (std::size_t axis = values.rank(); axis-- > 0;) {
          const auto size = static_cast<std::size_t>(values.shape()[axis]);
          index[axis] = rest % size;
          rest /= size;
        }
        fail(path,
             fmt::format("data set '{}' holds {} at index [{}]", name,
                         std::isnan(std::real(data[i])) || std::isnan(std::imag(data[i])) ? "nan" : "an infinity",
                         fmt::join(index, ", ")),
             "indices count from 0; remove the value or cut the data");
      }
    }
  });
}

std::int64_t GridData::n_points() const {
  std::int64_t count = 1;
  for (const Array& axis : axes) count = checked_multiply(count, axis.n_elements());
  return count;
}

Array GridData::points() const {
  const std::int64_t count = n_points();
  const auto n_axes = static_cast<std::int64_t>(axes.size());
  Array result(DType::f64, {count, n_axes});
  const auto out = result.data<double>();
  for (std::int64_t i = 0; i < count; ++i) {
    std::int64_t rest = i;
    for (std::int64_t axis = n_axes; axis-- > 0;) {
      const auto values = axes[static_cast<std::size_t>(axis)].data<double>();
      const auto size = static_cast<std::int64_t>(values.size());
      out[static_cast<std::size_t>(i * n_axes + axis)] = values[static_cast<std::size_t>(rest % size)];
      rest /= size;
    }
  }
  return result;
}

GridData read_grid(const fs::path& path, const DataNames& axes, const DataNames& fields) {
  Arrays arrays = read_arrays(path, file_names(axes, fields));
  GridData grid;
  std::vector<std::int64_t> shape;
  for (const auto& [name, in_file] : axes) {
    const Array axis = read_vector(path, in_file, arrays.at(in_file));
    check_monotone(path, in_file, axis);
    if (axis.n_elements() == 0) fail(path, fmt::format("axis '{}' is empty", in_file));
    grid.axis_names.push_back(name);
    grid.axes.push_back(axis);
    shape.push_back(axis.n_elements());
  }
  const std::vector<std::int64_t> sizes = without_ones(shape);
  for (const auto& [name, in_file] : fields) {
    const Array& values = arrays.at(in_file);
    check_finite(path, in_file, values);
    if (is_complex(values.dtype())) fail(path, fmt::format("data set '{}' is complex", in_file));
    const std::vector<std::int64_t> stored = without_ones(values.shape());
    const std::vector<std::size_t> order = match_axes(path, in_file, stored, sizes);
    grid.fields.push_back({name, transpose(values.cast(DType::f64).reshaped(stored), order).reshaped(shape)});
  }
  return grid;
}

PointData read_points(const fs::path& path, const DataNames& coordinates, const DataNames& fields) {
  Arrays arrays = read_arrays(path, file_names(coordinates, fields));
  PointData data;
  std::int64_t n_points = -1;
  std::string first;
  const auto vector = [&](const std::string& in_file) {
    const Array values = read_vector(path, in_file, arrays.at(in_file));
    if (n_points < 0) {
      n_points = values.n_elements();
      first = in_file;
    } else if (values.n_elements() != n_points) {
      fail(path,
           fmt::format("data set '{}' has {} values, '{}' has {}", in_file, values.n_elements(), first, n_points));
    }
    return values;
  };
  const std::size_t n_coordinates = coordinates.size();
  for (std::size_t j = 0; j < n_coordinates; ++j) {
    const Array column = vector(coordinates[j].second);
    if (j == 0) data.points = Array(DType::f64, {n_points, static_cast<std::int64_t>(n_coordinates)});
    for (std::size_t i = 0; i < column.data<double>().size(); ++i) {
      data.points.data<double>()[i * n_coordinates + j] = column.data<double>()[i];
    }
    data.coordinate_names.push_back(coordinates[j].first);
  }
  for (const auto& [name, in_file] : fields) data.fields.push_back({name, vector(in_file)});
  return data;
}

}  // namespace eddy::io
