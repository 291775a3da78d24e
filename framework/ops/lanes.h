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

/// Lanes of v = f(u), given v_0 and the lanes G of f'(u): with i a direction in which a > 0,
///   a_i v_a = sum over 0 < c <= a with c_i > 0 of  c_i u_c G_{a-c}.
/// `factor(k, v)` emits G_k; it may use the lanes of v below k's total order and lane k of u. Each G_k is asked for
/// once.
Lanes compose(Builder& b, const IndexSet& set, const Lanes& u, Value first,
              const std::function<Value(std::size_t k, const Lanes& v)>& factor);

/// Applies a linear map to each lane but the first, which is given.
Lanes map_linear(const IndexSet& set, const Lanes& x, Value first, const std::function<Value(Value)>& map);

}  // namespace eddy::ops
