/// constant, size, iota, rng_uniform, rng_normal, and fills made of constants.

#include <cmath>

#include "framework/core/rng.h"
#include "framework/ops/dialects.h"
#include "framework/ops/elementwise.h"

namespace eddy::ops {

namespace {

/// The numeric dtype that the attribute 'dtype' names.
DType dtype_at(const ir::InferArgs& args) {
  const ir::Attribute attribute = args.at("dtype");
  const auto dtype =
      attribute.kind() == ir::Attribute::Kind::string ? dtype_from_name(attribute.as_string()) : std::optional<DType>();
  if (!dtype || (!is_real(*dtype) && dtype != DType::i64)) args.fail("the attribute 'dtype' must be f32, f64 or i64");
  return *dtype;
}

const Shape& shape_at(const ir::InferArgs& args, std::string_view key) {
  const ir::Attribute attribute = args.at(key);
  if (attribute.kind() != ir::Attribute::Kind::shape) args.fail(fmt::format("the attribute '{}' must be a shape", key));
  return attribute.as_shape();
}

/// Data known at compile time: {value = dense}.
struct Constant {
  static constexpr std::string_view name = "prim.constant";
  static constexpr ir::Trait traits = ir::Trait::pure | ir::Trait::constant | ir::Trait::zero_derivative;

  static std::vector<ir::Type> infer(const ir::InferArgs& args) {
    args.expect_operands(0);
    const ir::Attribute value = args.at("value");
    if (value.kind() != ir::Attribute::Kind::dense) args.fail("the attribute 'value' must be dense data");
    const Array& data = value.as_dense();
    return {ir::Type::tensor(data.dtype(), Shape(data.shape().begin(), data.shape().end()))};
  }
  static ir::AxesMap axes(const ir::Operation& op) {
    return {{}, {std::vector<int>(op.result().rank(), ir::AxesMap::kOpaque)}};
  }
  /// Of single numbers only: larger constants are buffers of the compiled program.
  static loops::Expr point(const loops::PointArgs& args) {
    const Array& data = args.op.at("value").as_dense();
    EDDY_CHECK(data.n_elements() == 1, "a constant of {} elements is loaded from a buffer", data.n_elements());
    if (data.dtype() == DType::i64) return loops::Expr(data.data<std::int64_t>()[0]);
    return loops::constant(data.dtype(), data.at(0));
  }
  static void run(const KernelArgs& args) {
    const Array& data = args.op.at("value").as_dense();
    visit_dtype(data.dtype(), [&](auto zero) {
      using T = decltype(zero);
      const auto value = data.data<T>();
      for_each_element<T>(args, [&](std::size_t i) { return value[i]; });
    });
  }
};

/// A size of the program as a number, {size = shape of one dim, dtype}: what a mean over a symbolic dim divides by.
struct Size {
  static constexpr std::string_view name = "prim.size";
  static constexpr ir::Trait traits = ir::Trait::pure | ir::Trait::zero_derivative;

  static std::vector<ir::Type> infer(const ir::InferArgs& args) {
    args.expect_operands(0);
    if (shape_at(args, "size").size() != 1) args.fail("the attribute 'size' must hold one size");
    return {ir::Type::tensor(dtype_at(args))};
  }
  static ir::AxesMap axes(const ir::Operation&) { return {{}, {{}}}; }
  static loops::Expr point(const loops::PointArgs& args) {
    return loops::cast(args.op.result().dtype(), loops::size(args.op.at("size").as_shape()[0]));
  }
  static void run(const KernelArgs& args) {
    const std::int64_t size = args.op.at("size").as_shape()[0].evaluate(args.dims);
    visit_dtype(args.results[0].dtype(), [&](auto zero) {
      using T = decltype(zero);
      if constexpr (std::is_arithmetic_v<T>) args.results[0].data<T>()[0] = static_cast<T>(size);
    });
  }
};

/// {shape, dim, dtype}: each element is its index along `dim`.
struct Iota {
  static constexpr std::string_view name = "prim.iota";
  static constexpr ir::Trait traits = ir::Trait::pure | ir::Trait::zero_derivative;

  static std::vector<ir::Type> infer(const ir::InferArgs& args) {
    args.expect_operands(0);
    const Shape& shape = shape_at(args, "shape");
    const ir::Attribute dim = args.at("dim");
    if (dim.kind() != ir::Attribute::Kind::integer || dim.as_int() < 0 || dim.as_int() >= std::ssize(shape)) {
      args.fail("the attribute 'dim' must be a dim of the shape");
    }
    return {ir::Type::tensor(dtype_at(args), shape)};
  }
  static ir::AxesMap axes(const ir::Operation& op) {
    ir::AxesMap map = Elementwise::axes(op);
    map.results[0][dim_of(op)] = ir::AxesMap::kOpaque;
    return map;
  }
  static loops::Expr point(const loops::PointArgs& args) {
    return loops::cast(args.op.result().dtype(), args.index[dim_of(args.op)]);
  }
  static void run(const KernelArgs& args) {
    const std::vector<std::int64_t>& shape = args.results[0].shape();
    const std::size_t dim = dim_of(args.op);
    std::size_t inner = 1;
    for (std::size_t d = dim + 1; d < shape.size(); ++d) inner *= static_cast<std::size_t>(shape[d]);
    visit_dtype(args.results[0].dtype(), [&](auto zero) {
      using T = decltype(zero);
      if constexpr (std::is_arithmetic_v<T>) {
        for_each_element<T>(
            args, [&](std::size_t i) { return static_cast<T>(i / inner % static_cast<std::size_t>(shape[dim])); });
      }
    });
  }

 private:
  static std::size_t dim_of(const ir::Operation& op) { return static_cast<std::size_t>(op.at("dim").as_int()); }
};

/// Random numbers by position, (counter: i64[]) {shape, dtype, seed, stream}: row-major element i is number counter + i
/// of the sequence Rng(seed, stream). `Op` adds number<T>(rng, index).
template <typename Op>
struct Random {
  static constexpr ir::Trait traits = ir::Trait::pure | ir::Trait::zero_derivative;

  static std::vector<ir::Type> infer(const ir::InferArgs& args) {
    args.expect_operands(1);
    if (args.operands[0] != ir::Type::tensor(DType::i64)) args.fail("the counter must be an integer scalar");
    for (const char* key : {"seed", "stream"}) {
      if (args.at(key).kind() != ir::Attribute::Kind::integer) args.fail(fmt::format("'{}' must be an integer", key));
    }
    const DType dtype = dtype_at(args);
    if (!is_real(dtype)) args.fail("random numbers are f32 or f64");
    return {ir::Type::tensor(dtype, shape_at(args, "shape"))};
  }
  static ir::AxesMap axes(const ir::Operation& op) {
    return {{{}}, {std::vector<int>(op.result().rank(), ir::AxesMap::kOpaque)}};
  }
  static void run(const KernelArgs& args) {
    const Rng rng(static_cast<std::uint64_t>(args.op.at("seed").as_int()),
                  static_cast<std::uint64_t>(args.op.at("stream").as_int()));
    const auto counter = static_cast<std::uint64_t>(args.operands[0].data<std::int64_t>()[0]);
    visit_dtype(args.results[0].dtype(), [&](auto zero) {
      using T = decltype(zero);
      if constexpr (std::is_floating_point_v<T>) {
        for_each_element<T>(args, [&](std::size_t i) { return Op::template number<T>(rng, counter + i); });
      }
    });
  }
};

/// Uniform in [0, 1); with 24 bits in f32, so that none rounds up to 1.
struct RngUniform : Random<RngUniform> {
  static constexpr std::string_view name = "prim.rng_uniform";
  template <typename T>
  static T number(const Rng& rng, std::uint64_t index) {
    const double u = rng.uniform(index);
    return std::is_same_v<T, float> ? static_cast<T>(std::floor(u * 0x1p24) * 0x1p-24) : static_cast<T>(u);
  }
};

/// Standard normal.
struct RngNormal : Random<RngNormal> {
  static constexpr std::string_view name = "prim.rng_normal";
  template <typename T>
  static T number(const Rng& rng, std::uint64_t index) {
    return static_cast<T>(rng.normal(index));
  }
};

}  // namespace

void register_sources(ir::Context& context) {
  register_op<Constant>(context);
  register_op<Size>(context);
  register_op<Iota>(context);
  register_op<RngUniform>(context);
  register_op<RngNormal>(context);
}

Value constant(Builder& b, const Array& value) {
  return b.op(Constant::name, {}, {{"value", ir::Attribute::dense(value)}});
}

Value scalar(Builder& b, DType dtype, double value) {
  Array array(dtype, {});
  visit_dtype(dtype, [&](auto zero) {
    using T = decltype(zero);
    if constexpr (std::is_same_v<T, bool>) {
      array.data<T>()[0] = value != 0;
    } else if constexpr (std::is_same_v<T, std::int64_t>) {
      array.data<T>()[0] = static_cast<T>(value);
      EDDY_CHECK(static_cast<double>(array.data<T>()[0]) == value, "{} is no integer", value);
    } else {
      array.data<T>()[0] = T(static_cast<decltype(std::abs(T{}))>(value));
    }
  });
  return constant(b, array);
}

Value full(Builder& b, ir::Type type, double value) {
  const Value number = scalar(b, type.dtype(), value);
  return type.rank() == 0 ? number : broadcast(b, number, type.shape(), {});
}

Value full_like(Builder& b, Value x, double value) { return full(b, x.type(), value); }

std::optional<double> splat_value(Value x) {
  const ir::Operation* op = x.defining_op();
  while (op && op->is("prim.broadcast")) op = op->operand(0).defining_op();
  if (!op || !op->is(Constant::name)) return std::nullopt;
  const Array& data = op->at("value").as_dense();
  if (data.n_elements() != 1) return std::nullopt;
  if (data.dtype() == DType::c64 && data.data<std::complex<float>>()[0].imag() != 0) return std::nullopt;
  if (data.dtype() == DType::c128 && data.data<std::complex<double>>()[0].imag() != 0) return std::nullopt;
  return data.at(0);
}

Value size(Builder& b, Dim dim, DType dtype) {
  if (dim.is_constant()) return scalar(b, dtype, static_cast<double>(dim.constant()));
  return b.op(Size::name, {},
              {{"size", ir::Attribute::shape({dim})}, {"dtype", ir::Attribute::string(std::string(name(dtype)))}});
}

Value iota(Builder& b, ir::Type type, std::size_t dim) {
  return b.op(Iota::name, {},
              {{"shape", ir::Attribute::shape(type.shape())},
               {"dim", ir::Attribute::integer(static_cast<std::int64_t>(dim))},
               {"dtype", ir::Attribute::string(std::string(name(type.dtype())))}});
}

namespace {
Value random(Builder& b, std::string_view op, Value counter, ir::Type type, std::uint64_t seed, std::uint64_t stream) {
  return b.op(op, {counter},
              {{"shape", ir::Attribute::shape(type.shape())},
               {"dtype", ir::Attribute::string(std::string(name(type.dtype())))},
               {"seed", ir::Attribute::integer(static_cast<std::int64_t>(seed))},
               {"stream", ir::Attribute::integer(static_cast<std::int64_t>(stream))}});
}
}  // namespace

Value rng_uniform(Builder& b, Value counter, ir::Type type, std::uint64_t seed, std::uint64_t stream) {
  return random(b, RngUniform::name, counter, type, seed, stream);
}
Value rng_normal(Builder& b, Value counter, ir::Type type, std::uint64_t seed, std::uint64_t stream) {
  return random(b, RngNormal::name, counter, type, seed, stream);
}

}  // namespace eddy::ops
