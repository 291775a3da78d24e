#include "framework/compiler/access.h"

#include <algorithm>
#include <array>

#include "framework/ir/dialect.h"

namespace eddy::compiler {

using loops::Expr;

bool is_view(const ir::Operation& op) {
  static constexpr std::array kViews = {"prim.broadcast", "prim.reshape", "prim.transpose",    "prim.slice",
                                        "prim.reverse",   "prim.iota",    "prim.stop_gradient"};
  if (op.is("prim.constant")) return op.result().rank() == 0;
  return std::any_of(kViews.begin(), kViews.end(), [&](const char* name) { return op.is(name); });
}

Expr element(ir::Value value, const std::vector<Expr>& index, const ReadElement& read) {
  if (Expr found = read(value, index)) return found;
  EDDY_CHECK(value.defining_op() != nullptr);
  return element_of_operation(*value.defining_op(), index, read);
}

Expr element_of_operation(const ir::Operation& op, const std::vector<Expr>& index, const ReadElement& read) {
  const loops::PointArgs args{
      op, 0, index, [&](std::size_t operand, std::vector<Expr> at) { return element(op.operand(operand), at, read); }};
  if (const auto* rule = op.info().get<loops::ReduceLowering>()) return rule->point(args);
  const auto* rule = op.info().get<loops::PointLowering>();
  EDDY_CHECK(rule != nullptr, "{} has no pointwise lowering", op.name());
  return rule->point(args);
}

std::vector<Expr> canonical_index(const Shape& shape) {
  std::vector<Expr> index;
  int next = 0;
  for (const Dim dim : shape) {
    index.push_back(dim == Dim(1) ? Expr(0) : loops::variable("i" + std::to_string(next++)));
  }
  return index;
}

Shape loop_domain(const Shape& shape) {
  Shape domain;
  std::copy_if(shape.begin(), shape.end(), std::back_inserter(domain), [](Dim dim) { return dim != Dim(1); });
  return domain;
}

Shape full_domain(const ir::Operation& op) {
  Shape shape = op.result().shape();
  if (const auto* rule = op.info().get<loops::ReduceLowering>()) {
    const Shape extents = rule->extents(op);
    shape.insert(shape.end(), extents.begin(), extents.end());
  }
  return shape;
}

namespace {
bool same_index(const std::vector<Expr>& a, const std::vector<Expr>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const Expr& x, const Expr& y) { return x.same(y); });
}
}  // namespace

Shape domain_of(const ir::Operation& op) { return loop_domain(full_domain(op)); }

std::vector<Access> accesses_of(const ir::Operation& op, const std::function<bool(ir::Value)>& is_stored) {
  const Shape domain = full_domain(op);
  const Shape trimmed = loop_domain(domain);
  std::vector<Access> accesses;
  const ReadElement record = [&](ir::Value value, const std::vector<Expr>& index) -> Expr {
    if (value.defining_op() && is_view(*value.defining_op()) && !is_stored(value)) return {};
    const bool is_identity = loop_domain(value.shape()) == trimmed && same_index(index, canonical_index(value.shape()));
    accesses.push_back({value, index, is_identity});
    return loops::variable("x", value.dtype());
  };
  element_of_operation(op, canonical_index(domain), record);
  return accesses;
}

}  // namespace eddy::compiler
