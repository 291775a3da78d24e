#pragma once
/// The expression language of problem files: values, conditions and residuals as syntax trees. Nothing is evaluated
/// here.
///
/// Grammar, loosest first (every level associates to the left unless said otherwise):
///     or; and; not; == != < <= > >= (no chains); + -; * /; unary -; ^ (to the right)
///     numbers (all real: 1/3 is a third), names, calls f(a, b), parentheses
/// `-x^2` is -(x^2), and an exponent may have a sign: `2^-1`.

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "framework/core/errors.h"

namespace eddy::config {

struct Node;

/// A syntax tree. Parsing gives every kind but `derivative`, which resolve() makes.
struct Expression {
  enum class Kind {
    number,      ///< `value`
    name,        ///< `name`
    call,        ///< `name` of the function; operands are the arguments
    derivative,  ///< of the one operand by `coordinates`, one entry per order: u_xx is {u; x, x}
    negate,
    logical_not,
    add,
    subtract,
    multiply,
    divide,
    power,
    less,
    less_equal,
    greater,
    greater_equal,
    equal,
    not_equal,
    logical_and,
    logical_or,
  };

  Kind kind = Kind::number;
  double value = 0;
  std::string name;
  std::vector<Expression> operands;
  std::vector<std::string> coordinates;
  /// Of a name, number or call its first character, else the operator.
  SourceLocation where;

  static Expression number(double value);
  static Expression named(std::string name);

  const Expression& operand(std::size_t i = 0) const { return operands.at(i); }
  /// Whether it says something that is true or false, not a value.
  bool is_condition() const;
};

/// Same tree, positions apart.
bool operator==(const Expression& a, const Expression& b);

/// Canonical text; parsing it (and resolving it in the same scope) gives the same tree. Derivatives print as d(u, x,
/// x).
std::string str(const Expression& expression);

/// Parses a scalar of a document; positions are those of the characters in its file. UserError at the character, saying
/// what was expected. At most 2000 tokens and 100 levels of parentheses and signs.
Expression parse_expression(const Node& scalar);
/// Parses a text without a place; errors quote it. `origin` names it in messages ("--expr"), and may be empty.
Expression parse_expression(const std::string& text, const std::string& origin = {});

/// What a name stands for.
enum class Role { coordinate, unknown, parameter, define, residual, constant };

/// The names an expression may use. `pi` and `sdf` (signed distance to the region's boundary) are always there.
class Scope {
 public:
  Scope();
  /// UserError when `name` is declared already, is no identifier or is a word of the language.
  void declare(const std::string& name, Role role, const SourceLocation& where = {});

  bool contains(const std::string& name) const { return roles_.count(name) != 0; }
  /// `name` must be declared.
  Role role(const std::string& name) const { return roles_.at(name); }
  /// In the order of their declaration.
  const std::vector<std::string>& coordinates() const { return coordinates_; }
  std::vector<std::string> names() const;

 private:
  std::map<std::string, Role> roles_;
  std::vector<std::string> coordinates_;
};

/// What an expression must be.
enum class Expect { value, condition, either };

/// Turns names with a derivative's suffix (`u_xx`) and calls of `d` into derivative nodes, and checks every name,
/// function, number of arguments and use of conditions. A declared name wins over a derivative's reading, the longest
/// declared name that leaves a suffix of coordinates wins over shorter ones; two readings of one suffix are an error.
/// The coordinates of a derivative are sorted by their declaration, and a derivative of a derivative becomes one. `lap`
/// and `dn` stay calls.
Expression resolve(const Expression& expression, const Scope& scope, Expect expect = Expect::value);

/// All names in it, functions and coordinates of derivatives excluded.
std::set<std::string> names_in(const Expression& expression);
/// The highest order of a derivative in a resolved tree, derivatives of expressions included (lap counts 2, dn 1).
int derivative_order(const Expression& expression);

/// The value of an expression of numbers, `pi`, + - * / ^ and sqrt, for what must be known before anything is compiled
/// (sizes of shapes). Empty for anything else, and where the value is not finite.
std::optional<double> constant_value(const Expression& expression);

/// Functions of the language with their numbers of arguments (-1: any number from `min_arguments` on).
struct Function {
  std::string name;
  int min_arguments = 1;
  int max_arguments = 1;
  std::string doc;
};
const std::vector<Function>& functions();

/// A letter or underscore, then letters, digits and underscores; no word of the language (`and`, `or`, `not`, `pi`,
/// `sdf`).
bool is_identifier(std::string_view name);

}  // namespace eddy::config
