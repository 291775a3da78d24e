/// add, sub, mul, div, neg: the field operations, elementwise.

#include "framework/ops/dialects.h"
#include "framework/ops/elementwise.h"

namespace eddy::ops {

namespace {

/// An operation of two operands of one numeric dtype. `Op` adds eval, expression, vjp and jet.
template <typename Op>
struct Binary : Elementwise {
  static std::vector<ir::Type> infer(const ir::InferArgs& args) {
    args.expect_operands(2);
    if (args.operands[0].dtype() == DType::boolean) args.fail("the operands must be numbers");
    return Elementwise::infer(args);
  }
  static void run(const KernelArgs& args) {
    visit_dtype(args.results[0].dtype(), [&](auto zero) {
      using T = decltype(zero);
      if constexpr (!std::is_same_v<T, bool>) {
        const auto x = args.operands[0].data<T>();
        const auto y = args.operands[1].data<T>();
        for_each_element<T>(args, [&](std::size_t i) { return Op::template eval<T>(x[i], y[i]); });
      }
    });
  }
  static loops::Expr point(const loops::PointArgs& args) {
    const std::vector<loops::Expr> index(args.index.begin(), args.index.end());
    return Op::expression(args.operand(0, index), args.operand(1, index));
  }
};

struct Add : Binary<Add> {
  static constexpr std::string_view name = "prim.add";
  static constexpr ir::Trait traits =
      ir::Trait::pure | ir::Trait::elementwise | ir::Trait::commutative | ir::Trait::linear;

  template <typename T>
  static T eval(T x, T y) {
    if constexpr (std::is_same_v<T, std::int64_t>) {
      return static_cast<T>(static_cast<std::uint64_t>(x) + static_cast<std::uint64_t>(y));  // wraps, defined
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

}  // namespace

void register_arithmetic(ir::Context& context) {
  register_op<Add>(context);
  register_op<Mul>(context);
}

Value add(Builder& b, Value x, Value y) { return b.op(Add::name, {x, y}); }
Value mul(Builder& b, Value x, Value y) { return b.op(Mul::name, {x, y}); }
Value scale(Builder& b, Value x, double factor) { return mul(b, x, full_like(b, x, factor)); }
Value square(Builder& b, Value x) { return mul(b, x, x); }

}  // namespace eddy::ops
