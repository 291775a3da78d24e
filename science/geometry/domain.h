#pragma once
/// A region in space and time.

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "science/geometry/point_set.h"
#include "science/geometry/region.h"

namespace eddy::geometry {

/// The times a constraint holds at: all of [start, end], or one moment when the two are equal.
struct TimeRange {
  std::string coordinate = "t";
  double start = 0, end = 0;
  bool is_fixed() const { return start == end; }
};

/// Sets keep[i] = 0 for the points a condition rules out; `keep` comes in as 1 (or 0 for points already ruled out).
using Criterion = std::function<void(const PointSet& points, std::vector<char>& keep)>;

/// The product of a region with a time range, with the problem's names for its coordinates. It turns samples of the
/// unit cube into points; where the samples come from is science/sampling's matter.
class Domain {
 public:
  /// `coordinates` are all names in the problem's order; without the time's, they are the region's axes. UserError when
  /// their number does not fit the region or the time's name is not among them.
  Domain(Region region, std::vector<std::string> coordinates, std::optional<TimeRange> time = {});

  const Region& region() const { return region_; }
  const std::vector<std::string>& coordinates() const { return coordinates_; }
  const std::optional<TimeRange>& time() const { return time_; }
  /// Exact measure of the region in space.
  double measure() const { return region_.measure(); }
  /// Spatial size; coordinates in conditions are equal when they differ by at most kRelativeTolerance times this.
  double size() const { return region_.size(); }

  int n_parts() const { return static_cast<int>(region_.parts().size()); }
  double part_measure(int part) const { return region_.parts()[static_cast<std::size_t>(part)].piece->measure(); }
  /// Dimensions of the unit cube behind a part: one for time where it is a range, then the piece's.
  int n_parameters(int part) const;
  /// Maps `unit` [n, n_parameters(part)] to n points of that part with normals and signed distance; their area is 0,
  /// since only the caller knows how many points share the region. Points a piece rejects have keep = 0.
  PointSet map(int part, std::int64_t n, std::span<const double> unit, std::vector<char>& keep) const;
  /// A set without points that has the columns of map().
  PointSet empty_set() const;

 private:
  Region region_;
  std::vector<std::string> coordinates_;
  std::optional<TimeRange> time_;
  std::size_t time_column_ = 0;  // meaningful where time_ is set
};

}  // namespace eddy::geometry
