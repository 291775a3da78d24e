/// ad.derivative: the symbolic request for derivatives, which the planner of framework/autodiff expands.

#include <algorithm>

#include "framework/ops/dialects.h"
#include "framework/ops/registration.h"

namespace eddy::ops {

namespace {

/// Operands: the expression, then the coordinates. Attributes: orders = [[...], ...], weights = [...].
struct Derivative {
  static constexpr std::string_view name = "ad.derivative";
  static constexpr ir::Trait traits = ir::Trait::pure;

  static std::vector<ir::Type> infer(const ir::InferArgs& args) {
    if (args.operands.size() < 2) args.fail("expected an expression and at least one coordinate");
    const ir::Type expression = args.operands[0];
    if (!is_inexact(expression.dtype()) || expression.rank() == 0) {
      args.fail("the expression must be a floating-point tensor with a dim of rows");
    }
    for (const ir::Type coordinate : args.operands.subspan(1)) {
      if (coordinate.rank() == 0 || coordinate.dim(0) != expression.dim(0) ||
          coordinate.dtype() != expression.dtype()) {
        args.fail("each coordinate must have the expression's dtype and rows");
      }
    }
    const auto& orders = args.at("orders").as_list();
    const auto& weights = args.at("weights").as_list();
    if (orders.empty() || orders.size() != weights.size())
      args.fail("expected as many weights as orders, at least one");
    for (const ir::Attribute index : orders) {
      const std::vector<std::int64_t> entries = index.as_ints();
      if (entries.size() + 1 != args.operands.size()) args.fail("expected one order per coordinate");
      if (std::any_of(entries.begin(), entries.end(), [](std::int64_t n) { return n < 0 || n > 16; })) {
        args.fail("orders must lie in 0..16");
      }
    }
    return {expression};
  }

  static ir::AxesMap axes(const ir::Operation& op) {
    ir::AxesMap map;
    std::vector<int> labels(op.result().rank());
    for (std::size_t i = 0; i < labels.size(); ++i) labels[i] = static_cast<int>(i);
    map.operands.push_back(labels);
    for (std::size_t i = 1; i < op.n_operands(); ++i) {
      std::vector<int> coordinate(op.operand(i).rank(), ir::AxesMap::kOpaque);
      coordinate[0] = 0;
      map.operands.push_back(coordinate);
    }
    map.results.push_back(labels);
    return map;
  }
};

}  // namespace

void register_derivative(ir::Context& context) { register_op<Derivative>(context); }

}  // namespace eddy::ops
