#include "framework/ir/multi_index.h"

#include <algorithm>
#include <numeric>
#include <set>

#include "framework/core/errors.h"

namespace eddy::ir {

int order(const MultiIndex& index) { return std::accumulate(index.begin(), index.end(), 0); }

double factorial(const MultiIndex& index) {
  double product = 1;
  for (const int entry : index) {
    for (int i = 2; i <= entry; ++i) product *= i;
  }
  return product;
}

MultiIndex sum(const MultiIndex& a, const MultiIndex& b) {
  EDDY_CHECK(a.size() == b.size());
  MultiIndex total = a;
  for (std::size_t i = 0; i < b.size(); ++i) total[i] += b[i];
  return total;
}

bool divides(const MultiIndex& a, const MultiIndex& b) {
  EDDY_CHECK(a.size() == b.size());
  return std::equal(a.begin(), a.end(), b.begin(), [](int x, int y) { return x <= y; });
}

MultiIndex difference(const MultiIndex& b, const MultiIndex& a) {
  EDDY_CHECK(divides(a, b));
  MultiIndex rest = b;
  for (std::size_t i = 0; i < a.size(); ++i) rest[i] -= a[i];
  return rest;
}

IndexSet IndexSet::closure(std::size_t n_directions, const std::vector<MultiIndex>& indices) {
  std::set<MultiIndex> all = {MultiIndex(n_directions, 0)};
  std::vector<MultiIndex> open = indices;
  while (!open.empty()) {
    const MultiIndex index = std::move(open.back());
    open.pop_back();
    EDDY_CHECK(index.size() == n_directions);
    if (!all.insert(index).second) continue;
    for (std::size_t i = 0; i < n_directions; ++i) {
      if (index[i] == 0) continue;
      open.push_back(index);
      --open.back()[i];
    }
  }
  IndexSet set;
  set.n_directions_ = n_directions;
  set.indices_.assign(all.begin(), all.end());
  std::sort(set.indices_.begin(), set.indices_.end(), [](const MultiIndex& a, const MultiIndex& b) {
    return order(a) != order(b) ? order(a) < order(b) : a > b;
  });
  for (std::size_t i = 0; i < set.indices_.size(); ++i) set.positions_[set.indices_[i]] = i;
  return set;
}

std::optional<std::size_t> IndexSet::find(const MultiIndex& index) const {
  const auto found = positions_.find(index);
  return found == positions_.end() ? std::nullopt : std::optional(found->second);
}

int IndexSet::max_order() const { return order(indices_.back()); }

IndexSet IndexSet::interior() const {
  std::vector<MultiIndex> below;
  for (const MultiIndex& index : indices_) {
    for (std::size_t d = 0; d < n_directions_; ++d) {
      if (index[d] == 0) continue;
      below.push_back(index);
      --below.back()[d];
    }
  }
  return closure(n_directions_, below);
}

std::vector<std::pair<std::size_t, std::size_t>> IndexSet::splits(std::size_t k) const {
  std::vector<std::pair<std::size_t, std::size_t>> pairs;
  for (std::size_t i = 0; i < indices_.size(); ++i) {
    if (divides(indices_[i], indices_[k])) pairs.emplace_back(i, *find(difference(indices_[k], indices_[i])));
  }
  return pairs;
}

std::size_t IndexSet::leading_direction(std::size_t k) const {
  EDDY_CHECK(k > 0);
  std::size_t direction = 0;
  while (indices_[k][direction] == 0) ++direction;
  return direction;
}

std::string IndexSet::str() const {
  std::string text = "{";
  for (std::size_t i = 0; i < indices_.size(); ++i) {
    text += i ? ", (" : "(";
    for (std::size_t d = 0; d < n_directions_; ++d) text += (d ? "," : "") + std::to_string(indices_[i][d]);
    text += ")";
  }
  return text + "}";
}

}  // namespace eddy::ir
