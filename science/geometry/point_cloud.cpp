#include "science/geometry/point_cloud.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "framework/core/errors.h"

namespace eddy::geometry {

namespace {

class PointPiece final : public Piece {
 public:
  explicit PointPiece(std::vector<double> point) : point_(std::move(point)) {}

  const std::string& name() const override { return name_; }
  int dimension() const override { return 0; }
  int n_parameters() const override { return 0; }
  double measure() const override { return 1; }
  bool has_normals() const override { return false; }
  void map(std::span<const double>, std::span<double> points, std::span<double>, std::span<char> keep) const override {
    EDDY_CHECK(points.size() == keep.size() * point_.size());
    for (std::size_t i = 0; i < points.size(); ++i) points[i] = point_[i % point_.size()];
  }

 private:
  std::string name_;
  std::vector<double> point_;
};

}  // namespace

PointCloud::PointCloud(int n_dims, std::vector<double> points) : n_dims_(n_dims), points_(std::move(points)) {
  EDDY_CHECK(n_dims >= 1);
  const auto d = static_cast<std::size_t>(n_dims);
  if (points_.empty() || points_.size() % d != 0) {
    throw UserError(fmt::format("{} numbers do not make points in {} dimensions", points_.size(), n_dims),
                    "write a list of points, for instance [[0, 0], [1, 0.5]]");
  }
  for (std::size_t i = 0; i < points_.size(); ++i) {
    if (!std::isfinite(points_[i])) {
      throw UserError(fmt::format("coordinate {} of point {} is {}", i % d, i / d, points_[i]),
                      "write a finite number");
    }
  }
  bounds_.min.assign(points_.begin(), points_.begin() + n_dims);
  bounds_.max = bounds_.min;
  for (std::size_t i = 0; i < points_.size(); ++i) {
    bounds_.min[i % d] = std::min(bounds_.min[i % d], points_[i]);
    bounds_.max[i % d] = std::max(bounds_.max[i % d], points_[i]);
  }
  for (auto it = points_.begin(); it != points_.end(); it += n_dims) {
    interior_.push_back(std::make_shared<PointPiece>(std::vector<double>(it, it + n_dims)));
  }
}

void PointCloud::signed_distance(std::span<const double> points, std::span<double> distance) const {
  const auto d = static_cast<std::size_t>(n_dims_);
  EDDY_CHECK(points.size() == distance.size() * d);
  for (std::size_t i = 0; i < distance.size(); ++i) {
    double nearest = std::numeric_limits<double>::infinity();
    for (std::size_t j = 0; j < points_.size(); j += d) {
      double length = 0;
      for (std::size_t axis = 0; axis < d; ++axis)
        length = std::hypot(length, points[i * d + axis] - points_[j + axis]);
      nearest = std::min(nearest, length);
    }
    distance[i] = -nearest;
  }
}

void PointCloud::face_at(std::span<const double>, double, std::span<int> face) const {
  std::fill(face.begin(), face.end(), -1);
}

}  // namespace eddy::geometry
