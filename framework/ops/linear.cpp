#include "framework/ops/linear.h"

namespace eddy::ops {

std::vector<Lanes> LinearMap::jet(const ir::JetArgs& args) {
  return {map_linear(args.set, args.operands[0], args.op.result(),
                     [&](Value lane) { return args.builder.op(args.op.name(), {lane}, args.op.attributes()); })};
}

void check_sizes(const ir::InferArgs& args, const std::vector<ir::SizeCondition>& conditions) {
  for (const ir::SizeCondition& condition : conditions) {
    if (condition.value.is_constant() && condition.value.constant() < 0) args.fail(condition.message);
  }
}

std::vector<std::size_t> dims_of(const ir::InferArgs& args, const std::vector<std::int64_t>& list, std::size_t rank,
                                 bool ascending) {
  std::vector<std::size_t> dims;
  std::vector<char> seen(rank, 0);
  for (const std::int64_t dim : list) {
    dims.push_back(dim_of(args, dim, rank));
    if (seen[dims.back()]++) args.fail(fmt::format("dim {} is named twice", dim));
    if (ascending && dims.size() > 1 && dims.back() < dims[dims.size() - 2]) args.fail("dims must be ascending");
  }
  return dims;
}

std::size_t dim_of(const ir::InferArgs& args, std::int64_t dim, std::size_t rank) {
  if (dim < 0 || dim >= static_cast<std::int64_t>(rank))
    args.fail(fmt::format("a tensor of rank {} has no dim {}", rank, dim));
  return static_cast<std::size_t>(dim);
}

loops::Expr clamp(loops::Expr x, loops::Expr low, loops::Expr high) {
  return loops::maximum(std::move(low), loops::minimum(std::move(high), std::move(x)));
}

loops::Expr in_range(loops::Expr x, loops::Expr low, loops::Expr high) {
  return loops::logical_and(loops::compare(loops::ExprKind::le, std::move(low), x),
                            loops::compare(loops::ExprKind::lt, x, std::move(high)));
}

}  // namespace eddy::ops
