/// cast, stop_gradient, real, imag, complex, conj.

#include <limits>

#include "framework/ops/dialects.h"
#include "framework/ops/elementwise.h"

namespace eddy::ops {

namespace {

std::vector<loops::Expr> index_of(const loops::PointArgs& args) { return {args.index.begin(), args.index.end()}; }

DType part_of(DType dtype) { return dtype == DType::c64 ? DType::f32 : DType::f64; }

/// {dtype = "f32"}: rounds to nearest; to integers towards zero, saturating, NaN becomes 0; to booleans "is not 0".
/// Complex numbers convert to complex numbers only.
struct Cast : Elementwise {
  static constexpr std::string_view name = "prim.cast";
  static constexpr ir::Trait traits = ir::Trait::pure | ir::Trait::elementwise | ir::Trait::linear;

  static std::vector<ir::Type> infer(const ir::InferArgs& args) {
    args.expect_operands(1);
    const ir::Attribute attribute = args.at("dtype");
    const auto dtype = attribute.kind() == ir::Attribute::Kind::string ? dtype_from_name(attribute.as_string())
                                                                       : std::optional<DType>();
    if (!dtype) args.fail("the attribute 'dtype' must name a dtype");
    if (is_complex(args.operands[0].dtype()) && !is_complex(*dtype)) {
      args.fail("a complex number has no value of that dtype: take its real or imaginary part");
    }
    return {args.operands[0].with_dtype(*dtype)};
  }
  static void run(const KernelArgs& args) {
    const Array converted = args.operands[0].cast(args.results[0].dtype());
    visit_dtype(converted.dtype(), [&](auto zero) {
      using T = decltype(zero);
      const auto value = converted.data<T>();
      for_each_element<T>(args, [&](std::size_t i) { return value[i]; });
    });
  }
  static loops::Expr point(const loops::PointArgs& args) {
    const loops::Expr u = args.operand(0, index_of(args));
    const DType from = u.dtype(), to = args.op.result().dtype();
    const auto number = [&](double value) { return loops::constant(from, value); };
    const auto below = [](loops::Expr x, loops::Expr y) { return loops::compare(loops::ExprKind::lt, x, y); };
    if (to == DType::boolean && from != to) return loops::compare(loops::ExprKind::ne, u, number(0));
    if (to != DType::i64 || !is_real(from)) return loops::cast(to, u);
    using Limits = std::numeric_limits<std::int64_t>;
    // Outside the range the conversion itself is undefined in C: it is taken of a harmless number there.
    const loops::Expr is_low = below(u, number(-0x1p63)), is_inside = below(u, number(0x1p63));
    const loops::Expr harmless = loops::select(loops::logical_and(loops::logical_not(is_low), is_inside), u, number(0));
    const loops::Expr is_nan = loops::compare(loops::ExprKind::ne, u, u);
    return loops::select(
        is_low, loops::Expr(Limits::min()),
        loops::select(loops::logical_or(is_inside, is_nan), loops::cast(to, harmless), loops::Expr(Limits::max())));
  }
  static std::vector<Value> vjp(const ir::VjpArgs& args) {
    const DType from = args.op.operand(0).dtype(), to = args.op.result().dtype();
    if (!is_inexact(from) || !is_inexact(to)) return {Value()};
    Builder& b = args.builder;
    const Value g = args.cotangents[0];
    return {cast(b, is_real(from) && is_complex(to) ? real(b, g) : g, from)};
  }
  static std::vector<Lanes> jet(const ir::JetArgs& args) {
    const DType from = args.op.operand(0).dtype(), to = args.op.result().dtype();
    Lanes v(args.set.size());
    v[0] = args.op.result();
    if (!is_inexact(from) || !is_inexact(to)) return {v};
    return {map_linear(args.set, args.operands[0], v[0], [&](Value lane) { return cast(args.builder, lane, to); })};
  }
};

/// The operand; no derivative passes.
struct StopGradient : Elementwise {
  static constexpr std::string_view name = "prim.stop_gradient";
  static constexpr ir::Trait traits = ir::Trait::pure | ir::Trait::elementwise | ir::Trait::zero_derivative;

  static std::vector<ir::Type> infer(const ir::InferArgs& args) {
    args.expect_operands(1);
    return Elementwise::infer(args);
  }
  static void run(const KernelArgs& args) {
    visit_dtype(args.results[0].dtype(), [&](auto zero) {
      using T = decltype(zero);
      const auto u = args.operands[0].data<T>();
      for_each_element<T>(args, [&](std::size_t i) { return u[i]; });
    });
  }
  static loops::Expr point(const loops::PointArgs& args) { return args.operand(0, index_of(args)); }
};

// Complex numbers: their types and derivatives are known here; kernels and lowerings come with the operators that need
// them, so that running a program with one names it as missing.

/// A part of a complex tensor. `Op` adds embed(b, g), the adjoint.
template <typename Op>
struct Part : Elementwise {
  static constexpr ir::Trait traits = ir::Trait::pure | ir::Trait::elementwise | ir::Trait::linear;

  static std::vector<ir::Type> infer(const ir::InferArgs& args) {
    args.expect_operands(1);
    if (!is_complex(args.operands[0].dtype())) args.fail("the operand must be complex");
    return {args.operands[0].with_dtype(part_of(args.operands[0].dtype()))};
  }
  static std::vector<Value> vjp(const ir::VjpArgs& args) { return {Op::embed(args.builder, args.cotangents[0])}; }
  static std::vector<Lanes> jet(const ir::JetArgs& args) {
    return {map_linear(args.set, args.operands[0], args.op.result(),
                       [&](Value lane) { return args.builder.op(Op::name, {lane}); })};
  }
};

struct Real : Part<Real> {
  static constexpr std::string_view name = "prim.real";
  static Value embed(Builder& b, Value g) { return complex(b, g, full_like(b, g, 0)); }
};

struct Imag : Part<Imag> {
  static constexpr std::string_view name = "prim.imag";
  static Value embed(Builder& b, Value g) { return complex(b, full_like(b, g, 0), g); }
};

/// complex(re, im) = re + i im.
struct Complex : Elementwise {
  static constexpr std::string_view name = "prim.complex";
  static constexpr ir::Trait traits = ir::Trait::pure | ir::Trait::elementwise | ir::Trait::linear;

  static std::vector<ir::Type> infer(const ir::InferArgs& args) {
    args.expect_operands(2);
    if (!is_real(args.operands[0].dtype())) args.fail("the operands must be real floating-point tensors");
    Elementwise::infer(args);
    return {args.operands[0].with_dtype(args.operands[0].dtype() == DType::f32 ? DType::c64 : DType::c128)};
  }
  static std::vector<Value> vjp(const ir::VjpArgs& args) {
    const Value g = args.cotangents[0];
    return {args.needed[0] ? real(args.builder, g) : Value(), args.needed[1] ? imag(args.builder, g) : Value()};
  }
  static std::vector<Lanes> jet(const ir::JetArgs& args) {
    Builder& b = args.builder;
    Lanes v(args.set.size());
    v[0] = args.op.result();
    for (std::size_t k = 1; k < v.size(); ++k) {
      const Value x = args.operands[0][k], y = args.operands[1][k];
      if (!x && !y) continue;
      const Value zero = x && y ? Value() : full_like(b, x ? x : y, 0);
      v[k] = complex(b, x ? x : zero, y ? y : zero);
    }
    return {v};
  }
};

struct Conj : Elementwise {
  static constexpr std::string_view name = "prim.conj";
  static constexpr ir::Trait traits = ir::Trait::pure | ir::Trait::elementwise | ir::Trait::linear;

  static std::vector<ir::Type> infer(const ir::InferArgs& args) {
    args.expect_operands(1);
    if (!is_complex(args.operands[0].dtype())) args.fail("the operand must be complex");
    return Elementwise::infer(args);
  }
  static std::vector<Value> vjp(const ir::VjpArgs& args) { return {conj(args.builder, args.cotangents[0])}; }
  static std::vector<Lanes> jet(const ir::JetArgs& args) {
    return {
        map_linear(args.set, args.operands[0], args.op.result(), [&](Value lane) { return conj(args.builder, lane); })};
  }
};

}  // namespace

void register_conversions(ir::Context& context) {
  register_op<Cast>(context);
  register_op<StopGradient>(context);
  register_op<Real>(context);
  register_op<Imag>(context);
  register_op<Complex>(context);
  register_op<Conj>(context);
}

Value cast(Builder& b, Value x, DType dtype) {
  if (x.dtype() == dtype) return x;
  return b.op(Cast::name, {x}, {{"dtype", ir::Attribute::string(std::string(name(dtype)))}});
}
Value stop_gradient(Builder& b, Value x) { return b.op(StopGradient::name, {x}); }
Value real(Builder& b, Value x) { return is_complex(x.dtype()) ? b.op(Real::name, {x}) : x; }
Value imag(Builder& b, Value x) { return is_complex(x.dtype()) ? b.op(Imag::name, {x}) : full_like(b, x, 0); }
Value complex(Builder& b, Value re, Value im) { return b.op(Complex::name, {re, im}); }
Value conj(Builder& b, Value x) { return is_complex(x.dtype()) ? b.op(Conj::name, {x}) : x; }

}  // namespace eddy::ops
