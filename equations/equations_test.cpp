#include <catch2/catch.hpp>

#include "equations/registry.h"
#include "framework/ir/printer.h"
#include "framework/ir/verifier.h"
#include "framework/runtime/interpreter.h"
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

namespace {

/// The loss of a problem whose network is replaced by `solution`: zero where it solves the equation.
double residual_of(const std::string& equation, const std::string& geometry, const std::string& inputs,
                   const std::string& solution) {
  const std::string yaml = "name: exact\nprecision: f64\nequation: " + equation + "\ngeometry: " + geometry +
                           "\nnetworks: {net: {type: mlp, inputs: " + inputs +
                           ", outputs: [u], hidden: [2], transform: {u: \"" + solution +
                           " + 0*u_raw\"}}}\nconstraints: {interior: {at: cube, residuals: all, points: 50}}\n"
                           "training: {stages: {warm: {optimizer: adam, steps: 1}}}\n";
  problem::Problem problem(config::read_problem(config::parse_yaml(yaml, "test.yaml")), equations::built_in());
  const auto module = problem::build_terms(problem, DType::f64);
  const ir::Function terms = module->function("terms");
  std::vector<Array> arguments;
  for (const problem::StateTensor& tensor : problem.model().state()) {
    arguments.push_back(problem.model().initial_value(tensor));
  }
  for (const problem::RuntimeScalar& scalar : problem.scalars()) arguments.push_back(Array::scalar(scalar.value));
  for (problem::Constraint& constraint : problem.constraints()) {
    for (const Array& array : constraint.batch(0, DType::f64)) arguments.push_back(array);
  }
  return runtime::interpret(terms, arguments).front().item();
}

std::string message_of(const std::string& yaml) {
  try {
    terms_of(yaml);
  } catch (const UserError& error) {
    return error.what();
  }
  return "no error";
}

}  // namespace

TEST_CASE("Exact solutions have no residual, others have one") {
  // Terms of the residual are of order 100 at most, so its square is rounding of (100 * some 1e-15)^2.
  const double zero = 1e-22;
  const std::string line = "{shapes: {cube: {interval: {min: 0, max: 1}}}, domain: cube, time: [0, 1]}";
  const std::string square = "{shapes: {cube: {rectangle: {min: [0, 0], max: [1, 1]}}}, domain: cube";
  const std::string box = "{shapes: {cube: {box: {min: [0, 0, 0], max: [1, 1, 1]}}}, domain: cube";
  CHECK(residual_of("{use: heat, parameters: {alpha: 0.3}}", line, "[t, x]", "sin(2*pi*x)*exp(-0.3*(2*pi)^2*t)") <
        zero);
  CHECK(residual_of("{use: heat, parameters: {alpha: 0.3}}", line, "[t, x]", "sin(2*pi*x)*exp(-t)") > 1e-3);
  CHECK(residual_of("{use: heat, options: {dim: 3}, parameters: {alpha: 0.1}}", box + ", time: [0, 1]}", "[t, x, y, z]",
                    "sin(pi*x)*sin(pi*y)*sin(pi*z)*exp(-0.3*pi^2*t)") < zero);
  CHECK(residual_of("{use: poisson, parameters: {f: \"2*(3*pi)^2*sin(3*pi*x)*sin(3*pi*y)\"}}", square + "}", "[x, y]",
                    "sin(3*pi*x)*sin(3*pi*y)") < zero);
  CHECK(residual_of("{use: poisson}", square + "}", "[x, y]", "x^2 - y^2") < zero);
  CHECK(residual_of("{use: poisson, options: {dim: 3}, parameters: {f: -6}}", box + "}", "[x, y, z]",
                    "x^2 + y^2 + z^2") < zero);
  // A travelling wave of Burgers' equation: u = 1 - tanh((x - t)/(2 nu)).
  CHECK(residual_of("{use: burgers, parameters: {nu: 0.25}}", line, "[t, x]", "1 - tanh(2*(x - t))") < zero);
}

TEST_CASE("Parameters and options of a module are checked") {
  const auto has = [](const std::string& message, const std::string& part) {
    INFO(message);
    CHECK(message.find(part) != std::string::npos);
  };
  has(message_of(burgers_with("equation: {use: burgers}")), "test.yaml:3:11: the parameter 'nu' of equation 'burgers'");
  has(message_of(burgers_with("equation: {use: burgers, parameters: {nu: 1, my: 2}}")), "test.yaml:3:46: ");
  has(message_of(burgers_with("equation: {use: burger, parameters: {nu: 1}}")), "did you mean 'burgers'?");
  has(message_of(burgers_with("equation: {use: heat, options: {dim: 4}, parameters: {alpha: 1}}")), "test.yaml:3:38: ");
  has(message_of(burgers_with("equation: {use: burgers, options: {dim: 2}, parameters: {nu: 1}}")), "not there yet");
}

TEST_CASE("Every kind says what it is") {
  const problem::Registry registry = equations::built_in();
  CHECK(registry.equations.names() == std::vector<std::string>{"burgers", "heat", "poisson"});
  for (const std::string& name : registry.equations.names()) {
    const problem::EquationKind& kind = registry.equations.at(name);
    for (const std::string& text : {kind.about, kind.formula, kind.units, kind.reference}) CHECK_FALSE(text.empty());
    for (const auto& parameter : kind.define({}).parameters) CHECK_FALSE(parameter.unit.empty());
  }
  for (const std::string& name : registry.networks.names()) CHECK_FALSE(registry.networks.at(name).about.empty());
  for (const std::string& name : registry.optimizers.names()) CHECK_FALSE(registry.optimizers.at(name).about.empty());
}
