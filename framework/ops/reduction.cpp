/// reduce_sum, reduce_max, reduce_prod, cumsum, argmax.

#include <algorithm>

#include "framework/ops/dialects.h"
#include "framework/ops/linear.h"
#include "framework/ops/strided.h"

namespace eddy::ops {

namespace {

bool is_reduced(const std::vector<std::int64_t>& dims, std::size_t dim) {
  return std::find(dims.begin(), dims.end(), static_cast<std::int64_t>(dim)) != dims.end();
}

/// Dims of a tensor of `rank` that a reduction over `dims` keeps.
std::vector<std::int64_t> kept_dims(std::size_t rank, const std::vector<std::int64_t>& dims) {
  std::vector<std::int64_t> kept;
  for (std::size_t i = 0; i < rank; ++i) {
    if (!is_reduced(dims, i)) kept.push_back(static_cast<std::int64_t>(i));
  }
  return kept;
}

/// A fold over `dims`, which the result drops. `Op` adds identity, combine (of expressions) and fold (of numbers).
template <typename Op>
struct Reduction {
  static std::vector<ir::Type> infer(const ir::InferArgs& args) {
    args.expect_operands(1);
    const ir::Type x = args.operands[0];
    if (x.dtype() == DType::boolean) args.fail("the operand must hold numbers");
    const auto dims = args.at("dims").as_ints();
    dims_of(args, dims, x.rank(), true);
    Shape shape;
    for (const std::int64_t dim : kept_dims(x.rank(), dims)) shape.push_back(x.dim(static_cast<std::size_t>(dim)));
    return {ir::Type::tensor(x.dtype(), std::move(shape))};
  }
  static ir::AxesMap axes(const ir::Operation& op) {
    const std::size_t rank = op.operand(0).rank();
    std::vector<int> operand, result;
    for (std::size_t i = 0; i < rank; ++i) operand.push_back(static_cast<int>(i));
    for (const std::int64_t dim : kept_dims(rank, op.at("dims").as_ints())) result.push_back(static_cast<int>(dim));
    return {{operand}, {result}};
  }
  static Shape extents(const ir::Operation& op) {
    Shape shape;
    for (const std::int64_t dim : op.at("dims").as_ints()) {
      shape.push_back(op.operand(0).type().dim(static_cast<std::size_t>(dim)));
    }
    return shape;
  }
  static loops::Expr point(const loops::PointArgs& args) {
    const auto dims = args.op.at("dims").as_ints();
    std::vector<loops::Expr> index;
    std::size_t next_kept = 0, next_reduced = args.op.result().rank();
    for (std::size_t i = 0; i < args.op.operand(0).rank(); ++i) {
      index.push_back(args.index[is_reduced(dims, i) ? next_reduced++ : next_kept++]);
    }
    return args.operand(0, std::move(index));
  }
  static void run(const KernelArgs& args) {
    const Array& x = args.operands[0];
    const auto dims = args.op.at("dims").as_ints();
    // The result walks with stride 0 along the reduced dims; each element sees its summands in index order.
    const Strided own = row_major(args.results[0].shape());
    Strided to;
    for (std::size_t i = 0, kept = 0; i < x.rank(); ++i) {
      to.strides.push_back(is_reduced(dims, i) ? 0 : own.strides[kept++]);
    }
    visit_dtype(x.dtype(), [&](auto zero) {
      using T = decltype(zero);
      if constexpr (!std::is_same_v<T, bool>) {
        const auto in = x.data<T>();
        auto out = args.results[0].data<T>();
        std::fill(out.begin(), out.end(), Op::template start<T>());
        walk(x.shape(), row_major(x.shape()), to, [&](std::int64_t i, std::int64_t j) {
          T& total = out[static_cast<std::size_t>(j)];
          total = Op::fold(total, in[static_cast<std::size_t>(i)]);
        });
      }
    });
  }
};

struct ReduceSum : Reduction<ReduceSum>, LinearMap {
  static constexpr std::string_view name = "prim.reduce_sum";

  template <typename T>
  static T start() {
    return T{};
  }
  template <typename T>
  static T fold(T total, T x) {
    if constexpr (std::is_same_v<T, std::int64_t>) {
      return static_cast<T>(static_cast<std::uint64_t>(total) + static_cast<std::uint64_t>(x));  // wraps, defined
    } else {
      return total + x;
    }
  }
  static loops::Expr identity(DType dtype) { return loops::constant(dtype, 0); }
  static loops::Expr combine(loops::Expr a, loops::Expr b) { return a + b; }
  static std::vector<Value> vjp(const ir::VjpArgs& args) {
    const Value x = args.op.operand(0);
    return {broadcast(args.builder, args.cotangents[0], x.shape(), kept_dims(x.rank(), args.op.at("dims").as_ints()))};
  }
};

}  // namespace

void register_reduction(ir::Context& context) { register_op<ReduceSum>(context); }

Value reduce_sum(Builder& b, Value x, std::vector<std::int64_t> dims) {
  if (dims.empty()) return x;
  return b.op(ReduceSum::name, {x}, {{"dims", ir::Attribute::ints(dims)}});
}

}  // namespace eddy::ops
