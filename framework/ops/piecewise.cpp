/// abs, sign, floor, max, min, compare, and, or, not, select, is_finite.

#include <cmath>

#include "framework/ops/dialects.h"
#include "framework/ops/elementwise.h"

namespace eddy::ops {

namespace {

constexpr ir::Trait kElementwise = ir::Trait::pure | ir::Trait::elementwise;
constexpr ir::Trait kPiecewiseConstant = kElementwise | ir::Trait::zero_derivative;

std::vector<loops::Expr> index_of(const loops::PointArgs& args) { return {args.index.begin(), args.index.end()}; }

/// A function of one real or integer operand. `Op` adds eval<T>(u) and expression(u).
template <typename Op>
struct RealUnary : Elementwise {
  static std::vector<ir::Type> infer(const ir::InferArgs& args) {
    args.expect_operands(1);
    const DType dtype = args.operands[0].dtype();
    if (!is_real(dtype) && dtype != DType::i64) args.fail("the operand must be a real or integer tensor");
    return Elementwise::infer(args);
  }
  static void run(const KernelArgs& args) {
    visit_dtype(args.results[0].dtype(), [&](auto zero) {
      using T = decltype(zero);
      if constexpr (std::is_arithmetic_v<T> && !std::is_same_v<T, bool>) {
        const auto u = args.operands[0].data<T>();
        for_each_element<T>(args, [&](std::size_t i) { return Op::template eval<T>(u[i]); });
      }
    });
  }
  static loops::Expr point(const loops::PointArgs& args) { return Op::expression(args.operand(0, index_of(args))); }
};

/// |u|; the derivative is sign(u), 0 at 0. The most negative integer stays as it is.
struct Abs : RealUnary<Abs> {
  static constexpr std::string_view name = "prim.abs";
  static constexpr ir::Trait traits = kElementwise;
  template <typename T>
  static T eval(T u) {
    if constexpr (std::is_integral_v<T>) {
      return u < 0 ? static_cast<T>(-static_cast<std::uint64_t>(u)) : u;
    } else {
      return std::abs(u);
    }
  }
  static loops::Expr expression(loops::Expr u) {
    if (u.dtype() != DType::i64) return loops::call("abs", {u});
    return loops::select(loops::compare(loops::ExprKind::lt, u, 0), -u, u);
  }
  static std::vector<Value> vjp(const ir::VjpArgs& args) {
    return {mul(args.builder, args.cotangents[0], sign(args.builder, args.op.operand(0)))};
  }
  static std::vector<Lanes> jet(const ir::JetArgs& args) {
    const Value slope = sign(args.builder, args.operands[0][0]);
    return {map_linear(args.set, args.operands[0], args.op.result(),
                       [&](Value lane) { return mul(args.builder, slope, lane); })};
  }
};

/// -1, 1, and u itself where it is a zero or NaN.
struct Sign : RealUnary<Sign> {
  static constexpr std::string_view name = "prim.sign";
  static constexpr ir::Trait traits = kPiecewiseConstant;
  template <typename T>
  static T eval(T u) {
    return u > 0 ? T(1) : u < 0 ? T(-1) : u;
  }
  static loops::Expr expression(loops::Expr u) {
    const auto number = [&](double value) { return loops::constant(u.dtype(), value); };
    return loops::select(loops::compare(loops::ExprKind::lt, number(0), u), number(1),
                         loops::select(loops::compare(loops::ExprKind::lt, u, number(0)), number(-1), u));
  }
};

/// The largest whole number that is not above u.
struct Floor : RealUnary<Floor> {
  static constexpr std::string_view name = "prim.floor";
  static constexpr ir::Trait traits = kPiecewiseConstant;
  template <typename T>
  static T eval(T u) {
    if constexpr (std::is_integral_v<T>) {
      return u;
    } else {
      return std::floor(u);
    }
  }
  static loops::Expr expression(loops::Expr u) { return u.dtype() == DType::i64 ? u : loops::call("floor", {u}); }
};

/// max and min: a NaN on either side is handed on; of two equal numbers (-0 and 0 too) the second is taken. The
/// derivative belongs to the operand that is taken; where both are equal, each gets one half.
template <typename Op>
struct Extremum : Binary<Op> {
  static constexpr ir::Trait traits = kElementwise;

  static std::vector<ir::Type> infer(const ir::InferArgs& args) {
    args.expect_operands(2);
    const DType dtype = args.operands[0].dtype();
    if (!is_real(dtype) && dtype != DType::i64) args.fail("the operands must be real or integer tensors");
    return Elementwise::infer(args);
  }
  static std::vector<Value> vjp(const ir::VjpArgs& args) {
    Builder& b = args.builder;
    const Value g = args.cotangents[0], w = weight(b, args.op.operand(0), args.op.operand(1));
    return {args.needed[0] ? mul(b, g, w) : Value(), args.needed[1] ? mul(b, g, rest_of(b, w)) : Value()};
  }
  static std::vector<Lanes> jet(const ir::JetArgs& args) {
    Builder& b = args.builder;
    const Value w = weight(b, args.operands[0][0], args.operands[1][0]), rest = rest_of(b, w);
    Lanes v(args.set.size());
    v[0] = args.op.result();
    for (std::size_t k = 1; k < v.size(); ++k) {
      v[k] = sum(b, std::vector{product(b, w, args.operands[0][k]), product(b, rest, args.operands[1][k])});
    }
    return {v};
  }

 private:
  /// Of the first operand: 1 where it is taken, one half where both are equal, else 0.
  static Value weight(Builder& b, Value x, Value y) {
    const Value first = select(b, compare(b, x, y, Op::kTaken), full_like(b, x, 1), full_like(b, x, 0));
    return select(b, compare(b, x, y, "eq"), full_like(b, x, 0.5), first);
  }
  static Value rest_of(Builder& b, Value w) { return sub(b, full_like(b, w, 1), w); }
};

struct Max : Extremum<Max> {
  static constexpr std::string_view name = "prim.max", kTaken = "gt";
  template <typename T>
  requires std::is_arithmetic_v<T>
  static T eval(T x, T y) { return x > y || x != x ? x : y; }
  static loops::Expr expression(loops::Expr x, loops::Expr y) { return loops::maximum(x, y); }
};

struct Min : Extremum<Min> {
  static constexpr std::string_view name = "prim.min", kTaken = "lt";
  template <typename T>
  requires std::is_arithmetic_v<T>
  static T eval(T x, T y) { return x < y || x != x ? x : y; }
  static loops::Expr expression(loops::Expr x, loops::Expr y) { return loops::minimum(x, y); }
};

/// {direction = "eq|ne|lt|le|gt|ge"}, as IEEE compares: with NaN only "ne" holds. Complex numbers and booleans have no
/// order.
struct Compare : Elementwise {
  static constexpr std::string_view name = "prim.compare";
  static constexpr ir::Trait traits = kPiecewiseConstant;

  static std::vector<ir::Type> infer(const ir::InferArgs& args) {
    args.expect_operands(2);
    Elementwise::infer(args);
    const ir::Attribute attribute = args.at("direction");
    const std::string direction =
        attribute.kind() == ir::Attribute::Kind::string ? attribute.as_string() : std::string();
    const bool is_equality = direction == "eq" || direction == "ne";
    if (!is_equality && direction != "lt" && direction != "le" && direction != "gt" && direction != "ge") {
      args.fail("the direction must be \"eq\", \"ne\", \"lt\", \"le\", \"gt\" or \"ge\"");
    }
    const DType dtype = args.operands[0].dtype();
    if (!is_equality && !is_real(dtype) && dtype != DType::i64) {
      args.fail(fmt::format("{} has no order", eddy::name(dtype)));
    }
    return {args.operands[0].with_dtype(DType::boolean)};
  }
  static void run(const KernelArgs& args) {
    const std::string& direction = args.op.at("direction").as_string();
    visit_dtype(args.operands[0].dtype(), [&](auto zero) {
      using T = decltype(zero);
      const auto x = args.operands[0].data<T>();
      const auto y = args.operands[1].data<T>();
      const auto fill = [&](auto holds) {
        for_each_element<bool>(args, [&](std::size_t i) { return holds(x[i], y[i]); });
      };
      if (direction == "eq") return fill([](T a, T b) { return a == b; });
      if (direction == "ne") return fill([](T a, T b) { return a != b; });
      if constexpr (std::is_arithmetic_v<T>) {
        if (direction == "lt") return fill([](T a, T b) { return a < b; });
        if (direction == "le") return fill([](T a, T b) { return a <= b; });
        if (direction == "gt") return fill([](T a, T b) { return a > b; });
        if (direction == "ge") return fill([](T a, T b) { return a >= b; });
      }
    });
  }
  static loops::Expr point(const loops::PointArgs& args) {
    const std::string& direction = args.op.at("direction").as_string();
    const loops::Expr x = args.operand(0, index_of(args)), y = args.operand(1, index_of(args));
    if (direction == "eq") return loops::compare(loops::ExprKind::eq, x, y);
    if (direction == "ne") return loops::compare(loops::ExprKind::ne, x, y);
    if (direction == "lt") return loops::compare(loops::ExprKind::lt, x, y);
    if (direction == "le") return loops::compare(loops::ExprKind::le, x, y);
    if (direction == "gt") return loops::compare(loops::ExprKind::lt, y, x);
    return loops::compare(loops::ExprKind::le, y, x);
  }
};

/// Logic of booleans. `Op` adds kOperands, eval(x, y) and expression(x, y); with one operand, y is x.
template <typename Op>
struct Logic : Elementwise {
  static std::vector<ir::Type> infer(const ir::InferArgs& args) {
    args.expect_operands(Op::kOperands);
    if (args.operands[0].dtype() != DType::boolean) args.fail("the operands must be booleans");
    return Elementwise::infer(args);
  }
  static void run(const KernelArgs& args) {
    const auto x = args.operands[0].data<bool>();
    const auto y = args.operands[Op::kOperands - 1].template data<bool>();
    for_each_element<bool>(args, [&](std::size_t i) { return Op::eval(x[i], y[i]); });
  }
  static loops::Expr point(const loops::PointArgs& args) {
    return Op::expression(args.operand(0, index_of(args)), args.operand(Op::kOperands - 1, index_of(args)));
  }
};

struct And : Logic<And> {
  static constexpr std::string_view name = "prim.and";
  static constexpr ir::Trait traits = kPiecewiseConstant | ir::Trait::commutative;
  static constexpr std::size_t kOperands = 2;
  static bool eval(bool x, bool y) { return x && y; }
  static loops::Expr expression(loops::Expr x, loops::Expr y) { return loops::logical_and(x, y); }
};

struct Or : Logic<Or> {
  static constexpr std::string_view name = "prim.or";
  static constexpr ir::Trait traits = kPiecewiseConstant | ir::Trait::commutative;
  static constexpr std::size_t kOperands = 2;
  static bool eval(bool x, bool y) { return x || y; }
  static loops::Expr expression(loops::Expr x, loops::Expr y) { return loops::logical_or(x, y); }
};

struct Not : Logic<Not> {
  static constexpr std::string_view name = "prim.not";
  static constexpr ir::Trait traits = kPiecewiseConstant;
  static constexpr std::size_t kOperands = 1;
  static bool eval(bool x, bool) { return !x; }
  static loops::Expr expression(loops::Expr x, loops::Expr) { return loops::logical_not(x); }
};

/// select(predicate, a, b): a where the predicate holds, else b. Derivatives pass to the one that is taken.
struct Select : Elementwise {
  static constexpr std::string_view name = "prim.select";
  static constexpr ir::Trait traits = kElementwise;

  static std::vector<ir::Type> infer(const ir::InferArgs& args) {
    args.expect_operands(3);
    if (args.operands[1] != args.operands[2]) args.fail("both branches must have one dtype and shape");
    if (args.operands[0] != args.operands[1].with_dtype(DType::boolean)) {
      args.fail("the predicate must be boolean and have the shape of the branches");
    }
    return {args.operands[1]};
  }
  static void run(const KernelArgs& args) {
    const auto predicate = args.operands[0].data<bool>();
    visit_dtype(args.results[0].dtype(), [&](auto zero) {
      using T = decltype(zero);
      const auto x = args.operands[1].data<T>();
      const auto y = args.operands[2].data<T>();
      for_each_element<T>(args, [&](std::size_t i) { return predicate[i] ? x[i] : y[i]; });
    });
  }
  static loops::Expr point(const loops::PointArgs& args) {
    const std::vector<loops::Expr> index = index_of(args);
    return loops::select(args.operand(0, index), args.operand(1, index), args.operand(2, index));
  }
  static std::vector<Value> vjp(const ir::VjpArgs& args) {
    Builder& b = args.builder;
    const Value predicate = args.op.operand(0), g = args.cotangents[0];
    return {Value(), args.needed[1] ? select(b, predicate, g, full_like(b, g, 0)) : Value(),
            args.needed[2] ? select(b, predicate, full_like(b, g, 0), g) : Value()};
  }
  static std::vector<Lanes> jet(const ir::JetArgs& args) {
    Builder& b = args.builder;
    Lanes v(args.set.size());
    v[0] = args.op.result();
    for (std::size_t k = 1; k < v.size(); ++k) {
      const Value x = args.operands[1][k], y = args.operands[2][k];
      if (!x && !y) continue;
      const Value zero = x && y ? Value() : full_like(b, v[0], 0);
      v[k] = select(b, args.operands[0][0], x ? x : zero, y ? y : zero);
    }
    return {v};
  }
};

/// Neither infinite nor NaN.
struct IsFinite : Elementwise {
  static constexpr std::string_view name = "prim.is_finite";
  static constexpr ir::Trait traits = kPiecewiseConstant;

  static std::vector<ir::Type> infer(const ir::InferArgs& args) {
    args.expect_operands(1);
    if (!is_real(args.operands[0].dtype())) args.fail("the operand must be a real floating-point tensor");
    return {args.operands[0].with_dtype(DType::boolean)};
  }
  static void run(const KernelArgs& args) {
    visit_dtype(args.operands[0].dtype(), [&](auto zero) {
      using T = decltype(zero);
      if constexpr (std::is_floating_point_v<T>) {
        const auto u = args.operands[0].data<T>();
        for_each_element<bool>(args, [&](std::size_t i) { return std::isfinite(u[i]); });
      }
    });
  }
  static loops::Expr point(const loops::PointArgs& args) {
    const loops::Expr u = args.operand(0, index_of(args));
    return loops::compare(loops::ExprKind::eq, u - u, loops::constant(u.dtype(), 0));  // inf - inf and NaN are no zeros
  }
};

}  // namespace

void register_piecewise(ir::Context& context) {
  register_op<Abs>(context);
  register_op<Sign>(context);
  register_op<Floor>(context);
  register_op<Max>(context);
  register_op<Min>(context);
  register_op<Compare>(context);
  register_op<And>(context);
  register_op<Or>(context);
  register_op<Not>(context);
  register_op<Select>(context);
  register_op<IsFinite>(context);
}

Value abs(Builder& b, Value x) { return b.op(Abs::name, {x}); }
Value sign(Builder& b, Value x) { return b.op(Sign::name, {x}); }
Value floor(Builder& b, Value x) { return b.op(Floor::name, {x}); }
Value max(Builder& b, Value x, Value y) { return b.op(Max::name, {x, y}); }
Value min(Builder& b, Value x, Value y) { return b.op(Min::name, {x, y}); }
Value compare(Builder& b, Value x, Value y, std::string_view direction) {
  return b.op(Compare::name, {x, y}, {{"direction", ir::Attribute::string(std::string(direction))}});
}
Value logical_and(Builder& b, Value x, Value y) { return b.op(And::name, {x, y}); }
Value logical_or(Builder& b, Value x, Value y) { return b.op(Or::name, {x, y}); }
Value logical_not(Builder& b, Value x) { return b.op(Not::name, {x}); }
Value select(Builder& b, Value predicate, Value x, Value y) { return b.op(Select::name, {predicate, x, y}); }
Value is_finite(Builder& b, Value x) { return b.op(IsFinite::name, {x}); }

}  // namespace eddy::ops
