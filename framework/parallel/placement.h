#pragma once
/// How a tensor lies on a mesh of processes.

#include <string>
#include <string_view>
#include <vector>

namespace eddy::parallel {

enum class Reduction { sum, mean, max };

/// What one axis of a mesh does with a tensor:
///   replicate        every rank along the axis holds the same values
///   shard(dim)       rank i holds the i-th piece of dimension `dim`
///   partial(how)     every rank holds a summand; the value is their sum, mean or maximum
struct Placement {
  enum class Kind { replicate, shard, partial };
  Kind kind = Kind::replicate;
  int dim = 0;                           // of a shard, else 0
  Reduction reduction = Reduction::sum;  // of a partial, else sum

  static Placement replicate() { return {}; }
  /// `dim` >= 0.
  static Placement shard(int dim);
  static Placement partial(Reduction reduction) { return {Kind::partial, 0, reduction}; }

  bool operator==(const Placement&) const = default;
  /// "replicate", "shard(0)", "partial(sum)"
  std::string str() const;
  /// Reads what str() prints. UserError on anything else.
  static Placement parse(std::string_view text);
};

/// One per mesh axis: the encoding of a distributed tensor's type.
using Placements = std::vector<Placement>;

/// "[shard(0), replicate]"
std::string str(const Placements& placements);
Placements parse_placements(std::string_view text);

}  // namespace eddy::parallel
