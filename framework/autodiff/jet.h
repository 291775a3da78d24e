#pragma once
/// Taylor mode as an IR transform: multi-index jets and collapsed jets.

#include <map>
#include <set>
#include <span>
#include <vector>

#include "framework/autodiff/derivative.h"
#include "framework/ir/builder.h"
#include "framework/ir/rules.h"

namespace eddy::autodiff {

/// A linear combination of derivatives that is carried as one lane instead of one lane per term.
using Combination = std::vector<DerivativeTerm>;

/// The lanes to carry: all normalized coefficients of a downward-closed index set, and collapsed lanes. The proper
/// divisors of every term of a combination belong to the set; a term itself does not.
struct LanePlan {
  ir::IndexSet set = ir::IndexSet::closure(0, {});
  std::vector<Combination> combinations;

  /// Adds what the combinations need below their top order.
  static LanePlan of(std::size_t n_directions, const std::vector<ir::MultiIndex>& indices,
                     const std::vector<Combination>& combinations);
  std::size_t n_lanes() const { return set.size() + combinations.size(); }
};

/// Pushes lanes from coordinate values through the operations that depend on them. Values that do not depend on a
/// coordinate have no lanes but the first. Emission happens at the builder's insertion point, after the primal
/// operations.
class Jet {
 public:
  /// The value `coordinates[d]` is seeded with 1 in direction d. `plan.set` has coordinates.size() directions.
  Jet(ir::Builder& b, std::span<const ir::Value> coordinates, LanePlan plan);

  /// Pushes through everything between the coordinates and `outputs` that is not done yet.
  void push(std::span<const ir::Value> outputs);

  /// The derivative d^index of a pushed value (not the normalized coefficient); a null value is zero.
  ir::Value derivative(ir::Value value, const ir::MultiIndex& index);
  /// Combination number `c` of a pushed value; null is zero.
  ir::Value combination(ir::Value value, std::size_t c) const;

 private:
  struct State {
    ir::Lanes lanes;      // by position in the plan's set
    ir::Lanes collapsed;  // by combination, unnormalized: sum of weight * derivative
  };
  State state_of(ir::Value value) const;
  void push_operation(ir::Operation& op);
  void push_request(ir::Operation& op);

  ir::Builder& b_;
  std::vector<ir::Value> coordinates_;
  LanePlan plan_;
  ir::IndexSet extended_;              // the set with the combinations' own terms
  std::vector<std::size_t> position_;  // of the plan's indices in the extended set
  std::map<ir::Value, State> states_;
  std::set<ir::Operation*> done_;
};

}  // namespace eddy::autodiff
