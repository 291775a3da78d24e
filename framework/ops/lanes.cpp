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

Value chain(Builder& b, const IndexSet& set, const Lanes& u, std::size_t k,
            const std::function<Value(std::size_t)>& g) {
  const std::size_t i = set.leading_direction(k);
  std::vector<Value> terms;
  for (const auto& [c, rest] : set.splits(k)) {
    const int weight = set[c][i];
    if (weight == 0 || !u[c]) continue;
    const Value term = product(b, u[c], g(rest));
    terms.push_back(term ? scale(b, term, static_cast<double>(weight) / set[k][i]) : term);
  }
  return sum(b, terms);
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
  for (std::size_t k = 1; k < set.size(); ++k) v[k] = chain(b, set, u, k, factor_lane);
  return v;
}

Lanes integrate(Builder& b, const IndexSet& set, const Lanes& u, Value first,
                const std::function<Lanes(const IndexSet&, const Lanes&)>& factor) {
  const IndexSet interior = set.interior();
  Lanes inner(interior.size());
  for (std::size_t j = 0; j < inner.size(); ++j) inner[j] = u[*set.find(interior[j])];
  const Lanes g = factor(interior, inner);
  return compose(b, set, u, first, [&](std::size_t k, const Lanes&) { return g[*interior.find(set[k])]; });
}

Lanes exp_lanes(Builder& b, const IndexSet& set, const Lanes& u, Value first) {
  return compose(b, set, u, first, [](std::size_t k, const Lanes& v) { return v[k]; });
}

Lanes log_lanes(Builder& b, const IndexSet& set, const Lanes& u, Value first) {
  // du = u dv, solved for the coefficient of v that meets u_0; it is null when the chain is taken.
  Lanes v(set.size());
  v[0] = first;
  for (std::size_t k = 1; k < set.size(); ++k) {
    const Value rest = difference(b, u[k], chain(b, set, v, k, [&](std::size_t c) { return u[c]; }));
    if (rest) v[k] = div(b, rest, u[0]);
  }
  return v;
}

Lanes sqrt_lanes(Builder& b, const IndexSet& set, const Lanes& u, Value first) {
  // u = v v, solved for the coefficient that meets v_0; it is null when the product is taken.
  Lanes v(set.size());
  v[0] = first;
  Value twice;
  for (std::size_t k = 1; k < set.size(); ++k) {
    const Value rest = difference(b, u[k], cauchy(b, set, v, v, k));
    if (!rest) continue;
    if (!twice) twice = scale(b, first, 2);
    v[k] = div(b, rest, twice);
  }
  return v;
}

Lanes power_lanes(Builder& b, const IndexSet& set, const Lanes& u, Value first, Value slope,
                  const std::function<Value(Value, double, double)>& times) {
  Lanes v(set.size());
  v[0] = first;
  for (std::size_t k = 1; k < set.size(); ++k) {
    const std::size_t i = set.leading_direction(k);
    std::vector<Value> terms;
    for (const auto& [c, rest] : set.splits(k)) {
      if (c == 0 || c == k) continue;
      const Value term = product(b, u[c], v[rest]);
      const double of_k = set[k][i];
      terms.push_back(term ? times(term, set[c][i] / of_k, -set[rest][i] / of_k) : term);
    }
    const Value lower = sum(b, terms);
    v[k] = sum(b, std::vector{product(b, slope, u[k]), lower ? div(b, lower, u[0]) : lower});
  }
  return v;
}

Lanes rsqrt_lanes(Builder& b, const IndexSet& set, const Lanes& u, Value first) {
  const Value slope = scale(b, mul(b, first, mul(b, first, first)), -0.5);
  return power_lanes(b, set, u, first, slope, [&](Value x, double p, double q) { return scale(b, x, -0.5 * p + q); });
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
