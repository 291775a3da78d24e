/// Poisson's equation.
#include "science/problem/equation.h"

namespace eddy::equations {

namespace {

struct PoissonOptions {
  std::int64_t dim = 2;
};

struct Poisson {
  static constexpr const char* about = "Poisson's equation in one to three dimensions";
  static constexpr const char* formula = "lap(u) + f = 0";
  static constexpr const char* units = "u: any unit U; x, y, z: m; residual and source f: U/m^2";
  static constexpr const char* reference =
      "on the unit square with u = 0 on its boundary, f = 2 (k pi)^2 sin(k pi x) sin(k pi y) gives "
      "u = sin(k pi x) sin(k pi y), and sums of f for different k give the sums of u";

  static const config::Schema<PoissonOptions>& schema() {
    static const config::Schema<PoissonOptions> schema =
        config::ObjectSchema<PoissonOptions>("poisson", about)
            .field("dim", &PoissonOptions::dim, config::integer({.min = 1, .max = 3}), "dimensions of space")
            .schema();
    return schema;
  }

  static problem::EquationDefinition define(const PoissonOptions& options) {
    std::vector<std::string> coordinates = {"x", "y", "z"};
    coordinates.resize(static_cast<std::size_t>(options.dim));
    return {{"u"},
            coordinates,
            {{"f", "0", "U/m^2", "source, an expression of the coordinates"}},
            {{"poisson", "lap(u) + f"}}};
  }
};

}  // namespace

}  // namespace eddy::equations

EDDY_EQUATION(poisson, Poisson)
