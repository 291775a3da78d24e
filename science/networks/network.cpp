#include "science/networks/network.h"

#include <cmath>

#include "framework/core/rng.h"

namespace eddy::networks {

Array initial_value(const Parameter& parameter, const std::string& full_name, std::uint64_t seed) {
  using Kind = Initializer::Kind;
  const Initializer& init = parameter.initializer;
  Array array(DType::f64, parameter.shape);
  const Rng rng(seed, full_name);
  const double fan = static_cast<double>(init.fan_in + init.fan_out);
  const auto values = array.data<double>();
  for (std::size_t i = 0; i < values.size(); ++i) {
    switch (init.kind) {
      case Kind::constant: values[i] = init.scale; break;
      case Kind::glorot_normal: values[i] = std::sqrt(2 / fan) * rng.normal(i); break;
      case Kind::glorot_uniform: values[i] = std::sqrt(6 / fan) * (2 * rng.uniform(i) - 1); break;
      case Kind::normal: values[i] = init.scale * rng.normal(i); break;
      case Kind::uniform: values[i] = init.scale * (2 * rng.uniform(i) - 1); break;
      case Kind::given: values[i] = init.values.at(i); break;
    }
  }
  return array;
}

}  // namespace eddy::networks
