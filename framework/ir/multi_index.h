#pragma once
/// Multi-indices of partial derivatives and downward-closed sets of them.

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace eddy::ir {

/// Orders of differentiation by each of k directions: {1, 2} is d/da d^2/db^2.
using MultiIndex = std::vector<int>;

int order(const MultiIndex& index);
/// alpha! = product of the factorials of its entries: a derivative is alpha! times the normalized coefficient.
double factorial(const MultiIndex& index);
MultiIndex sum(const MultiIndex& a, const MultiIndex& b);
/// Entrywise a <= b.
bool divides(const MultiIndex& a, const MultiIndex& b);
/// b - a; a must divide b.
MultiIndex difference(const MultiIndex& b, const MultiIndex& a);

/// A downward-closed set of multi-indices in k directions, sorted by total order, then lexicographically descending.
/// Position 0 is always the zero index.
class IndexSet {
 public:
  /// The smallest downward-closed set that holds `indices`, each of length `n_directions`.
  static IndexSet closure(std::size_t n_directions, const std::vector<MultiIndex>& indices);

  std::size_t n_directions() const { return n_directions_; }
  std::size_t size() const { return indices_.size(); }
  const MultiIndex& operator[](std::size_t i) const { return indices_[i]; }
  std::optional<std::size_t> find(const MultiIndex& index) const;
  int max_order() const;
  /// The indices below another one of the set: where a factor's coefficients are needed.
  IndexSet interior() const;
  /// All (i, j) with indices_[i] + indices_[j] == indices_[k], i ascending: the terms of a Cauchy product.
  std::vector<std::pair<std::size_t, std::size_t>> splits(std::size_t k) const;
  /// A direction in which index k is positive; k > 0.
  std::size_t leading_direction(std::size_t k) const;
  std::string str() const;

 private:
  std::size_t n_directions_ = 0;
  std::vector<MultiIndex> indices_;
  std::map<MultiIndex, std::size_t> positions_;
};

}  // namespace eddy::ir
