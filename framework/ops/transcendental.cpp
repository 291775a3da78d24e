/// Functions of one variable with their derivatives. v = f(u), G the lanes of f'(u).

#include <cmath>
#include <numbers>

#include "framework/ops/dialects.h"
#include "framework/ops/elementwise.h"

namespace eddy::ops {

namespace {

/// 1 - v^2.
Value one_minus_square(Builder& b, Value v) { return sub(b, full_like(b, v, 1), mul(b, v, v)); }

/// Lanes of a function with f'' = `sign` f: they are coupled with those of the factor, dG = sign v du.
Lanes oscillate(Builder& b, const IndexSet& set, const Lanes& u, Value first, Value factor, double sign) {
  return compose(b, set, u, first, [&](std::size_t k, const Lanes& v) {
    if (k == 0) return factor;
    const Value lane = chain(b, set, u, k, [&](std::size_t c) { return v[c]; });
    return lane ? scale(b, lane, sign) : lane;
  });
}

/// exp: f' = v.
struct Exp : Unary<Exp> {
  static constexpr std::string_view name = "prim.exp";
  template <typename T>
  static T eval(T u) {
    return std::exp(u);
  }
  static Value factor(Builder&, Value, Value v) { return v; }
  static Lanes lanes(Builder& b, const IndexSet& set, const Lanes& u, Value v0) { return exp_lanes(b, set, u, v0); }
};

/// exp(u) - 1: f' = v + 1.
struct Expm1 : Unary<Expm1> {
  static constexpr std::string_view name = "prim.expm1";
  template <typename T>
  static T eval(T u) {
    return std::expm1(u);
  }
  static Value factor(Builder& b, Value, Value v) { return shift(b, v, 1); }
  static Lanes lanes(Builder& b, const IndexSet& set, const Lanes& u, Value v0) {
    return compose(b, set, u, v0, [&](std::size_t k, const Lanes& v) { return k == 0 ? shift(b, v0, 1) : v[k]; });
  }
};

/// log: f' = 1/u.
struct Log : Unary<Log> {
  static constexpr std::string_view name = "prim.log";
  template <typename T>
  static T eval(T u) {
    return std::log(u);
  }
  static Value divisor(Builder&, Value u, Value) { return u; }
  static Lanes lanes(Builder& b, const IndexSet& set, const Lanes& u, Value v0) { return log_lanes(b, set, u, v0); }
};

/// log(1 + u): f' = 1/(1 + u).
struct Log1p : Unary<Log1p> {
  static constexpr std::string_view name = "prim.log1p";
  template <typename T>
  static T eval(T u) {
    return std::log1p(u);
  }
  static Value divisor(Builder& b, Value u, Value) { return shift(b, u, 1); }
  static Lanes lanes(Builder& b, const IndexSet& set, const Lanes& u, Value v0) {
    Lanes argument = u;
    argument[0] = shift(b, u[0], 1);
    return log_lanes(b, set, argument, v0);
  }
};

/// sin: f' = cos(u).
struct Sin : Unary<Sin> {
  static constexpr std::string_view name = "prim.sin";
  template <typename T>
  static T eval(T u) {
    return std::sin(u);
  }
  static Value factor(Builder& b, Value u, Value) { return cos(b, u); }
  static Lanes lanes(Builder& b, const IndexSet& set, const Lanes& u, Value v0) {
    return oscillate(b, set, u, v0, cos(b, u[0]), -1);
  }
};

/// cos: f' = -sin(u).
struct Cos : Unary<Cos> {
  static constexpr std::string_view name = "prim.cos";
  template <typename T>
  static T eval(T u) {
    return std::cos(u);
  }
  static Value factor(Builder& b, Value u, Value) { return neg(b, sin(b, u)); }
  static Lanes lanes(Builder& b, const IndexSet& set, const Lanes& u, Value v0) {
    return oscillate(b, set, u, v0, neg(b, sin(b, u[0])), -1);
  }
};

/// sinh: f' = cosh(u).
struct Sinh : Unary<Sinh> {
  static constexpr std::string_view name = "prim.sinh";
  template <typename T>
  static T eval(T u) {
    return std::sinh(u);
  }
  static Value factor(Builder& b, Value u, Value) { return cosh(b, u); }
  static Lanes lanes(Builder& b, const IndexSet& set, const Lanes& u, Value v0) {
    return oscillate(b, set, u, v0, cosh(b, u[0]), 1);
  }
};

/// cosh: f' = sinh(u).
struct Cosh : Unary<Cosh> {
  static constexpr std::string_view name = "prim.cosh";
  template <typename T>
  static T eval(T u) {
    return std::cosh(u);
  }
  static Value factor(Builder& b, Value u, Value) { return sinh(b, u); }
  static Lanes lanes(Builder& b, const IndexSet& set, const Lanes& u, Value v0) {
    return oscillate(b, set, u, v0, sinh(b, u[0]), 1);
  }
};

/// tanh: f' = 1 - v^2.
struct Tanh : Unary<Tanh> {
  static constexpr std::string_view name = "prim.tanh";
  template <typename T>
  static T eval(T u) {
    return std::tanh(u);
  }
  static Value factor(Builder& b, Value, Value v) { return one_minus_square(b, v); }
  static Lanes lanes(Builder& b, const IndexSet& set, const Lanes& u, Value v0) {
    return compose(b, set, u, v0, [&](std::size_t k, const Lanes& v) {
      return k == 0 ? one_minus_square(b, v0) : difference(b, Value(), cauchy(b, set, v, v, k));
    });
  }
};

/// 1/(1 + exp(-u)): f' = v - v^2.
struct Sigmoid : Unary<Sigmoid> {
  static constexpr std::string_view name = "prim.sigmoid";
  template <typename T>
  static T eval(T u) {
    const T e = std::exp(-std::abs(u));  // no overflow on either side
    return (u >= 0 ? T(1) : e) / (T(1) + e);
  }
  static Value factor(Builder& b, Value, Value v) { return sub(b, v, mul(b, v, v)); }
  static Lanes lanes(Builder& b, const IndexSet& set, const Lanes& u, Value v0) {
    return compose(b, set, u, v0, [&](std::size_t k, const Lanes& v) {
      return k == 0 ? factor(b, u[0], v0) : difference(b, v[k], cauchy(b, set, v, v, k));
    });
  }
};

/// log(1 + exp(u)): f' = sigmoid(u). A primitive, because max(u, 0) + log1p(exp(-|u|)) has no derivative at 0.
struct Softplus : Unary<Softplus> {
  static constexpr std::string_view name = "prim.softplus";
  template <typename T>
  static T eval(T u) {
    return (u > 0 ? u : T(0)) + std::log1p(std::exp(-std::abs(u)));
  }
  static Value factor(Builder& b, Value u, Value) { return sigmoid(b, u); }
  static Lanes lanes(Builder& b, const IndexSet& set, const Lanes& u, Value v0) {
    return integrate(b, set, u, v0, [&](const IndexSet& interior, const Lanes& inner) {
      return Sigmoid::lanes(b, interior, inner, sigmoid(b, u[0]));
    });
  }
};

/// erf: f' = 2/sqrt(pi) exp(-u^2).
struct Erf : Unary<Erf> {
  static constexpr std::string_view name = "prim.erf";
  template <typename T>
  static T eval(T u) {
    return std::erf(u);
  }
  static Value factor(Builder& b, Value u, Value) {
    return scale(b, exp(b, neg(b, mul(b, u, u))), 2 / std::sqrt(std::numbers::pi));
  }
  static Lanes lanes(Builder& b, const IndexSet& set, const Lanes& u, Value v0) {
    return integrate(b, set, u, v0, [&](const IndexSet& interior, const Lanes& inner) {
      const Lanes squared = multiply(b, interior, inner, inner, mul(b, u[0], u[0]));
      const Lanes exponent =
          map_linear(interior, squared, neg(b, squared[0]), [&](Value lane) { return neg(b, lane); });
      return exp_lanes(b, interior, exponent, factor(b, u[0], v0));
    });
  }
};

/// atan: f' = 1/(1 + u^2).
struct Atan : Unary<Atan> {
  static constexpr std::string_view name = "prim.atan";
  template <typename T>
  static T eval(T u) {
    return std::atan(u);
  }
  static Value divisor(Builder& b, Value u, Value) { return shift(b, mul(b, u, u), 1); }
  static Lanes lanes(Builder& b, const IndexSet& set, const Lanes& u, Value v0) {
    return integrate(b, set, u, v0, [&](const IndexSet& interior, const Lanes& inner) {
      const Lanes below = multiply(b, interior, inner, inner, divisor(b, u[0], v0));
      Lanes one(interior.size());
      one[0] = full_like(b, v0, 1);
      return quotient(b, interior, one, below, div(b, one[0], below[0]));
    });
  }
};

/// asin: f' = (1 - u^2)^(-1/2).
struct Asin : Unary<Asin> {
  static constexpr std::string_view name = "prim.asin";
  template <typename T>
  static T eval(T u) {
    return std::asin(u);
  }
  /// (1 - u)(1 + u) does not cancel near 1.
  static Value radicand(Builder& b, Value u) { return mul(b, sub(b, full_like(b, u, 1), u), shift(b, u, 1)); }
  static Value factor(Builder& b, Value u, Value) { return rsqrt(b, radicand(b, u)); }
  static Lanes lanes(Builder& b, const IndexSet& set, const Lanes& u, Value v0) {
    return integrate(b, set, u, v0, [&](const IndexSet& interior, const Lanes& inner) {
      const Value first = radicand(b, u[0]);
      const Lanes squared = multiply(b, interior, inner, inner, first);
      const Lanes below = map_linear(interior, squared, first, [&](Value lane) { return neg(b, lane); });
      return rsqrt_lanes(b, interior, below, rsqrt(b, first));
    });
  }
};

}  // namespace

void register_transcendental(ir::Context& context) {
  register_op<Exp>(context);
  register_op<Expm1>(context);
  register_op<Log>(context);
  register_op<Log1p>(context);
  register_op<Sin>(context);
  register_op<Cos>(context);
  register_op<Sinh>(context);
  register_op<Cosh>(context);
  register_op<Tanh>(context);
  register_op<Sigmoid>(context);
  register_op<Softplus>(context);
  register_op<Erf>(context);
  register_op<Atan>(context);
  register_op<Asin>(context);
}

Value exp(Builder& b, Value x) { return b.op(Exp::name, {x}); }
Value expm1(Builder& b, Value x) { return b.op(Expm1::name, {x}); }
Value log(Builder& b, Value x) { return b.op(Log::name, {x}); }
Value log1p(Builder& b, Value x) { return b.op(Log1p::name, {x}); }
Value sin(Builder& b, Value x) { return b.op(Sin::name, {x}); }
Value cos(Builder& b, Value x) { return b.op(Cos::name, {x}); }
Value sinh(Builder& b, Value x) { return b.op(Sinh::name, {x}); }
Value cosh(Builder& b, Value x) { return b.op(Cosh::name, {x}); }
Value tanh(Builder& b, Value x) { return b.op(Tanh::name, {x}); }
Value sigmoid(Builder& b, Value x) { return b.op(Sigmoid::name, {x}); }
Value softplus(Builder& b, Value x) { return b.op(Softplus::name, {x}); }
Value erf(Builder& b, Value x) { return b.op(Erf::name, {x}); }
Value atan(Builder& b, Value x) { return b.op(Atan::name, {x}); }
Value asin(Builder& b, Value x) { return b.op(Asin::name, {x}); }

}  // namespace eddy::ops
