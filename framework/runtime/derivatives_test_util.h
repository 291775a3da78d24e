#pragma once
/// Expressions of coordinates and their derivatives. For tests.

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "framework/autodiff/derivative.h"
#include "framework/core/array.h"
#include "framework/ir/module.h"
#include "framework/ops/emit.h"

namespace eddy::runtime::testing {

using ir::Builder;
using ir::MultiIndex;
using ir::Value;
using Values = std::vector<Value>;
using Terms = std::vector<autodiff::DerivativeTerm>;
/// Emits an expression of coordinates [n, 1].
using Expression = std::function<Value(Builder&, const Values& coordinates)>;
/// Emits what is asked for of an expression.
using Wanted = std::function<Values(Builder&, Value expression, const Values& coordinates)>;

/// A function "f" of f64 coordinates "x0", ... of n rows with results "y0", ...; composites are decomposed before
/// `wanted` is emitted.
std::unique_ptr<ir::Module> coordinate_program(std::size_t n_coordinates, const Expression& expression,
                                               const Wanted& wanted);

/// Reproducible coordinates in [-1, 1].
std::vector<Array> coordinates_of(std::size_t n_coordinates, std::int64_t n_rows);

/// Requests one sum of derivatives for each element.
Wanted requests(const std::vector<Terms>& sums);

/// The values of the requests on 4 rows.
std::vector<Array> derivatives(std::size_t n_coordinates, const Expression& expression, const std::vector<Terms>& sums);

/// All multi-indices of total order 0..order.
std::vector<MultiIndex> all_indices(std::size_t n_coordinates, int order);

/// The largest absolute value; infinity when a value is not finite.
double largest(const Array& a);
/// The largest absolute difference; infinity when the shapes differ or a value is not finite.
double difference(const Array& a, const Array& b);

/// A fixed constant of the given shape with elements in [-scale, scale].
Value weights(Builder& b, std::vector<std::int64_t> shape, double scale, std::uint64_t stream);

/// A small network of the coordinates: hidden layers of 4 with the activation, then [n, 1].
Expression network(const std::function<Value(Builder&, Value)>& activation, std::size_t n_hidden_layers = 2);

}  // namespace eddy::runtime::testing
