#pragma once
/// Arithmetic on Taylor lanes: the shared part of the operations' jet rules.
/// Lanes are normalized coefficients by position in an IndexSet; a null lane is zero; position 0 is the value.

#include <functional>

#include "framework/ir/rules.h"
#include "framework/ops/emit.h"

namespace eddy::ops {

using ir::IndexSet;
using ir::Lanes;

/// Sum of the non-null values; null when all are.
Value sum(Builder& b, std::span<const Value> terms);
/// x - y; null when both are.
Value difference(Builder& b, Value x, Value y);
/// x*y; null when either is.
Value product(Builder& b, Value x, Value y);
/// Coefficient k of a product: sum over i + j = k of x_i y_j.
Value cauchy(Builder& b, const IndexSet& set, const Lanes& x, const Lanes& y, std::size_t k);
/// All coefficients of a product but the first, which is given.
Lanes multiply(Builder& b, const IndexSet& set, const Lanes& x, const Lanes& y, Value first);

/// All coefficients of x/y but the first, which is given.
Lanes quotient(Builder& b, const IndexSet& set, const Lanes& x, const Lanes& y, Value first);

/// Coefficient k of v where dv = g du: with i a direction in which k > 0,
///   sum over 0 < c <= k with c_i > 0 of  c_i/k_i u_c g_{k-c}.
/// `g` is asked where it is needed only, maybe more than once.
Value chain(Builder& b, const IndexSet& set, const Lanes& u, std::size_t k, const std::function<Value(std::size_t)>& g);

/// Lanes of v = f(u), given v_0 and the lanes G of f'(u). `factor(k, v)` emits G_k; it may use the lanes of v below k's
/// total order and lane k of u. Each G_k is asked for once, and only where it is needed.
Lanes compose(Builder& b, const IndexSet& set, const Lanes& u, Value first,
              const std::function<Value(std::size_t k, const Lanes& v)>& factor);

/// compose() for a factor whose lanes are emitted all together, over the indices where they are needed.
Lanes integrate(Builder& b, const IndexSet& set, const Lanes& u, Value first,
                const std::function<Lanes(const IndexSet& interior, const Lanes& u)>& factor);

/// Lanes of w = exp(u), up to a constant factor: dw = w du.
Lanes exp_lanes(Builder& b, const IndexSet& set, const Lanes& u, Value first);
/// Lanes of log(u), up to an additive constant.
Lanes log_lanes(Builder& b, const IndexSet& set, const Lanes& u, Value first);
/// Lanes of sqrt(u).
Lanes sqrt_lanes(Builder& b, const IndexSet& set, const Lanes& u, Value first);
/// Lanes of v = u^r up to a constant factor, from u dv = r v du:
///   v_k = v'(u_0) u_k + 1/u_0 sum over 0 < c < k of  (r c_i - (k-c)_i)/k_i u_c v_{k-c}.
/// `slope` is v'(u_0); `times(x, p, q)` emits x (p r + q).
Lanes power_lanes(Builder& b, const IndexSet& set, const Lanes& u, Value first, Value slope,
                  const std::function<Value(Value x, double p, double q)>& times);

/// Lanes of u^(-1/2).
Lanes rsqrt_lanes(Builder& b, const IndexSet& set, const Lanes& u, Value first);

/// Applies a linear map to each lane but the first, which is given.
Lanes map_linear(const IndexSet& set, const Lanes& x, Value first, const std::function<Value(Value)>& map);

}  // namespace eddy::ops
