#include "science/geometry/geometry.h"

#include <algorithm>

#include "framework/core/errors.h"

namespace eddy::geometry {

double Bounds::size() const {
  double size = 0;
  for (std::size_t i = 0; i < min.size(); ++i) size = std::max(size, max[i] - min[i]);
  return size;
}

std::shared_ptr<const Piece> Geometry::find_face(std::string_view name) const {
  for (const auto& face : faces()) {
    if (face->name() == name) return face;
  }
  return nullptr;
}

void Geometry::contains(std::span<const double> points, double tolerance, std::span<char> inside) const {
  std::vector<double> distance(inside.size());
  signed_distance(points, distance);
  for (std::size_t i = 0; i < inside.size(); ++i) inside[i] = distance[i] >= -tolerance;
}

}  // namespace eddy::geometry
