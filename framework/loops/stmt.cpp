#include "framework/loops/stmt.h"

#include "framework/core/errors.h"

namespace eddy::loops {

Stmt block(std::vector<Stmt> body) {
  StmtNode node{StmtKind::block};
  for (Stmt& stmt : body) {
    if (!stmt) continue;
    if (stmt->kind == StmtKind::block) {
      node.body.insert(node.body.end(), stmt->body.begin(), stmt->body.end());
    } else {
      node.body.push_back(std::move(stmt));
    }
  }
  return Stmt(std::move(node));
}

Stmt loop(std::string variable, Expr extent, Stmt body, LoopKind kind) {
  StmtNode node{StmtKind::loop};
  node.name = std::move(variable);
  node.value = std::move(extent);
  node.body = {std::move(body)};
  node.loop = kind;
  return Stmt(std::move(node));
}

Stmt store(std::string buffer, std::vector<Expr> indices, Expr value) {
  StmtNode node{StmtKind::store};
  node.name = std::move(buffer);
  node.indices = std::move(indices);
  node.value = std::move(value);
  return Stmt(std::move(node));
}

Stmt let(std::string name, Expr value, bool is_mutable) {
  StmtNode node{StmtKind::let};
  node.name = std::move(name);
  node.value = std::move(value);
  node.is_mutable = is_mutable;
  return Stmt(std::move(node));
}

Stmt assign(std::string name, Expr value) {
  StmtNode node{StmtKind::assign};
  node.name = std::move(name);
  node.value = std::move(value);
  return Stmt(std::move(node));
}

Stmt branch(Expr condition, Stmt body) {
  EDDY_CHECK(condition.dtype() == DType::boolean);
  StmtNode node{StmtKind::branch};
  node.value = std::move(condition);
  node.body = {std::move(body)};
  return Stmt(std::move(node));
}

Stmt call_kernel(std::string name, std::vector<Expr> arguments) {
  StmtNode node{StmtKind::call};
  node.name = std::move(name);
  node.arguments = std::move(arguments);
  return Stmt(std::move(node));
}

Stmt comment(std::string text) {
  StmtNode node{StmtKind::comment};
  node.name = std::move(text);
  return Stmt(std::move(node));
}

std::string str(const Stmt& stmt, int indent) {
  const std::string pad(static_cast<std::size_t>(indent) * 2, ' ');
  const StmtNode& node = stmt.node();
  const auto list = [](const std::vector<Expr>& expressions) {
    std::string text;
    for (const Expr& e : expressions) text += (text.empty() ? "" : ", ") + str(e);
    return text;
  };
  const auto body = [&](int deeper) {
    std::string text;
    for (const Stmt& inner : node.body) text += str(inner, deeper);
    return text;
  };
  switch (node.kind) {
    case StmtKind::block: return body(indent);
    case StmtKind::loop:
      return pad + (node.loop == LoopKind::vector ? "vector " : "") + "for " + node.name + " < " + str(node.value) +
             ":\n" + body(indent + 1);
    case StmtKind::store: return pad + node.name + "[" + list(node.indices) + "] = " + str(node.value) + "\n";
    case StmtKind::let: return pad + (node.is_mutable ? "var " : "let ") + node.name + " = " + str(node.value) + "\n";
    case StmtKind::assign: return pad + node.name + " = " + str(node.value) + "\n";
    case StmtKind::branch: return pad + "if " + str(node.value) + ":\n" + body(indent + 1);
    case StmtKind::call: return pad + node.name + "(" + list(node.arguments) + ")\n";
    case StmtKind::comment: return pad + "# " + node.name + "\n";
  }
  throw InternalError("unknown statement");
}

}  // namespace eddy::loops
