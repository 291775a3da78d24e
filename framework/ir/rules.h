#pragma once
/// Interfaces of the rules an operation may have. The structs in framework/ops fill them; autodiff, compiler and
/// runtime read them through OpInfo::get<Rule>(). Lowering rules are declared in framework/loops, reference kernels in
/// framework/ops.

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "framework/ir/builder.h"
#include "framework/ir/multi_index.h"
#include "framework/ir/operation.h"

namespace eddy::ir {

/// What a shape rule sees before the operation exists.
struct InferArgs {
  const OpInfo& info;
  std::span<const Type> operands;
  const AttributeMap& attributes;
  SourceLocation location;

  /// Throws UserError at the location: "<op>: <message>".
  [[noreturn]] void fail(const std::string& message) const;
  void expect_operands(std::size_t n) const;
  /// The attribute, or fail().
  Attribute at(std::string_view name) const;
};

/// Result types from operand types and attributes. Rejects what does not fit by InferArgs::fail.
struct ShapeRule {
  std::vector<Type> (*infer)(const InferArgs& args) = nullptr;
};

/// Checks beyond types that follow from ShapeRule, for operations whose types are given. Throws UserError.
struct VerifyRule {
  void (*verify)(const Operation& op) = nullptr;
};

/// Conditions on symbolic sizes that the types do not express ("the slice ends inside the tensor"). ShapeRule rejects
/// what constants violate; whoever binds the symbols evaluates the rest before the first kernel runs: kernels rely on
/// them.
struct SizeCondition {
  Dim value;            ///< must not be negative
  std::string message;  ///< what is wrong when it is
};
struct SizeRule {
  std::vector<SizeCondition> (*conditions)(std::span<const Type> operands, const AttributeMap& attributes) = nullptr;
};

/// Names of axes, einsum-like. In one operation the same label means the same axis. A label in operands only is
/// reduced, one in results only is new (broadcast). kOpaque marks a dim along which elements are mixed or moved
/// (concat, slice, reshape that splits it): nothing can be said across it.
struct AxesMap {
  static constexpr int kOpaque = -1;
  std::vector<std::vector<int>> operands;  ///< one label per dim of each operand
  std::vector<std::vector<int>> results;   ///< one label per dim of each result
};
struct AxesRule {
  AxesMap (*axes)(const Operation& op) = nullptr;
};

/// The reverse rule: emits operations that compute the operands' cotangents.
struct VjpArgs {
  Builder& builder;
  const Operation& op;
  std::span<const Value> cotangents;  ///< one per result; null means zero (at least one is not null)
  std::span<const char> needed;       ///< one per operand: whether its cotangent is asked for
};
struct VjpRule {
  /// One value per operand; null means zero or not needed. Cotangents have their operand's type.
  std::vector<Value> (*vjp)(const VjpArgs& args) = nullptr;
};

/// Lanes of one value by position in an IndexSet: normalized Taylor coefficients. Position 0 is the value itself; a
/// null lane is zero.
using Lanes = std::vector<Value>;

/// The Taylor rule: emits operations that compute the results' lanes of total order >= 1.
struct JetArgs {
  Builder& builder;
  const Operation& op;
  const IndexSet& set;
  std::span<const Lanes> operands;  ///< each of size set.size(), position 0 set
};
struct JetRule {
  /// One Lanes per result; position 0 is the operation's own result. The coefficient of a top-order index depends on
  /// the operands' lanes of that index affinely, with the first derivative at the primal point as factor: collapsed
  /// lanes rely on it.
  std::vector<Lanes> (*jet)(const JetArgs& args) = nullptr;
};

/// Rewrites a composite operation into primitives: emits them and returns the values of its results.
struct DecomposeRule {
  std::vector<Value> (*decompose)(Builder& builder, const Operation& op) = nullptr;
};

}  // namespace eddy::ir
