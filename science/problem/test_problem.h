#pragma once
/// Helpers of this folder's tests.

#include <map>
#include <string>

#include "framework/runtime/interpreter.h"
#include "science/problem/program.h"

namespace eddy::problem {

inline Registry test_registry() {
  Registry registry;
  networks::register_all(registry.networks);
  optimizers::register_all(registry.optimizers);
  return registry;
}

inline config::ProblemFile read_text(const std::string& yaml) {
  return config::read_problem(config::parse_yaml(yaml, "test.yaml"));
}

/// The message of the UserError that building the problem or its programs throws, or "no error".
inline std::string error_of(const std::string& yaml) {
  try {
    const Problem problem(read_text(yaml), test_registry());
    build_training(problem, DType::f64);
  } catch (const UserError& error) {
    return error.what();
  }
  return "no error";
}

using NamedArrays = std::map<std::string, Array>;

/// State, scalars and the batch of step 0 under the names of the functions' arguments.
inline NamedArrays arguments_of(Problem& problem, DType dtype = DType::f64) {
  NamedArrays arguments;
  for (const StateTensor& tensor : problem.model().state()) {
    arguments[tensor.name] = problem.model().initial_value(tensor).cast(dtype);
  }
  for (const RuntimeScalar& scalar : problem.scalars()) {
    arguments[scalar.name] = Array::scalar(scalar.value).cast(dtype);
  }
  for (Constraint& constraint : problem.constraints()) {
    const std::vector<Array> batch = constraint.batch(0, dtype);
    for (std::size_t i = 0; i < batch.size(); ++i) arguments[constraint.inputs()[i].name] = batch[i];
  }
  return arguments;
}

/// Runs a function by the interpreter; arguments and results go by name.
inline NamedArrays run(const ir::Function& function, const NamedArrays& arguments) {
  std::vector<Array> values;
  for (const std::string& name : function.argument_names()) values.push_back(arguments.at(name));
  const std::vector<Array> results = runtime::interpret(function, values);
  NamedArrays named;
  const std::vector<std::string> names = function.result_names();
  for (std::size_t i = 0; i < names.size(); ++i) named[names[i]] = results[i];
  return named;
}

}  // namespace eddy::problem
