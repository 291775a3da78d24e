/// Scope and resolve(): names, derivatives, functions and conditions are checked and made explicit.
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "science/config/expression.h"

namespace eddy::config {

namespace {

using Kind = Expression::Kind;

constexpr std::size_t max_order = 16;

bool is_word_of_the_language(std::string_view name) {
  return name == "and" || name == "or" || name == "not" || name == "pi" || name == "sdf";
}

std::string suggestion(const std::string& nearest) {
  return nearest.empty() ? std::string{} : fmt::format("did you mean '{}'?", nearest);
}

class Resolver {
 public:
  explicit Resolver(const Scope& scope) : scope_(scope) {}

  Expression run(const Expression& e, Expect expect) const {
    if (e.is_condition() && expect == Expect::value) {
      throw UserError(e.where, "expected a value, found a condition",
                      "choose between two values with where(condition, a, b)");
    }
    if (!e.is_condition() && expect == Expect::condition) {
      throw UserError(e.where, "expected a condition, found a value", "compare it, for instance: x > 0");
    }
    switch (e.kind) {
      case Kind::number: return e;
      case Kind::name: return name(e);
      case Kind::call: return call(e);
      case Kind::derivative: {
        for (const std::string& coordinate : e.coordinates) check_coordinate(coordinate, e.where);
        return derivative(run(e.operand(), Expect::value), e.coordinates, e.where);
      }
      case Kind::logical_and:
      case Kind::logical_or:
      case Kind::logical_not: return with_operands(e, Expect::condition);
      default: return with_operands(e, Expect::value);
    }
  }

 private:
  Expression with_operands(const Expression& e, Expect expect) const {
    Expression result = shallow(e);
    for (const Expression& operand : e.operands) result.operands.push_back(run(operand, expect));
    return result;
  }

  static Expression shallow(const Expression& e) {
    Expression copy;
    copy.kind = e.kind;
    copy.value = e.value;
    copy.name = e.name;
    copy.where = e.where;
    return copy;
  }

  bool has_derivatives(const std::string& name) const {
    if (!scope_.contains(name)) return false;
    const Role role = scope_.role(name);
    return role != Role::coordinate && role != Role::constant;
  }

  using Reading = std::vector<std::string>;  // coordinates, sorted

  /// At most two different ways to spell `suffix` with coordinates; two are as bad as many.
  std::vector<Reading> readings_of(const std::string& suffix) const {
    std::vector<std::vector<Reading>> from(suffix.size() + 1);  // readings of the rest from each character
    from[suffix.size()] = {{}};
    for (std::size_t at = suffix.size(); at-- > 0;) {
      for (const std::string& coordinate : scope_.coordinates()) {
        if (suffix.compare(at, coordinate.size(), coordinate) != 0) continue;
        for (Reading reading : from[at + coordinate.size()]) {
          reading.push_back(coordinate);
          sort(reading);
          std::vector<Reading>& here = from[at];
          if (here.size() < 2 && std::find(here.begin(), here.end(), reading) == here.end()) here.push_back(reading);
        }
      }
    }
    return from[0];
  }

  void sort(Reading& coordinates) const {
    const auto& order = scope_.coordinates();
    const auto rank = [&](const std::string& name) {
      return std::find(order.begin(), order.end(), name) - order.begin();
    };
    std::stable_sort(coordinates.begin(), coordinates.end(),
                     [&](const std::string& a, const std::string& b) { return rank(a) < rank(b); });
  }

  Expression name(const Expression& e) const {
    if (scope_.contains(e.name)) return e;
    std::string base_of_failure;
    for (std::size_t split = e.name.rfind('_'); split != std::string::npos && split > 0;
         split = e.name.rfind('_', split - 1)) {
      const std::string base = e.name.substr(0, split), suffix = e.name.substr(split + 1);
      if (!has_derivatives(base)) continue;
      if (base_of_failure.empty()) base_of_failure = base;
      const std::vector<Reading> readings = suffix.empty() ? std::vector<Reading>{} : readings_of(suffix);
      if (readings.size() == 2) {
        throw UserError(e.where,
                        fmt::format("'{}' can be read in two ways: d({}, {}) and d({}, {})", e.name, base,
                                    fmt::join(readings[0], ", "), base, fmt::join(readings[1], ", ")),
                        "write the one that is meant");
      }
      if (readings.size() == 1) {
        Expression operand = Expression::named(base);
        operand.where = e.where;
        return derivative(std::move(operand), readings[0], e.where);
      }
    }
    if (!base_of_failure.empty()) {
      const std::string suffix = e.name.substr(base_of_failure.size() + 1);
      const std::string nearest = nearest_name(e.name, scope_.names());
      throw UserError(
          e.where,
          fmt::format("unknown name '{}': no derivative of '{}' either, because '{}' does not spell coordinates",
                      e.name, base_of_failure, suffix),
          fmt::format("the coordinates are {}{}", fmt::join(scope_.coordinates(), ", "),
                      nearest.empty() || nearest == base_of_failure ? "" : "; " + suggestion(nearest)));
    }
    if (function(e.name) != nullptr) {
      throw UserError(e.where, fmt::format("'{}' is a function", e.name), fmt::format("write {}(...)", e.name));
    }
    throw UserError(e.where, fmt::format("unknown name '{}'", e.name), hint_for_name(e.name));
  }

  std::string hint_for_name(const std::string& name) const {
    // A misspelt derivative is nearest to a derivative, so the first derivatives are candidates too.
    std::vector<std::string> candidates = scope_.names();
    if (name.find('_') != std::string::npos) {
      const std::size_t split = name.rfind('_');
      const std::string suffix = name.substr(split);
      for (const std::string& declared : scope_.names()) {
        if (has_derivatives(declared) && !readings_of(suffix.substr(1)).empty())
          candidates.push_back(declared + suffix);
      }
    }
    const std::string nearest = nearest_name(name, candidates);
    if (!nearest.empty()) return suggestion(nearest);
    return fmt::format("the names here are {}", fmt::join(scope_.names(), ", "));
  }

  static const Function* function(const std::string& name) {
    for (const Function& candidate : functions()) {
      if (candidate.name == name) return &candidate;
    }
    return nullptr;
  }

  Expression call(const Expression& e) const {
    const Function* callee = function(e.name);
    if (callee == nullptr) {
      if (scope_.contains(e.name)) {
        throw UserError(e.where, fmt::format("'{}' is no function", e.name),
                        fmt::format("a product is written {}*(...)", e.name));
      }
      std::vector<std::string> names;
      for (const Function& candidate : functions()) names.push_back(candidate.name);
      const std::string nearest = nearest_name(e.name, names);
      throw UserError(
          e.where, fmt::format("unknown function '{}'", e.name),
          nearest.empty() ? fmt::format("the functions are {}", fmt::join(names, ", ")) : suggestion(nearest));
    }
    const int n = static_cast<int>(e.operands.size());
    if (n < callee->min_arguments || (callee->max_arguments >= 0 && n > callee->max_arguments)) {
      const std::string expected = fmt::format("{}{} argument{}", callee->max_arguments < 0 ? "at least " : "",
                                               callee->min_arguments, callee->min_arguments == 1 ? "" : "s");
      throw UserError(e.where, fmt::format("{} takes {}, not {}", e.name, expected, n),
                      callee->name + ": " + callee->doc);
    }
    if (e.name == "d") return derivative_call(e);
    Expression result = shallow(e);
    for (std::size_t i = 0; i < e.operands.size(); ++i) {
      result.operands.push_back(run(e.operands[i], e.name == "where" && i == 0 ? Expect::condition : Expect::value));
    }
    return result;
  }

  void check_coordinate(const std::string& name, const SourceLocation& where) const {
    if (scope_.contains(name) && scope_.role(name) == Role::coordinate) return;
    throw UserError(where, fmt::format("cannot differentiate by '{}', which is no coordinate", name),
                    fmt::format("the coordinates are {}", fmt::join(scope_.coordinates(), ", ")));
  }

  Expression derivative_call(const Expression& e) const {
    std::vector<std::string> coordinates;
    bool may_repeat = false;  // a number may follow a coordinate
    for (std::size_t i = 1; i < e.operands.size(); ++i) {
      const Expression& argument = e.operands[i];
      if (argument.kind == Kind::number && may_repeat) {
        if (argument.value < 1 || argument.value > max_order || argument.value != std::floor(argument.value)) {
          throw UserError(argument.where,
                          fmt::format("the order of a derivative must be an integer from 1 to {}", max_order));
        }
        coordinates.insert(coordinates.end(), static_cast<std::size_t>(argument.value) - 1, coordinates.back());
        may_repeat = false;
      } else if (argument.kind == Kind::name) {
        check_coordinate(argument.name, argument.where);
        coordinates.push_back(argument.name);
        may_repeat = true;
      } else {
        throw UserError(argument.where, "expected a coordinate to differentiate by", "write d(u, x, y) or d(u, x, 2)");
      }
    }
    return derivative(run(e.operand(), Expect::value), std::move(coordinates), e.where);
  }

  /// d of a derivative is one derivative: they commute, and the sorted list is canonical.
  Expression derivative(Expression operand, Reading coordinates, const SourceLocation& where) const {
    if (operand.kind == Kind::derivative) {
      coordinates.insert(coordinates.end(), operand.coordinates.begin(), operand.coordinates.end());
      Expression inner = std::move(operand.operands.front());
      operand = std::move(inner);
    }
    if (coordinates.size() > max_order) {
      throw UserError(where, fmt::format("the order of a derivative may be at most {}", max_order));
    }
    sort(coordinates);
    Expression e;
    e.kind = Kind::derivative;
    e.coordinates = std::move(coordinates);
    e.operands.push_back(std::move(operand));
    e.where = where;
    return e;
  }

  const Scope& scope_;
};

}  // namespace

bool is_identifier(std::string_view name) {
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  if (name.empty() || !is_letter(name[0]) || is_word_of_the_language(name)) return false;
  return std::all_of(name.begin(), name.end(), [&](char c) { return is_letter(c) || (c >= '0' && c <= '9'); });
}

Scope::Scope() : roles_{{"pi", Role::constant}, {"sdf", Role::constant}} {}

void Scope::declare(const std::string& name, Role role, const SourceLocation& where) {
  if (is_word_of_the_language(name)) {
    throw UserError(where, fmt::format("'{}' is a word of the expression language", name), "choose another name");
  }
  if (!is_identifier(name)) {
    throw UserError(where, fmt::format("'{}' is no name", name),
                    "a name is a letter or underscore, then letters, digits and underscores");
  }
  if (!roles_.emplace(name, role).second) {
    throw UserError(where, fmt::format("the name '{}' is taken already", name), "choose another name");
  }
  if (role == Role::coordinate) coordinates_.push_back(name);
}

std::vector<std::string> Scope::names() const {
  std::vector<std::string> names;
  for (const auto& [name, role] : roles_) names.push_back(name);
  return names;
}

Expression resolve(const Expression& expression, const Scope& scope, Expect expect) {
  return Resolver(scope).run(expression, expect);
}

}  // namespace eddy::config
