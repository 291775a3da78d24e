/// Identities of the elementwise operations, most of them written as rules.

#include <cmath>
#include <limits>

#include "framework/ir/drr.h"
#include "framework/ops/simplify_patterns.h"

namespace eddy::ops {

namespace {

using ir::Operation;
using ir::PatternRewriter;

constexpr std::string_view kRules[] = {
    // Neutral elements.
    "prim.add($x, 0.0) -> $x",
    "prim.add($x, -0.0) -> $x",
    "prim.sub($x, 0.0) -> $x",
    "prim.sub($x, -0.0) -> $x",
    "prim.sub(0.0, $x) -> prim.neg($x)",
    "prim.sub(-0.0, $x) -> prim.neg($x)",
    "prim.mul($x, 1.0) -> $x",
    "prim.div($x, 1.0) -> $x",
    "prim.powc($x) {exponent = 1.0} -> $x",
    // Signs go outwards, where sums and other signs take them up.
    "prim.mul($x, -1.0) -> prim.neg($x)",
    "prim.div($x, -1.0) -> prim.neg($x)",
    "prim.neg(prim.neg($x)) -> $x",
    "prim.add($x, prim.neg($y)) -> prim.sub($x, $y)",
    "prim.sub($x, prim.neg($y)) -> prim.add($x, $y)",
    "prim.neg($d = prim.sub($x, $y)) -> prim.sub($y, $x) where one_use($d)",
    "prim.mul($n = prim.neg($x), $y) -> prim.neg(prim.mul($x, $y)) where one_use($n)",
    "prim.div($n = prim.neg($x), $y) -> prim.neg(prim.div($x, $y)) where one_use($n)",
    "prim.div($x, $n = prim.neg($y)) -> prim.neg(prim.div($x, $y)) where one_use($n)",
    "prim.abs(prim.neg($x)) -> prim.abs($x)",
    // Predicates.
    "prim.select(1.0, $x, $y) -> $x",
    "prim.select(0.0, $x, $y) -> $y",
    "prim.select($p, $x, $x) -> $x",
    "prim.select(prim.not($p), $x, $y) -> prim.select($p, $y, $x)",
    "prim.not(prim.not($p)) -> $p",
    "prim.and($p, 1.0) -> $p",
    "prim.or($p, 0.0) -> $p",
};

// Whether `x` is a number of dtype `dtype` that is neither subnormal nor beyond its range.
bool is_normal(DType dtype, double x) {
  if (dtype == DType::f64) return std::isnormal(x);
  return dtype == DType::f32 && std::isnormal(static_cast<float>(x)) && static_cast<double>(static_cast<float>(x)) == x;
}

bool is_power_of_two(double x) {
  int exponent = 0;
  return std::abs(std::frexp(x, &exponent)) == 0.5;
}

/// A product with a number: x * factor.
struct Scaled {
  Value x;
  double factor;
};

std::optional<Scaled> as_scaled(Value value) {
  const Operation* op = defined_by(value, "prim.mul");
  if (!op || !is_real(value.dtype())) return std::nullopt;
  for (const std::size_t i : {0, 1}) {
    if (const auto factor = splat_value(op->operand(i))) return Scaled{op->operand(1 - i), *factor};
  }
  return std::nullopt;
}

// (x c) d = x (c d), where one of them is a power of two.
bool merge_factors(Operation* op, PatternRewriter& rewriter) {
  const auto outer = as_scaled(op->result());
  if (!outer) return false;
  if (const Operation* negation = defined_by(outer->x, "prim.neg")) {
    rewriter.replace(op, scale(rewriter, negation->operand(0), -outer->factor));
    return true;
  }
  const auto inner = as_scaled(outer->x);
  if (!inner || outer->x.n_uses() != 1) return false;
  const double product = inner->factor * outer->factor;
  if (!is_power_of_two(inner->factor) && !is_power_of_two(outer->factor)) return false;
  const DType dtype = op->result().dtype();
  if (!is_normal(dtype, inner->factor) || !is_normal(dtype, outer->factor) || !is_normal(dtype, product)) return false;
  rewriter.replace(op, scale(rewriter, inner->x, product));
  return true;
}

// (x c) y = (x y) c for a power of two c, to meet other factors and signs further out.
bool pull_power_of_two(Operation* op, PatternRewriter& rewriter) {
  for (const std::size_t i : {0, 1}) {
    const Value product = op->operand(i), other = op->operand(1 - i);
    const auto scaled = as_scaled(product);
    if (!scaled || product.n_uses() != 1 || !is_power_of_two(scaled->factor) || splat_value(other)) continue;
    rewriter.replace(op, scale(rewriter, mul(rewriter, scaled->x, other), scaled->factor));
    return true;
  }
  return false;
}

// -(x c) = x (-c).
bool negate_factor(Operation* op, PatternRewriter& rewriter) {
  const auto scaled = as_scaled(op->operand(0));
  if (!scaled || op->operand(0).n_uses() != 1) return false;
  rewriter.replace(op, scale(rewriter, scaled->x, -scaled->factor));
  return true;
}

// x / c = x (1/c) for powers of two, whose inverse is exact.
bool divide_by_power_of_two(Operation* op, PatternRewriter& rewriter) {
  const auto divisor = splat_value(op->operand(1));
  const DType dtype = op->result().dtype();
  if (!divisor || !is_power_of_two(*divisor) || !is_normal(dtype, *divisor) || !is_normal(dtype, 1 / *divisor)) {
    return false;
  }
  rewriter.replace(op, scale(rewriter, op->operand(0), 1 / *divisor));
  return true;
}

}  // namespace

void add_algebra_patterns(const ir::Context& context, ir::PatternSet& patterns) {
  const ir::RuleHooks hooks = {
      splat_value, [](Builder& b, double number, ir::Type type) { return full(b, type, number); }, {}};
  for (const std::string_view rule : kRules) patterns.add(make_rule(context, rule, hooks));
  patterns.add({"merge factors", "prim.mul", 1, merge_factors});
  patterns.add({"pull a power of two", "prim.mul", 1, pull_power_of_two});
  patterns.add({"negate a factor", "prim.neg", 1, negate_factor});
  patterns.add({"divide by a power of two", "prim.div", 1, divide_by_power_of_two});
}

}  // namespace eddy::ops
