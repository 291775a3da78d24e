#include "framework/ir/binding.h"

#include <algorithm>
#include <optional>

#include "framework/ir/dialect.h"
#include "framework/ir/rules.h"

namespace eddy::ir {

namespace {

/// One size of one argument.
struct Equation {
  Dim dim;
  std::int64_t size;
  std::size_t argument, axis;
};

std::string place_of(const Function& function, std::size_t argument) {
  return fmt::format("argument '{}' of '{}'", function.argument_names()[argument], function.name());
}

/// The one symbol without a value that `dim` has, when it is linear in it.
std::optional<std::string> unknown_of(Dim dim, const DimBindings& known) {
  std::optional<std::string> unknown;
  for (const Dim::Term& term : dim.terms()) {
    int n_unknown = 0;
    for (const std::string& symbol : term.symbols) {
      if (known.count(symbol)) continue;
      if (++n_unknown > 1 || (unknown && *unknown != symbol)) return std::nullopt;
      unknown = symbol;
    }
  }
  return unknown;
}

/// The value of `symbol` for which dim == size, when there is one.
std::optional<std::int64_t> solve(Dim dim, std::int64_t size, const std::string& symbol, const DimBindings& known) {
  DimBindings at = known;
  at[symbol] = 0;
  const std::int64_t constant = dim.evaluate_signed(at);
  at[symbol] = 1;
  const std::int64_t slope = checked_add(dim.evaluate_signed(at), -constant);
  const std::int64_t rest = checked_add(size, -constant);
  if (slope == 0 || rest % slope != 0 || rest / slope < 0) return std::nullopt;
  return rest / slope;
}

std::vector<Equation> equations_of(const Function& function, std::span<const Array> arguments) {
  const std::size_t n = function.n_arguments();
  if (arguments.size() != n) {
    throw UserError(fmt::format("'{}' takes {} arguments, not {}", function.name(), n, arguments.size()));
  }
  std::vector<Equation> equations;
  for (std::size_t i = 0; i < n; ++i) {
    const Type type = function.argument(i).type();
    const Array& array = arguments[i];
    if (array.dtype() != type.dtype()) {
      throw UserError(fmt::format("{} has dtype {}", place_of(function, i), name(array.dtype())),
                      fmt::format("expected {}", type.str()));
    }
    if (array.rank() != type.rank()) {
      throw UserError(fmt::format("{} has {} dims", place_of(function, i), array.rank()),
                      fmt::format("expected {}", type.str()));
    }
    for (std::size_t d = 0; d < type.rank(); ++d) equations.push_back({type.dim(d), array.shape()[d], i, d});
  }
  return equations;
}

}  // namespace

DimBindings bind_arguments(const Function& function, std::span<const Array> arguments) {
  const std::vector<Equation> equations = equations_of(function, arguments);
  DimBindings dims;
  std::map<std::string, const Equation*> origin;
  const auto fail = [&](const Equation& equation) {
    std::string known;
    for (const std::string& symbol : equation.dim.symbols()) {
      const auto found = origin.find(symbol);
      known += known.empty() ? "" : "; ";
      known += found == origin.end()
                   ? fmt::format("{} is not known", symbol)
                   : fmt::format("{} = {} by {}", symbol, dims[symbol], place_of(function, found->second->argument));
    }
    throw UserError(fmt::format("{} has size {} in dim {}, where {} is expected", place_of(function, equation.argument),
                                equation.size, equation.axis, equation.dim.str()),
                    known);
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (const Equation& equation : equations) {
      const auto symbol = unknown_of(equation.dim, dims);
      if (!symbol) continue;
      const auto value = solve(equation.dim, equation.size, *symbol, dims);
      if (!value) continue;  // reported below
      dims[*symbol] = *value;
      origin[*symbol] = &equation;
      changed = true;
    }
  }
  for (const Equation& equation : equations) {
    const std::vector<std::string> symbols = equation.dim.symbols();
    const bool known = std::all_of(symbols.begin(), symbols.end(), [&](const auto& s) { return dims.count(s) > 0; });
    if (!known || equation.dim.evaluate_signed(dims) != equation.size) fail(equation);
  }
  check_size_conditions(function, dims);
  return dims;
}

void check_size_conditions(const Function& function, const DimBindings& dims) {
  walk(function.body(), [&](Operation* op) {
    const auto* rule = op->info().get<SizeRule>();
    if (!rule) return;
    std::vector<Type> types;
    for (const Value operand : op->operands()) types.push_back(operand.type());
    for (const SizeCondition& condition : rule->conditions(types, op->attributes())) {
      if (condition.value.evaluate_signed(dims) >= 0) continue;
      std::string sizes;
      for (const auto& [symbol, size] : dims)
        sizes += fmt::format("{}{} = {}", sizes.empty() ? "" : ", ", symbol, size);
      throw UserError(op->location(), fmt::format("{} in '{}': {}", op->name(), function.name(), condition.message),
                      sizes);
    }
  });
}

}  // namespace eddy::ir
