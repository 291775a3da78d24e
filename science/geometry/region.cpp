#include "science/geometry/region.h"

#include <algorithm>
#include <fmt/ranges.h>

namespace eddy::geometry {

namespace {

/// "did you mean 'a'?" or, when nothing is near, the whole list.
std::string suggestion(std::string_view word, const std::vector<std::string>& candidates) {
  const std::string nearest = nearest_name(std::string(word), candidates);
  if (!nearest.empty()) return fmt::format("did you mean '{}'?", nearest);
  if (candidates.empty()) return "there are none";
  return fmt::format("there are: {}", fmt::join(candidates, ", "));
}

}  // namespace

Region Region::interior(std::string name, std::shared_ptr<const Geometry> shape) {
  std::vector<Part> parts;
  for (const auto& piece : shape->interior()) parts.push_back({shape, piece});
  return Region(std::move(name), std::move(parts));
}

Region Region::boundary(std::string name, std::shared_ptr<const Geometry> shape) {
  if (shape->faces().empty()) {
    throw UserError(fmt::format("'{}' has no boundary: it is a list of points", name), "use the points themselves");
  }
  std::vector<Part> parts;
  for (const auto& piece : shape->faces()) parts.push_back({shape, piece});
  return Region(std::move(name), std::move(parts));
}

Region Region::join(const std::vector<Region>& regions, const SourceLocation& where) {
  if (regions.empty()) throw UserError(where, "a region is empty", "name at least one shape or face");
  std::vector<std::string> names;
  std::vector<Part> parts;
  for (const Region& region : regions) {
    for (const Part& part : region.parts_) {
      const Piece& first = *regions.front().parts_.front().piece;
      if (part.shape->n_dims() != regions.front().n_dims() || part.piece->dimension() != first.dimension() ||
          part.piece->has_normals() != first.has_normals()) {
        throw UserError(where, fmt::format("'{}' and '{}' differ in kind", regions.front().name_, region.name_),
                        "a region is made of interiors only, of faces only or of points only; use two constraints");
      }
      if (std::any_of(parts.begin(), parts.end(), [&](const Part& other) { return other.piece == part.piece; })) {
        throw UserError(where, fmt::format("'{}' names a part of the region that is there already", region.name_),
                        "name each face once; SHAPE.boundary is all of them");
      }
      parts.push_back(part);
    }
    names.push_back(region.name_);
  }
  return Region(fmt::format("{}", fmt::join(names, ", ")), std::move(parts));
}

double Region::measure() const {
  double measure = 0;
  for (const Part& part : parts_) measure += part.piece->measure();
  return measure;
}

double Region::size() const {
  double size = 0;
  for (const Part& part : parts_) size = std::max(size, part.shape->size());
  return size;
}

void Shapes::add(const std::string& name, std::shared_ptr<const Geometry> shape, const SourceLocation& where) {
  EDDY_CHECK(shape != nullptr);
  if (name.empty() || name.find('.') != std::string::npos) {
    throw UserError(where, fmt::format("'{}' cannot be a shape's name", name), "a name has letters and digits, no dot");
  }
  if (!shapes_.emplace(name, std::move(shape)).second) {
    throw UserError(where, fmt::format("there are two shapes called '{}'", name), "give each its own name");
  }
}

const std::shared_ptr<const Geometry>& Shapes::shape(std::string_view name, const SourceLocation& where) const {
  const auto found = shapes_.find(name);
  if (found == shapes_.end()) {
    throw UserError(where, fmt::format("there is no shape called '{}'", name), suggestion(name, names()));
  }
  return found->second;
}

Region Shapes::region(std::string_view dotted_name, const SourceLocation& where) const {
  const std::size_t dot = dotted_name.find('.');
  const std::shared_ptr<const Geometry>& owner = shape(dotted_name.substr(0, dot), where);
  if (dot == std::string_view::npos) return Region::interior(std::string(dotted_name), owner);
  const std::string_view face_name = dotted_name.substr(dot + 1);
  if (face_name == "boundary" && !owner->faces().empty()) return Region::boundary(std::string(dotted_name), owner);
  if (const auto face = owner->find_face(face_name)) return Region(std::string(dotted_name), {{owner, face}});

  std::vector<std::string> known;
  for (const auto& face : owner->faces()) known.push_back(face->name());
  if (!known.empty()) known.insert(known.begin(), "boundary");
  throw UserError(where, fmt::format("'{}' has no face called '{}'", dotted_name.substr(0, dot), face_name),
                  suggestion(face_name, known));
}

std::vector<std::string> Shapes::names() const {
  std::vector<std::string> names;
  for (const auto& [name, shape] : shapes_) names.push_back(name);
  return names;
}

}  // namespace eddy::geometry
