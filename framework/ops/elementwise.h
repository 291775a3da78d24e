#pragma once
/// Shared parts of the elementwise operations' structs.

#include "framework/ops/lanes.h"
#include "framework/ops/registration.h"

namespace eddy::ops {

/// All operands and results have one type; every dim is an axis of its own.
struct Elementwise {
  static std::vector<ir::Type> infer(const ir::InferArgs& args);
  static ir::AxesMap axes(const ir::Operation& op);
};

/// RuntimeError: the operation has no reference kernel for its operands' dtype.
[[noreturn]] void no_kernel(const KernelArgs& args);

/// Result i is f(i), of C++ type Out; used by the reference kernels.
template <typename Out, typename F>
void for_each_element(const KernelArgs& args, F&& f) {
  auto out = args.results[0].data<Out>();
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = f(i);
}

/// An operation of two operands of one numeric dtype. `Op` adds eval<T>(x, y), expression(x, y), vjp and jet.
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
      if constexpr (!std::is_same_v<T, bool> && requires { Op::template eval<T>(zero, zero); }) {
        const auto x = args.operands[0].data<T>();
        const auto y = args.operands[1].data<T>();
        for_each_element<T>(args, [&](std::size_t i) { return Op::template eval<T>(x[i], y[i]); });
      } else {
        no_kernel(args);
      }
    });
  }
  static loops::Expr point(const loops::PointArgs& args) {
    const std::vector<loops::Expr> index(args.index.begin(), args.index.end());
    return Op::expression(args.operand(0, index), args.operand(1, index));
  }
};

/// A function of one floating-point operand. `Op` adds
///   template <typename T> static T eval(T u);                               the value
///   static Value factor(Builder&, Value u, Value v);                        f'(u), v = f(u); or, when that is simpler,
///   static Value divisor(Builder&, Value u, Value v);                       1/f'(u)
///   static Lanes lanes(Builder&, const IndexSet&, const Lanes& u, Value v); the Taylor lanes
/// The loop IR calls a function of the operation's name.
template <typename Op>
struct Unary : Elementwise {
  static constexpr ir::Trait traits = ir::Trait::pure | ir::Trait::elementwise;

  static std::vector<ir::Type> infer(const ir::InferArgs& args) {
    args.expect_operands(1);
    if (!is_inexact(args.operands[0].dtype())) args.fail("the operand must be a floating-point tensor");
    return Elementwise::infer(args);
  }
  static void run(const KernelArgs& args) {
    visit_dtype(args.results[0].dtype(), [&](auto zero) {
      using T = decltype(zero);
      if constexpr (std::is_floating_point_v<T>) {
        const auto u = args.operands[0].data<T>();
        for_each_element<T>(args, [&](std::size_t i) { return Op::template eval<T>(u[i]); });
      } else {
        no_kernel(args);
      }
    });
  }
  static loops::Expr point(const loops::PointArgs& args) {
    return loops::call(std::string(Op::name.substr(Op::name.find('.') + 1)),
                       {args.operand(0, {args.index.begin(), args.index.end()})});
  }
  static std::vector<Value> vjp(const ir::VjpArgs& args) {
    Builder& b = args.builder;
    const Value u = args.op.operand(0), v = args.op.result(), g = args.cotangents[0];
    if constexpr (requires { Op::divisor(b, u, v); }) {
      return {div(b, g, conj(b, Op::divisor(b, u, v)))};
    } else {
      return {mul(b, g, conj(b, Op::factor(b, u, v)))};
    }
  }
  static std::vector<Lanes> jet(const ir::JetArgs& args) {
    return {Op::lanes(args.builder, args.set, args.operands[0], args.op.result())};
  }
};

}  // namespace eddy::ops
