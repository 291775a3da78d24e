#include "framework/ir/axis_classes.h"

#include "framework/ir/dialect.h"
#include "framework/ir/rules.h"

namespace eddy::ir {

namespace {

/// Union-find with path halving.
class Forest {
 public:
  int add() {
    parents_.push_back(static_cast<int>(parents_.size()));
    return parents_.back();
  }
  int root(int node) {
    while (parents_[static_cast<std::size_t>(node)] != node) {
      int& parent = parents_[static_cast<std::size_t>(node)];
      parent = parents_[static_cast<std::size_t>(parent)];
      node = parent;
    }
    return node;
  }
  // The older node stays the root, so that numbering follows first appearance.
  void join(int a, int b) {
    a = root(a);
    b = root(b);
    parents_[static_cast<std::size_t>(std::max(a, b))] = std::min(a, b);
  }

 private:
  std::vector<int> parents_;
};

}  // namespace

AxisClasses::AxisClasses(const Block& block) {
  Forest forest;
  std::vector<Dim> sizes;
  const auto enter = [&](Value value) {
    std::vector<int>& nodes = classes_[value];
    for (const Dim dim : value.shape()) {
      nodes.push_back(forest.add());
      sizes.push_back(dim);
    }
  };
  for (const Value argument : block.arguments()) enter(argument);
  for (const Operation* op : block.operations()) {
    for (const Value result : op->results()) enter(result);
    const auto* rule = op->info().get<AxesRule>();
    if (!rule) continue;
    const AxesMap axes = rule->axes(*op);
    std::map<int, int> node_of_label;
    const auto join = [&](Value value, const std::vector<int>& labels) {
      EDDY_CHECK(labels.size() == value.rank(), "axes of {}", op->name());
      const auto found = classes_.find(value);
      if (found == classes_.end()) return;  // defined outside the block
      for (std::size_t i = 0; i < labels.size(); ++i) {
        if (labels[i] == AxesMap::kOpaque) continue;
        const auto [entry, is_new] = node_of_label.emplace(labels[i], found->second[i]);
        if (!is_new) forest.join(entry->second, found->second[i]);
      }
    };
    for (std::size_t i = 0; i < op->n_operands(); ++i) join(op->operand(i), axes.operands[i]);
    for (std::size_t i = 0; i < op->n_results(); ++i) join(op->result(i), axes.results[i]);
  }
  std::map<int, int> number_of_root;
  for (int node = 0; node < static_cast<int>(sizes.size()); ++node) {
    const auto [entry, is_new] = number_of_root.emplace(forest.root(node), static_cast<int>(extents_.size()));
    if (is_new) extents_.push_back(sizes[static_cast<std::size_t>(node)]);
  }
  for (auto& [value, nodes] : classes_) {
    for (int& node : nodes) node = number_of_root.at(forest.root(node));
  }
}

int AxisClasses::of(Value value, std::size_t dim) const {
  const auto found = classes_.find(value);
  EDDY_CHECK(found != classes_.end());
  return found->second.at(dim);
}

}  // namespace eddy::ir
