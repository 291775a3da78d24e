#include "science/config/expression.h"

#include <catch2/catch.hpp>

#include "science/config/document.h"
#include "science/config/test_support.h"

using namespace eddy;
using namespace eddy::config;
using Kind = Expression::Kind;

namespace {

Scope burgers_scope() {
  Scope scope;
  scope.declare("t", Role::coordinate);
  scope.declare("x", Role::coordinate);
  scope.declare("u", Role::unknown);
  scope.declare("nu", Role::parameter);
  return scope;
}

/// Canonical text after parsing.
std::string parsed(const std::string& text) { return str(parse_expression(text)); }
/// Canonical text after resolving.
std::string resolved(const std::string& text, const Scope& scope = burgers_scope(), Expect expect = Expect::either) {
  return str(resolve(parse_expression(text), scope, expect));
}

/// Fully parenthesized text, to see the tree.
std::string tree(const Expression& e) {
  if (e.kind == Kind::number || e.kind == Kind::name) return str(e);
  std::string out = "(" + (e.kind == Kind::call ? e.name : std::to_string(static_cast<int>(e.kind)));
  for (const Expression& operand : e.operands) out += " " + tree(operand);
  return out + ")";
}
bool same_tree(const std::string& a, const std::string& b) {
  return tree(parse_expression(a)) == tree(parse_expression(b));
}

std::string parse_error(const std::string& text) {
  // As the value of a key, so that character i stands in column i + 5.
  const Node root = parse_yaml("k: \"" + text + "\"", "f");
  return error_of([&] { parse_expression(*root.find("k")); });
}

std::string resolve_error(const std::string& text, const Scope& scope = burgers_scope(),
                          Expect expect = Expect::value) {
  const Node root = parse_yaml("k: \"" + text + "\"", "f");
  const Expression expression = parse_expression(*root.find("k"));
  return error_of([&] { resolve(expression, scope, expect); });
}

}  // namespace

TEST_CASE("operators bind as the grammar says") {
  CHECK(same_tree("-x^2", "-(x^2)"));
  CHECK(same_tree("a^b^c", "a^(b^c)"));
  CHECK(same_tree("2^-1", "2^(-1)"));
  CHECK(same_tree("2^-3^2", "2^(-(3^2))"));
  CHECK(same_tree("2^-x*y", "(2^(-x))*y"));
  CHECK(same_tree("-a*b", "(-a)*b"));
  CHECK(same_tree("a*-b^2", "a*(-(b^2))"));
  CHECK(same_tree("a - b - c", "(a - b) - c"));
  CHECK(same_tree("a/b*c", "(a/b)*c"));
  CHECK(same_tree("a + b*c", "a + (b*c)"));
  CHECK(same_tree("a + 1 < b*2", "(a + 1) < (b*2)"));
  CHECK(same_tree("not a == b and c > d or e < f", "((not (a == b)) and (c > d)) or (e < f)"));
  CHECK(same_tree("+a", "a"));
  CHECK_FALSE(same_tree("a - (b - c)", "a - b - c"));
  CHECK(parse_expression("1/3").kind == Kind::divide);
  CHECK(parse_expression(".5e-3").value == .5e-3);
}

TEST_CASE("the canonical text is short and parses back") {
  CHECK(parsed("u_t+u*u_x-nu * u_xx") == "u_t + u*u_x - nu*u_xx");
  CHECK(parsed("((a))*(b+c)") == "a*(b + c)");
  CHECK(parsed("a-(b-c)") == "a - (b - c)");
  CHECK(parsed("(-x)^2") == "(-x)^2");
  CHECK(parsed("(a^b)^c") == "(a^b)^c");
  CHECK(parsed("a^(b^c)") == "a^b^c");
  CHECK(parsed("2^(-1)") == "2^-1");
  CHECK(parsed("where(x<0 and not(y>=1),1.50,max(a,b,2e0))") == "where(x < 0 and not y >= 1, 1.5, max(a, b, 2))");
  CHECK(parsed("(a<b)<c") == "(a < b) < c");
  CHECK(parsed("1e300*10") == "1e+300*10");
  CHECK(str(Expression::number(-2.5)) == "-2.5");
  CHECK(parse_expression("-2.5") == Expression::number(-2.5));
}

TEST_CASE("every node points at its character in the file") {
  const Node root = parse_yaml("a:\n  b: 'u + sin(x)*-t'\n", "f");
  const Expression e = parse_expression(*root.find("a")->find("b"));
  CHECK(e.where.str() == "f:2:9");  // +
  CHECK(e.operand(0).where.str() == "f:2:7");
  CHECK(e.operand(1).where.str() == "f:2:17");  // *
  CHECK(e.operand(1).operand(0).where.str() == "f:2:11");
  CHECK(e.operand(1).operand(0).operand(0).where.str() == "f:2:15");
  CHECK(e.operand(1).operand(1).where.str() == "f:2:18");  // -
}

TEST_CASE("syntax errors point at the character and say what was expected") {
  CHECK(parse_error("u +") == "f:1:8: expected a value, found the end of the expression");
  CHECK(parse_error("u + * x") == "f:1:9: expected a value, found '*'");
  CHECK(parse_error("u x") == "f:1:7: expected an operator, found 'x'");
  CHECK(parse_error("2x") == "f:1:6: expected an operator after 2, found 'x'\n  write 2*x");
  CHECK(parse_error("2(x)").find("f:1:6: expected an operator, found '('") == 0);
  CHECK(parse_error("(x + 1") == "f:1:5: this parenthesis is never closed");
  CHECK(parse_error("sin(x") == "f:1:8: this parenthesis is never closed");
  CHECK(parse_error("x + 1)").find("f:1:10: expected the end, found ')'") == 0);
  CHECK(parse_error("sin()").find("f:1:9: expected an argument of sin, found ')'") == 0);
  CHECK(parse_error("max(a b)").find("f:1:11: expected an operator or ')', found 'b'") == 0);
  CHECK(parse_error("0 < x < 1") == "f:1:11: comparisons cannot be chained\n  write: a < b and b < c");
  CHECK(parse_error("x ** 2") == "f:1:7: '**' is no operator here\n  a power is written a^b");
  CHECK(parse_error("x = 2") == "f:1:7: '=' is no operator here\n  a comparison is written a == b");
  CHECK(parse_error("x > 1 && x < 2").find("write 'and'") != std::string::npos);
  CHECK(parse_error("u + $").find("f:1:9: unexpected character '$'") == 0);
  CHECK(parse_error("\xCE\xBD*u").find("f:1:5: unexpected character '\xCE\xBD'") == 0);
  CHECK(parse_error("a + not b").find("f:1:9: 'not' binds looser") == 0);
  CHECK(parse_error("1e999") == "f:1:5: the number 1e999 is out of range");
  CHECK(parse_error("") == "f:1:4: expected a value, found the end of the expression");
  CHECK(parse_error("and").find("f:1:5: expected a value, found 'and'") == 0);
  CHECK(error_of([] { parse_expression("u +"); }) ==
        "expected a value, found the end of the expression (character 4 of \"u +\")");
  CHECK(error_of([] { parse_expression("u +", "--expr"); }).find("--expr: expected") == 0);
}

TEST_CASE("expressions are bounded") {
  CHECK(parse_error(std::string(101, '(')).find("nested more than 100 deep") != std::string::npos);
  std::string signs(101, '-');
  signs.push_back('x');
  CHECK(parse_error(signs).find("nested more than 100 deep") != std::string::npos);
  std::string power = "x";
  for (int i = 0; i < 101; ++i) power += "^x";
  CHECK(parse_error(power).find("nested more than 100 deep") != std::string::npos);
  std::string sum = "x";
  for (int i = 0; i < 999; ++i) sum += "+x";
  CHECK(parsed(sum).size() == sum.size() + 2 * 999);
  CHECK(parse_error(sum + "+x").find("at most 2000 tokens") != std::string::npos);
  CHECK(parse_error("u_" + std::string(300, 'x')).find("at most 200 characters") != std::string::npos);
}

TEST_CASE("suffixes and calls become derivatives") {
  CHECK(resolved("u_t + u*u_x - nu*u_xx") == "d(u, t) + u*d(u, x) - nu*d(u, x, x)");
  CHECK(resolved("u_xt") == "d(u, t, x)");  // sorted by declaration
  CHECK(resolved("d(u, x, 3, t)") == "d(u, t, x, x, x)");
  CHECK(resolved("d(u_x, x)") == "d(u, x, x)");
  CHECK(resolved("d(d(u*u, x), t)") == "d(u*u, t, x)");
  CHECK(resolved("lap(u) + dn(u)") == "lap(u) + dn(u)");
  CHECK(resolved("sin(pi*x)") == "sin(pi*x)");
  CHECK(derivative_order(resolve(parse_expression("u_xx*u_t + d(lap(u), x)"), burgers_scope())) == 3);
  CHECK(names_in(resolve(parse_expression("u_xx*sin(nu*x)"), burgers_scope())) ==
        std::set<std::string>{"nu", "u", "x"});
  // A resolved tree is a fixed point, and its text too.
  const Expression once = resolve(parse_expression("u_t + u*u_x - nu*u_xx"), burgers_scope());
  CHECK(resolve(once, burgers_scope()) == once);
  CHECK(resolve(parse_expression(str(once)), burgers_scope()) == once);
}

TEST_CASE("declared names win over derivatives, long names over short ones") {
  Scope scope;
  for (const char* name : {"x", "y"}) scope.declare(name, Role::coordinate);
  for (const char* name : {"sigma", "sigma_xx", "u", "u_y"}) scope.declare(name, Role::unknown);
  CHECK(resolved("sigma_xx", scope) == "sigma_xx");
  CHECK(resolved("sigma_xx_x", scope) == "d(sigma_xx, x)");
  CHECK(resolved("sigma_xy", scope) == "d(sigma, x, y)");
  CHECK(resolved("u_y", scope) == "u_y");
  CHECK(resolved("u_yx", scope) == "d(u, x, y)");
  CHECK(resolved("u_y_x", scope) == "d(u_y, x)");
  CHECK(resolve_error("sigma_x_x", scope).find("f:1:5: unknown name 'sigma_x_x'") == 0);
}

TEST_CASE("coordinates of several characters, and suffixes with two readings") {
  Scope scope;
  for (const char* name : {"r", "theta", "x1", "x2"}) scope.declare(name, Role::coordinate);
  scope.declare("u", Role::unknown);
  CHECK(resolved("u_rtheta", scope) == "d(u, r, theta)");
  CHECK(resolved("u_x2x1", scope) == "d(u, x1, x2)");
  CHECK(resolve_error("u_x", scope).find("'x' does not spell coordinates\n  the coordinates are r, theta, x1, x2") !=
        std::string::npos);

  Scope ambiguous;
  for (const char* name : {"x", "xx"}) ambiguous.declare(name, Role::coordinate);
  ambiguous.declare("u", Role::unknown);
  CHECK(resolved("u_x", ambiguous) == "d(u, x)");
  CHECK(resolve_error("u_xx", ambiguous).find("f:1:5: 'u_xx' can be read in two ways: d(u, ") == 0);
  CHECK(resolved("d(u, xx)", ambiguous) == "d(u, xx)");
  // The number of readings grows exponentially, the time to see that there are two does not.
  CHECK(resolve_error("u_" + std::string(190, 'x'), ambiguous).find("two ways") != std::string::npos);
  CHECK(resolve_error("u_" + std::string(190, 'x') + "z", ambiguous).find("unknown name") != std::string::npos);
}

TEST_CASE("errors of names, functions and conditions") {
  CHECK(resolve_error("u + mu*x") == "f:1:9: unknown name 'mu'\n  did you mean 'nu'?");
  CHECK(resolve_error("u_z").find("f:1:5: unknown name 'u_z': no derivative of 'u' either, because 'z' does not spell "
                                  "coordinates\n  the coordinates are t, x") == 0);
  CHECK(resolve_error("v_x").find("f:1:5: unknown name 'v_x'\n  did you mean 'u_x'?") == 0);
  CHECK(resolve_error("1 + sine(x)") == "f:1:9: unknown function 'sine'\n  did you mean 'sin'?");
  CHECK(resolve_error("u(x)").find("f:1:5: 'u' is no function\n  a product is written u*(...)") == 0);
  CHECK(resolve_error("sin*x").find("f:1:5: 'sin' is a function\n  write sin(...)") == 0);
  CHECK(resolve_error("sin(x, t)").find("f:1:5: sin takes 1 argument, not 2") == 0);
  CHECK(resolve_error("max(x)").find("f:1:5: max takes at least 2 arguments, not 1") == 0);
  CHECK(resolve_error("d(u, nu)").find("f:1:10: cannot differentiate by 'nu', which is no coordinate") == 0);
  CHECK(resolve_error("d(u, 2)").find("f:1:10: expected a coordinate") == 0);
  CHECK(resolve_error("d(u, x, 1.5)").find("f:1:13: the order of a derivative must be an integer") == 0);
  CHECK(resolve_error("d(u, x, 16, t)").find("f:1:5: the order of a derivative may be at most 16") == 0);
  CHECK(resolve_error("x > 1") ==
        "f:1:7: expected a value, found a condition\n  choose between two values with "
        "where(condition, a, b)");
  CHECK(resolve_error("x + (x > 1)").find("f:1:12: expected a value") == 0);
  CHECK(resolve_error("x", burgers_scope(), Expect::condition).find("f:1:5: expected a condition, found a value") == 0);
  CHECK(resolve_error("x > 0 and u", burgers_scope(), Expect::condition).find("f:1:15: expected a condition") == 0);
  CHECK(resolve_error("where(x, 1, 2)").find("f:1:11: expected a condition") == 0);
  CHECK(resolve_error("x == 1 and (t > 0.2 or not x < 0)", burgers_scope(), Expect::condition) == "no error");
}

TEST_CASE("a scope refuses names that cannot be used") {
  Scope scope = burgers_scope();
  CHECK(error_of([&] { scope.declare("u", Role::define); }).find("the name 'u' is taken already") == 0);
  CHECK(error_of([&] { scope.declare("pi", Role::define); }).find("'pi' is a word of the expression language") == 0);
  CHECK(error_of([&] { scope.declare("2u", Role::define); }).find("'2u' is no name") == 0);
  scope.declare("y", Role::unknown);
  scope.declare("on", Role::unknown);
  CHECK(resolved("y_x + on", scope) == "d(y, x) + on");
}

TEST_CASE("constants are known before anything runs") {
  const auto value = [](const std::string& text) { return constant_value(parse_expression(text)); };
  CHECK(value("-2^2 + 3*sqrt(4)/6 - 1") == -4.0);
  CHECK(value("pi/2") == 1.5707963267948966);
  for (const char* text : {"x", "0*x", "x^0", "1^x", "1/0", "sin(1)", "1 < 2", "10^999"}) CHECK_FALSE(value(text));
}

namespace {
Expression random_expression(const Rng& rng, std::uint64_t& index, int depth) {
  const std::uint64_t pick = rng.below(index++, depth > 5 ? 2 : 22);
  if (pick == 0) {
    const int exponent = static_cast<int>(rng.below(index++, 80)) - 40;
    return Expression::number(std::ldexp(rng.uniform(index++), exponent));
  }
  if (pick == 1) return Expression::named(std::string(1, static_cast<char>('a' + rng.below(index++, 26))));
  Expression e;
  e.kind = static_cast<Kind>(pick == 2 ? static_cast<int>(Kind::call)
                                       : static_cast<int>(Kind::negate) + static_cast<int>(pick - 3) % 15);
  std::uint64_t n = e.kind == Kind::negate || e.kind == Kind::logical_not ? 1 : 2;
  if (e.kind == Kind::call) {
    e.name = "f";
    n = 1 + rng.below(index++, 3);
  }
  while (n-- > 0) e.operands.push_back(random_expression(rng, index, depth + 1));
  return e;
}
}  // namespace

TEST_CASE("any tree prints as text that parses back to it", "[property]") {
  const Rng rng(3, "expression_test");
  std::uint64_t index = 0;
  for (int i = 0; i < 3000; ++i) {
    const Expression e = random_expression(rng, index, 0);
    const std::string text = str(e);
    INFO(text);
    REQUIRE(parse_expression(text) == e);
  }
}

TEST_CASE("mutated expressions give a tree or a user's error", "[fuzz]") {
  const Rng rng(4, "expression_fuzz");
  std::uint64_t index = 0;
  const std::vector<std::string> seeds = {"u_t + u*u_x - nu*u_xx", "where(x == 1 and not t > 0.2, d(u, x, 2), -1e-3^x)",
                                          "max(abs(2*x - 1), sin(pi*x), 1/3)", "lap(u)*dn(u) or x <= 1"};
  int n_good = 0;
  for (int i = 0; i < 20000; ++i) {
    const std::string text = mutate(seeds[rng.below(index++, seeds.size())], "ux_t()*+-^/<>=!,.0e dn", rng, index);
    INFO(text);
    try {
      const Expression e = resolve(parse_expression(text), burgers_scope(), Expect::either);
      REQUIRE(resolve(parse_expression(str(e)), burgers_scope(), Expect::either) == e);
      ++n_good;
    } catch (const UserError& error) {
      REQUIRE(std::string(error.what()).size() > 10);
    }
  }
  CHECK(n_good > 200);  // the test is about both outcomes
}
