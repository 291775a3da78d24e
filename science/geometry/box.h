#pragma once
/// Intervals, rectangles, boxes in any number of dimensions.

#include "science/geometry/geometry.h"

namespace eddy::geometry {

/// The box min <= x <= max. Its faces, in order:
///   1-D  left (x = min), right (x = max)
///   2-D  left, right, bottom (y = min), top (y = max)
///   3-D  left, right, bottom, top, back (z = min), front (z = max): x to the right, y up, z towards the viewer
///   else <axis>_min, <axis>_max for each axis.
/// The names <axis>_min and <axis>_max are known in every dimension. Axes are called as given, else x, y, z in up to
/// three dimensions and x0, x1, ... in more; x0_min and so on are always understood.
class Box final : public Geometry {
 public:
  /// UserError when the corners differ in size, are not finite, or min < max does not hold on each axis.
  Box(std::vector<double> min, std::vector<double> max, std::vector<std::string> axes = {});

  int n_dims() const override { return static_cast<int>(bounds_.min.size()); }
  const Bounds& bounds() const override { return bounds_; }
  double measure() const override;
  void signed_distance(std::span<const double> points, std::span<double> distance) const override;
  const std::vector<std::shared_ptr<const Piece>>& interior() const override { return interior_; }
  const std::vector<std::shared_ptr<const Piece>>& faces() const override { return faces_; }
  std::shared_ptr<const Piece> find_face(std::string_view name) const override;
  void face_at(std::span<const double> points, double tolerance, std::span<int> face) const override;

 private:
  Bounds bounds_;
  std::vector<std::string> axes_;
  std::vector<std::shared_ptr<const Piece>> interior_, faces_;
};

}  // namespace eddy::geometry
