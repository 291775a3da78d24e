#include "science/geometry/box.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "framework/core/errors.h"

namespace eddy::geometry {

namespace {

/// The box itself (fixed_axis < 0) or the face where one axis is at its smallest or largest value.
class BoxPiece final : public Piece {
 public:
  BoxPiece(std::string name, Bounds bounds, int fixed_axis, bool at_max)
      : name_(std::move(name)), bounds_(std::move(bounds)), fixed_axis_(fixed_axis), at_max_(at_max) {
    for (std::size_t axis = 0; axis < n_dims(); ++axis) {
      if (!is_fixed(axis)) measure_ *= bounds_.max[axis] - bounds_.min[axis];
    }
  }

  const std::string& name() const override { return name_; }
  int dimension() const override { return static_cast<int>(n_dims()) - (has_normals() ? 1 : 0); }
  int n_parameters() const override { return dimension(); }
  double measure() const override { return measure_; }
  bool has_normals() const override { return fixed_axis_ >= 0; }

  void map(std::span<const double> unit, std::span<double> points, std::span<double> normals,
           std::span<char> keep) const override {
    const std::size_t n = keep.size(), d = n_dims();
    EDDY_CHECK(points.size() == n * d && unit.size() == n * static_cast<std::size_t>(n_parameters()));
    EDDY_CHECK(normals.size() == (has_normals() ? n * d : 0));
    const double* u = unit.data();
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t axis = 0; axis < d; ++axis) {
        const double min = bounds_.min[axis], max = bounds_.max[axis];
        double& x = points[i * d + axis];
        if (is_fixed(axis)) {
          x = at_max_ ? max : min;
        } else {
          // Rounding must not carry a point out of the open box: corners would be drawn by two faces.
          x = std::clamp(min + *u++ * (max - min), std::nextafter(min, max), std::nextafter(max, min));
        }
        if (has_normals()) normals[i * d + axis] = is_fixed(axis) ? (at_max_ ? 1.0 : -1.0) : 0.0;
      }
    }
  }

 private:
  std::size_t n_dims() const { return bounds_.min.size(); }
  bool is_fixed(std::size_t axis) const { return static_cast<int>(axis) == fixed_axis_; }

  std::string name_;
  Bounds bounds_;
  int fixed_axis_;
  bool at_max_;
  double measure_ = 1;
};

constexpr const char* kFaceNames[3][2] = {{"left", "right"}, {"bottom", "top"}, {"back", "front"}};
constexpr const char* kAxisNames[3] = {"x", "y", "z"};

}  // namespace

Box::Box(std::vector<double> min, std::vector<double> max, std::vector<std::string> axes)
    : bounds_{std::move(min), std::move(max)}, axes_(std::move(axes)) {
  const std::size_t d = bounds_.min.size();
  if (d == 0 || bounds_.max.size() != d) {
    throw UserError(
        fmt::format("a box has corners of equal size, got min with {} and max with {} numbers", d, bounds_.max.size()),
        "write one number per dimension, for instance {min: [0, 0], max: [1, 2]}");
  }
  for (std::size_t axis = 0; axis < axes_.size() || axis < d; ++axis) {
    if (axes_.size() < d) axes_.push_back(d <= 3 ? kAxisNames[axis] : fmt::format("x{}", axis));
    EDDY_CHECK(axes_.size() <= d, "{} axis names for a box in {} dimensions", axes_.size(), d);
  }
  for (std::size_t axis = 0; axis < d; ++axis) {
    const double low = bounds_.min[axis], high = bounds_.max[axis];
    // Also false for NaN. There must be room for a point between the two ends.
    if (!(std::isfinite(low) && std::isfinite(high) && std::isfinite(high - low) &&
          std::nextafter(low, high) < std::nextafter(high, low))) {
      throw UserError(fmt::format("min is {} and max {} on axis {} of a box", low, high, axes_[axis]),
                      "min must be less than max, both finite");
    }
  }
  interior_ = {std::make_shared<BoxPiece>("", bounds_, -1, false)};
  for (std::size_t axis = 0; axis < d; ++axis) {
    for (const bool at_max : {false, true}) {
      std::string name = d <= 3 ? kFaceNames[axis][at_max] : axes_[axis] + (at_max ? "_max" : "_min");
      faces_.push_back(std::make_shared<BoxPiece>(std::move(name), bounds_, static_cast<int>(axis), at_max));
    }
  }
  for (const auto& piece : {interior_[0], faces_[0], faces_.back()}) {
    if (!(piece->measure() > 0 && std::isfinite(piece->measure()))) {
      throw UserError(fmt::format("the measure of a box comes out as {}", piece->measure()),
                      "choose units in which lengths are nearer to 1");
    }
  }
}

double Box::measure() const { return interior_[0]->measure(); }

void Box::signed_distance(std::span<const double> points, std::span<double> distance) const {
  const std::size_t d = bounds_.min.size();
  EDDY_CHECK(points.size() == distance.size() * d);
  for (std::size_t i = 0; i < distance.size(); ++i) {
    double inside = std::numeric_limits<double>::infinity(), outside = 0;
    for (std::size_t axis = 0; axis < d; ++axis) {
      const double x = points[i * d + axis];
      const double depth = std::min(x - bounds_.min[axis], bounds_.max[axis] - x);
      inside = std::min(inside, depth);
      if (depth < 0) outside = std::hypot(outside, depth);
    }
    distance[i] = outside > 0 ? -outside : inside;
  }
}

std::shared_ptr<const Piece> Box::find_face(std::string_view name) const {
  for (std::size_t axis = 0; axis < axes_.size(); ++axis) {
    for (const std::string& prefix : {axes_[axis], fmt::format("x{}", axis)}) {
      if (name == prefix + "_min") return faces_[2 * axis];
      if (name == prefix + "_max") return faces_[2 * axis + 1];
    }
  }
  return Geometry::find_face(name);
}

void Box::face_at(std::span<const double> points, double tolerance, std::span<int> face) const {
  const std::size_t d = bounds_.min.size();
  EDDY_CHECK(points.size() == face.size() * d);
  std::vector<double> distance(face.size());
  signed_distance(points, distance);
  for (std::size_t i = 0; i < face.size(); ++i) {
    face[i] = -1;
    if (std::abs(distance[i]) > tolerance) continue;
    for (std::size_t axis = 0; axis < d && face[i] < 0; ++axis) {
      const double x = points[i * d + axis];
      if (std::abs(x - bounds_.min[axis]) <= tolerance) face[i] = static_cast<int>(2 * axis);
      if (face[i] < 0 && std::abs(x - bounds_.max[axis]) <= tolerance) face[i] = static_cast<int>(2 * axis + 1);
    }
  }
}

}  // namespace eddy::geometry
