#pragma once
/// Functions that emit operations: the vocabulary of the derivative rules, composite operations and frontends. Operands
/// of elementwise operations must have equal types; the functions under "with broadcasting" stretch them first.

#include <optional>
#include <string_view>
#include <vector>

#include "framework/core/array.h"
#include "framework/ir/builder.h"

namespace eddy::ops {

using ir::Builder;
using ir::Value;

// ---- sources
Value constant(Builder& b, const Array& value);
/// A scalar of a real, complex, i64 or bool dtype.
Value scalar(Builder& b, DType dtype, double value);
/// A tensor of `type` filled with one number (a broadcast scalar).
Value full(Builder& b, ir::Type type, double value);
Value full_like(Builder& b, Value x, double value);
/// The number that fills `x` when it is a scalar constant or a broadcast of one.
std::optional<double> splat_value(Value x);
/// A size as a scalar of a real or i64 dtype; a constant when it is known.
Value size(Builder& b, Dim dim, DType dtype);
/// A tensor of `type` whose elements are their indices along `dim`.
Value iota(Builder& b, ir::Type type, std::size_t dim);
/// Row-major element i is number counter + i of Rng(seed, stream); `counter` is an i64 scalar.
Value rng_uniform(Builder& b, Value counter, ir::Type type, std::uint64_t seed, std::uint64_t stream);
Value rng_normal(Builder& b, Value counter, ir::Type type, std::uint64_t seed, std::uint64_t stream);

// ---- shape
/// Result dim dims[i] is operand dim i; all other result dims are new. Extents must agree.
Value broadcast(Builder& b, Value x, Shape shape, std::vector<std::int64_t> dims);
/// Stretches x to `shape` by NumPy's rules (trailing dims align, extents of 1 stretch); x itself when it fits already.
Value broadcast_to(Builder& b, Value x, const Shape& shape);
/// The common shape of NumPy broadcasting; UserError when there is none.
Shape broadcast_shape(const Shape& a, const Shape& b);
Value reshape(Builder& b, Value x, Shape shape);
Value transpose(Builder& b, Value x, std::vector<std::int64_t> permutation);
/// Elements start, start + stride, ... below limit, in every dim.
Value slice(Builder& b, Value x, Shape start, Shape limit, std::vector<std::int64_t> stride);
/// One dim cut to [start, limit), the others whole.
Value slice_dim(Builder& b, Value x, std::size_t dim, Dim start, Dim limit);
/// Zeros around (low, high) and between (interior) the elements of each dim.
Value pad(Builder& b, Value x, Shape low, Shape high, std::vector<std::int64_t> interior);
Value concat(Builder& b, const std::vector<Value>& parts, std::size_t dim);
Value reverse(Builder& b, Value x, std::vector<std::int64_t> dims);

// ---- places known at run time; an index outside its dim means the nearest one inside
/// Result dims: those of data before `dim`, those of the i64 indices, those of data after `dim`.
Value gather(Builder& b, Value data, Value indices, std::size_t dim);
/// The adjoint of gather: updates added to zeros whose dim `dim` has `size`, in the order of the indices.
Value scatter_add(Builder& b, Value indices, Value updates, std::size_t dim, Dim size);
/// A window of `sizes` that begins at starts i64[rank], moved inwards when it would reach over an end.
Value dynamic_slice(Builder& b, Value x, Value starts, Shape sizes);
/// x with such a window replaced by `update`.
Value dynamic_update_slice(Builder& b, Value x, Value update, Value starts);

// ---- elementwise, equal types
Value add(Builder& b, Value x, Value y);
Value sub(Builder& b, Value x, Value y);
Value mul(Builder& b, Value x, Value y);
Value div(Builder& b, Value x, Value y);
Value neg(Builder& b, Value x);
Value pow(Builder& b, Value x, Value y);
/// x to a constant power.
Value powc(Builder& b, Value x, double exponent);
Value sqrt(Builder& b, Value x);
Value rsqrt(Builder& b, Value x);
Value exp(Builder& b, Value x);
Value expm1(Builder& b, Value x);
Value log(Builder& b, Value x);
Value log1p(Builder& b, Value x);
Value sin(Builder& b, Value x);
Value cos(Builder& b, Value x);
Value sinh(Builder& b, Value x);
Value cosh(Builder& b, Value x);
Value tanh(Builder& b, Value x);
Value sigmoid(Builder& b, Value x);
Value softplus(Builder& b, Value x);
Value erf(Builder& b, Value x);
Value atan(Builder& b, Value x);
Value asin(Builder& b, Value x);
Value abs(Builder& b, Value x);
Value sign(Builder& b, Value x);
Value floor(Builder& b, Value x);
Value max(Builder& b, Value x, Value y);  ///< NaN on either side gives NaN
Value min(Builder& b, Value x, Value y);
/// `direction` is eq, ne, lt, le, gt or ge.
Value compare(Builder& b, Value x, Value y, std::string_view direction);
Value logical_and(Builder& b, Value x, Value y);
Value logical_or(Builder& b, Value x, Value y);
Value logical_not(Builder& b, Value x);
/// x where the predicate holds, else y.
Value select(Builder& b, Value predicate, Value x, Value y);
Value is_finite(Builder& b, Value x);
Value cast(Builder& b, Value x, DType dtype);  ///< x itself when it has that dtype
Value stop_gradient(Builder& b, Value x);
Value real(Builder& b, Value x);  ///< x itself for real dtypes
Value imag(Builder& b, Value x);  ///< zeros for real dtypes
Value complex(Builder& b, Value re, Value im);
Value conj(Builder& b, Value x);  ///< x itself for real dtypes
/// x times a number.
Value scale(Builder& b, Value x, double factor);
/// x plus a number.
Value shift(Builder& b, Value x, double offset);
Value square(Builder& b, Value x);

// ---- reductions and contractions
/// Sums over `dims` (ascending) and drops them.
Value reduce_sum(Builder& b, Value x, std::vector<std::int64_t> dims);
/// NaN where there is one, -inf (the least integer) where there is nothing.
Value reduce_max(Builder& b, Value x, std::vector<std::int64_t> dims);
/// Differentiable to any order at zeros also; derivatives need constant sizes of the reduced dims.
Value reduce_prod(Builder& b, Value x, std::vector<std::int64_t> dims);
/// Sums up to and with each element along `dim`.
Value cumsum(Builder& b, Value x, std::size_t dim);
/// Where the first greatest element along `dim` is (i64; the first NaN when there is one); drops `dim`.
Value argmax(Builder& b, Value x, std::size_t dim);
struct DotDims {
  std::vector<std::int64_t> batch_lhs, batch_rhs, contract_lhs, contract_rhs;
};
/// The dims that a dot_general operation names.
DotDims dot_dims(const ir::Operation& op);
/// Result dims: batch, then free dims of lhs, then free dims of rhs.
Value dot_general(Builder& b, Value lhs, Value rhs, const DotDims& dims);
/// [n, k] x [k, m].
Value matmul(Builder& b, Value x, Value y);

// ---- composites (dialect nn): real dtypes; formulas stand in nn_activations.cpp and nn_layers.cpp
Value tan(Builder& b, Value x);
Value acos(Builder& b, Value x);
/// The angle of the point (x, y) in [-pi, pi], 0 at the origin; the sign of a zero does not count.
Value atan2(Builder& b, Value y, Value x);
Value silu(Builder& b, Value x);
Value gelu(Builder& b, Value x);       ///< by erf
Value gelu_tanh(Builder& b, Value x);  ///< its usual approximation
Value mish(Builder& b, Value x);
Value relu(Builder& b, Value x);
Value leaky_relu(Builder& b, Value x, double slope);
Value elu(Builder& b, Value x, double alpha);
Value selu(Builder& b, Value x);
Value squareplus(Builder& b, Value x, double width = 4);
/// tanh(x) (1 + beta x); beta is stretched to x's shape.
Value stan(Builder& b, Value x, Value beta);
/// The sum over `dims`, which are dropped, by their size.
Value mean(Builder& b, Value x, std::vector<std::int64_t> dims);
Value softmax(Builder& b, Value x, std::size_t dim);
Value logsumexp(Builder& b, Value x, std::size_t dim);  ///< drops `dim`
/// Normalize the last dim; `factor` and `offset` have its size.
Value layer_norm(Builder& b, Value x, Value factor, Value offset, double epsilon = 1e-5);
Value rms_norm(Builder& b, Value x, Value factor, double epsilon = 1e-5);
/// lengths [n_out] times the columns of directions [n_in, n_out], each over its norm.
Value weight_norm(Builder& b, Value directions, Value lengths);
/// x [..., n_in] times weights [n_in, n_out], plus bias [n_out] unless it is null.
Value linear(Builder& b, Value x, Value weights, Value bias);

}  // namespace eddy::ops
