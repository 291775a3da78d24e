#pragma once
/// Which dims of a block's values are the same axis: the engine behind fusion now and sharding later.

#include <map>
#include <vector>

#include "framework/ir/operation.h"

namespace eddy::ir {

/// Equivalence classes of (value, dim), joined wherever an operation's AxesRule gives dims one label. Dims marked
/// opaque by an operation are not joined through it.
class AxisClasses {
 public:
  explicit AxisClasses(const Block& block);

  /// The class of a dim; classes are numbered from 0 in order of first appearance.
  int of(Value value, std::size_t dim) const;
  /// The size along a class's axis.
  Dim extent(int axis_class) const { return extents_.at(static_cast<std::size_t>(axis_class)); }
  int n_classes() const { return static_cast<int>(extents_.size()); }

 private:
  std::map<Value, std::vector<int>> classes_;
  std::vector<Dim> extents_;
};

}  // namespace eddy::ir
