#include "framework/autodiff/jet.h"

#include <algorithm>

#include "framework/autodiff/slice.h"
#include "framework/ops/emit.h"
#include "framework/ops/lanes.h"

namespace eddy::autodiff {

using ir::Lanes;
using ir::MultiIndex;
using ir::Value;

namespace {

Value accumulate(ir::Builder& b, Value total, Value term) {
  if (!term) return total;
  return total ? ops::add(b, total, term) : term;
}

Value scaled(ir::Builder& b, Value x, double factor) {
  if (!x || factor == 0) return {};
  return factor == 1 ? x : ops::scale(b, x, factor);
}

}  // namespace

LanePlan LanePlan::of(std::size_t n_directions, const std::vector<MultiIndex>& indices,
                      const std::vector<Combination>& combinations) {
  std::vector<MultiIndex> all = indices;
  for (const Combination& combination : combinations) {
    for (const DerivativeTerm& term : combination) {
      for (std::size_t d = 0; d < n_directions; ++d) {
        if (term.orders[d] == 0) continue;
        all.push_back(term.orders);
        --all.back()[d];
      }
    }
  }
  return {ir::IndexSet::closure(n_directions, all), combinations};
}

Jet::Jet(ir::Builder& b, std::span<const Value> coordinates, LanePlan plan)
    : b_(b), coordinates_(coordinates.begin(), coordinates.end()), plan_(std::move(plan)) {
  EDDY_CHECK(plan_.set.n_directions() == coordinates.size());
  std::vector<MultiIndex> all;
  for (std::size_t k = 0; k < plan_.set.size(); ++k) all.push_back(plan_.set[k]);
  for (const Combination& combination : plan_.combinations) {
    for (const DerivativeTerm& term : combination) {
      EDDY_CHECK(!plan_.set.find(term.orders), "a term of a combination is a lane of its own");
      all.push_back(term.orders);
    }
  }
  extended_ = ir::IndexSet::closure(coordinates.size(), all);
  for (std::size_t k = 0; k < plan_.set.size(); ++k) position_.push_back(*extended_.find(plan_.set[k]));

  for (std::size_t d = 0; d < coordinates_.size(); ++d) {
    State state{Lanes(plan_.set.size()), Lanes(plan_.combinations.size())};
    state.lanes[0] = coordinates_[d];
    MultiIndex unit(coordinates_.size(), 0);
    unit[d] = 1;
    const Value seed = ops::full_like(b_, coordinates_[d], 1);
    if (const auto position = plan_.set.find(unit)) state.lanes[*position] = seed;
    for (std::size_t c = 0; c < plan_.combinations.size(); ++c) {
      for (const DerivativeTerm& term : plan_.combinations[c]) {
        if (term.orders == unit) state.collapsed[c] = accumulate(b_, state.collapsed[c], scaled(b_, seed, term.weight));
      }
    }
    states_[coordinates_[d]] = std::move(state);
  }
}

Jet::State Jet::state_of(Value value) const {
  const auto found = states_.find(value);
  if (found != states_.end()) return found->second;
  State constant{Lanes(plan_.set.size()), Lanes(plan_.combinations.size())};
  constant.lanes[0] = value;
  return constant;
}

void Jet::push(std::span<const Value> outputs) {
  for (ir::Operation* op : dependent_operations(coordinates_, outputs)) {
    if (!done_.insert(op).second) continue;
    b_.set_location(op->location());
    if (op->is(kDerivativeOp)) {
      push_request(*op);
    } else if (!op->info().has_trait(ir::Trait::zero_derivative)) {
      push_operation(*op);
    }
  }
}

void Jet::push_operation(ir::Operation& op) {
  const auto* rule = op.info().get<ir::JetRule>();
  EDDY_CHECK(rule != nullptr, "{} has no Taylor rule", op.name());
  std::vector<State> operands;
  for (const Value operand : op.operands()) operands.push_back(state_of(operand));

  // One application on the extended set, the lanes of the combinations' own terms left out: the plan's lanes come out
  // whole, and at those terms stands what the lower lanes contribute.
  std::vector<Lanes> extended;
  for (const State& operand : operands) {
    extended.emplace_back(extended_.size());
    for (std::size_t k = 0; k < position_.size(); ++k) extended.back()[position_[k]] = operand.lanes[k];
  }
  const std::vector<Lanes> results = rule->jet({b_, op, extended_, extended});
  EDDY_CHECK(results.size() == op.n_results());
  std::vector<State> states(results.size());
  for (std::size_t r = 0; r < results.size(); ++r) {
    states[r].lanes.resize(plan_.set.size());
    states[r].collapsed.resize(plan_.combinations.size());
    for (std::size_t k = 0; k < position_.size(); ++k) states[r].lanes[k] = results[r][position_[k]];
  }

  static const ir::IndexSet first_order = ir::IndexSet::closure(1, {{1}});
  for (std::size_t c = 0; c < plan_.combinations.size(); ++c) {
    // The collapsed lane itself passes through the first derivative ...
    std::vector<Lanes> tangent;
    bool any = false;
    for (const State& operand : operands) {
      tangent.push_back({operand.lanes[0], operand.collapsed[c]});
      any |= static_cast<bool>(operand.collapsed[c]);
    }
    if (any) {
      const std::vector<Lanes> pushed = rule->jet({b_, op, first_order, tangent});
      for (std::size_t r = 0; r < results.size(); ++r) states[r].collapsed[c] = pushed[r][1];
    }
    // ... and the lower lanes' contributions are added with their weights.
    for (const DerivativeTerm& term : plan_.combinations[c]) {
      const std::size_t k = *extended_.find(term.orders);
      for (std::size_t r = 0; r < results.size(); ++r) {
        const Value rest = scaled(b_, results[r][k], term.weight * ir::factorial(term.orders));
        states[r].collapsed[c] = accumulate(b_, states[r].collapsed[c], rest);
      }
    }
  }
  for (std::size_t r = 0; r < results.size(); ++r) {
    states[r].lanes[0] = op.result(r);
    states_[op.result(r)] = std::move(states[r]);
  }
}

void Jet::push_request(ir::Operation& op) {
  // Coefficient k of sum w d^a u is the sum of w (a + k)! / k! u_{a+k}. Where a + k is not carried, nobody asks for it:
  // the plan holds the closure of all that is asked for.
  const DerivativeRequest request = DerivativeRequest::of(&op);
  const State operand = state_of(request.expression);
  State state{Lanes(plan_.set.size()), Lanes(plan_.combinations.size())};
  state.lanes[0] = op.result();
  for (std::size_t k = 1; k < plan_.set.size(); ++k) {
    for (const DerivativeTerm& term : request.terms) {
      MultiIndex total = plan_.set[k];
      for (std::size_t i = 0; i < request.coordinates.size(); ++i) {
        const auto at = std::find(coordinates_.begin(), coordinates_.end(), request.coordinates[i]);
        EDDY_CHECK(at != coordinates_.end());
        total[static_cast<std::size_t>(at - coordinates_.begin())] += term.orders[i];
      }
      const auto position = plan_.set.find(total);
      if (!position) continue;
      const double factor = term.weight * ir::factorial(total) / ir::factorial(plan_.set[k]);
      state.lanes[k] = accumulate(b_, state.lanes[k], scaled(b_, operand.lanes[*position], factor));
    }
  }
  states_[op.result()] = std::move(state);
}

Value Jet::derivative(Value value, const MultiIndex& index) {
  const auto position = plan_.set.find(index);
  EDDY_CHECK(position.has_value(), "the derivative was not planned");
  return scaled(b_, state_of(value).lanes[*position], ir::factorial(index));
}

Value Jet::combination(Value value, std::size_t c) const { return state_of(value).collapsed.at(c); }

}  // namespace eddy::autodiff
