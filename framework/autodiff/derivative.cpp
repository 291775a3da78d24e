#include "framework/autodiff/derivative.h"

#include <algorithm>

#include "framework/autodiff/slice.h"
#include "framework/ir/rules.h"

namespace eddy::autodiff {

ir::Value derivative(ir::Builder& b, ir::Value expression, std::span<const ir::Value> coordinates,
                     const std::vector<DerivativeTerm>& terms) {
  std::vector<ir::Value> operands = {expression};
  operands.insert(operands.end(), coordinates.begin(), coordinates.end());
  std::vector<ir::Attribute> orders, weights;
  for (const DerivativeTerm& term : terms) {
    orders.push_back(ir::Attribute::ints({term.orders.begin(), term.orders.end()}));
    weights.push_back(ir::Attribute::floating(term.weight));
  }
  return b.op(
      kDerivativeOp, operands,
      {{"orders", ir::Attribute::list(std::move(orders))}, {"weights", ir::Attribute::list(std::move(weights))}});
}

DerivativeRequest DerivativeRequest::of(ir::Operation* op) {
  EDDY_CHECK(op->is(kDerivativeOp));
  DerivativeRequest request{op, op->operand(0), {}, {}};
  for (std::size_t i = 1; i < op->n_operands(); ++i) request.coordinates.push_back(op->operand(i));
  const auto& orders = op->at("orders").as_list();
  const auto& weights = op->at("weights").as_list();
  for (std::size_t i = 0; i < orders.size(); ++i) {
    const std::vector<std::int64_t> entries = orders[i].as_ints();
    request.terms.push_back({ir::MultiIndex(entries.begin(), entries.end()), weights[i].as_float()});
  }
  return request;
}

void check_rows_independent(const DerivativeRequest& request) {
  // The dim of each value that holds the coordinates' rows.
  std::map<ir::Value, std::size_t> row_dim;
  for (const ir::Value coordinate : request.coordinates) row_dim[coordinate] = 0;
  const auto reject = [&](const ir::Operation& op, const char* what) {
    throw UserError(request.op->location(),
                    fmt::format("cannot differentiate by a coordinate: {} {} the rows, so one row's value depends on "
                                "other rows' coordinates",
                                op.name(), what),
                    "derivatives by coordinates need an expression that treats each point by itself");
  };
  for (ir::Operation* op : dependent_operations(request.coordinates, std::vector{request.expression})) {
    const auto* rule = op->info().get<ir::AxesRule>();
    EDDY_CHECK(rule != nullptr, "{} has no axes rule", op->name());
    const ir::AxesMap axes = rule->axes(*op);
    int label = ir::AxesMap::kOpaque;
    for (std::size_t i = 0; i < op->n_operands(); ++i) {
      const auto found = row_dim.find(op->operand(i));
      if (found == row_dim.end()) continue;
      const int own = axes.operands[i].at(found->second);
      if (own == ir::AxesMap::kOpaque) reject(*op, "moves");
      if (label != ir::AxesMap::kOpaque && own != label) reject(*op, "crosses");
      label = own;
    }
    for (std::size_t r = 0; r < op->n_results(); ++r) {
      const std::vector<int>& labels = axes.results[r];
      const auto at = std::find(labels.begin(), labels.end(), label);
      if (at == labels.end()) reject(*op, "reduces over");
      row_dim[op->result(r)] = static_cast<std::size_t>(at - labels.begin());
    }
  }
  const auto found = row_dim.find(request.expression);
  if (found != row_dim.end() && found->second != 0) reject(*request.expression.defining_op(), "moves");
}

}  // namespace eddy::autodiff
