#include <catch2/catch.hpp>
#include <cmath>

#include "science/networks/network.h"

using namespace eddy;
using namespace eddy::networks;

TEST_CASE("Weights start with the variance of Glorot and Bengio, whatever other tensors there are", "[networks]") {
  for (const auto kind : {Initializer::Kind::glorot_normal, Initializer::Kind::glorot_uniform}) {
    const Parameter parameter{"w0", {200, 300}, {kind, 0, 200, 300, {}}};
    const Array values = initial_value(parameter, "net.w0", 7);
    double sum = 0, squares = 0;
    for (std::int64_t i = 0; i < values.n_elements(); ++i) {
      sum += values.at(i);
      squares += values.at(i) * values.at(i);
    }
    const double n = 60000, variance = 2.0 / 500;
    // Six standard deviations: of the mean sigma/sqrt(n), of the variance at most sigma^2 sqrt(2/n).
    CHECK(std::abs(sum / n) < 6 * std::sqrt(variance / n));
    CHECK(std::abs(squares / n - variance) < 6 * variance * std::sqrt(2 / n));
    CHECK(values.identical(initial_value(parameter, "net.w0", 7)));
    CHECK_FALSE(values.identical(initial_value(parameter, "net.w1", 7)));
    CHECK_FALSE(values.identical(initial_value(parameter, "net.w0", 8)));
  }
}

TEST_CASE("Networks are made by name from their options", "[networks]") {
  Catalogue catalogue("network type");
  register_all(catalogue);
  CHECK(catalogue.names() == std::vector<std::string>{"fourier", "mlp"});
  config::Options options;
  options.node = config::parse_yaml("{hidden: [5, 6], weight_norm: true}", "options.yaml");
  const auto mlp = catalogue.at("mlp").make(options, 2, 1);
  std::vector<std::string> names;
  for (const Parameter& parameter : mlp->parameters()) names.push_back(parameter.name);
  CHECK(names == std::vector<std::string>{"w0", "g0", "b0", "w1", "g1", "b1", "w2", "g2", "b2"});
  CHECK(mlp->parameters()[3].shape == std::vector<std::int64_t>{5, 6});

  options.node = config::parse_yaml("{hidden: [5], axis: [1, 3], gaussian: 4, sigma: 2}", "options.yaml");
  const auto fourier = catalogue.at("fourier").make(options, 2, 1);
  const std::vector<Parameter> parameters = fourier->parameters();
  CHECK_FALSE(parameters[0].trainable);
  const Array axis = initial_value(parameters[0], "net.axis_frequencies", 0);
  CHECK(axis.shape() == std::vector<std::int64_t>{2, 4});
  CHECK(axis.at(1) == 3 * M_PI);  // along the first input
  CHECK(axis.at(2) == 0);
  CHECK(axis.at(6) == M_PI);  // along the second
  CHECK(parameters[2].shape == std::vector<std::int64_t>{2 + 2 * (4 + 4), 5});
  options.node = config::parse_yaml("{hidden: [5]}", "options.yaml");
  CHECK_THROWS_AS(catalogue.at("fourier").make(options, 2, 1), UserError);
}
