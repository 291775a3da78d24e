#include "framework/compiler/printers/c_printer.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "framework/core/errors.h"

namespace eddy::compiler {

using loops::Expr;
using loops::ExprKind;
using loops::Stmt;
using loops::StmtKind;

std::string c_type(DType dtype) {
  switch (dtype) {
    // Not unsigned char: where those meet comparisons in a condition, GCC 12 may vectorize the loads of a branch under
    // another mask than the choice between the branches.
    case DType::boolean: return "_Bool";
    case DType::i64: return "long";
    case DType::f32: return "float";
    case DType::f64: return "double";
    default: throw InternalError(fmt::format("the C printer does not know {} yet", name(dtype)));
  }
}

namespace {
/// In C a minus sign is an operator, and the least number's magnitude no long.
std::string integer_literal(std::int64_t value) {
  if (value == std::numeric_limits<std::int64_t>::min()) return fmt::format("({}L - 1)", value + 1);
  return value < 0 ? fmt::format("({}L)", value) : fmt::format("{}L", value);
}
}  // namespace

std::string c_literal(DType dtype, double value) {
  if (dtype == DType::boolean) return value != 0 ? "1" : "0";
  if (dtype == DType::i64) return integer_literal(static_cast<std::int64_t>(value));
  const bool single = dtype == DType::f32;
  if (std::isnan(value)) return single ? "eddy_nan_f32" : "eddy_nan_f64";
  if (std::isinf(value)) {
    return fmt::format("({}{})", value < 0 ? "-" : "", single ? "eddy_inf_f32" : "eddy_inf_f64");
  }
  // Short decimals where they are exact to read, hexadecimal else.
  std::string text = single ? fmt::format("{}", static_cast<float>(value)) : fmt::format("{}", value);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  if (std::signbit(value))
    text = "(" + text + (single ? "f)" : ")");
  else if (single)
    text += "f";
  return text;
}

std::string c_size(Dim dim) {
  if (dim.is_constant()) return std::to_string(dim.constant());
  std::string text;
  for (const Dim::Term& term : dim.terms()) {
    std::string product = std::to_string(term.coefficient);
    if (term.coefficient == 1 && !term.symbols.empty()) product.clear();
    for (const std::string& symbol : term.symbols) product += (product.empty() ? "d_" : " * d_") + symbol;
    text += (text.empty() ? "" : " + ") + product;
  }
  return dim.terms().size() == 1 && dim.terms()[0].symbols.size() == 1 && dim.terms()[0].coefficient == 1
             ? text
             : "(" + text + ")";
}

namespace {
bool has_load(const Expr& e) {
  bool found = false;
  loops::visit(e, [&](const Expr& inner) { found |= inner.kind() == ExprKind::load; });
  return found;
}

/// Whether an expression loads what it does not need in every case.
bool loads_in_branches(const Expr& e) {
  bool found = false;
  loops::visit(e, [&](const Expr& inner) {
    if (inner.kind() == ExprKind::select) found |= has_load(inner.operands()[1]) || has_load(inner.operands()[2]);
  });
  return found;
}

bool loads_in_branches(const Stmt& stmt, bool is_branch = false) {
  if (stmt->kind == StmtKind::loop) return false;  // it looks for itself
  if (stmt->value && (loads_in_branches(stmt->value) || (is_branch && has_load(stmt->value)))) return true;
  is_branch |= stmt->kind == StmtKind::branch;
  return std::any_of(stmt->body.begin(), stmt->body.end(),
                     [&](const Stmt& inner) { return loads_in_branches(inner, is_branch); });
}
}  // namespace

std::string CPrinter::linear_index(const std::string& buffer, const std::vector<Expr>& indices) {
  const auto found = buffers_.find(buffer);
  EDDY_CHECK(found != buffers_.end(), "unknown buffer {}", buffer);
  used_.emplace(buffer, false);
  const Shape& shape = found->second.shape;
  if (indices.empty()) return "0";
  if (indices.size() == 1 && shape.size() != 1) return print(indices[0]);  // linear already
  EDDY_CHECK(indices.size() == shape.size(), "{} has {} dims, {} indices", buffer, shape.size(), indices.size());
  Expr total = 0;
  Dim stride = 1;
  std::vector<Dim> strides(shape.size());
  for (std::size_t i = shape.size(); i-- > 0;) {
    strides[i] = stride;
    stride = stride * shape[i];
  }
  for (std::size_t i = 0; i < shape.size(); ++i) total = total + indices[i] * loops::size(strides[i]);
  return print(total);
}

std::string CPrinter::math_call(std::string_view function, const Expr& e) {
  const auto& known = c_math_functions();
  const auto found = std::find(known.begin(), known.end(), function);
  EDDY_CHECK(found != known.end(), "no C function for '{}'", function);
  math_uses_.push_back({*found, e.dtype()});
  std::string text = c_math_name(*found, e.dtype()) + "(";
  for (std::size_t i = 0; i < e.operands().size(); ++i) text += (i ? ", " : "") + print(e.operands()[i]);
  return text + ")";
}

std::string CPrinter::print(const Expr& e) {
  const auto& operands = e.operands();
  const auto infix = [&](const char* symbol) {
    return "(" + print(operands[0]) + " " + symbol + " " + print(operands[1]) + ")";
  };
  switch (e.kind()) {
    case ExprKind::constant:
      return is_real(e.dtype())
                 ? c_literal(e.dtype(), e->floating)
                 : (e.dtype() == DType::boolean ? std::to_string(e->integer) : integer_literal(e->integer));
    case ExprKind::variable: return e->name;
    case ExprKind::size: return c_size(e->dim);
    case ExprKind::load: return e->name + "[" + linear_index(e->name, operands) + "]";
    case ExprKind::neg: return "(-" + print(operands[0]) + ")";
    case ExprKind::add: return infix("+");
    case ExprKind::sub: return infix("-");
    case ExprKind::mul: return infix("*");
    case ExprKind::div: return infix("/");
    case ExprKind::floor_div: return "eddy_floor_div(" + print(operands[0]) + ", " + print(operands[1]) + ")";
    case ExprKind::floor_mod: return "eddy_floor_mod(" + print(operands[0]) + ", " + print(operands[1]) + ")";
    case ExprKind::min:
    case ExprKind::max: {
      const bool is_min = e.kind() == ExprKind::min;
      if (is_real(e.dtype())) return math_call(is_min ? "min" : "max", e);
      return fmt::format("eddy_{}_i64({}, {})", is_min ? "min" : "max", print(operands[0]), print(operands[1]));
    }
    case ExprKind::eq: return infix("==");
    case ExprKind::ne: return infix("!=");
    case ExprKind::lt: return infix("<");
    case ExprKind::le: return infix("<=");
    // Bitwise on 0 and 1: no branches inside vector code.
    case ExprKind::logical_and: return infix("&");
    case ExprKind::logical_or: return infix("|");
    case ExprKind::logical_not: return "(!" + print(operands[0]) + ")";
    case ExprKind::select:
      return "(" + print(operands[0]) + " ? " + print(operands[1]) + " : " + print(operands[2]) + ")";
    case ExprKind::fma:
      return fmt::format("__builtin_fma{}({}, {}, {})", e.dtype() == DType::f32 ? "f" : "", print(operands[0]),
                         print(operands[1]), print(operands[2]));
    case ExprKind::call: return math_call(e->name, e);
    case ExprKind::cast: {
      const DType from = operands[0].dtype();
      if (e.dtype() == DType::boolean) return "(" + print(operands[0]) + " != 0)";
      if (e.dtype() == DType::i64 && is_real(from)) {
        return fmt::format("eddy_to_i64_{}({})", name(from), print(operands[0]));
      }
      return "((" + c_type(e.dtype()) + ")" + print(operands[0]) + ")";
    }
  }
  throw InternalError("unknown expression");
}

std::string CPrinter::print(const Stmt& stmt, int indent) {
  const std::string pad(static_cast<std::size_t>(indent) * 2, ' ');
  const auto body = [&](int deeper) {
    std::string text;
    for (const Stmt& inner : stmt->body) text += print(inner, deeper);
    return text;
  };
  switch (stmt->kind) {
    case StmtKind::block: return body(indent);
    case StmtKind::loop: {
      // GCC 12 miscompiles vectors of conditional loads that an outer loop's vectorization permutes; the empty asm
      // keeps such a loop as it is.
      const bool is_scalar =
          std::any_of(stmt->body.begin(), stmt->body.end(), [](const Stmt& inner) { return loads_in_branches(inner); });
      std::string text =
          fmt::format("{0}for (long {1} = 0; {1} < {2}; ++{1}) {{\n", pad, stmt->name, print(stmt->value));
      if (is_scalar) {
        text += pad + "  __asm__ volatile(\"\");\n";
      } else if (stmt->loop == loops::LoopKind::vector) {
        text = "#pragma GCC ivdep\n" + text;
      }
      return text + body(indent + 1) + pad + "}\n";
    }
    case StmtKind::store: {
      const std::string index = linear_index(stmt->name, stmt->indices);
      used_[stmt->name] = true;
      return fmt::format("{}{}[{}] = {};\n", pad, stmt->name, index, print(stmt->value));
    }
    case StmtKind::let:
      return fmt::format("{}{}{} {} = {};\n", pad, stmt->is_mutable ? "" : "const ", c_type(stmt->value.dtype()),
                         stmt->name, print(stmt->value));
    case StmtKind::assign: return fmt::format("{}{} = {};\n", pad, stmt->name, print(stmt->value));
    case StmtKind::branch: return pad + "if (" + print(stmt->value) + ") {\n" + body(indent + 1) + pad + "}\n";
    case StmtKind::call: {
      std::string arguments;
      for (const Expr& argument : stmt->arguments) {
        if (!arguments.empty()) arguments += ", ";
        arguments += argument.kind() == ExprKind::load
                         ? argument->name + " + " + linear_index(argument->name, argument.operands())
                         : print(argument);
      }
      return pad + stmt->name + "(" + arguments + ");\n";
    }
    case StmtKind::comment: return pad + "/* " + stmt->name + " */\n";
  }
  throw InternalError("unknown statement");
}

}  // namespace eddy::compiler
