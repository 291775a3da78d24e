/// add, sub, mul, div, neg: the field operations, elementwise.

#include "framework/ops/dialects.h"
#include "framework/ops/elementwise.h"

namespace eddy::ops {

namespace {

struct Add : Binary<Add> {
  static constexpr std::string_view name = "prim.add";
  static constexpr ir::Trait traits =
      ir::Trait::pure | ir::Trait::elementwise | ir::Trait::commutative | ir::Trait::linear;

  template <typename T>
  static T eval(T x, T y) {
    if constexpr (std::is_same_v<T, std::int64_t>) {
      return static_cast<T>(static_cast<std::uint64_t>(x) + static_cast<std::uint64_t>(y));  // integers wrap
    } else {
      return x + y;
    }
  }
  static loops::Expr expression(loops::Expr x, loops::Expr y) { return x + y; }
  static std::vector<Value> vjp(const ir::VjpArgs& args) { return {args.cotangents[0], args.cotangents[0]}; }
  static std::vector<Lanes> jet(const ir::JetArgs& args) {
    Lanes v(args.set.size());
    v[0] = args.op.result();
    for (std::size_t k = 1; k < v.size(); ++k) {
      v[k] = sum(args.builder, std::vector{args.operands[0][k], args.operands[1][k]});
    }
    return {v};
  }
};

struct Sub : Binary<Sub> {
  static constexpr std::string_view name = "prim.sub";
  static constexpr ir::Trait traits = ir::Trait::pure | ir::Trait::elementwise | ir::Trait::linear;

  template <typename T>
  static T eval(T x, T y) {
    if constexpr (std::is_same_v<T, std::int64_t>) {
      return static_cast<T>(static_cast<std::uint64_t>(x) - static_cast<std::uint64_t>(y));
    } else {
      return x - y;
    }
  }
  static loops::Expr expression(loops::Expr x, loops::Expr y) { return x - y; }
  static std::vector<Value> vjp(const ir::VjpArgs& args) {
    const Value g = args.cotangents[0];
    return {g, args.needed[1] ? neg(args.builder, g) : Value()};
  }
  static std::vector<Lanes> jet(const ir::JetArgs& args) {
    Lanes v(args.set.size());
    v[0] = args.op.result();
    for (std::size_t k = 1; k < v.size(); ++k) {
      v[k] = difference(args.builder, args.operands[0][k], args.operands[1][k]);
    }
    return {v};
  }
};

struct Mul : Binary<Mul> {
  static constexpr std::string_view name = "prim.mul";
  static constexpr ir::Trait traits = ir::Trait::pure | ir::Trait::elementwise | ir::Trait::commutative;

  template <typename T>
  static T eval(T x, T y) {
    if constexpr (std::is_same_v<T, std::int64_t>) {
      return static_cast<T>(static_cast<std::uint64_t>(x) * static_cast<std::uint64_t>(y));
    } else {
      return x * y;
    }
  }
  static loops::Expr expression(loops::Expr x, loops::Expr y) { return x * y; }
  static std::vector<Value> vjp(const ir::VjpArgs& args) {
    Builder& b = args.builder;
    const Value g = args.cotangents[0];
    return {args.needed[0] ? mul(b, g, conj(b, args.op.operand(1))) : Value(),
            args.needed[1] ? mul(b, g, conj(b, args.op.operand(0))) : Value()};
  }
  static std::vector<Lanes> jet(const ir::JetArgs& args) {
    // One operand twice is a square: half of the products.
    const bool is_square = args.op.operand(0) == args.op.operand(1);
    return {multiply(args.builder, args.set, args.operands[0], args.operands[is_square ? 0 : 1], args.op.result())};
  }
};

/// Of floating-point numbers.
struct Div : Binary<Div> {
  static constexpr std::string_view name = "prim.div";
  static constexpr ir::Trait traits = ir::Trait::pure | ir::Trait::elementwise;

  static std::vector<ir::Type> infer(const ir::InferArgs& args) {
    args.expect_operands(2);
    if (!is_inexact(args.operands[0].dtype())) args.fail("the operands must be floating-point tensors");
    return Elementwise::infer(args);
  }
  template <typename T>
  static T eval(T x, T y) {
    return x / y;
  }
  static loops::Expr expression(loops::Expr x, loops::Expr y) { return x / y; }
  static std::vector<Value> vjp(const ir::VjpArgs& args) {
    Builder& b = args.builder;
    const Value by_x = div(b, args.cotangents[0], conj(b, args.op.operand(1)));
    return {by_x, args.needed[1] ? neg(b, mul(b, by_x, conj(b, args.op.result()))) : Value()};
  }
  static std::vector<Lanes> jet(const ir::JetArgs& args) {
    return {quotient(args.builder, args.set, args.operands[0], args.operands[1], args.op.result())};
  }
};

struct Neg : Elementwise {
  static constexpr std::string_view name = "prim.neg";
  static constexpr ir::Trait traits = ir::Trait::pure | ir::Trait::elementwise | ir::Trait::linear;

  static std::vector<ir::Type> infer(const ir::InferArgs& args) {
    args.expect_operands(1);
    if (args.operands[0].dtype() == DType::boolean) args.fail("the operand must be a number");
    return Elementwise::infer(args);
  }
  static loops::Expr point(const loops::PointArgs& args) {
    return -args.operand(0, {args.index.begin(), args.index.end()});
  }
  static std::vector<Value> vjp(const ir::VjpArgs& args) { return {neg(args.builder, args.cotangents[0])}; }
  static std::vector<Lanes> jet(const ir::JetArgs& args) {
    return {
        map_linear(args.set, args.operands[0], args.op.result(), [&](Value lane) { return neg(args.builder, lane); })};
  }
  static void run(const KernelArgs& args) {
    visit_dtype(args.results[0].dtype(), [&](auto zero) {
      using T = decltype(zero);
      if constexpr (std::is_same_v<T, std::int64_t>) {
        const auto x = args.operands[0].data<T>();
        for_each_element<T>(args, [&](std::size_t i) { return static_cast<T>(-static_cast<std::uint64_t>(x[i])); });
      } else if constexpr (!std::is_same_v<T, bool>) {
        const auto x = args.operands[0].data<T>();
        for_each_element<T>(args, [&](std::size_t i) { return -x[i]; });
      }
    });
  }
};

}  // namespace

void register_arithmetic(ir::Context& context) {
  register_op<Add>(context);
  register_op<Sub>(context);
  register_op<Mul>(context);
  register_op<Div>(context);
  register_op<Neg>(context);
}

Value add(Builder& b, Value x, Value y) { return b.op(Add::name, {x, y}); }
Value sub(Builder& b, Value x, Value y) { return b.op(Sub::name, {x, y}); }
Value mul(Builder& b, Value x, Value y) { return b.op(Mul::name, {x, y}); }
Value div(Builder& b, Value x, Value y) { return b.op(Div::name, {x, y}); }
Value neg(Builder& b, Value x) { return b.op(Neg::name, {x}); }
Value scale(Builder& b, Value x, double factor) {
  if (factor == 1) return x;
  if (factor == -1) return neg(b, x);
  return mul(b, x, full_like(b, x, factor));
}
Value shift(Builder& b, Value x, double offset) { return add(b, x, full_like(b, x, offset)); }
Value square(Builder& b, Value x) { return mul(b, x, x); }

}  // namespace eddy::ops
