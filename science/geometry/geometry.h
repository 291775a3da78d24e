#pragma once
/// Shapes: what every geometry can be asked, whatever it is made of.

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace eddy::geometry {

/// An axis-parallel box, `min[i] <= max[i]`.
struct Bounds {
  std::vector<double> min, max;
  /// The largest extent.
  double size() const;
};

/// A part of a shape that samples are drawn from: its interior, a face, a point. A piece is the image of the unit cube
/// [0, 1]^n_parameters under a map that preserves measure up to a constant factor.
class Piece {
 public:
  virtual ~Piece() = default;

  /// The face's name within its shape; empty for an interior.
  virtual const std::string& name() const = 0;
  /// 0 for a point, 1 for a curve, and so on: pieces of unequal dimension have no common measure.
  virtual int dimension() const = 0;
  /// Dimensions of the unit cube that map() takes.
  virtual int n_parameters() const = 0;
  /// Length, area or volume of the cube's image, exact; 1 for a point.
  virtual double measure() const = 0;
  virtual bool has_normals() const = 0;
  /// Maps `unit` [n, n_parameters], inside the open cube, to `points` [n, n_dims] and, when has_normals(), outward unit
  /// `normals` [n, n_dims] (else empty). `keep` [n] comes in as 1; a piece that is less than the cube's image (what
  /// remains of a face after a cut) sets it to 0 for points that are not its own.
  virtual void map(std::span<const double> unit, std::span<double> points, std::span<double> normals,
                   std::span<char> keep) const = 0;
};

/// A closed set of points with a boundary made of named faces. Immutable. Point arrays are row-major [n, n_dims].
class Geometry {
 public:
  virtual ~Geometry() = default;

  virtual int n_dims() const = 0;
  virtual const Bounds& bounds() const = 0;
  /// Length, area or volume.
  virtual double measure() const = 0;
  /// Euclidean distance to the boundary, positive inside, zero on it, negative outside. `distance` is [n].
  virtual void signed_distance(std::span<const double> points, std::span<double> distance) const = 0;
  virtual const std::vector<std::shared_ptr<const Piece>>& interior() const = 0;
  /// The faces cover the boundary without overlap: where faces meet, the point belongs to the first of them.
  virtual const std::vector<std::shared_ptr<const Piece>>& faces() const = 0;
  /// The face called `name`, by its own name or another one the shape knows it by; null when there is none.
  virtual std::shared_ptr<const Piece> find_face(std::string_view name) const;
  /// Index in faces() of the face that a boundary point belongs to, -1 for points further than `tolerance` from the
  /// boundary. `face` is [n].
  virtual void face_at(std::span<const double> points, double tolerance, std::span<int> face) const = 0;

  /// inside[i] = 1 for points in the shape or within `tolerance` of it.
  void contains(std::span<const double> points, double tolerance, std::span<char> inside) const;
  /// Length of a typical detail, what tolerances are relative to: the largest extent of bounds().
  double size() const { return bounds().size(); }
};

/// Two coordinates, or a coordinate and a constant, are equal in a condition when they differ by no more than this
/// times the domain's size.
inline constexpr double kRelativeTolerance = 1e-6;

}  // namespace eddy::geometry
