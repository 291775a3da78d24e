#pragma once
/// Equations: what is to vanish, stated once in the expression language of problem files.

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "science/config/catalogue.h"

namespace eddy::problem {

/// A parameter of an equation.
struct EquationParameter {
  std::string name;
  std::string value;  ///< an expression; empty: the problem file must give it
  std::string unit;   ///< in powers of the base units: "m^2/s"; "1" for a pure number
  std::string doc;
};

/// What a problem file would say in `equation`. A module and a file with these texts give the same program.
struct EquationDefinition {
  std::vector<std::string> unknowns, coordinates;
  std::vector<EquationParameter> parameters;
  std::vector<std::pair<std::string, std::string>> residuals;  ///< name, expression
};

struct EquationKind {
  std::string about;      ///< one line
  std::string formula;    ///< with its source where it is not common knowledge
  std::string units;      ///< of unknowns and residuals
  std::string reference;  ///< an exact or reference solution
  config::TypePtr options;
  std::function<EquationDefinition(const config::Options&)> define;
};
using EquationCatalogue = config::Catalogue<EquationKind>;

/// The kind of a class that has `static constexpr about, formula, units, reference`, `static Schema<...> schema()` and
/// `static EquationDefinition define(options)` of the options read with it.
template <typename E>
EquationKind equation_kind() {
  return {E::about,
          E::formula,
          E::units,
          E::reference,
          E::schema().type,
          [](const config::Options& options) { return E::define(config::read_options(E::schema(), options)); }};
}

}  // namespace eddy::problem

namespace eddy::equations {
using Catalogue = problem::EquationCatalogue;
}

/// Ends the source `name.cpp` of equations/: enters class `Class` under `name`.
#define EDDY_EQUATION(name, Class)                                                                 \
  namespace eddy::equations {                                                                      \
  void register_equation_##name(Catalogue& catalogue) { /* NOLINT: named by the generated table */ \
    catalogue.add(#name, problem::equation_kind<Class>());                                         \
  }                                                                                                \
  }
