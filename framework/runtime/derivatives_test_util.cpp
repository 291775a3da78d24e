#include "framework/runtime/derivatives_test_util.h"

#include <cmath>
#include <limits>

#include "framework/core/rng.h"
#include "framework/ops/decompose.h"
#include "framework/ops/dialects.h"
#include "framework/runtime/interpreter.h"

namespace eddy::runtime::testing {

std::unique_ptr<ir::Module> coordinate_program(std::size_t n_coordinates, const Expression& expression,
                                               const Wanted& wanted) {
  auto module = std::make_unique<ir::Module>(ops::default_context());
  ir::Function function = module->add_function("f");
  const ir::Type column = ir::Type::tensor(DType::f64, {Dim::symbol("n"), 1});
  for (std::size_t i = 0; i < n_coordinates; ++i) function.add_argument(fmt::format("x{}", i), column);
  const Values coordinates = function.body().arguments();
  Builder b(module->context(), function.body());
  function.set_results({"y0"}, Values{expression(b, coordinates)});
  ops::decompose_composites(function);
  b.set_insertion_point(function.body(), function.body().terminator());
  const Values results = wanted(b, function.results()[0], coordinates);
  std::vector<std::string> names;
  for (std::size_t i = 0; i < results.size(); ++i) names.push_back(fmt::format("y{}", i));
  function.set_results(names, results);
  return module;
}

std::vector<Array> coordinates_of(std::size_t n_coordinates, std::int64_t n_rows) {
  std::vector<Array> coordinates;
  for (std::size_t i = 0; i < n_coordinates; ++i) {
    Array column(DType::f64, {n_rows, 1});
    const Rng rng(5, i);
    for (std::size_t row = 0; row < static_cast<std::size_t>(n_rows); ++row) {
      column.data<double>()[row] = 2 * rng.uniform(row) - 1;
    }
    coordinates.push_back(column);
  }
  return coordinates;
}

Wanted requests(const std::vector<Terms>& sums) {
  return [sums](Builder& b, Value expression, const Values& coordinates) {
    Values results;
    for (const Terms& terms : sums) results.push_back(autodiff::derivative(b, expression, coordinates, terms));
    return results;
  };
}

std::vector<Array> derivatives(std::size_t n_coordinates, const Expression& expression,
                               const std::vector<Terms>& sums) {
  const auto module = coordinate_program(n_coordinates, expression, requests(sums));
  return interpret(module->function("f"), coordinates_of(n_coordinates, 4));
}

std::vector<MultiIndex> all_indices(std::size_t n_coordinates, int order) {
  std::vector<MultiIndex> top, all;
  std::function<void(MultiIndex, int)> extend = [&](MultiIndex index, int left) {
    if (index.size() + 1 == n_coordinates) {
      index.push_back(left);
      top.push_back(index);
      return;
    }
    for (int i = 0; i <= left; ++i) {
      MultiIndex longer = index;
      longer.push_back(i);
      extend(longer, left - i);
    }
  };
  extend({}, order);
  const ir::IndexSet set = ir::IndexSet::closure(n_coordinates, top);
  for (std::size_t k = 0; k < set.size(); ++k) all.push_back(set[k]);
  return all;
}

double largest(const Array& a) {
  double result = 0;
  for (std::int64_t i = 0; i < a.n_elements(); ++i) {
    if (!std::isfinite(a.at(i))) return std::numeric_limits<double>::infinity();
    result = std::max(result, std::abs(a.at(i)));
  }
  return result;
}

double difference(const Array& a, const Array& b) {
  if (a.shape() != b.shape()) return std::numeric_limits<double>::infinity();
  Array delta(DType::f64, a.shape());
  for (std::int64_t i = 0; i < a.n_elements(); ++i) {
    delta.data<double>()[static_cast<std::size_t>(i)] = a.at(i) - b.at(i);
  }
  return largest(delta);
}

Value weights(Builder& b, std::vector<std::int64_t> shape, double scale, std::uint64_t stream) {
  Array values(DType::f64, std::move(shape));
  const Rng rng(17, stream);
  for (std::size_t i = 0; i < static_cast<std::size_t>(values.n_elements()); ++i) {
    values.data<double>()[i] = scale * (2 * rng.uniform(i) - 1);
  }
  return ops::constant(b, values);
}

Expression network(const std::function<Value(Builder&, Value)>& activation, std::size_t n_hidden_layers) {
  return [=](Builder& b, const Values& coordinates) {
    Value u = ops::concat(b, coordinates, 1);
    auto inputs = static_cast<std::int64_t>(coordinates.size());
    for (std::size_t layer = 0; layer <= n_hidden_layers; ++layer) {
      const std::int64_t outputs = layer < n_hidden_layers ? 4 : 1;
      u = ops::linear(b, u, weights(b, {inputs, outputs}, 0.9, 2 * layer), weights(b, {outputs}, 0.5, 2 * layer + 1));
      if (layer < n_hidden_layers) u = activation(b, u);
      inputs = outputs;
    }
    return u;
  };
}

}  // namespace eddy::runtime::testing
