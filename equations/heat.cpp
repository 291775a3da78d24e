/// The heat equation.
#include "science/problem/equation.h"

namespace eddy::equations {

namespace {

struct HeatOptions {
  std::int64_t dim = 1;
};

struct Heat {
  static constexpr const char* about = "heat equation in one to three dimensions and time";
  static constexpr const char* formula = "u_t - alpha lap(u) = 0";
  static constexpr const char* units = "u: K; t: s; x, y, z: m; residual: K/s";
  static constexpr const char* reference =
      "on the unit cube with u = 0 on its boundary, products of sines decay: sin(k pi x) exp(-alpha (k pi)^2 t) in one "
      "dimension, and sums of these for different k";

  static const config::Schema<HeatOptions>& schema() {
    static const config::Schema<HeatOptions> schema =
        config::ObjectSchema<HeatOptions>("heat", about)
            .field("dim", &HeatOptions::dim, config::integer({.min = 1, .max = 3}), "dimensions of space")
            .schema();
    return schema;
  }

  static problem::EquationDefinition define(const HeatOptions& options) {
    std::vector<std::string> coordinates = {"t", "x", "y", "z"};
    coordinates.resize(static_cast<std::size_t>(options.dim) + 1);
    return {{"u"}, coordinates, {{"alpha", "", "m^2/s", "diffusivity"}}, {{"heat", "u_t - alpha*lap(u)"}}};
  }
};

}  // namespace

}  // namespace eddy::equations

EDDY_EQUATION(heat, Heat)
