/// broadcast, reshape, transpose, reverse: the same elements under other indices.

#include <algorithm>
#include <numeric>

#include "framework/ops/dialects.h"
#include "framework/ops/linear.h"
#include "framework/ops/strided.h"

namespace eddy::ops {

namespace {

std::vector<int> iota_labels(std::size_t n, int first = 0) {
  std::vector<int> labels(n);
  std::iota(labels.begin(), labels.end(), first);
  return labels;
}

std::vector<std::size_t> to_dims(const std::vector<std::int64_t>& list) { return {list.begin(), list.end()}; }

bool is_identity(const std::vector<std::int64_t>& list, std::size_t n) {
  if (list.size() != n) return false;
  for (std::size_t i = 0; i < n; ++i) {
    if (list[i] != static_cast<std::int64_t>(i)) return false;
  }
  return true;
}

struct Broadcast : LinearMap {
  static constexpr std::string_view name = "prim.broadcast";

  static std::vector<ir::Type> infer(const ir::InferArgs& args) {
    args.expect_operands(1);
    const ir::Type x = args.operands[0];
    const Shape& shape = args.at("shape").as_shape();
    const auto dims = dims_of(args, args.at("dims").as_ints(), shape.size(), true);
    if (dims.size() != x.rank())
      args.fail(fmt::format("dims names {} of the operand's {} dims", dims.size(), x.rank()));
    for (std::size_t i = 0; i < dims.size(); ++i) {
      if (x.dim(i) != shape[dims[i]]) {
        args.fail(fmt::format("dim {} has size {}, dim {} of the result {}", i, x.dim(i).str(), dims[i],
                              shape[dims[i]].str()));
      }
    }
    return {ir::Type::tensor(x.dtype(), shape)};
  }
  static ir::AxesMap axes(const ir::Operation& op) {
    std::vector<int> operand;
    for (const std::int64_t dim : op.at("dims").as_ints()) operand.push_back(static_cast<int>(dim));
    return {{operand}, {iota_labels(op.result().rank())}};
  }
  static std::vector<Value> vjp(const ir::VjpArgs& args) {
    const std::vector<std::int64_t> kept = args.op.at("dims").as_ints();
    std::vector<std::int64_t> added;
    for (std::int64_t dim = 0; dim < static_cast<std::int64_t>(args.op.result().rank()); ++dim) {
      if (std::find(kept.begin(), kept.end(), dim) == kept.end()) added.push_back(dim);
    }
    return {reduce_sum(args.builder, args.cotangents[0], added)};
  }
  static loops::Expr point(const loops::PointArgs& args) {
    std::vector<loops::Expr> index;
    for (const std::size_t dim : to_dims(args.op.at("dims").as_ints())) index.push_back(args.index[dim]);
    return args.operand(0, std::move(index));
  }
  static void run(const KernelArgs& args) {
    const Array& x = args.operands[0];
    Array& result = args.results[0];
    const auto dims = to_dims(args.op.at("dims").as_ints());
    const Strided own = row_major(x.shape());
    Strided from{0, std::vector<std::int64_t>(result.rank(), 0)};
    for (std::size_t i = 0; i < dims.size(); ++i) from.strides[dims[i]] = own.strides[i];
    copy(result.shape(), x, from, result, row_major(result.shape()));
  }
};

/// Runs of operand dims and of result dims with equal products: the finest partition that is provable.
struct ReshapeGroup {
  std::size_t operand_begin, operand_end, result_begin, result_end;
};

std::vector<ReshapeGroup> reshape_groups(const Shape& operand, const Shape& result) {
  if (n_elements(operand) == Dim(0)) return {{0, operand.size(), 0, result.size()}};
  std::vector<ReshapeGroup> groups;
  std::size_t i = 0, j = 0;
  while (i < operand.size() || j < result.size()) {
    // The shortest pair of runs from (i, j) with equal products; a run of one dim before an empty one of product 1.
    ReshapeGroup best{i, operand.size(), j, result.size()};
    std::size_t best_length = SIZE_MAX;
    Dim left = 1;
    for (std::size_t end_i = i; end_i <= operand.size(); ++end_i) {
      if (end_i > i) left = left * operand[end_i - 1];
      Dim right = 1;
      for (std::size_t end_j = j; end_j <= result.size(); ++end_j) {
        if (end_j > j) right = right * result[end_j - 1];
        const std::size_t length = end_i - i + end_j - j;
        if (length > 0 && length < best_length && left == right) {
          best = {i, end_i, j, end_j};
          best_length = length;
        }
      }
    }
    groups.push_back(best);
    i = best.operand_end;
    j = best.result_end;
  }
  return groups;
}

struct Reshape : LinearMap {
  static constexpr std::string_view name = "prim.reshape";

  static std::vector<ir::Type> infer(const ir::InferArgs& args) {
    args.expect_operands(1);
    const ir::Type x = args.operands[0];
    const Shape& shape = args.at("shape").as_shape();
    if (n_elements(x.shape()) != n_elements(shape)) {
      args.fail(fmt::format("{} elements do not fill the shape {}", n_elements(x.shape()).str(), str(shape)));
    }
    return {ir::Type::tensor(x.dtype(), shape)};
  }
  static ir::AxesMap axes(const ir::Operation& op) {
    ir::AxesMap map;
    map.operands.emplace_back(op.operand(0).rank(), ir::AxesMap::kOpaque);
    map.results.emplace_back(op.result().rank(), ir::AxesMap::kOpaque);
    int label = 0;
    for (const ReshapeGroup& group : reshape_groups(op.operand(0).shape(), op.result().shape())) {
      // One dim against one is the same axis; a dim of size 1 alone is an axis that goes or comes.
      const std::size_t n_operand = group.operand_end - group.operand_begin;
      const std::size_t n_result = group.result_end - group.result_begin;
      if (n_operand > 1 || n_result > 1) continue;
      if (n_operand) map.operands[0][group.operand_begin] = label;
      if (n_result) map.results[0][group.result_begin] = label;
      ++label;
    }
    return map;
  }
  static std::vector<Value> vjp(const ir::VjpArgs& args) {
    return {reshape(args.builder, args.cotangents[0], args.op.operand(0).shape())};
  }
  static loops::Expr point(const loops::PointArgs& args) {
    const Shape& from = args.op.operand(0).shape();
    const Shape& to = args.op.result().shape();
    std::vector<loops::Expr> index(from.size(), loops::Expr(0));
    for (const ReshapeGroup& group : reshape_groups(from, to)) {
      loops::Expr position = 0;  // in the group, row-major
      for (std::size_t j = group.result_begin; j < group.result_end; ++j) {
        position = position * loops::size(to[j]) + args.index[j];
      }
      for (std::size_t i = group.operand_end; i-- > group.operand_begin;) {
        // An empty dim is never indexed; its size must not stand as a divisor all the same.
        const loops::Expr extent = from[i] == Dim(0) ? loops::Expr(1) : loops::size(from[i]);
        index[i] = i == group.operand_begin ? position : loops::floor_mod(position, extent);
        position = loops::floor_div(position, extent);
      }
    }
    return args.operand(0, std::move(index));
  }
  static void run(const KernelArgs& args) {
    const std::vector<std::int64_t> n = {args.results[0].n_elements()};
    copy(n, args.operands[0], row_major(n), args.results[0], row_major(n));
  }
};

struct Transpose : LinearMap {
  static constexpr std::string_view name = "prim.transpose";

  static std::vector<std::size_t> permutation_of(const ir::Operation& op) {
    return to_dims(op.at("permutation").as_ints());
  }
  static std::vector<ir::Type> infer(const ir::InferArgs& args) {
    args.expect_operands(1);
    const ir::Type x = args.operands[0];
    const auto permutation = dims_of(args, args.at("permutation").as_ints(), x.rank(), false);
    if (permutation.size() != x.rank()) {
      args.fail(fmt::format("the permutation names {} of {} dims", permutation.size(), x.rank()));
    }
    Shape shape;
    for (const std::size_t dim : permutation) shape.push_back(x.dim(dim));
    return {ir::Type::tensor(x.dtype(), std::move(shape))};
  }
  static ir::AxesMap axes(const ir::Operation& op) {
    std::vector<int> result;
    for (const std::size_t dim : permutation_of(op)) result.push_back(static_cast<int>(dim));
    return {{iota_labels(op.operand(0).rank())}, {result}};
  }
  static std::vector<Value> vjp(const ir::VjpArgs& args) {
    const auto permutation = permutation_of(args.op);
    std::vector<std::int64_t> inverse(permutation.size());
    for (std::size_t i = 0; i < permutation.size(); ++i) inverse[permutation[i]] = static_cast<std::int64_t>(i);
    return {transpose(args.builder, args.cotangents[0], inverse)};
  }
  static loops::Expr point(const loops::PointArgs& args) {
    const auto permutation = permutation_of(args.op);
    std::vector<loops::Expr> index(permutation.size());
    for (std::size_t i = 0; i < permutation.size(); ++i) index[permutation[i]] = args.index[i];
    return args.operand(0, std::move(index));
  }
  static void run(const KernelArgs& args) {
    const Strided own = row_major(args.operands[0].shape());
    Strided from;
    for (const std::size_t dim : permutation_of(args.op)) from.strides.push_back(own.strides[dim]);
    copy(args.results[0].shape(), args.operands[0], from, args.results[0], row_major(args.results[0].shape()));
  }
};

struct Reverse : LinearMap {
  static constexpr std::string_view name = "prim.reverse";

  static std::vector<ir::Type> infer(const ir::InferArgs& args) {
    args.expect_operands(1);
    dims_of(args, args.at("dims").as_ints(), args.operands[0].rank(), true);
    return {ir::Type::tensor(args.operands[0].dtype(), args.operands[0].shape())};
  }
  static ir::AxesMap axes(const ir::Operation& op) {
    std::vector<int> labels = iota_labels(op.result().rank());
    for (const std::size_t dim : to_dims(op.at("dims").as_ints())) labels[dim] = ir::AxesMap::kOpaque;
    return {{labels}, {labels}};
  }
  static std::vector<Value> vjp(const ir::VjpArgs& args) {
    return {reverse(args.builder, args.cotangents[0], args.op.at("dims").as_ints())};
  }
  static loops::Expr point(const loops::PointArgs& args) {
    std::vector<loops::Expr> index(args.index.begin(), args.index.end());
    for (const std::size_t dim : to_dims(args.op.at("dims").as_ints())) {
      index[dim] = loops::size(args.op.result().type().dim(dim)) - 1 - index[dim];
    }
    return args.operand(0, std::move(index));
  }
  static void run(const KernelArgs& args) {
    const std::vector<std::int64_t>& shape = args.results[0].shape();
    Strided from = row_major(shape);
    for (const std::size_t dim : to_dims(args.op.at("dims").as_ints())) {
      from.offset += (shape[dim] - 1) * from.strides[dim];
      from.strides[dim] = -from.strides[dim];
    }
    copy(shape, args.operands[0], from, args.results[0], row_major(shape));
  }
};

}  // namespace

void register_shape(ir::Context& context) {
  register_op<Broadcast>(context);
  register_op<Reshape>(context);
  register_op<Transpose>(context);
  register_op<Reverse>(context);
}

Value broadcast(Builder& b, Value x, Shape shape, std::vector<std::int64_t> dims) {
  if (is_identity(dims, shape.size()) && x.shape() == shape) return x;
  return b.op(Broadcast::name, {x},
              {{"shape", ir::Attribute::shape(std::move(shape))}, {"dims", ir::Attribute::ints(dims)}});
}

Value broadcast_to(Builder& b, Value x, const Shape& shape) {
  const Shape own = x.shape();
  if (own == shape) return x;
  const auto fail = [&] {
    throw UserError(b.location(), fmt::format("a tensor of shape {} does not stretch to {}", str(own), str(shape)),
                    "trailing dims align; each must have the same size, or 1");
  };
  if (own.size() > shape.size()) fail();
  const std::size_t n_new = shape.size() - own.size();
  Shape kept;
  std::vector<std::int64_t> dims;
  for (std::size_t i = 0; i < own.size(); ++i) {
    if (own[i] == shape[n_new + i]) {
      kept.push_back(own[i]);
      dims.push_back(static_cast<std::int64_t>(n_new + i));
    } else if (own[i] != Dim(1)) {
      fail();
    }
  }
  return broadcast(b, reshape(b, x, std::move(kept)), shape, std::move(dims));
}

Shape broadcast_shape(const Shape& a, const Shape& b) {
  Shape result = a.size() >= b.size() ? a : b;
  const Shape& shorter = a.size() >= b.size() ? b : a;
  for (std::size_t i = 0; i < shorter.size(); ++i) {
    Dim& size = result[result.size() - 1 - i];
    const Dim other = shorter[shorter.size() - 1 - i];
    if (size == other || other == Dim(1)) continue;
    if (size != Dim(1)) {
      throw UserError(fmt::format("the shapes {} and {} do not broadcast", str(a), str(b)),
                      "trailing dims align; sizes must be equal, or one of them 1");
    }
    size = other;
  }
  return result;
}

Value reshape(Builder& b, Value x, Shape shape) {
  if (x.shape() == shape) return x;
  return b.op(Reshape::name, {x}, {{"shape", ir::Attribute::shape(std::move(shape))}});
}

Value transpose(Builder& b, Value x, std::vector<std::int64_t> permutation) {
  if (is_identity(permutation, x.rank())) return x;
  return b.op(Transpose::name, {x}, {{"permutation", ir::Attribute::ints(permutation)}});
}

Value reverse(Builder& b, Value x, std::vector<std::int64_t> dims) {
  if (dims.empty()) return x;
  return b.op(Reverse::name, {x}, {{"dims", ir::Attribute::ints(dims)}});
}

}  // namespace eddy::ops
