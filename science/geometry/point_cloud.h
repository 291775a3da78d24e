#pragma once
/// A list of single points, such as sensors or the place where a pressure is fixed.

#include "science/geometry/geometry.h"

namespace eddy::geometry {

/// Each point is a piece of measure 1, so that samples (in time) are spread evenly over the points. There are no faces.
/// The signed distance is minus the distance to the nearest point.
class PointCloud final : public Geometry {
 public:
  /// `points` is row-major [n, n_dims]. UserError when it is empty, its size no multiple of n_dims, a number not
  /// finite.
  PointCloud(int n_dims, std::vector<double> points);

  int n_dims() const override { return n_dims_; }
  std::int64_t n_points() const { return static_cast<std::int64_t>(interior_.size()); }
  const Bounds& bounds() const override { return bounds_; }
  double measure() const override { return static_cast<double>(interior_.size()); }
  void signed_distance(std::span<const double> points, std::span<double> distance) const override;
  const std::vector<std::shared_ptr<const Piece>>& interior() const override { return interior_; }
  const std::vector<std::shared_ptr<const Piece>>& faces() const override { return faces_; }
  void face_at(std::span<const double> points, double tolerance, std::span<int> face) const override;

 private:
  int n_dims_;
  std::vector<double> points_;
  Bounds bounds_;
  std::vector<std::shared_ptr<const Piece>> interior_, faces_;
};

}  // namespace eddy::geometry
