/// Composite operations along a dim: mean, softmax, logsumexp, normalizations, linear layers.

#include "framework/ops/dialects.h"
#include "framework/ops/emit.h"
#include "framework/ops/linear.h"
#include "framework/ops/registration.h"

namespace eddy::ops {

namespace {

constexpr ir::Trait kComposite = ir::Trait::pure | ir::Trait::composite;

/// A tensor without dim `dim` of `like`, repeated along it.
Value along(Builder& b, Value x, Value like, std::size_t dim) {
  std::vector<std::int64_t> dims;
  for (std::size_t d = 0; d < like.rank(); ++d) {
    if (d != dim) dims.push_back(static_cast<std::int64_t>(d));
  }
  return broadcast(b, x, like.shape(), dims);
}

std::size_t dim_at(const ir::InferArgs& args) {
  const ir::Attribute dim = args.at("dim");
  if (dim.kind() != ir::Attribute::Kind::integer) args.fail("'dim' must be an integer");
  return dim_of(args, dim.as_int(), args.operands[0].rank());
}

std::size_t dim_of_op(const ir::Operation& op) { return static_cast<std::size_t>(op.at("dim").as_int()); }

void expect_real(const ir::InferArgs& args) {
  for (const ir::Type type : args.operands) {
    if (!is_real(type.dtype()) || type.dtype() != args.operands[0].dtype()) {
      args.fail("the operands must be real floating-point tensors of one dtype");
    }
  }
}

/// The largest element along `dim`, without a derivative; 0 where that is infinite or NaN. What it is does not matter
/// to the result: exp(x - m) must not overflow.
Value shift_of(Builder& b, Value x, std::size_t dim) {
  const Value top = stop_gradient(b, reduce_max(b, x, {static_cast<std::int64_t>(dim)}));
  return select(b, is_finite(b, top), top, full_like(b, top, 0));
}

/// exp(x) over its sum along {dim}.
struct Softmax {
  static constexpr std::string_view name = "nn.softmax";
  static constexpr ir::Trait traits = kComposite;
  static std::vector<ir::Type> infer(const ir::InferArgs& args) {
    args.expect_operands(1);
    expect_real(args);
    dim_at(args);
    return {args.operands[0]};
  }
  static std::vector<Value> decompose(Builder& b, const ir::Operation& op) {
    const Value x = op.operand(0);
    const std::size_t dim = dim_of_op(op);
    const Value e = exp(b, sub(b, x, along(b, shift_of(b, x, dim), x, dim)));
    return {div(b, e, along(b, reduce_sum(b, e, {static_cast<std::int64_t>(dim)}), x, dim))};
  }
};

/// log of the sum of exp(x) along {dim}, which is dropped.
struct Logsumexp {
  static constexpr std::string_view name = "nn.logsumexp";
  static constexpr ir::Trait traits = kComposite;
  static std::vector<ir::Type> infer(const ir::InferArgs& args) {
    args.expect_operands(1);
    expect_real(args);
    Shape shape = args.operands[0].shape();
    shape.erase(shape.begin() + static_cast<std::ptrdiff_t>(dim_at(args)));
    return {args.operands[0].with_shape(std::move(shape))};
  }
  static std::vector<Value> decompose(Builder& b, const ir::Operation& op) {
    const Value x = op.operand(0);
    const std::size_t dim = dim_of_op(op);
    const Value m = shift_of(b, x, dim);
    const Value e = exp(b, sub(b, x, along(b, m, x, dim)));
    return {add(b, log(b, reduce_sum(b, e, {static_cast<std::int64_t>(dim)})), m)};
  }
};

/// A normalization of the last dim of x, with parameters of that dim's size and {epsilon}.
struct Normalization {
  static constexpr ir::Trait traits = kComposite;
  static std::vector<ir::Type> infer_with(const ir::InferArgs& args, std::size_t n_parameters) {
    args.expect_operands(1 + n_parameters);
    expect_real(args);
    if (args.operands[0].rank() == 0) args.fail("a scalar has no dim to normalize");
    for (const ir::Type parameter : args.operands.subspan(1)) {
      if (parameter.shape() != Shape{args.operands[0].shape().back()}) {
        args.fail("the parameters must have the size of the last dim");
      }
    }
    if (args.at("epsilon").kind() != ir::Attribute::Kind::floating) args.fail("'epsilon' must be a float");
    return {args.operands[0]};
  }
  /// x over the root of the mean of its squares, times `factor`.
  static Value scaled(Builder& b, Value x, Value factor, double epsilon) {
    const std::size_t last = x.rank() - 1;
    const Value power = mean(b, square(b, x), {static_cast<std::int64_t>(last)});
    const Value normalized = mul(b, x, along(b, rsqrt(b, shift(b, power, epsilon)), x, last));
    return mul(b, normalized, broadcast_to(b, factor, x.shape()));
  }
};

/// (x - mean) / sqrt(variance + epsilon) * scale + offset, variance over n (not n - 1).
struct LayerNorm : Normalization {
  static constexpr std::string_view name = "nn.layer_norm";
  static std::vector<ir::Type> infer(const ir::InferArgs& args) { return infer_with(args, 2); }
  static std::vector<Value> decompose(Builder& b, const ir::Operation& op) {
    const Value x = op.operand(0);
    const std::size_t last = x.rank() - 1;
    const Value centred = sub(b, x, along(b, mean(b, x, {static_cast<std::int64_t>(last)}), x, last));
    return {add(b, scaled(b, centred, op.operand(1), op.at("epsilon").as_float()),
                broadcast_to(b, op.operand(2), x.shape()))};
  }
};

/// x / sqrt(mean of x^2 + epsilon) * scale.
struct RmsNorm : Normalization {
  static constexpr std::string_view name = "nn.rms_norm";
  static std::vector<ir::Type> infer(const ir::InferArgs& args) { return infer_with(args, 1); }
  static std::vector<Value> decompose(Builder& b, const ir::Operation& op) {
    return {scaled(b, op.operand(0), op.operand(1), op.at("epsilon").as_float())};
  }
};

/// The weights [n_in, n_out] of a layer from directions V of that shape and lengths g [n_out]: W = g V/||V||, the norm
/// over each column, that is of each output's weights, as Modulus does it. A column of zeros gives NaN.
struct WeightNorm {
  static constexpr std::string_view name = "nn.weight_norm";
  static constexpr ir::Trait traits = kComposite;
  static std::vector<ir::Type> infer(const ir::InferArgs& args) {
    args.expect_operands(2);
    expect_real(args);
    const ir::Type v = args.operands[0], g = args.operands[1];
    if (v.rank() != 2 || g.shape() != Shape{v.dim(1)})
      args.fail("expected directions [n_in, n_out] and lengths [n_out]");
    return {v};
  }
  static std::vector<Value> decompose(Builder& b, const ir::Operation& op) {
    const Value v = op.operand(0), g = op.operand(1);
    const Value factor = mul(b, g, rsqrt(b, reduce_sum(b, square(b, v), {0})));
    return {mul(b, v, along(b, factor, v, 0))};
  }
};

/// x W, or x W + b: x [..., n_in], W [n_in, n_out], b [n_out].
struct Linear {
  static constexpr std::string_view name = "nn.linear";
  static constexpr ir::Trait traits = kComposite;
  static std::vector<ir::Type> infer(const ir::InferArgs& args) {
    if (args.operands.size() != 3) args.expect_operands(2);
    expect_real(args);
    const ir::Type x = args.operands[0], w = args.operands[1];
    if (x.rank() == 0 || w.rank() != 2 || x.shape().back() != w.dim(0)) {
      args.fail("expected x [..., n_in] and weights [n_in, n_out]");
    }
    if (args.operands.size() == 3 && args.operands[2].shape() != Shape{w.dim(1)}) args.fail("the bias must be [n_out]");
    Shape shape = x.shape();
    shape.back() = w.dim(1);
    return {x.with_shape(std::move(shape))};
  }
  static std::vector<Value> decompose(Builder& b, const ir::Operation& op) {
    const Value x = op.operand(0);
    const Value y = dot_general(b, x, op.operand(1), {{}, {}, {static_cast<std::int64_t>(x.rank()) - 1}, {0}});
    return {op.n_operands() == 3 ? add(b, y, broadcast_to(b, op.operand(2), y.shape())) : y};
  }
};

ir::AttributeMap dim_attribute(std::size_t dim) {
  return {{"dim", ir::Attribute::integer(static_cast<std::int64_t>(dim))}};
}

}  // namespace

void register_layers(ir::Context& context) {
  register_op<Softmax>(context);
  register_op<Logsumexp>(context);
  register_op<LayerNorm>(context);
  register_op<RmsNorm>(context);
  register_op<WeightNorm>(context);
  register_op<Linear>(context);
}

Value mean(Builder& b, Value x, std::vector<std::int64_t> dims) {
  Dim n = 1;
  for (const std::int64_t dim : dims) n = n * x.shape().at(static_cast<std::size_t>(dim));
  const Value total = reduce_sum(b, x, std::move(dims));
  const Value count = size(b, n, x.dtype());
  return div(b, total, total.rank() == 0 ? count : broadcast(b, count, total.shape(), {}));
}
Value softmax(Builder& b, Value x, std::size_t dim) { return b.op(Softmax::name, {x}, dim_attribute(dim)); }
Value logsumexp(Builder& b, Value x, std::size_t dim) { return b.op(Logsumexp::name, {x}, dim_attribute(dim)); }
Value layer_norm(Builder& b, Value x, Value factor, Value offset, double epsilon) {
  return b.op(LayerNorm::name, {x, factor, offset}, {{"epsilon", ir::Attribute::floating(epsilon)}});
}
Value rms_norm(Builder& b, Value x, Value factor, double epsilon) {
  return b.op(RmsNorm::name, {x, factor}, {{"epsilon", ir::Attribute::floating(epsilon)}});
}
Value weight_norm(Builder& b, Value directions, Value lengths) { return b.op(WeightNorm::name, {directions, lengths}); }
Value linear(Builder& b, Value x, Value weights, Value bias) {
  return bias ? b.op(Linear::name, {x, weights, bias}) : b.op(Linear::name, {x, weights});
}

}  // namespace eddy::ops
