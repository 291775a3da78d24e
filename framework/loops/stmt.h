#pragma once
/// Statements of the loop IR.

#include <memory>
#include <string>
#include <vector>

#include "framework/loops/expr.h"

namespace eddy::loops {

class Stmt;

enum class StmtKind : std::uint8_t {
  block,    ///< `body` in order
  loop,     ///< for (name = 0; name < value; ++name) body
  store,    ///< buffer `name` at `indices` = value
  let,      ///< bind `name` to `value` for the statements after it in the block
  assign,   ///< set a variable that a Let introduced as mutable
  branch,   ///< if (value) body
  call,     ///< kernel `name` with `arguments`: loads stand for addresses, other expressions for numbers
  comment,  ///< `name` is text for the reader
};

/// How the iterations of a loop relate.
enum class LoopKind : std::uint8_t {
  serial,
  vector,  ///< independent, contiguous: the printer marks it for vectorization
};

struct StmtNode {
  StmtKind kind;
  std::string name = {};
  Expr value = {};
  std::vector<Expr> indices = {};
  std::vector<Expr> arguments = {};
  std::vector<Stmt> body = {};
  LoopKind loop = LoopKind::serial;
  bool is_mutable = false;  // of a let
};

/// A handle to an immutable statement.
class Stmt {
 public:
  Stmt() = default;
  explicit Stmt(StmtNode node) : node_(std::make_shared<const StmtNode>(std::move(node))) {}
  explicit operator bool() const { return node_ != nullptr; }
  const StmtNode& node() const { return *node_; }
  const StmtNode* operator->() const { return node_.get(); }

 private:
  std::shared_ptr<const StmtNode> node_;
};

/// Nested blocks are flattened.
Stmt block(std::vector<Stmt> body);
Stmt loop(std::string variable, Expr extent, Stmt body, LoopKind kind = LoopKind::serial);
Stmt store(std::string buffer, std::vector<Expr> indices, Expr value);
Stmt let(std::string name, Expr value, bool is_mutable = false);
Stmt assign(std::string name, Expr value);
Stmt branch(Expr condition, Stmt body);
Stmt call_kernel(std::string name, std::vector<Expr> arguments);
Stmt comment(std::string text);

/// Readable text, for dumps.
std::string str(const Stmt& stmt, int indent = 0);

}  // namespace eddy::loops
