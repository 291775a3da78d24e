#pragma once
/// Processes arranged on a grid.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace eddy::parallel {

/// An n-dimensional array of distinct ranks with named axes, for instance data = 4, model = 2.
class ProcessMesh {
 public:
  struct Axis {
    std::string name;
    std::int64_t size = 1;
    bool operator==(const Axis&) const = default;
  };

  /// Ranks 0, 1, ... in row-major order. UserError on no axes, names that are no identifiers or not distinct, sizes
  /// < 1.
  explicit ProcessMesh(std::vector<Axis> axes);
  /// The given ranks in row-major order; UserError when they are negative, not distinct or not as many as the mesh has.
  ProcessMesh(std::vector<Axis> axes, std::vector<std::int64_t> ranks);

  const std::vector<Axis>& axes() const { return axes_; }
  const std::vector<std::int64_t>& ranks() const { return ranks_; }
  std::int64_t n_ranks() const { return static_cast<std::int64_t>(ranks_.size()); }
  /// UserError with the nearest name when there is none.
  std::size_t axis(std::string_view name) const;
  bool contains(std::int64_t rank) const;
  /// Where the rank stands, one index per axis. InternalError when it is not in the mesh.
  std::vector<std::int64_t> coordinates(std::int64_t rank) const;
  /// The ranks along `axis` through `rank`, in the axis's order: those that share a collective over that axis.
  std::vector<std::int64_t> line(std::int64_t rank, std::size_t axis) const;

  bool operator==(const ProcessMesh&) const = default;
  /// "mesh<data=4, model=2>", with "; 0 2 1 3" before the bracket when the ranks are not 0, 1, ...
  std::string str() const;
  /// Reads what str() prints. UserError on anything else.
  static ProcessMesh parse(std::string_view text);

 private:
  std::vector<Axis> axes_;
  std::vector<std::int64_t> ranks_;
};

}  // namespace eddy::parallel
