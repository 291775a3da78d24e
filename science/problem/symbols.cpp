#include "science/problem/symbols.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace eddy::problem {

using config::Expression;
using Kind = config::Expression::Kind;

void Uses::add(const Uses& other) {
  coordinates.insert(other.coordinates.begin(), other.coordinates.end());
  networks.insert(other.networks.begin(), other.networks.end());
  scalars.insert(other.scalars.begin(), other.scalars.end());
  trainables.insert(other.trainables.begin(), other.trainables.end());
  sdf = sdf || other.sdf;
  normals = normals || other.normals;
  derivative_order = std::max(derivative_order, other.derivative_order);
}

void Symbols::declare(const std::string& name, config::Role role, Symbol symbol) {
  scope_.declare(name, role, symbol.where);
  symbols_.emplace(name, std::move(symbol));
}

void Symbols::add_network(std::string name, std::vector<std::string> inputs) {
  networks_.push_back({std::move(name), std::move(inputs)});
}

std::vector<std::string> Symbols::space() const {
  std::vector<std::string> names = coordinates();
  names.erase(std::remove(names.begin(), names.end(), time_), names.end());
  return names;
}

void Symbols::resolve_definitions() {
  std::vector<std::string> path;
  for (const auto& [name, symbol] : symbols_) resolve_definition(name, path);
}

void Symbols::resolve_definition(const std::string& name, std::vector<std::string>& path) {
  if (uses_.count(name) != 0) return;
  Symbol& symbol = symbols_.at(name);
  const auto first = std::find(path.begin(), path.end(), name);
  if (first != path.end()) {
    path.erase(path.begin(), first);
    path.push_back(name);
    throw UserError(symbol.where, fmt::format("'{}' is defined by itself: {}", name, fmt::join(path, " -> ")));
  }
  Uses uses;
  switch (symbol.kind) {
    case Symbol::Kind::coordinate: uses.coordinates.insert(name); break;
    case Symbol::Kind::output:
      uses.networks.insert(symbol.network);
      uses.coordinates.insert(networks_[symbol.network].inputs.begin(), networks_[symbol.network].inputs.end());
      break;
    default: {
      symbol.definition = config::resolve(symbol.definition, scope_);
      path.push_back(name);
      for (const std::string& used : config::names_in(symbol.definition)) {
        if (symbols_.count(used) != 0) resolve_definition(used, path);
      }
      path.pop_back();
      check_derivatives(symbol.definition);
      uses = this->uses(symbol.definition);
      if (symbol.kind == Symbol::Kind::scalar && !uses.is_constant()) symbol.kind = Symbol::Kind::expression;
      if (symbol.kind != Symbol::Kind::expression) {
        if (!uses.is_constant()) {
          throw UserError(symbol.definition.where, fmt::format("'{}' must start at a number", name),
                          "an expression of coordinates is no value to train");
        }
        (symbol.kind == Symbol::Kind::scalar ? uses.scalars : uses.trainables) = {name};
      }
    }
  }
  uses_.emplace(name, std::move(uses));
}

Expression Symbols::resolve(const Expression& expression, config::Expect expect) const {
  Expression resolved = config::resolve(expression, scope_, expect);
  check_derivatives(resolved);
  return resolved;
}

Uses Symbols::uses(const Expression& e) const {
  Uses uses;
  if (e.kind == Kind::name) {
    if (e.name == "sdf") uses.sdf = true;
    const auto found = uses_.find(e.name);
    if (found != uses_.end()) uses = found->second;
  }
  for (const Expression& operand : e.operands) uses.add(this->uses(operand));
  const bool is_lap = e.kind == Kind::call && e.name == "lap", is_dn = e.kind == Kind::call && e.name == "dn";
  if (is_dn) uses.normals = true;
  uses.derivative_order += e.kind == Kind::derivative ? static_cast<int>(e.coordinates.size()) : is_lap ? 2 : is_dn;
  return uses;
}

void Symbols::check_derivatives(const Expression& e) const {
  for (const Expression& operand : e.operands) check_derivatives(operand);
  std::vector<std::string> by;
  if (e.kind == Kind::derivative) by = e.coordinates;
  if (e.kind == Kind::call && (e.name == "lap" || e.name == "dn")) by = space();
  if (by.empty()) return;
  const Uses uses = this->uses(e.operand());
  if (uses.sdf) throw UserError(e.where, "derivatives of the signed distance 'sdf' are not there yet");
  if (uses.normals)
    throw UserError(e.where, "derivatives of 'dn' are not there yet: normals are known on boundaries only");
  for (const std::string& coordinate : by) {
    if (uses.networks.empty() || uses.coordinates.count(coordinate) != 0) continue;
    const Network& network = networks_[*uses.networks.begin()];
    throw UserError(e.where,
                    fmt::format("cannot differentiate '{}' by '{}', which is no input of network '{}'",
                                config::str(e.operand()), coordinate, network.name),
                    fmt::format("its inputs are {}", fmt::join(network.inputs, ", ")));
  }
}

}  // namespace eddy::problem
