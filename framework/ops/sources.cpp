/// constant and what is made of constants.

#include "framework/ops/dialects.h"
#include "framework/ops/elementwise.h"

namespace eddy::ops {

namespace {

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

}  // namespace

void register_sources(ir::Context& context) { register_op<Constant>(context); }

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

}  // namespace eddy::ops
