#pragma once
/// Where a constraint holds: named shapes, their faces, and unions of them.

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "framework/core/errors.h"
#include "science/geometry/geometry.h"

namespace eddy::geometry {

/// A union of pieces of shapes that share a dimension: an interior, a boundary, some faces, a list of points.
class Region {
 public:
  struct Part {
    std::shared_ptr<const Geometry> shape;
    std::shared_ptr<const Piece> piece;
  };

  static Region interior(std::string name, std::shared_ptr<const Geometry> shape);
  /// All faces. UserError when the shape has none.
  static Region boundary(std::string name, std::shared_ptr<const Geometry> shape);
  /// UserError at `where` when pieces differ in dimension, only some of them have normals, or one is there twice.
  static Region join(const std::vector<Region>& regions, const SourceLocation& where = {});

  /// As the user wrote it: "cavity.top"; joined regions are separated by ", ".
  const std::string& name() const { return name_; }
  const std::vector<Part>& parts() const { return parts_; }
  int n_dims() const { return parts_.front().shape->n_dims(); }
  bool has_normals() const { return parts_.front().piece->has_normals(); }
  /// Sum of the pieces' measures, exact.
  double measure() const;
  /// The largest size of the shapes; tolerances are relative to it.
  double size() const;

 private:
  friend class Shapes;
  Region(std::string name, std::vector<Part> parts) : name_(std::move(name)), parts_(std::move(parts)) {}

  std::string name_;
  std::vector<Part> parts_;
};

/// The shapes of a problem by name.
class Shapes {
 public:
  /// UserError at `where` when the name is taken.
  void add(const std::string& name, std::shared_ptr<const Geometry> shape, const SourceLocation& where = {});
  /// UserError with the nearest name when there is none.
  const std::shared_ptr<const Geometry>& shape(std::string_view name, const SourceLocation& where = {}) const;
  /// Looks up `SHAPE`, `SHAPE.boundary` or `SHAPE.FACE`; UserError with the nearest name when there is none.
  Region region(std::string_view dotted_name, const SourceLocation& where = {}) const;
  std::vector<std::string> names() const;

 private:
  std::map<std::string, std::shared_ptr<const Geometry>, std::less<>> shapes_;
};

}  // namespace eddy::geometry
