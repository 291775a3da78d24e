#pragma once
/// Declarative rewrite rules, written as text:
///
///     prim.add($x, prim.neg($y)) -> prim.sub($x, $y)
///     prim.mul($x, 1.0) -> $x
///     prim.transpose(prim.transpose($x) {perm = $p}) {perm = $q} -> $x where inverse($p, $q)
///     prim.mul($y = prim.neg($x), $z) -> prim.neg(prim.mul($x, $z)) where one_use($y)
///
///     rule       = operation "->" result [ "where" condition { "," condition } ]
///     operation  = op "(" [ operand { "," operand } ] ")" [ "{" [ name "=" ( $a | attribute ) ] { "," ... } [ "..." ]
///     "}" ] operand    = $x | [ $x "=" ] operation | number condition  = predicate "(" $x { "," $x } ")"
///
/// Left side: a variable matches any value; used twice it must be the same value (or attribute). A number matches a
/// value that RuleHooks::is_splat says is that number everywhere, bit by bit (0.0 is not -0.0). Operands of commutative
/// operations match in either order. An operation matches only when it has one result, no regions and no attributes but
/// those named; "..." allows others. Right side: operations are created with types from their ShapeRules, a number
/// becomes a constant of the type of the value that is replaced, `$x` stands for the bound value. A rule applies only
/// where its result has the type of what it replaces.

#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "framework/ir/rewrite.h"

namespace eddy::ir {

/// What a condition is asked about: a value or an attribute, the other one null.
struct RuleArgument {
  Value value;
  Attribute attribute;
};
using RulePredicate = std::function<bool(std::span<const RuleArgument> arguments)>;

/// What rules need to know about operations.
struct RuleHooks {
  /// The number a value is everywhere, if it is one known at compile time.
  std::function<std::optional<double>(Value value)> is_splat;
  /// Creates a value of type `type` that is `number` everywhere.
  std::function<Value(Builder& builder, double number, Type type)> make_splat;
  /// Conditions by name, besides `same_type(values...)` and `one_use(values...)`.
  std::map<std::string, RulePredicate, std::less<>> predicates;
};

/// The pattern that a rule describes; its name is the rule's text. InternalError naming the position when the rule is
/// malformed: rules are part of our sources.
Pattern make_rule(const Context& context, std::string_view text, const RuleHooks& hooks, int benefit = 1);

}  // namespace eddy::ir
