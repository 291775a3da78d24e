#include "framework/ops/lanes.h"

namespace eddy::ops {

Value sum(Builder& b, std::span<const Value> terms) {
  Value total;
  for (const Value term : terms) {
    if (term) total = total ? add(b, total, term) : term;
  }
  return total;
}

Value difference(Builder& b, Value x, Value y) {
  if (!y) return x;
  return x ? sub(b, x, y) : neg(b, y);
}

Value product(Builder& b, Value x, Value y) { return x && y ? mul(b, x, y) : Value(); }

Value cauchy(Builder& b, const IndexSet& set, const Lanes& x, const Lanes& y, std::size_t k) {
  std::vector<Value> terms;
  if (&x == &y) {
    // A square: x_i x_j and x_j x_i are one term, doubled.
    for (const auto& [i, j] : set.splits(k)) {
      if (i > j) continue;
      const Value term = product(b, x[i], x[j]);
      terms.push_back(term && i != j ? scale(b, term, 2) : term);
    }
  } else {
    for (const auto& [i, j] : set.splits(k)) terms.push_back(product(b, x[i], y[j]));
  }
  return sum(b, terms);
}

Lanes multiply(Builder& b, const IndexSet& set, const Lanes& x, const Lanes& y, Value first) {
  Lanes result(set.size());
  result[0] = first;
  for (std::size_t k = 1; k < set.size(); ++k) result[k] = cauchy(b, set, x, y, k);
  return result;
}

Lanes quotient(Builder& b, const IndexSet& set, const Lanes& x, const Lanes& y, Value first) {
  // x = v y, solved for the coefficient of v that meets y_0.
  Lanes v(set.size());
  v[0] = first;
  for (std::size_t k = 1; k < set.size(); ++k) {
    std::vector<Value> terms;
    for (const auto& [i, j] : set.splits(k)) {
      if (i > 0) terms.push_back(product(b, y[i], v[j]));
    }
    const Value rest = difference(b, x[k], sum(b, terms));
    if (rest) v[k] = div(b, rest, y[0]);
  }
  return v;
}

Lanes compose(Builder& b, const IndexSet& set, const Lanes& u, Value first,
              const std::function<Value(std::size_t, const Lanes&)>& factor) {
  Lanes v(set.size());
  v[0] = first;
  std::vector<char> known(set.size(), 0);
  Lanes g(set.size());
  const auto factor_lane = [&](std::size_t k) {
    if (!known[k]) {
      g[k] = factor(k, v);
      known[k] = 1;
    }
    return g[k];
  };
  for (std::size_t k = 1; k < set.size(); ++k) {
    const std::size_t i = set.leading_direction(k);
    std::vector<Value> terms;
    for (const auto& [c, rest] : set.splits(k)) {
      const int weight = set[c][i];
      if (weight == 0 || !u[c]) continue;
      const Value term = product(b, u[c], factor_lane(rest));
      const double ratio = static_cast<double>(weight) / set[k][i];
      terms.push_back(term && ratio != 1 ? scale(b, term, ratio) : term);
    }
    v[k] = sum(b, terms);
  }
  return v;
}

Lanes map_linear(const IndexSet& set, const Lanes& x, Value first, const std::function<Value(Value)>& map) {
  Lanes result(set.size());
  result[0] = first;
  for (std::size_t k = 1; k < set.size(); ++k) {
    if (x[k]) result[k] = map(x[k]);
  }
  return result;
}

}  // namespace eddy::ops
