#pragma once
/// Shared parts of the operations that move or add up elements.

#include "framework/ops/lanes.h"
#include "framework/ops/registration.h"

namespace eddy::ops {

/// A linear map of one tensor that its attributes determine: the jet applies it lane by lane.
struct LinearMap {
  static constexpr ir::Trait traits = ir::Trait::pure | ir::Trait::linear;
  static std::vector<Lanes> jet(const ir::JetArgs& args);
};

/// Fails on the conditions that are known to be violated whatever the symbols are.
void check_sizes(const ir::InferArgs& args, const std::vector<ir::SizeCondition>& conditions);

/// `list` as dims of a tensor of `rank`; fails on one out of range or named twice, and, when `ascending`, on one that
/// is not above its predecessor.
std::vector<std::size_t> dims_of(const ir::InferArgs& args, const std::vector<std::int64_t>& list, std::size_t rank,
                                 bool ascending);

/// One dim.
std::size_t dim_of(const ir::InferArgs& args, std::int64_t dim, std::size_t rank);

/// max(low, min(high, x)) for i64 expressions.
loops::Expr clamp(loops::Expr x, loops::Expr low, loops::Expr high);
/// low <= x && x < high.
loops::Expr in_range(loops::Expr x, loops::Expr low, loops::Expr high);

}  // namespace eddy::ops
