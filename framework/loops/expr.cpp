#include "framework/loops/expr.h"

#include <fmt/core.h>

#include "framework/core/errors.h"

namespace eddy::loops {

namespace {

Expr make(ExprNode node) { return Expr(std::make_shared<const ExprNode>(std::move(node))); }

Expr unary(ExprKind kind, DType dtype, Expr x) { return make({kind, dtype, {}, {std::move(x)}}); }

Expr binary(ExprKind kind, Expr a, Expr b) {
  EDDY_CHECK(a.dtype() == b.dtype(), "{} and {}", str(a), str(b));
  const DType dtype = a.dtype();
  return make({kind, dtype, {}, {std::move(a), std::move(b)}});
}

bool both_integers(const Expr& a, const Expr& b) { return a.as_integer() && b.as_integer(); }

std::int64_t floor_div_of(std::int64_t a, std::int64_t b) {
  EDDY_CHECK(b > 0);
  return a >= 0 ? a / b : -((-a + b - 1) / b);
}

const char* symbol_of(ExprKind kind) {
  switch (kind) {
    case ExprKind::add: return "+";
    case ExprKind::sub: return "-";
    case ExprKind::mul: return "*";
    case ExprKind::div: return "/";
    case ExprKind::floor_div: return "//";
    case ExprKind::floor_mod: return "%";
    case ExprKind::eq: return "==";
    case ExprKind::ne: return "!=";
    case ExprKind::lt: return "<";
    case ExprKind::le: return "<=";
    case ExprKind::logical_and: return "&&";
    case ExprKind::logical_or: return "||";
    default: return nullptr;
  }
}

}  // namespace

Expr::Expr(std::int64_t value) {
  ExprNode node{ExprKind::constant, DType::i64, {}, {}};
  node.integer = value;
  node_ = std::make_shared<const ExprNode>(std::move(node));
}

std::optional<std::int64_t> Expr::as_integer() const {
  if (node_ && node_->kind == ExprKind::constant && node_->dtype == DType::i64) return node_->integer;
  return std::nullopt;
}

bool Expr::same(const Expr& other) const {
  if (node_ == other.node_) return true;
  if (!node_ || !other.node_) return false;
  const ExprNode& a = *node_;
  const ExprNode& b = *other.node_;
  // Constants compare by bits, so that 0.0 and -0.0 differ and equal NaNs agree.
  if (a.kind != b.kind || a.dtype != b.dtype || a.name != b.name || a.integer != b.integer || a.dim != b.dim ||
      __builtin_bit_cast(std::uint64_t, a.floating) != __builtin_bit_cast(std::uint64_t, b.floating) ||
      a.operands.size() != b.operands.size()) {
    return false;
  }
  for (std::size_t i = 0; i < a.operands.size(); ++i) {
    if (!a.operands[i].same(b.operands[i])) return false;
  }
  return true;
}

Expr constant(DType dtype, double value) {
  EDDY_CHECK(!is_complex(dtype), "complex constants are not lowered yet");
  if (dtype == DType::i64) return Expr(static_cast<std::int64_t>(value));
  ExprNode node{ExprKind::constant, dtype, {}, {}};
  if (dtype == DType::boolean) {
    node.integer = value != 0;
  } else {
    node.floating = dtype == DType::f32 ? static_cast<double>(static_cast<float>(value)) : value;
  }
  return make(std::move(node));
}

Expr variable(std::string name, DType dtype) { return make({ExprKind::variable, dtype, std::move(name), {}}); }

Expr size(Dim dim) {
  if (dim.is_constant()) return Expr(dim.constant());
  ExprNode node{ExprKind::size, DType::i64, {}, {}};
  node.dim = dim;
  return make(std::move(node));
}

Expr load(std::string buffer, DType dtype, std::vector<Expr> indices) {
  for (const Expr& index : indices) EDDY_CHECK(index.dtype() == DType::i64);
  return make({ExprKind::load, dtype, std::move(buffer), std::move(indices)});
}

Expr call(std::string function, std::vector<Expr> operands) {
  EDDY_CHECK(!operands.empty());
  const DType dtype = operands.front().dtype();
  return make({ExprKind::call, dtype, std::move(function), std::move(operands)});
}

Expr cast(DType dtype, Expr x) { return x.dtype() == dtype ? x : unary(ExprKind::cast, dtype, std::move(x)); }

Expr select(Expr condition, Expr if_true, Expr if_false) {
  EDDY_CHECK(condition.dtype() == DType::boolean && if_true.dtype() == if_false.dtype());
  if (condition.kind() == ExprKind::constant) return condition->integer ? if_true : if_false;
  if (if_true.same(if_false)) return if_true;
  const DType dtype = if_true.dtype();
  return make({ExprKind::select, dtype, {}, {std::move(condition), std::move(if_true), std::move(if_false)}});
}

Expr fma(Expr a, Expr b, Expr c) {
  EDDY_CHECK(is_real(a.dtype()) && a.dtype() == b.dtype() && a.dtype() == c.dtype());
  const DType dtype = a.dtype();
  return make({ExprKind::fma, dtype, {}, {std::move(a), std::move(b), std::move(c)}});
}

Expr floor_div(Expr a, Expr b) {
  if (both_integers(a, b)) return Expr(floor_div_of(*a.as_integer(), *b.as_integer()));
  if (b.as_integer() == 1) return a;
  return binary(ExprKind::floor_div, std::move(a), std::move(b));
}

Expr floor_mod(Expr a, Expr b) {
  if (both_integers(a, b)) {
    return Expr(*a.as_integer() - floor_div_of(*a.as_integer(), *b.as_integer()) * *b.as_integer());
  }
  if (b.as_integer() == 1) return 0;
  return binary(ExprKind::floor_mod, std::move(a), std::move(b));
}

Expr minimum(Expr a, Expr b) {
  if (both_integers(a, b)) return Expr(std::min(*a.as_integer(), *b.as_integer()));
  return binary(ExprKind::min, std::move(a), std::move(b));
}
Expr maximum(Expr a, Expr b) {
  if (both_integers(a, b)) return Expr(std::max(*a.as_integer(), *b.as_integer()));
  return binary(ExprKind::max, std::move(a), std::move(b));
}

Expr compare(ExprKind kind, Expr a, Expr b) {
  EDDY_CHECK(a.dtype() == b.dtype());
  if (both_integers(a, b)) {
    const std::int64_t x = *a.as_integer(), y = *b.as_integer();
    const bool value = kind == ExprKind::eq   ? x == y
                       : kind == ExprKind::ne ? x != y
                       : kind == ExprKind::lt ? x < y
                                              : x <= y;
    return constant(DType::boolean, value);
  }
  return make({kind, DType::boolean, {}, {std::move(a), std::move(b)}});
}

Expr logical_and(Expr a, Expr b) {
  if (a.kind() == ExprKind::constant) return a->integer ? b : a;
  if (b.kind() == ExprKind::constant) return b->integer ? a : b;
  return binary(ExprKind::logical_and, std::move(a), std::move(b));
}
Expr logical_or(Expr a, Expr b) {
  if (a.kind() == ExprKind::constant) return a->integer ? a : b;
  if (b.kind() == ExprKind::constant) return b->integer ? b : a;
  return binary(ExprKind::logical_or, std::move(a), std::move(b));
}
Expr logical_not(Expr a) {
  EDDY_CHECK(a.dtype() == DType::boolean);
  if (a.kind() == ExprKind::constant) return constant(DType::boolean, !a->integer);
  if (a.kind() == ExprKind::logical_not) return a.operands()[0];
  return unary(ExprKind::logical_not, DType::boolean, std::move(a));
}

Expr operator-(Expr a) {
  if (const auto value = a.as_integer()) return Expr(-*value);
  if (a.kind() == ExprKind::neg) return a.operands()[0];
  const DType dtype = a.dtype();
  return unary(ExprKind::neg, dtype, std::move(a));
}

Expr operator+(Expr a, Expr b) {
  if (both_integers(a, b)) return Expr(checked_add(*a.as_integer(), *b.as_integer()));
  if (a.as_integer() == 0) return b;  // integers only: -0.0 + 0.0 is 0.0
  if (b.as_integer() == 0) return a;
  return binary(ExprKind::add, std::move(a), std::move(b));
}

Expr operator-(Expr a, Expr b) {
  if (both_integers(a, b)) return Expr(*a.as_integer() - *b.as_integer());
  if (b.as_integer() == 0) return a;
  return binary(ExprKind::sub, std::move(a), std::move(b));
}

Expr operator*(Expr a, Expr b) {
  if (both_integers(a, b)) return Expr(checked_multiply(*a.as_integer(), *b.as_integer()));
  for (const auto& [x, y] : {std::pair(a, b), std::pair(b, a)}) {
    if (x.as_integer() == 0) return x;
    if (x.as_integer() == 1) return y;
    if (x.kind() == ExprKind::constant && is_real(x.dtype()) && x->floating == 1.0) return y;
  }
  return binary(ExprKind::mul, std::move(a), std::move(b));
}

Expr operator/(Expr a, Expr b) {
  EDDY_CHECK(is_inexact(a.dtype()), "use floor_div on integers");
  return binary(ExprKind::div, std::move(a), std::move(b));
}

std::string str(const Expr& e) {
  const ExprNode& node = e.node();
  const auto list = [&] {
    std::string text;
    for (const Expr& operand : node.operands) text += (text.empty() ? "" : ", ") + str(operand);
    return text;
  };
  switch (node.kind) {
    case ExprKind::constant:
      if (node.dtype == DType::boolean) return node.integer ? "true" : "false";
      return node.dtype == DType::i64 ? std::to_string(node.integer) : fmt::format("{}", node.floating);
    case ExprKind::variable: return node.name;
    case ExprKind::size: return node.dim.str();
    case ExprKind::load: return node.name + "[" + list() + "]";
    case ExprKind::neg: return "-" + str(node.operands[0]);
    case ExprKind::logical_not: return "!" + str(node.operands[0]);
    case ExprKind::min: return "min(" + list() + ")";
    case ExprKind::max: return "max(" + list() + ")";
    case ExprKind::select: return "select(" + list() + ")";
    case ExprKind::fma: return "fma(" + list() + ")";
    case ExprKind::call: return node.name + "(" + list() + ")";
    case ExprKind::cast: return std::string(name(node.dtype)) + "(" + list() + ")";
    default: return "(" + str(node.operands[0]) + " " + symbol_of(node.kind) + " " + str(node.operands[1]) + ")";
  }
}

Expr substitute(const Expr& e, const std::function<Expr(const ExprNode&)>& replace) {
  if (e.kind() == ExprKind::variable) {
    Expr replacement = replace(e.node());
    return replacement ? replacement : e;
  }
  if (e.operands().empty()) return e;
  std::vector<Expr> operands;
  bool changed = false;
  for (const Expr& operand : e.operands()) {
    operands.push_back(substitute(operand, replace));
    changed |= &operands.back().node() != &operand.node();
  }
  if (!changed) return e;
  switch (e.kind()) {
    // Rebuilt through the constructors that simplify.
    case ExprKind::neg: return -operands[0];
    case ExprKind::add: return operands[0] + operands[1];
    case ExprKind::sub: return operands[0] - operands[1];
    case ExprKind::mul: return operands[0] * operands[1];
    case ExprKind::floor_div: return floor_div(operands[0], operands[1]);
    case ExprKind::floor_mod: return floor_mod(operands[0], operands[1]);
    case ExprKind::min: return minimum(operands[0], operands[1]);
    case ExprKind::max: return maximum(operands[0], operands[1]);
    case ExprKind::eq:
    case ExprKind::ne:
    case ExprKind::lt:
    case ExprKind::le: return compare(e.kind(), operands[0], operands[1]);
    case ExprKind::logical_and: return logical_and(operands[0], operands[1]);
    case ExprKind::logical_or: return logical_or(operands[0], operands[1]);
    case ExprKind::logical_not: return logical_not(operands[0]);
    case ExprKind::select: return select(operands[0], operands[1], operands[2]);
    default: {
      ExprNode node = e.node();
      node.operands = std::move(operands);
      return make(std::move(node));
    }
  }
}

void visit(const Expr& e, const std::function<void(const Expr&)>& visitor) {
  for (const Expr& operand : e.operands()) visit(operand, visitor);
  visitor(e);
}

}  // namespace eddy::loops
