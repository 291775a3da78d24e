/// Functions of one variable with their derivatives. v = f(u), G the lanes of f'(u).

#include <cmath>

#include "framework/ops/dialects.h"
#include "framework/ops/elementwise.h"

namespace eddy::ops {

namespace {

/// exp: f' = v.
struct Exp : Unary<Exp> {
  static constexpr std::string_view name = "prim.exp";
  template <typename T>
  static T eval(T u) {
    return std::exp(u);
  }
  static loops::Expr expression(loops::Expr u) { return loops::call("exp", {u}); }
  static Value factor(Builder&, Value, Value v) { return v; }
  static Lanes lanes(Builder& b, const IndexSet& set, const Lanes& u, Value v0) {
    return compose(b, set, u, v0, [](std::size_t k, const Lanes& v) { return v[k]; });
  }
};

/// tanh: f' = 1 - v^2.
struct Tanh : Unary<Tanh> {
  static constexpr std::string_view name = "prim.tanh";
  template <typename T>
  static T eval(T u) {
    return std::tanh(u);
  }
  static loops::Expr expression(loops::Expr u) { return loops::call("tanh", {u}); }
  static Value factor(Builder& b, Value, Value v) { return sub(b, full_like(b, v, 1), mul(b, v, v)); }
  static Lanes lanes(Builder& b, const IndexSet& set, const Lanes& u, Value v0) {
    return compose(b, set, u, v0, [&](std::size_t k, const Lanes& v) {
      if (k == 0) return factor(b, u[0], v[0]);
      const Value squared = cauchy(b, set, v, v, k);
      return squared ? neg(b, squared) : Value();
    });
  }
};

}  // namespace

void register_transcendental(ir::Context& context) {
  register_op<Exp>(context);
  register_op<Tanh>(context);
}

Value exp(Builder& b, Value x) { return b.op(Exp::name, {x}); }
Value tanh(Builder& b, Value x) { return b.op(Tanh::name, {x}); }

}  // namespace eddy::ops
