/// slice, pad, concat: parts of tensors, and tensors of parts.

#include "framework/ops/dialects.h"
#include "framework/ops/linear.h"
#include "framework/ops/strided.h"

namespace eddy::ops {

namespace {

/// Number of elements start, start + stride, ... below limit, when it is a polynomial for all values of the symbols.
std::optional<Dim> slice_extent(Dim start, Dim limit, std::int64_t stride) {
  // ceil(d / s) is (d + r) / s for the one r in 0..s-1 that divides.
  const Dim length = limit - start;
  if (length.is_constant()) return Dim((length.constant() + stride - 1) / stride);
  for (std::int64_t rest = 0; rest < stride; ++rest) {
    if (const auto extent = (length + Dim(rest)).divide_exactly(Dim(stride))) return extent;
  }
  return std::nullopt;
}

/// Strides of a slice's or (plus one) interior of a pad's attribute, one per dim.
std::vector<std::int64_t> steps_of(const ir::InferArgs& args, std::string_view key, std::int64_t least) {
  const auto steps = args.at(key).as_ints();
  if (steps.size() != args.operands[0].rank()) args.fail(fmt::format("'{}' must have one entry per dim", key));
  for (const std::int64_t step : steps) {
    if (step < least) args.fail(fmt::format("'{}' must be at least {}", key, least));
  }
  return steps;
}

const Shape& sizes_of(const ir::InferArgs& args, std::string_view key) {
  const Shape& sizes = args.at(key).as_shape();
  if (sizes.size() != args.operands[0].rank()) args.fail(fmt::format("'{}' must have one entry per dim", key));
  return sizes;
}

struct Slice : LinearMap {
  static constexpr std::string_view name = "prim.slice";

  static std::vector<ir::SizeCondition> conditions(std::span<const ir::Type> operands,
                                                   const ir::AttributeMap& attributes) {
    const Shape& start = attributes.at("start").as_shape();
    const Shape& limit = attributes.at("limit").as_shape();
    std::vector<ir::SizeCondition> conditions;
    for (std::size_t i = 0; i < start.size(); ++i) {
      const Dim size = operands[0].dim(i);
      const std::string range =
          fmt::format("[{}, {}) of dim {}, whose size is {}", start[i].str(), limit[i].str(), i, size.str());
      conditions.push_back({start[i], range + ": the start is negative"});
      conditions.push_back({limit[i] - start[i], range + ": the limit is below the start"});
      conditions.push_back({size - limit[i], range + ": the limit is beyond the end"});
    }
    return conditions;
  }
  static std::vector<ir::Type> infer(const ir::InferArgs& args) {
    args.expect_operands(1);
    const Shape& start = sizes_of(args, "start");
    const Shape& limit = sizes_of(args, "limit");
    const auto stride = steps_of(args, "stride", 1);
    check_sizes(args, conditions(args.operands, args.attributes));
    Shape shape;
    for (std::size_t i = 0; i < start.size(); ++i) {
      const auto extent = slice_extent(start[i], limit[i], stride[i]);
      if (!extent) {
        args.fail(fmt::format("every {}th of {} elements is no polynomial in the sizes", stride[i],
                              (limit[i] - start[i]).str()));
      }
      shape.push_back(*extent);
    }
    return {ir::Type::tensor(args.operands[0].dtype(), std::move(shape))};
  }
  static ir::AxesMap axes(const ir::Operation& op) {
    std::vector<int> labels;
    for (std::size_t i = 0; i < op.result().rank(); ++i) {
      // A dim kept whole is the same axis.
      const bool whole = op.result().shape()[i] == op.operand(0).shape()[i];
      labels.push_back(whole ? static_cast<int>(i) : ir::AxesMap::kOpaque);
    }
    return {{labels}, {labels}};
  }
  static std::vector<Value> vjp(const ir::VjpArgs& args) {
    const Shape& size = args.op.operand(0).shape();
    const Shape& extent = args.op.result().shape();
    const Shape& start = args.op.at("start").as_shape();
    std::vector<std::int64_t> interior = args.op.at("stride").as_ints();
    Shape high;
    for (std::size_t i = 0; i < size.size(); ++i) {
      --interior[i];
      high.push_back(size[i] - start[i] - extent[i] - (extent[i] - Dim(1)) * Dim(interior[i]));
    }
    return {pad(args.builder, args.cotangents[0], start, high, interior)};
  }
  static loops::Expr point(const loops::PointArgs& args) {
    const Shape& start = args.op.at("start").as_shape();
    const auto stride = args.op.at("stride").as_ints();
    std::vector<loops::Expr> index;
    for (std::size_t i = 0; i < start.size(); ++i) {
      index.push_back(loops::size(start[i]) + args.index[i] * loops::Expr(stride[i]));
    }
    return args.operand(0, std::move(index));
  }
  static void run(const KernelArgs& args) {
    const auto start = evaluate(args.op.at("start").as_shape(), args.dims);
    const auto stride = args.op.at("stride").as_ints();
    Strided from = row_major(args.operands[0].shape());
    for (std::size_t i = 0; i < start.size(); ++i) {
      from.offset += start[i] * from.strides[i];
      from.strides[i] *= stride[i];
    }
    copy(args.results[0].shape(), args.operands[0], from, args.results[0], row_major(args.results[0].shape()));
  }
};

/// The extent of a padded dim is low + n + (n - 1) interior + high by this formula for n = 0 also, so that slices and
/// pads are adjoint for all sizes.
struct Pad : LinearMap {
  static constexpr std::string_view name = "prim.pad";

  static Dim extent_of(Dim size, Dim low, Dim high, std::int64_t interior) {
    return low + size + (size - Dim(1)) * Dim(interior) + high;
  }
  static std::vector<ir::SizeCondition> conditions(std::span<const ir::Type> operands,
                                                   const ir::AttributeMap& attributes) {
    const Shape& low = attributes.at("low").as_shape();
    const Shape& high = attributes.at("high").as_shape();
    const auto interior = attributes.at("interior").as_ints();
    std::vector<ir::SizeCondition> conditions;
    for (std::size_t i = 0; i < low.size(); ++i) {
      conditions.push_back({low[i], fmt::format("padding {} below dim {} is negative", low[i].str(), i)});
      conditions.push_back({high[i], fmt::format("padding {} above dim {} is negative", high[i].str(), i)});
      conditions.push_back({extent_of(operands[0].dim(i), low[i], high[i], interior[i]),
                            fmt::format("interior padding of the empty dim {} makes its size negative", i)});
    }
    return conditions;
  }
  static std::vector<ir::Type> infer(const ir::InferArgs& args) {
    args.expect_operands(1);
    const Shape& low = sizes_of(args, "low");
    const Shape& high = sizes_of(args, "high");
    const auto interior = steps_of(args, "interior", 0);
    check_sizes(args, conditions(args.operands, args.attributes));
    Shape shape;
    for (std::size_t i = 0; i < low.size(); ++i) {
      shape.push_back(extent_of(args.operands[0].dim(i), low[i], high[i], interior[i]));
    }
    return {ir::Type::tensor(args.operands[0].dtype(), std::move(shape))};
  }
  static ir::AxesMap axes(const ir::Operation& op) { return Slice::axes(op); }
  static std::vector<Value> vjp(const ir::VjpArgs& args) {
    const Shape& size = args.op.operand(0).shape();
    const Shape& low = args.op.at("low").as_shape();
    std::vector<std::int64_t> stride = args.op.at("interior").as_ints();
    Shape limit;
    for (std::size_t i = 0; i < size.size(); ++i) {
      limit.push_back(size[i] == Dim(0) ? low[i] : low[i] + size[i] + (size[i] - Dim(1)) * Dim(stride[i]));
      ++stride[i];
    }
    return {slice(args.builder, args.cotangents[0], low, limit, stride)};
  }
  static loops::Expr point(const loops::PointArgs& args) {
    const Shape& size = args.op.operand(0).shape();
    const Shape& low = args.op.at("low").as_shape();
    const Shape& high = args.op.at("high").as_shape();
    const auto interior = args.op.at("interior").as_ints();
    const loops::Expr zero = loops::constant(args.op.result().dtype(), 0);
    loops::Expr inside = loops::constant(DType::boolean, 1);
    std::vector<loops::Expr> index;
    for (std::size_t i = 0; i < size.size(); ++i) {
      if (size[i] == Dim(0)) return zero;
      if (low[i] == Dim(0) && high[i] == Dim(0) && interior[i] == 0) {
        index.push_back(args.index[i]);
        continue;
      }
      const loops::Expr position = args.index[i] - loops::size(low[i]);
      const loops::Expr step = interior[i] + 1;
      const loops::Expr own = loops::floor_div(position, step);
      if (interior[i] > 0) {
        inside = loops::logical_and(inside, loops::compare(loops::ExprKind::eq, loops::floor_mod(position, step), 0));
      }
      inside = loops::logical_and(inside, in_range(own, 0, loops::size(size[i])));
      index.push_back(clamp(own, 0, loops::size(size[i]) - 1));
    }
    return loops::select(inside, args.operand(0, std::move(index)), zero);
  }
  static void run(const KernelArgs& args) {
    const auto low = evaluate(args.op.at("low").as_shape(), args.dims);
    const auto interior = args.op.at("interior").as_ints();
    Strided to = row_major(args.results[0].shape());
    for (std::size_t i = 0; i < low.size(); ++i) {
      to.offset += low[i] * to.strides[i];
      to.strides[i] *= interior[i] + 1;
    }
    copy(args.operands[0].shape(), args.operands[0], row_major(args.operands[0].shape()), args.results[0], to);
  }
};

struct Concat {
  static constexpr std::string_view name = "prim.concat";
  static constexpr ir::Trait traits = ir::Trait::pure | ir::Trait::linear;

  static std::size_t dim_of(const ir::Operation& op) { return static_cast<std::size_t>(op.at("dim").as_int()); }

  static std::vector<ir::Type> infer(const ir::InferArgs& args) {
    if (args.operands.empty()) args.fail("at least one operand is needed");
    const ir::Type first = args.operands[0];
    const std::size_t dim = ops::dim_of(args, args.at("dim").as_int(), first.rank());
    Shape shape = first.shape();
    shape[dim] = 0;
    for (const ir::Type type : args.operands) {
      if (type.dtype() != first.dtype() || type.rank() != first.rank()) {
        args.fail("the operands must have one dtype and rank");
      }
      for (std::size_t i = 0; i < shape.size(); ++i) {
        if (i != dim && type.dim(i) != shape[i]) args.fail(fmt::format("the operands' sizes differ in dim {}", i));
      }
      shape[dim] = shape[dim] + type.dim(dim);
    }
    return {ir::Type::tensor(first.dtype(), std::move(shape))};
  }
  static ir::AxesMap axes(const ir::Operation& op) {
    std::vector<int> labels;
    for (std::size_t i = 0; i < op.result().rank(); ++i) {
      labels.push_back(i == dim_of(op) ? ir::AxesMap::kOpaque : static_cast<int>(i));
    }
    return {std::vector(op.n_operands(), labels), {labels}};
  }
  static std::vector<Value> vjp(const ir::VjpArgs& args) {
    const std::size_t dim = dim_of(args.op);
    std::vector<Value> result(args.op.n_operands());
    Dim start = 0;
    for (std::size_t i = 0; i < result.size(); ++i) {
      const Dim limit = start + args.op.operand(i).type().dim(dim);
      if (args.needed[i]) result[i] = slice_dim(args.builder, args.cotangents[0], dim, start, limit);
      start = limit;
    }
    return result;
  }
  static std::vector<Lanes> jet(const ir::JetArgs& args) {
    Lanes v(args.set.size());
    v[0] = args.op.result();
    for (std::size_t k = 1; k < v.size(); ++k) {
      std::vector<Value> parts;
      bool any = false;
      for (const Lanes& operand : args.operands) {
        parts.push_back(operand[k]);
        any |= static_cast<bool>(operand[k]);
      }
      if (!any) continue;
      for (std::size_t i = 0; i < parts.size(); ++i) {
        if (!parts[i]) parts[i] = full_like(args.builder, args.op.operand(i), 0);
      }
      v[k] = concat(args.builder, parts, dim_of(args.op));
    }
    return {v};
  }
  static loops::Expr point(const loops::PointArgs& args) {
    const std::size_t dim = dim_of(args.op);
    loops::Expr result;
    Dim start = args.op.result().type().dim(dim);
    // From the last part to the first: the first whose limit is above the index holds the element.
    for (std::size_t i = args.op.n_operands(); i-- > 0;) {
      const Dim size = args.op.operand(i).type().dim(dim);
      const loops::Expr limit = loops::size(start);
      start = start - size;
      if (size == Dim(0)) continue;
      std::vector<loops::Expr> index(args.index.begin(), args.index.end());
      index[dim] = clamp(args.index[dim] - loops::size(start), 0, loops::size(size) - 1);
      const loops::Expr part = args.operand(i, std::move(index));
      result = result ? loops::select(loops::compare(loops::ExprKind::lt, args.index[dim], limit), part, result) : part;
    }
    return result ? result : loops::constant(args.op.result().dtype(), 0);
  }
  static void run(const KernelArgs& args) {
    const std::size_t dim = dim_of(args.op);
    Strided to = row_major(args.results[0].shape());
    for (const Array& part : args.operands) {
      copy(part.shape(), part, row_major(part.shape()), args.results[0], to);
      to.offset += part.shape()[dim] * to.strides[dim];
    }
  }
};

}  // namespace

void register_slicing(ir::Context& context) {
  register_op<Slice>(context);
  register_op<Pad>(context);
  register_op<Concat>(context);
}

Value slice(Builder& b, Value x, Shape start, Shape limit, std::vector<std::int64_t> stride) {
  return b.op(Slice::name, {x},
              {{"start", ir::Attribute::shape(std::move(start))},
               {"limit", ir::Attribute::shape(std::move(limit))},
               {"stride", ir::Attribute::ints(stride)}});
}

Value slice_dim(Builder& b, Value x, std::size_t dim, Dim start, Dim limit) {
  EDDY_CHECK(dim < x.rank());
  if (start == Dim(0) && limit == x.shape()[dim]) return x;
  Shape starts(x.rank(), 0), limits = x.shape();
  starts[dim] = start;
  limits[dim] = limit;
  return slice(b, x, std::move(starts), std::move(limits), std::vector<std::int64_t>(x.rank(), 1));
}

Value pad(Builder& b, Value x, Shape low, Shape high, std::vector<std::int64_t> interior) {
  return b.op(Pad::name, {x},
              {{"low", ir::Attribute::shape(std::move(low))},
               {"high", ir::Attribute::shape(std::move(high))},
               {"interior", ir::Attribute::ints(interior)}});
}

Value concat(Builder& b, const std::vector<Value>& parts, std::size_t dim) {
  if (parts.size() == 1 && dim < parts[0].rank()) return parts[0];
  return b.op(Concat::name, parts, {{"dim", ir::Attribute::integer(static_cast<std::int64_t>(dim))}});
}

}  // namespace eddy::ops
