#include "science/geometry/domain.h"

#include <algorithm>
#include <cmath>
#include <fmt/ranges.h>

#include "framework/core/dim.h"

namespace eddy::geometry {

Domain::Domain(Region region, std::vector<std::string> coordinates, std::optional<TimeRange> time)
    : region_(std::move(region)), coordinates_(std::move(coordinates)), time_(std::move(time)) {
  if (time_) {
    const auto found = std::find(coordinates_.begin(), coordinates_.end(), time_->coordinate);
    if (found == coordinates_.end()) {
      throw UserError(fmt::format("there is a time range, but '{}' is no coordinate of the problem", time_->coordinate),
                      fmt::format("the coordinates are: {}", fmt::join(coordinates_, ", ")));
    }
    time_column_ = static_cast<std::size_t>(found - coordinates_.begin());
    if (!(std::isfinite(time_->start) && std::isfinite(time_->end) && time_->start <= time_->end)) {
      throw UserError(fmt::format("the time range [{}, {}] does not go forward", time_->start, time_->end),
                      "write [start, end] with start <= end");
    }
  }
  const std::size_t n_axes = coordinates_.size() - (time_ ? 1 : 0);
  if (n_axes != static_cast<std::size_t>(region_.n_dims())) {
    throw UserError(fmt::format("'{}' is in {} dimensions, but the problem's coordinates are {}{}", region_.name(),
                                region_.n_dims(), fmt::join(coordinates_, ", "),
                                time_ ? fmt::format(", of which {} is time", time_->coordinate) : ""),
                    "every coordinate but time is an axis of the geometry");
  }
}

int Domain::n_parameters(int part) const {
  const Piece& piece = *region_.parts()[static_cast<std::size_t>(part)].piece;
  return piece.n_parameters() + (time_ && !time_->is_fixed() ? 1 : 0);
}

PointSet Domain::empty_set() const {
  PointSet set;
  for (const std::string& name : coordinates_) set.coordinates.push_back({name, {}});
  if (region_.has_normals()) {
    for (std::size_t i = 0; i < coordinates_.size(); ++i) {
      if (!(time_ && i == time_column_)) set.normals.push_back({"n" + coordinates_[i], {}});
    }
  }
  return set;
}

PointSet Domain::map(int part, std::int64_t n, std::span<const double> unit, std::vector<char>& keep) const {
  const auto& [shape, piece] = region_.parts()[static_cast<std::size_t>(part)];
  const auto count = static_cast<std::size_t>(n), d = static_cast<std::size_t>(shape->n_dims());
  const auto n_unit = static_cast<std::size_t>(n_parameters(part));
  EDDY_CHECK(n >= 0 && unit.size() == count * n_unit);
  const auto n_numbers = static_cast<std::size_t>(checked_multiply(n, shape->n_dims()));
  const bool samples_time = time_ && !time_->is_fixed();

  std::vector<double> space_unit, points(n_numbers), normals(piece->has_normals() ? n_numbers : 0);
  if (samples_time) {
    space_unit.reserve(unit.size() - count);
    for (std::size_t i = 0; i < count; ++i) {
      space_unit.insert(space_unit.end(), unit.begin() + i * n_unit + 1, unit.begin() + (i + 1) * n_unit);
    }
  }
  keep.assign(count, 1);
  piece->map(samples_time ? std::span<const double>(space_unit) : unit, points, normals, keep);

  PointSet set = empty_set();
  set.n_points = n;
  std::size_t axis = 0;
  for (std::size_t column = 0; column < coordinates_.size(); ++column) {
    std::vector<double>& values = set.coordinates[column].values;
    values.resize(count);
    if (time_ && column == time_column_) {
      for (std::size_t i = 0; i < count; ++i) {
        values[i] = samples_time ? time_->start + unit[i * n_unit] * (time_->end - time_->start) : time_->start;
      }
      continue;
    }
    for (std::size_t i = 0; i < count; ++i) values[i] = points[i * d + axis];
    ++axis;
  }
  for (std::size_t column = 0; column < set.normals.size(); ++column) {
    std::vector<double>& values = set.normals[column].values;
    values.resize(count);
    for (std::size_t i = 0; i < count; ++i) values[i] = normals[i * d + column];
  }
  set.area.assign(count, 0.0);
  set.sdf.resize(count);
  shape->signed_distance(points, set.sdf);
  return set;
}

}  // namespace eddy::geometry
