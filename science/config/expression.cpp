#include "science/config/expression.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "science/config/document.h"

namespace eddy::config {

namespace {

using Kind = Expression::Kind;

/// How tightly a node binds when printed; the numbers follow the grammar in the header.
int level(const Expression& e) {
  switch (e.kind) {
    case Kind::logical_or: return 1;
    case Kind::logical_and: return 2;
    case Kind::logical_not: return 3;
    case Kind::less:
    case Kind::less_equal:
    case Kind::greater:
    case Kind::greater_equal:
    case Kind::equal:
    case Kind::not_equal: return 4;
    case Kind::add:
    case Kind::subtract: return 5;
    case Kind::multiply:
    case Kind::divide: return 6;
    case Kind::negate: return 7;
    case Kind::power: return 8;
    case Kind::number:
    case Kind::name:
    case Kind::call:
    case Kind::derivative: return 9;
  }
  throw InternalError("unknown kind of expression");
}

const char* symbol(Kind kind) {
  switch (kind) {
    case Kind::add: return " + ";
    case Kind::subtract: return " - ";
    case Kind::multiply: return "*";
    case Kind::divide: return "/";
    case Kind::power: return "^";
    case Kind::less: return " < ";
    case Kind::less_equal: return " <= ";
    case Kind::greater: return " > ";
    case Kind::greater_equal: return " >= ";
    case Kind::equal: return " == ";
    case Kind::not_equal: return " != ";
    case Kind::logical_and: return " and ";
    case Kind::logical_or: return " or ";
    default: throw InternalError("this kind of expression has no infix operator");
  }
}

void print(const Expression& e, int min_level, std::string& out) {
  const int own = level(e);
  const bool parentheses = own < min_level;
  if (parentheses) out += '(';
  switch (e.kind) {
    case Kind::number: out += text_from_number(e.value); break;
    case Kind::name: out += e.name; break;
    case Kind::call:
    case Kind::derivative:
      out += e.kind == Kind::call ? e.name : "d";
      out += '(';
      for (std::size_t i = 0; i < e.operands.size(); ++i) {
        if (i > 0) out += ", ";
        print(e.operands[i], 0, out);
      }
      for (const std::string& coordinate : e.coordinates) out += ", " + coordinate;
      out += ')';
      break;
    case Kind::negate:
      out += '-';
      print(e.operand(), own, out);
      break;
    case Kind::logical_not:
      out += "not ";
      print(e.operand(), own, out);
      break;
    case Kind::power:  // to the right, and the exponent may have a sign
      print(e.operand(0), 9, out);
      out += symbol(e.kind);
      print(e.operand(1), 7, out);
      break;
    default: {
      const bool comparison = own == 4;  // no chains
      print(e.operand(0), comparison ? own + 1 : own, out);
      out += symbol(e.kind);
      print(e.operand(1), own + 1, out);
    }
  }
  if (parentheses) out += ')';
}

}  // namespace

Expression Expression::number(double value) {
  EDDY_CHECK(std::isfinite(value));
  Expression e;
  e.value = std::fabs(value);
  if (!std::signbit(value)) return e;
  Expression negative;  // as the parser would read it
  negative.kind = Kind::negate;
  negative.operands.push_back(std::move(e));
  return negative;
}

Expression Expression::named(std::string name) {
  Expression e;
  e.kind = Kind::name;
  e.name = std::move(name);
  return e;
}

bool Expression::is_condition() const {
  const int own = level(*this);
  return own >= 1 && own <= 4;
}

bool operator==(const Expression& a, const Expression& b) {
  return a.kind == b.kind && a.value == b.value && a.name == b.name && a.coordinates == b.coordinates &&
         a.operands == b.operands;
}

std::string str(const Expression& expression) {
  std::string out;
  print(expression, 0, out);
  return out;
}

std::set<std::string> names_in(const Expression& expression) {
  std::set<std::string> names;
  if (expression.kind == Kind::name) names.insert(expression.name);
  for (const Expression& operand : expression.operands) names.merge(names_in(operand));
  return names;
}

int derivative_order(const Expression& expression) {
  int order = 0;
  for (const Expression& operand : expression.operands) order = std::max(order, derivative_order(operand));
  if (expression.kind == Kind::derivative) order += static_cast<int>(expression.coordinates.size());
  if (expression.kind == Kind::call && expression.name == "lap") order += 2;
  if (expression.kind == Kind::call && expression.name == "dn") order += 1;
  return order;
}

namespace {
/// NaN for what is no constant.
double fold(const Expression& e) {
  switch (e.kind) {
    case Kind::number: return e.value;
    case Kind::name: return e.name == "pi" ? std::numbers::pi : std::nan("");
    case Kind::negate: return -fold(e.operand());
    case Kind::add: return fold(e.operand(0)) + fold(e.operand(1));
    case Kind::subtract: return fold(e.operand(0)) - fold(e.operand(1));
    case Kind::multiply: return fold(e.operand(0)) * fold(e.operand(1));
    case Kind::divide: return fold(e.operand(0)) / fold(e.operand(1));
    case Kind::power: {
      const double base = fold(e.operand(0)), exponent = fold(e.operand(1));
      return std::isnan(base) || std::isnan(exponent) ? std::nan("") : std::pow(base, exponent);  // pow(NaN, 0) is 1
    }
    case Kind::call: return e.name == "sqrt" && e.operands.size() == 1 ? std::sqrt(fold(e.operand())) : std::nan("");
    default: return std::nan("");
  }
}
}  // namespace

std::optional<double> constant_value(const Expression& expression) {
  const double value = fold(expression);
  return std::isfinite(value) ? std::optional<double>(value) : std::nullopt;
}

const std::vector<Function>& functions() {
  static const std::vector<Function> table = {
      {"abs", 1, 1, "absolute value"},
      {"acos", 1, 1, "arc cosine"},
      {"asin", 1, 1, "arc sine"},
      {"atan", 1, 1, "arc tangent"},
      {"atan2", 2, 2, "atan2(y, x), the angle of the point (x, y)"},
      {"cos", 1, 1, "cosine"},
      {"cosh", 1, 1, "hyperbolic cosine"},
      {"d", 2, -1, "derivative: d(expr, x, y), d(expr, x, 2)"},
      {"dn", 1, 1, "derivative along the outward normal, on boundaries"},
      {"erf", 1, 1, "error function"},
      {"exp", 1, 1, "exponential function"},
      {"expm1", 1, 1, "exp(a) - 1, exact for small a"},
      {"floor", 1, 1, "largest integer that is not above"},
      {"gelu", 1, 1, "a times the normal distribution function of a"},
      {"lap", 1, 1, "Laplacian, the sum of second derivatives by the coordinates of space"},
      {"log", 1, 1, "natural logarithm"},
      {"log1p", 1, 1, "log(1 + a), exact for small a"},
      {"max", 2, -1, "largest argument"},
      {"min", 2, -1, "smallest argument"},
      {"pow", 2, 2, "pow(a, b), the same as a^b"},
      {"relu", 1, 1, "max(a, 0)"},
      {"rsqrt", 1, 1, "1/sqrt(a)"},
      {"sigmoid", 1, 1, "1/(1 + exp(-a))"},
      {"sign", 1, 1, "-1, 0 or 1"},
      {"silu", 1, 1, "a*sigmoid(a)"},
      {"sin", 1, 1, "sine"},
      {"sinh", 1, 1, "hyperbolic sine"},
      {"softplus", 1, 1, "log(1 + exp(a))"},
      {"sqrt", 1, 1, "square root"},
      {"tan", 1, 1, "tangent"},
      {"tanh", 1, 1, "hyperbolic tangent"},
      {"where", 3, 3, "where(condition, a, b): a where the condition holds, else b"},
  };
  return table;
}

}  // namespace eddy::config
