#include "science/problem/data_set.h"

#include <algorithm>
#include <fmt/ranges.h>

#include "science/io/data_file.h"

namespace eddy::problem {

namespace {

/// Column `i` of [n, n_columns].
std::vector<double> column_of(const Array& points, std::int64_t i) {
  std::vector<double> values(static_cast<std::size_t>(points.shape()[0]));
  for (std::size_t row = 0; row < values.size(); ++row) {
    values[row] = points.at(static_cast<std::int64_t>(row) * points.shape()[1] + i);
  }
  return values;
}

std::vector<double> values_of(const Array& array) {
  std::vector<double> values(static_cast<std::size_t>(array.n_elements()));
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = array.at(static_cast<std::int64_t>(i));
  return values;
}

io::DataNames names_of(const config::NamedList<config::Text>& list) {
  io::DataNames names;
  for (const auto& entry : list) names.emplace_back(entry.name.text, entry.value.text);
  return names;
}

}  // namespace

const geometry::Column* DataSet::field(const std::string& name) const {
  const auto found = std::find_if(fields.begin(), fields.end(), [&](const auto& f) { return f.name == name; });
  return found == fields.end() ? nullptr : &*found;
}

DataSet read_data_set(const config::DataSpec& spec, const std::vector<std::string>& coordinates) {
  const auto is_coordinate = [&](const std::string& name) {
    return std::find(coordinates.begin(), coordinates.end(), name) != coordinates.end();
  };
  io::DataNames axes = names_of(spec.axes), fields = names_of(spec.fields);
  for (const auto& column : names_of(spec.columns)) (is_coordinate(column.first) ? axes : fields).push_back(column);
  for (const auto& axis : spec.axes) {
    if (!is_coordinate(axis.name.text)) {
      throw UserError(axis.name.where, fmt::format("the axis '{}' is no coordinate of the problem", axis.name.text),
                      fmt::format("the coordinates are {}", fmt::join(coordinates, ", ")));
    }
  }

  DataSet data;
  std::vector<std::string> read_names;
  Array points;
  std::vector<io::NamedArray> read_fields;
  if (spec.axes.empty()) {
    io::PointData table = io::read_points(spec.file.text, axes, fields);
    read_names = std::move(table.coordinate_names);
    points = table.points;
    read_fields = std::move(table.fields);
  } else {
    io::GridData grid = io::read_grid(spec.file.text, axes, fields);
    read_names = grid.axis_names;
    points = grid.points();
    read_fields = std::move(grid.fields);
  }
  data.points.n_points = points.shape()[0];
  for (const std::string& name : coordinates) {
    const auto found = std::find(read_names.begin(), read_names.end(), name);
    if (found != read_names.end()) {
      data.points.coordinates.push_back({name, column_of(points, found - read_names.begin())});
    } else if (const double* fixed = config::find(spec.fixed, name)) {
      data.points.coordinates.push_back(
          {name, std::vector<double>(static_cast<std::size_t>(data.points.n_points), *fixed)});
    } else {
      throw UserError(spec.where, fmt::format("the data set says nothing of the coordinate '{}'", name),
                      fmt::format("name its column or axis, or write fixed: {{{}: 0}}", name));
    }
  }
  for (const io::NamedArray& field : read_fields) data.fields.push_back({field.name, values_of(field.values)});
  return data;
}

}  // namespace eddy::problem
