#pragma once
/// How an operation becomes loops. The structs in framework/ops fill these rules; the compiler reads them. Three forms,
/// from the most to the least composable:
///   PointLowering   a result element as an expression of operand elements: fuses anywhere;
///   ReduceLowering  a result element as a fold of such expressions over further axes (sums, contractions);
///   NestLowering    whole statements (scatter, scan, sort).

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "framework/ir/operation.h"
#include "framework/loops/expr.h"
#include "framework/loops/stmt.h"

namespace eddy::loops {

struct PointArgs {
  const ir::Operation& op;
  std::size_t result;           ///< which result is asked for
  std::span<const Expr> index;  ///< of the element, one i64 expression per dim
  /// Element of operand i at the given index. May be called several times and at different indices.
  std::function<Expr(std::size_t operand, std::vector<Expr> index)> operand;
};

struct PointLowering {
  Expr (*point)(const PointArgs& args) = nullptr;
};

struct ReduceLowering {
  /// Extents of the axes folded over.
  Shape (*extents)(const ir::Operation& op) = nullptr;
  /// The summand at index = (result index..., reduced index...).
  Expr (*point)(const PointArgs& args) = nullptr;
  /// The fold's neutral element and its combination, associative in exact arithmetic.
  Expr (*identity)(DType dtype) = nullptr;
  Expr (*combine)(Expr a, Expr b) = nullptr;
};

struct NestArgs {
  const ir::Operation& op;
  /// As in PointArgs.
  std::function<Expr(std::size_t operand, std::vector<Expr> index)> operand;
  /// Buffer names of the results, to load from and store to.
  std::span<const std::string> results;
  /// A loop variable's name not used elsewhere.
  std::function<std::string()> fresh;
};

struct NestLowering {
  Stmt (*nest)(const NestArgs& args) = nullptr;
};

}  // namespace eddy::loops
