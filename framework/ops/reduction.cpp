/// reduce_sum, reduce_max, reduce_prod.

#include <algorithm>
#include <limits>

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

/// The greatest element, NaN when there is one; of no elements the least number there is.
struct ReduceMax : Reduction<ReduceMax> {
  static constexpr std::string_view name = "prim.reduce_max";
  static constexpr ir::Trait traits = ir::Trait::pure;

  static std::vector<ir::Type> infer(const ir::InferArgs& args) {
    if (args.operands.size() == 1 && is_complex(args.operands[0].dtype())) args.fail("complex numbers have no order");
    return Reduction::infer(args);
  }
  template <typename T>
  static T start() {
    return std::numeric_limits<T>::has_infinity ? -std::numeric_limits<T>::infinity() : std::numeric_limits<T>::min();
  }
  template <typename T>
  static T fold(T total, T x) {
    if constexpr (std::is_arithmetic_v<T>) {
      return total > x || total != total ? total : x;
    } else {
      throw InternalError("complex numbers have no order");
    }
  }
  static loops::Expr identity(DType dtype) {
    return is_real(dtype) ? loops::constant(dtype, -std::numeric_limits<double>::infinity())
                          : loops::Expr(std::numeric_limits<std::int64_t>::min());
  }
  static loops::Expr combine(loops::Expr a, loops::Expr b) { return loops::maximum(std::move(a), std::move(b)); }

  /// Equal shares of the elements that attain the maximum, in the operand's shape.
  static Value shares(Builder& b, const ir::Operation& op) {
    const Value x = op.operand(0);
    const auto dims = op.at("dims").as_ints();
    const auto kept = kept_dims(x.rank(), dims);
    const Value attains = compare(b, x, broadcast(b, op.result(), x.shape(), kept), "eq");
    const Value mask = select(b, attains, full_like(b, x, 1), full_like(b, x, 0));
    return div(b, mask, broadcast(b, reduce_sum(b, mask, dims), x.shape(), kept));
  }
  static std::vector<Value> vjp(const ir::VjpArgs& args) {
    Builder& b = args.builder;
    const Value x = args.op.operand(0);
    const auto kept = kept_dims(x.rank(), args.op.at("dims").as_ints());
    return {mul(b, broadcast(b, args.cotangents[0], x.shape(), kept), shares(b, args.op))};
  }
  static std::vector<Lanes> jet(const ir::JetArgs& args) {
    Builder& b = args.builder;
    Value weights;
    return {map_linear(args.set, args.operands[0], args.op.result(), [&](Value lane) {
      if (!weights) weights = shares(b, args.op);
      return reduce_sum(b, mul(b, weights, lane), args.op.at("dims").as_ints());
    })};
  }
};

/// The product. Its derivatives halve the reduced elements again and again, so that they are products of the other
/// elements, never quotients: right at zeros, for any order.
struct ReduceProd : Reduction<ReduceProd> {
  static constexpr std::string_view name = "prim.reduce_prod";
  static constexpr ir::Trait traits = ir::Trait::pure;

  template <typename T>
  static T start() {
    return T(1);
  }
  template <typename T>
  static T fold(T total, T x) {
    if constexpr (std::is_same_v<T, std::int64_t>) {
      return static_cast<T>(static_cast<std::uint64_t>(total) * static_cast<std::uint64_t>(x));
    } else {
      return total * x;
    }
  }
  static loops::Expr identity(DType dtype) { return loops::constant(dtype, 1); }
  static loops::Expr combine(loops::Expr a, loops::Expr b) { return a * b; }

  /// The operand with its reduced dims as one last dim.
  struct Flat {
    explicit Flat(Builder& b, const ir::Operation& op) {
      const Value x = op.operand(0);
      const auto dims = op.at("dims").as_ints();
      permutation = kept_dims(x.rank(), dims);
      permutation.insert(permutation.end(), dims.begin(), dims.end());
      for (const std::int64_t dim : permutation) moved.push_back(x.shape()[static_cast<std::size_t>(dim)]);
      shape = op.result().shape();
      const Dim count = n_elements(extents(op));
      if (!count.is_constant()) {
        throw UserError(b.location(), fmt::format("{}: derivatives need constant sizes of the reduced dims", name),
                        fmt::format("they multiply to {}", count.str()));
      }
      n = count.constant();
      shape.push_back(count);
    }
    Value apply(Builder& b, Value x) const { return reshape(b, transpose(b, x, permutation), shape); }
    Value undo(Builder& b, Value x) const {
      std::vector<std::int64_t> inverse(permutation.size());
      for (std::size_t i = 0; i < inverse.size(); ++i) {
        inverse[static_cast<std::size_t>(permutation[i])] = static_cast<std::int64_t>(i);
      }
      return transpose(b, reshape(b, x, moved), inverse);
    }

    std::vector<std::int64_t> permutation;
    Shape moved, shape;
    std::int64_t n;
  };

  static Value drop_last(Builder& b, Value x) { return reshape(b, x, {x.shape().begin(), x.shape().end() - 1}); }
  static std::int64_t last_extent(Value x) { return x.shape().back().constant(); }
  static Value part(Builder& b, Value x, std::int64_t start, std::int64_t limit) {
    return slice_dim(b, x, x.rank() - 1, start, limit);
  }

  /// The cotangent of x [..., n] for g [...] that of its product over the last dim.
  static Value cotangent(Builder& b, Value x, Value g) {
    const std::int64_t n = last_extent(x), half = n / 2;
    const std::size_t last = x.rank() - 1;
    if (n == 0) return full_like(b, x, 0);
    if (n == 1) return reshape(b, g, x.shape());
    const Value first = part(b, x, 0, half), second = part(b, x, half, 2 * half);
    const Value both = mul(b, first, second);
    std::vector<Value> parts;
    Value inner = g;
    if (n % 2) {
      const Value rest = part(b, x, n - 1, n);
      const Value others = reduce_prod(b, both, {static_cast<std::int64_t>(last)});
      parts.push_back(reshape(b, mul(b, g, conj(b, others)), rest.shape()));
      inner = mul(b, g, conj(b, drop_last(b, rest)));
    }
    inner = cotangent(b, both, inner);
    parts.insert(parts.begin(), {mul(b, inner, conj(b, second)), mul(b, inner, conj(b, first))});
    return concat(b, parts, last);
  }
  static std::vector<Value> vjp(const ir::VjpArgs& args) {
    Builder& b = args.builder;
    const Flat flat(b, args.op);
    return {flat.undo(b, cotangent(b, flat.apply(b, args.op.operand(0)), args.cotangents[0]))};
  }

  /// Lanes of the product over the last dim of x.
  static Lanes lanes(Builder& b, const IndexSet& set, const Lanes& x) {
    const auto map = [&](const Lanes& of, const auto& f) { return map_linear(set, of, f(of[0]), f); };
    const std::int64_t n = last_extent(x[0]), half = n / 2;
    if (n == 1) return map(x, [&](Value lane) { return drop_last(b, lane); });
    const auto cut = [&](std::int64_t start, std::int64_t limit) {
      return map(x, [&](Value lane) { return part(b, lane, start, limit); });
    };
    const auto times = [&](const Lanes& u, const Lanes& v) { return multiply(b, set, u, v, mul(b, u[0], v[0])); };
    const Lanes product = lanes(b, set, times(cut(0, half), cut(half, 2 * half)));
    if (n % 2 == 0) return product;
    return times(product, map(cut(n - 1, n), [&](Value lane) { return drop_last(b, lane); }));
  }
  static std::vector<Lanes> jet(const ir::JetArgs& args) {
    Builder& b = args.builder;
    const Flat flat(b, args.op);
    Lanes v(args.set.size());
    if (flat.n > 0) {
      const auto flatten = [&](Value lane) { return flat.apply(b, lane); };
      const Lanes& x = args.operands[0];
      v = lanes(b, args.set, map_linear(args.set, x, flatten(x[0]), flatten));
    }
    v[0] = args.op.result();
    return {v};
  }
};

}  // namespace

void register_reduction(ir::Context& context) {
  register_op<ReduceSum>(context);
  register_op<ReduceMax>(context);
  register_op<ReduceProd>(context);
}

Value reduce_sum(Builder& b, Value x, std::vector<std::int64_t> dims) {
  if (dims.empty()) return x;
  return b.op(ReduceSum::name, {x}, {{"dims", ir::Attribute::ints(dims)}});
}
Value reduce_max(Builder& b, Value x, std::vector<std::int64_t> dims) {
  if (dims.empty()) return x;
  return b.op(ReduceMax::name, {x}, {{"dims", ir::Attribute::ints(dims)}});
}
Value reduce_prod(Builder& b, Value x, std::vector<std::int64_t> dims) {
  if (dims.empty()) return x;
  return b.op(ReduceProd::name, {x}, {{"dims", ir::Attribute::ints(dims)}});
}

}  // namespace eddy::ops
