/// Burgers' equation.
#include "science/problem/equation.h"

namespace eddy::equations {

namespace {

struct BurgersOptions {};

struct Burgers {
  static constexpr const char* about = "viscous Burgers' equation in one dimension and time";
  static constexpr const char* formula = "u_t + u u_x - nu u_xx = 0";
  static constexpr const char* units = "u: m/s; t: s; x: m; residual: m/s^2";
  static constexpr const char* reference =
      "on x in [-1, 1] with u(0, x) = -sin(pi x) and u = 0 at both ends, the Cole-Hopf transform gives "
      "u = -I1/I0 with I1 = integral of sin(pi (x - z)) w dz, I0 = integral of w dz, "
      "w = exp(-cos(pi (x - z)) / (2 pi nu) - z^2 / (4 nu t)) over all z";

  static const config::Schema<BurgersOptions>& schema() {
    static const config::Schema<BurgersOptions> schema =
        config::ObjectSchema<BurgersOptions>("burgers", about).later({"dim"}).schema();
    return schema;
  }

  static problem::EquationDefinition define(const BurgersOptions&) {
    return {{"u"}, {"t", "x"}, {{"nu", "", "m^2/s", "viscosity"}}, {{"burgers", "u_t + u*u_x - nu*u_xx"}}};
  }
};

}  // namespace

}  // namespace eddy::equations

EDDY_EQUATION(burgers, Burgers)
