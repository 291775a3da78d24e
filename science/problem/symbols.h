#pragma once
/// The names of a problem and what they stand for.

#include <map>
#include <set>
#include <string>
#include <vector>

#include "science/config/expression.h"

namespace eddy::problem {

struct Symbol {
  enum class Kind {
    coordinate,  ///< a column of the points
    output,      ///< column `column` of network `network`
    expression,  ///< `definition`: a define, a residual, a transformed unknown, a parameter that varies in space
    scalar,      ///< a scalar of the program that the host sets at run time; `definition` is its value. Where that
                 ///< turns out to depend on the point, resolve_definitions() makes the symbol an expression
    trainable,   ///< a scalar that training changes; `definition` is its initial value
  };
  Kind kind = Kind::coordinate;
  config::Expression definition;
  std::size_t network = 0, column = 0;
  SourceLocation where;
};

/// What an expression depends on, through everything it names.
struct Uses {
  std::set<std::string> coordinates;
  std::set<std::size_t> networks;
  std::set<std::string> scalars, trainables;
  bool sdf = false;
  bool normals = false;
  int derivative_order = 0;

  void add(const Uses& other);
  /// Whether it is a number, the same at all points and during training.
  bool is_constant() const { return coordinates.empty() && networks.empty() && trainables.empty() && !sdf && !normals; }
};

class Symbols {
 public:
  /// UserError at symbol.where when the name is taken or is no identifier.
  void declare(const std::string& name, config::Role role, Symbol symbol);
  /// Time's name, or empty; all other coordinates are space.
  void set_time(std::string name) { time_ = std::move(name); }
  /// Inputs and name of network number n = 0, 1, ..., in that order.
  void add_network(std::string name, std::vector<std::string> inputs);

  /// Call after all declarations: resolves all definitions. UserError when one is wrong or depends on itself.
  void resolve_definitions();

  const Symbol& at(const std::string& name) const { return symbols_.at(name); }
  const std::map<std::string, Symbol>& all() const { return symbols_; }
  const config::Scope& scope() const { return scope_; }
  const std::vector<std::string>& coordinates() const { return scope_.coordinates(); }
  const std::string& time() const { return time_; }
  std::vector<std::string> space() const;

  /// config::resolve(), then checks that derivatives are by inputs of the networks in them.
  config::Expression resolve(const config::Expression& expression, config::Expect expect = config::Expect::value) const;
  /// Of a resolved expression.
  Uses uses(const config::Expression& expression) const;

 private:
  struct Network {
    std::string name;
    std::vector<std::string> inputs;
  };

  void resolve_definition(const std::string& name, std::vector<std::string>& path);
  void check_derivatives(const config::Expression& expression) const;

  config::Scope scope_;
  std::map<std::string, Symbol> symbols_;
  std::map<std::string, Uses> uses_;
  std::vector<Network> networks_;
  std::string time_;
};

}  // namespace eddy::problem
