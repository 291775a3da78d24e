#pragma once
/// Scalar expressions of the loop IR: what one element of a tensor is. Immutable, shared, simplified when built.

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "framework/core/dim.h"
#include "framework/core/dtype.h"

namespace eddy::loops {

enum class ExprKind : std::uint8_t {
  constant,  ///< a number of the expression's dtype
  variable,  ///< a loop index (i64) or a value bound by a Let, by name
  size,      ///< a symbolic size (i64)
  load,      ///< element of a buffer at multi-dimensional indices
  neg,
  add,
  sub,
  mul,
  div,
  floor_div,
  floor_mod,
  min,
  max,  // arithmetic; floor_div and floor_mod on i64 only
  eq,
  ne,
  lt,
  le,
  logical_and,
  logical_or,
  logical_not,  // to bool
  select,       ///< (condition, if true, if false); both branches may be evaluated
  fma,          ///< a*b + c rounded once
  call,         ///< a mathematical function by name: "tanh", "exp", ...; see compiler/c_math.h
  cast,
};

class Expr;

struct ExprNode {
  ExprKind kind;
  DType dtype;
  std::string name = {};            // of a variable, buffer or function
  std::vector<Expr> operands = {};  // of a load: the indices
  double floating = 0;              // constant of a real dtype (exact: f32 values are doubles too)
  std::int64_t integer = 0;         // constant of i64 or bool
  Dim dim = {};                     // size
};

/// A handle to an immutable node. Building an expression folds integer constants and the identities that hold exactly
/// (x*1, x+0 for integers, -(-x), select of equal branches); floating arithmetic is never reordered.
class Expr {
 public:
  Expr() = default;
  explicit Expr(std::shared_ptr<const ExprNode> node) : node_(std::move(node)) {}
  /// An i64 constant: indices mix with plain numbers.
  Expr(std::int64_t value);                                    // NOLINT
  Expr(int value) : Expr(static_cast<std::int64_t>(value)) {}  // NOLINT

  explicit operator bool() const { return node_ != nullptr; }
  const ExprNode& node() const { return *node_; }
  const ExprNode* operator->() const { return node_.get(); }
  ExprKind kind() const { return node_->kind; }
  DType dtype() const { return node_->dtype; }
  const std::vector<Expr>& operands() const { return node_->operands; }
  /// The value of an i64 constant.
  std::optional<std::int64_t> as_integer() const;
  /// Structural equality.
  bool same(const Expr& other) const;

 private:
  std::shared_ptr<const ExprNode> node_;
};

/// A constant of a real, i64 or bool dtype.
Expr constant(DType dtype, double value);
Expr variable(std::string name, DType dtype = DType::i64);
Expr size(Dim dim);
Expr load(std::string buffer, DType dtype, std::vector<Expr> indices);
Expr call(std::string function, std::vector<Expr> operands);
Expr cast(DType dtype, Expr x);
Expr select(Expr condition, Expr if_true, Expr if_false);
Expr fma(Expr a, Expr b, Expr c);
Expr floor_div(Expr a, Expr b);
Expr floor_mod(Expr a, Expr b);
Expr minimum(Expr a, Expr b);
Expr maximum(Expr a, Expr b);
Expr compare(ExprKind kind, Expr a, Expr b);
Expr logical_and(Expr a, Expr b);
Expr logical_or(Expr a, Expr b);
Expr logical_not(Expr a);
Expr operator-(Expr a);
Expr operator+(Expr a, Expr b);
Expr operator-(Expr a, Expr b);
Expr operator*(Expr a, Expr b);
Expr operator/(Expr a, Expr b);

/// Readable text, for dumps: "tanh(b3[i, j]) * 2.0".
std::string str(const Expr& e);
/// Replaces variables by name; `replace` returns a null Expr to leave one alone.
Expr substitute(const Expr& e, const std::function<Expr(const ExprNode& variable)>& replace);
/// Calls `visit` on each node, operands first.
void visit(const Expr& e, const std::function<void(const Expr&)>& visit);

}  // namespace eddy::loops
