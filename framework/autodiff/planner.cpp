#include "framework/autodiff/planner.h"

#include <algorithm>
#include <iterator>

#include "framework/autodiff/slice.h"
#include "framework/ops/emit.h"

namespace eddy::autodiff {

using ir::MultiIndex;
using ir::Value;

namespace {

/// Requests whose coordinates have the same rows.
struct Group {
  std::vector<Value> coordinates;
  std::vector<DerivativeRequest> requests;

  std::size_t direction(Value coordinate) {
    const auto found = std::find(coordinates.begin(), coordinates.end(), coordinate);
    if (found == coordinates.end()) coordinates.push_back(coordinate);
    return static_cast<std::size_t>(found - coordinates.begin());
  }
  /// A request's terms over the group's directions, each index once.
  std::vector<DerivativeTerm> terms(const DerivativeRequest& request) {
    std::vector<DerivativeTerm> all;
    for (const DerivativeTerm& term : request.terms) {
      MultiIndex index(coordinates.size(), 0);
      for (std::size_t i = 0; i < term.orders.size(); ++i) index[direction(request.coordinates[i])] += term.orders[i];
      const auto same = std::find_if(all.begin(), all.end(), [&](const auto& other) { return other.orders == index; });
      if (same == all.end()) {
        all.push_back({index, term.weight});
      } else {
        same->weight += term.weight;
      }
    }
    return all;
  }
};

std::vector<Group> group_requests(ir::Function function) {
  std::vector<Group> groups;
  std::vector<Dim> rows;
  for (ir::Operation* op : function.body().operations()) {
    if (!op->is(kDerivativeOp)) continue;
    const DerivativeRequest request = DerivativeRequest::of(op);
    const Dim size = request.coordinates.front().type().dim(0);
    const auto found = std::find(rows.begin(), rows.end(), size);
    const auto g = static_cast<std::size_t>(found - rows.begin());
    if (found == rows.end()) {
      rows.push_back(size);
      groups.emplace_back();
    }
    for (const Value coordinate : request.coordinates) groups[g].direction(coordinate);
    groups[g].requests.push_back(request);
  }
  return groups;
}

/// How requests contain each other.
struct Nesting {
  /// By which multi-indices each request is differentiated further.
  std::map<ir::Operation*, std::vector<MultiIndex>> demands;
  /// Requests that differentiate another one.
  std::set<ir::Operation*> outer;
};

Nesting nesting_of(Group& group) {
  Nesting nesting;
  // Requests come in program order, so an outer one comes after those it contains: walk from the last.
  for (auto it = group.requests.rbegin(); it != group.requests.rend(); ++it) {
    std::vector<MultiIndex> totals;
    for (const DerivativeTerm& term : group.terms(*it)) totals.push_back(term.orders);
    std::vector<MultiIndex> all = totals;
    for (const MultiIndex& outer : nesting.demands[it->op]) {
      for (const MultiIndex& own : totals) all.push_back(ir::sum(outer, own));
    }
    for (ir::Operation* op : dependent_operations(group.coordinates, std::vector{it->expression})) {
      if (!op->is(kDerivativeOp)) continue;
      nesting.outer.insert(it->op);
      auto& inner = nesting.demands[op];
      inner.insert(inner.end(), all.begin(), all.end());
    }
  }
  return nesting;
}

bool equal(const Combination& a, const Combination& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const auto& x, const auto& y) { return x.orders == y.orders && x.weight == y.weight; });
}

/// The terms that are no lanes of the set.
Combination without_lanes(const Combination& terms, const ir::IndexSet& set) {
  Combination rest;
  std::copy_if(terms.begin(), terms.end(), std::back_inserter(rest),
               [&](const DerivativeTerm& term) { return !set.find(term.orders); });
  return rest;
}

LanePlan plan_lanes(Group& group) {
  Nesting nesting = nesting_of(group);
  std::vector<MultiIndex> indices;
  std::vector<Combination> candidates;
  for (const DerivativeRequest& request : group.requests) {
    const std::vector<DerivativeTerm> terms = group.terms(request);
    const std::vector<MultiIndex>& outer = nesting.demands[request.op];
    if (terms.size() > 1 && outer.empty() && !nesting.outer.count(request.op)) {
      candidates.push_back(terms);
      continue;
    }
    for (const DerivativeTerm& term : terms) {
      indices.push_back(term.orders);
      for (const MultiIndex& further : outer) indices.push_back(ir::sum(term.orders, further));
    }
  }
  // Collapse what saves lanes only: of each sum the terms that are no lanes anyway, when they are more than one. A term
  // that is left alone becomes a lane, which other sums may contain: repeat until there is none.
  for (;;) {
    const ir::IndexSet set = LanePlan::of(group.coordinates.size(), indices, candidates).set;
    std::vector<Combination> collapsed;
    const std::size_t n_indices = indices.size();
    for (const Combination& candidate : candidates) {
      const Combination rest = without_lanes(candidate, set);
      if (rest.size() == 1) indices.push_back(rest[0].orders);
      const auto is_same = [&](const Combination& other) { return equal(other, rest); };
      if (rest.size() > 1 && std::none_of(collapsed.begin(), collapsed.end(), is_same)) collapsed.push_back(rest);
    }
    if (indices.size() == n_indices) return LanePlan::of(group.coordinates.size(), indices, collapsed);
  }
}

std::string describe(Group& group, const DerivativeRequest& request) {
  std::string text = request.expression.hint().empty() ? "value" : request.expression.hint();
  const char* separator = ": ";
  for (const DerivativeTerm& term : group.terms(request)) {
    text += fmt::format("{}{} d(", separator, term.weight);
    for (std::size_t i = 0; i < term.orders.size(); ++i) text += (i ? "," : "") + std::to_string(term.orders[i]);
    text += ")";
    separator = " + ";
  }
  return text;
}

}  // namespace

std::string DerivativePlan::str() const {
  std::string text = fmt::format("{}: rows {}, directions (", function, rows);
  for (std::size_t i = 0; i < coordinates.size(); ++i) text += (i ? ", " : "") + coordinates[i];
  text += ")\n";
  for (const std::string& request : requests) text += "  request " + request + "\n";
  text += fmt::format("  plan: Taylor jet, {} lanes: {}", lanes.n_lanes(), lanes.set.str());
  for (const Combination& combination : lanes.combinations) {
    text += " and the collapsed lane";
    for (const DerivativeTerm& term : combination) {
      text += fmt::format(" {:+} (", term.weight);
      for (std::size_t i = 0; i < term.orders.size(); ++i) text += (i ? "," : "") + std::to_string(term.orders[i]);
      text += ")";
    }
  }
  return text + "\n";
}

std::vector<DerivativePlan> expand_derivatives(ir::Function function) {
  std::vector<DerivativePlan> plans;
  // Requests stay until all lanes are emitted: an outer request is pushed through an inner one, not through its lanes.
  std::vector<std::pair<ir::Operation*, Value>> expanded;
  for (Group& group : group_requests(function)) {
    DerivativePlan plan;
    plan.function = function.name();
    plan.rows = group.coordinates.front().type().dim(0).str();
    for (const Value coordinate : group.coordinates) {
      plan.coordinates.push_back(coordinate.hint().empty() ? "?" : coordinate.hint());
    }
    for (const DerivativeRequest& request : group.requests) {
      check_rows_independent(request);
      plan.requests.push_back(describe(group, request));
    }
    plan.lanes = plan_lanes(group);

    ir::Builder b(function.context(), function.body());
    std::unique_ptr<Jet> jet;
    for (DerivativeRequest& request : group.requests) {
      // Lanes go where the request stands: all they need is defined before, all that uses them comes after.
      b.set_insertion_point(function.body(), request.op);
      if (!jet) jet = std::make_unique<Jet>(b, group.coordinates, plan.lanes);
      jet->push(std::vector{request.expression});
      b.set_location(request.op->location());
      Value result;
      const auto add = [&](Value part, double weight) {
        if (!part || weight == 0) return;
        const Value weighted = ops::scale(b, part, weight);
        result = result ? ops::add(b, result, weighted) : weighted;
      };
      const std::vector<DerivativeTerm> terms = group.terms(request);
      for (const DerivativeTerm& term : terms) {
        if (plan.lanes.set.find(term.orders)) add(jet->derivative(request.expression, term.orders), term.weight);
      }
      const Combination rest = without_lanes(terms, plan.lanes.set);
      const auto& collapsed = plan.lanes.combinations;
      const auto match = std::find_if(collapsed.begin(), collapsed.end(),
                                      [&](const Combination& combination) { return equal(combination, rest); });
      if (match != collapsed.end()) {
        add(jet->combination(request.expression, static_cast<std::size_t>(match - collapsed.begin())), 1);
      }
      if (!result) result = ops::full_like(b, request.expression, 0);
      expanded.emplace_back(request.op, result);
    }
    plans.push_back(std::move(plan));
  }
  for (const auto& [op, value] : expanded) op->result().replace_all_uses_with(value);
  for (const auto& [op, value] : expanded) op->erase();
  return plans;
}

}  // namespace eddy::autodiff
