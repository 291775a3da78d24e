/// pow, powc (constant exponent), sqrt, rsqrt.

#include <cmath>

#include "framework/ops/dialects.h"
#include "framework/ops/elementwise.h"

namespace eddy::ops {

namespace {

/// u^n by squaring, n > 0; `times` multiplies.
template <typename T, typename F>
T power(T u, int n, const F& times) {
  if (n == 1) return u;
  const T half = power(u, n / 2, times);
  const T even = times(half, half);
  return n % 2 == 0 ? even : times(even, u);
}

/// Exponents whose powers are products: few enough factors to stay within 2 ulp.
bool is_small_integer(double r) { return r == std::floor(r) && std::abs(r) <= 4; }

/// pow(x, y) as in C; the base must be positive where y has a derivative. At x = 0 the derivative by y is taken as 0,
/// the limit for y > 0.
struct Pow : Binary<Pow> {
  static constexpr std::string_view name = "prim.pow";
  static constexpr ir::Trait traits = ir::Trait::pure | ir::Trait::elementwise;

  static std::vector<ir::Type> infer(const ir::InferArgs& args) {
    args.expect_operands(2);
    if (!is_real(args.operands[0].dtype())) args.fail("the operands must be real floating-point tensors");
    return Elementwise::infer(args);
  }
  template <typename T>
  requires std::is_floating_point_v<T>
  static T eval(T x, T y) { return std::pow(x, y); }
  static loops::Expr expression(loops::Expr x, loops::Expr y) { return loops::call("pow", {x, y}); }

  static std::vector<Value> vjp(const ir::VjpArgs& args) {
    Builder& b = args.builder;
    const Value x = args.op.operand(0), y = args.op.operand(1), v = args.op.result(), g = args.cotangents[0];
    return {args.needed[0] ? mul(b, g, slope(b, x, y)) : Value(),
            args.needed[1] ? mul(b, g, mul(b, v, log_of_base(b, x))) : Value()};
  }
  static std::vector<Lanes> jet(const ir::JetArgs& args) {
    Builder& b = args.builder;
    const Lanes& x = args.operands[0];
    const Lanes& y = args.operands[1];
    const Value v = args.op.result();
    bool constant_exponent = true;
    for (std::size_t k = 1; k < y.size(); ++k) constant_exponent &= !y[k];
    if (constant_exponent) {
      return {power_lanes(b, args.set, x, v, slope(b, x[0], y[0]), [&](Value lane, double p, double q) {
        return mul(b, lane, p == 0 ? full_like(b, lane, q) : shift(b, scale(b, y[0], p), q));
      })};
    }
    const Lanes logarithm = log_lanes(b, args.set, x, log_of_base(b, x[0]));
    const Lanes exponent = multiply(b, args.set, y, logarithm, v);  // its first coefficient is not used
    return {exp_lanes(b, args.set, exponent, v)};
  }

 private:
  static Value slope(Builder& b, Value x, Value y) { return mul(b, y, pow(b, x, shift(b, y, -1))); }
  static Value log_of_base(Builder& b, Value x) {
    const Value is_zero = compare(b, x, full_like(b, x, 0), "eq");
    return log(b, select(b, is_zero, full_like(b, x, 1), x));
  }
};

/// u^r, {exponent = r}, r rounded to u's dtype. Integers |r| <= 4 are products; others as C's pow.
struct Powc : Elementwise {
  static constexpr std::string_view name = "prim.powc";
  static constexpr ir::Trait traits = ir::Trait::pure | ir::Trait::elementwise;

  static std::vector<ir::Type> infer(const ir::InferArgs& args) {
    args.expect_operands(1);
    if (!is_inexact(args.operands[0].dtype())) args.fail("the operand must be a floating-point tensor");
    if (args.at("exponent").kind() != ir::Attribute::Kind::floating) args.fail("the exponent must be a float");
    return Elementwise::infer(args);
  }
  static void run(const KernelArgs& args) {
    const double r = exponent_of(args.op);
    visit_dtype(args.results[0].dtype(), [&](auto zero) {
      using T = decltype(zero);
      if constexpr (std::is_floating_point_v<T>) {
        const auto u = args.operands[0].data<T>();
        for_each_element<T>(args, [&](std::size_t i) { return eval(u[i], r); });
      } else {
        no_kernel(args);
      }
    });
  }
  static loops::Expr point(const loops::PointArgs& args) {
    const double r = exponent_of(args.op);
    const DType dtype = args.op.result().dtype();
    if (r == 0) return loops::constant(dtype, 1);
    const loops::Expr u = args.operand(0, {args.index.begin(), args.index.end()});
    if (!is_small_integer(r)) return loops::call("pow", {u, loops::constant(dtype, r)});
    const loops::Expr positive = power(u, static_cast<int>(std::abs(r)), [](auto x, auto y) { return x * y; });
    return r > 0 ? positive : loops::constant(dtype, 1) / positive;
  }
  static std::vector<Value> vjp(const ir::VjpArgs& args) {
    Builder& b = args.builder;
    const double r = exponent_of(args.op);
    if (r == 0) return {Value()};
    return {mul(b, args.cotangents[0], conj(b, slope(b, args.op.operand(0), r)))};
  }
  static std::vector<Lanes> jet(const ir::JetArgs& args) {
    Builder& b = args.builder;
    const double r = exponent_of(args.op);
    const Lanes& u = args.operands[0];
    Lanes v(args.set.size());
    v[0] = args.op.result();
    if (r == 0) return {v};
    if (r > 0 && r == std::floor(r) && r < 1024) {
      // Products are safe at 0, where the recurrence divides by u.
      v = power(u, static_cast<int>(r), [&](const Lanes& x, const Lanes& y) {
        return multiply(b, args.set, x, &x == &y ? x : y, mul(b, x[0], y[0]));
      });
      v[0] = args.op.result();
      return {v};
    }
    return {power_lanes(b, args.set, u, v[0], slope(b, u[0], r),
                        [&](Value x, double p, double q) { return scale(b, x, p * r + q); })};
  }

 private:
  static double exponent_of(const ir::Operation& op) { return op.at("exponent").as_float(); }
  static Value slope(Builder& b, Value u, double r) { return scale(b, powc(b, u, r - 1), r); }
  template <typename T>
  static T eval(T u, double r) {
    if (r == 0) return T(1);
    if (!is_small_integer(r)) return std::pow(u, static_cast<T>(r));
    const T positive = power(u, static_cast<int>(std::abs(r)), [](T x, T y) { return x * y; });
    return r > 0 ? positive : T(1) / positive;
  }
};

/// sqrt: 1/f' = 2 v.
struct Sqrt : Unary<Sqrt> {
  static constexpr std::string_view name = "prim.sqrt";
  template <typename T>
  static T eval(T u) {
    return std::sqrt(u);
  }
  static Value divisor(Builder& b, Value, Value v) { return scale(b, v, 2); }
  static Lanes lanes(Builder& b, const IndexSet& set, const Lanes& u, Value v0) { return sqrt_lanes(b, set, u, v0); }
};

/// u^(-1/2): f' = -v^3/2.
struct Rsqrt : Unary<Rsqrt> {
  static constexpr std::string_view name = "prim.rsqrt";
  template <typename T>
  static T eval(T u) {
    return T(1) / std::sqrt(u);
  }
  static Value factor(Builder& b, Value, Value v) { return scale(b, mul(b, v, mul(b, v, v)), -0.5); }
  static Lanes lanes(Builder& b, const IndexSet& set, const Lanes& u, Value v0) { return rsqrt_lanes(b, set, u, v0); }
};

}  // namespace

void register_powers(ir::Context& context) {
  register_op<Pow>(context);
  register_op<Powc>(context);
  register_op<Sqrt>(context);
  register_op<Rsqrt>(context);
}

Value pow(Builder& b, Value x, Value y) {
  const auto exponent = splat_value(y);
  return exponent ? powc(b, x, *exponent) : b.op(Pow::name, {x, y});
}
Value powc(Builder& b, Value x, double exponent) {
  if (exponent == 1) return x;
  if (exponent == 2) return square(b, x);
  return b.op(Powc::name, {x}, {{"exponent", ir::Attribute::floating(exponent)}});
}
Value sqrt(Builder& b, Value x) { return b.op(Sqrt::name, {x}); }
Value rsqrt(Builder& b, Value x) { return b.op(Rsqrt::name, {x}); }

}  // namespace eddy::ops
