#include <catch2/catch.hpp>

#include "equations/registry.h"
#include "framework/ir/printer.h"
#include "framework/ir/verifier.h"
#include "science/problem/program.h"

using namespace eddy;

namespace {

std::string burgers_with(const std::string& equation) {
  return "name: burgers\nprecision: f64\n" + equation + R"yaml(
geometry:
  shapes: {line: {interval: {min: -1, max: 1}}}
  domain: line
  time: [0, 1]
networks:
  net: {type: mlp, inputs: [t, x], outputs: [u], hidden: [8, 8], activation: tanh}
constraints:
  interior: {at: line, residuals: all, points: 100, sampler: sobol}
  initial:  {at: line, time: 0, equals: {u: "-sin(pi*x)"}, points: 20}
  ends:     {at: line.boundary, equals: {u: 0}, points: 10}
training:
  stages:
    warm: {optimizer: adam, steps: 3000, lr: 1e-3}
)yaml";
}

std::string terms_of(const std::string& yaml) {
  const problem::Problem problem(config::read_problem(config::parse_yaml(yaml, "test.yaml")), equations::built_in());
  const auto module = problem::build_terms(problem, DType::f64);
  ir::verify(*module);
  return ir::print(*module);
}

}  // namespace

TEST_CASE("Burgers as a module and written out give the same program") {
  const std::string written = terms_of(burgers_with(R"yaml(equation:
  unknowns: [u]
  coordinates: [t, x]
  parameters: {nu: "0.01/pi"}
  residuals: {burgers: "u_t + u*u_x - nu*u_xx"}
)yaml"));
  const std::string module = terms_of(burgers_with("equation: {use: burgers, parameters: {nu: \"0.01/pi\"}}"));
  INFO(written);
  CHECK(written == module);
  CHECK(written.find("ad.derivative") != std::string::npos);
}
