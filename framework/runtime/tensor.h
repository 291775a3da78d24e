#pragma once
/// Tensors of one source for two modes. A function over Tensors runs at once, operation by operation, when its
/// arguments hold data, and is recorded as a program when trace() calls it. There is no tape: derivatives trace the
/// function, transform the program, and run it or write it into the trace that asked.

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <tuple>
#include <type_traits>
#include <vector>

#include "framework/autodiff/derivative.h"
#include "framework/core/array.h"
#include "framework/ir/module.h"
#include "framework/ops/emit.h"

namespace eddy::runtime {

class Trace;

/// Data, or a value of a program that is being recorded. Cheap to copy; copies of data share memory.
class Tensor {
 public:
  /// A scalar f64 zero.
  Tensor() = default;
  Tensor(Array data) : data_(std::move(data)) {}  // NOLINT: an array is a tensor
  Tensor(std::shared_ptr<Trace> trace, ir::Value value) : trace_(std::move(trace)), value_(value) {}

  bool is_traced() const { return trace_ != nullptr; }
  ir::Type type() const;
  DType dtype() const { return type().dtype(); }
  const Shape& shape() const { return type().shape(); }
  std::size_t rank() const { return type().rank(); }

  /// The data. UserError while it is traced, as for item() and bool: a program cannot branch on what it computes.
  const Array& array() const;
  /// The value of a tensor with one element.
  double item() const { return array().item(); }
  explicit operator bool() const { return item() != 0; }

  /// Null and a null value for data.
  const std::shared_ptr<Trace>& trace() const { return trace_; }
  ir::Value value() const { return value_; }

 private:
  Array data_;
  std::shared_ptr<Trace> trace_;
  ir::Value value_;
};

/// Runs `emit` on the operands: as a small program at once when all hold data, else into the operands' trace, where
/// data become constants. UserError when the operands are of two traces, or of one that has ended.
Tensor run_or_record(std::span<const Tensor> operands,
                     const std::function<ir::Value(ir::Builder&, std::span<const ir::Value>)>& emit);

using TensorFunction = std::function<std::vector<Tensor>(const std::vector<Tensor>&)>;

struct ArgumentSpec {
  std::string name;
  ir::Type type;
};

/// Records `fn` as function `name` of a new program. Results are named as given, or "y0", "y1", ...
std::unique_ptr<ir::Module> trace(const ir::Context& context, const std::string& name,
                                  const std::vector<ArgumentSpec>& arguments, const TensorFunction& fn,
                                  std::vector<std::string> result_names = {});

/// The function of the same arguments that returns the gradient of fn's only result, a floating-point scalar, by each
/// of them (zeros for arguments of other dtypes). May be taken of its own result.
TensorFunction grad(TensorFunction fn);

/// The request for the sum of `terms` of `expression` by `coordinates` (autodiff::derivative). UserError for data: it
/// does not know where it comes from; trace() the function.
Tensor derivative(const Tensor& expression, const std::vector<Tensor>& coordinates,
                  const std::vector<autodiff::DerivativeTerm>& terms);

namespace detail {

// Parameters of an emit function as those of its counterpart: Value -> Tensor.
template <typename P>
struct Parameter {
  using type = const P&;
};
template <>
struct Parameter<ir::Value> {
  using type = const Tensor&;
};
template <>
struct Parameter<std::vector<ir::Value>> {
  using type = const std::vector<Tensor>&;
};
template <typename P>
using ParameterOf = typename Parameter<std::remove_cvref_t<P>>::type;

template <typename T>
void collect(std::vector<Tensor>& operands, const T& argument) {
  if constexpr (std::is_same_v<T, Tensor>) operands.push_back(argument);
  if constexpr (std::is_same_v<T, std::vector<Tensor>>) {
    operands.insert(operands.end(), argument.begin(), argument.end());
  }
}

/// The argument as `emit` takes it; tensors are the next of `values`.
template <typename T>
auto pick(std::span<const ir::Value>& values, const T& argument) {
  const auto next = [&](std::size_t n) {
    const auto taken = values.first(n);
    values = values.subspan(n);
    return taken;
  };
  if constexpr (std::is_same_v<T, Tensor>) {
    return next(1)[0];
  } else if constexpr (std::is_same_v<T, std::vector<Tensor>>) {
    const auto taken = next(argument.size());
    return std::vector<ir::Value>(taken.begin(), taken.end());
  } else {
    return argument;
  }
}

/// The Tensor counterpart of an emit function.
template <auto emit>
struct Forward;
template <typename... P, ir::Value (*emit)(ir::Builder&, P...)>
struct Forward<emit> {
  Tensor operator()(ParameterOf<P>... arguments) const {
    std::vector<Tensor> operands;
    (collect(operands, arguments), ...);
    return run_or_record(operands, [&](ir::Builder& b, std::span<const ir::Value> values) {
      const std::tuple picked{pick(values, arguments)...};  // in braces: left to right
      return std::apply([&](const auto&... all) { return emit(b, all...); }, picked);
    });
  }
};

/// An emit function of two operands, stretched by NumPy's rules first.
template <ir::Value (*emit)(ir::Builder&, ir::Value, ir::Value)>
ir::Value stretched(ir::Builder& b, ir::Value x, ir::Value y) {
  const Shape shape = ops::broadcast_shape(x.shape(), y.shape());
  return emit(b, ops::broadcast_to(b, x, shape), ops::broadcast_to(b, y, shape));
}

}  // namespace detail

// ---- the functions of framework/ops/emit.h; those of two tensors stretch their operands by NumPy's rules. They are
// objects: argument-dependent lookup does not find them, so name the namespace.
inline constexpr detail::Forward<&detail::stretched<ops::add>> add;
inline constexpr detail::Forward<&detail::stretched<ops::sub>> sub;
inline constexpr detail::Forward<&detail::stretched<ops::mul>> mul;
inline constexpr detail::Forward<&detail::stretched<ops::div>> div;
inline constexpr detail::Forward<&detail::stretched<ops::pow>> pow;
inline constexpr detail::Forward<&detail::stretched<ops::max>> max;
inline constexpr detail::Forward<&detail::stretched<ops::min>> min;
inline constexpr detail::Forward<&detail::stretched<ops::logical_and>> logical_and;
inline constexpr detail::Forward<&detail::stretched<ops::logical_or>> logical_or;
inline constexpr detail::Forward<&ops::logical_not> logical_not;
inline constexpr detail::Forward<&ops::compare> compare;
inline constexpr detail::Forward<&ops::select> select;
inline constexpr detail::Forward<&ops::neg> neg;
inline constexpr detail::Forward<&ops::powc> powc;
inline constexpr detail::Forward<&ops::square> square;
inline constexpr detail::Forward<&ops::sqrt> sqrt;
inline constexpr detail::Forward<&ops::rsqrt> rsqrt;
inline constexpr detail::Forward<&ops::exp> exp;
inline constexpr detail::Forward<&ops::expm1> expm1;
inline constexpr detail::Forward<&ops::log> log;
inline constexpr detail::Forward<&ops::log1p> log1p;
inline constexpr detail::Forward<&ops::sin> sin;
inline constexpr detail::Forward<&ops::cos> cos;
inline constexpr detail::Forward<&ops::sinh> sinh;
inline constexpr detail::Forward<&ops::cosh> cosh;
inline constexpr detail::Forward<&ops::tanh> tanh;
inline constexpr detail::Forward<&ops::sigmoid> sigmoid;
inline constexpr detail::Forward<&ops::softplus> softplus;
inline constexpr detail::Forward<&ops::erf> erf;
inline constexpr detail::Forward<&ops::atan> atan;
inline constexpr detail::Forward<&ops::asin> asin;
inline constexpr detail::Forward<&ops::abs> abs;
inline constexpr detail::Forward<&ops::sign> sign;
inline constexpr detail::Forward<&ops::floor> floor;
inline constexpr detail::Forward<&ops::is_finite> is_finite;
inline constexpr detail::Forward<&ops::cast> cast;
inline constexpr detail::Forward<&ops::stop_gradient> stop_gradient;
inline constexpr detail::Forward<&ops::scale> scale;
inline constexpr detail::Forward<&ops::shift> shift;
inline constexpr detail::Forward<&ops::full_like> full_like;
inline constexpr detail::Forward<&ops::broadcast> broadcast;
inline constexpr detail::Forward<&ops::broadcast_to> broadcast_to;
inline constexpr detail::Forward<&ops::reshape> reshape;
inline constexpr detail::Forward<&ops::transpose> transpose;
inline constexpr detail::Forward<&ops::slice> slice;
inline constexpr detail::Forward<&ops::slice_dim> slice_dim;
inline constexpr detail::Forward<&ops::pad> pad;
inline constexpr detail::Forward<&ops::concat> concat;
inline constexpr detail::Forward<&ops::reverse> reverse;
inline constexpr detail::Forward<&ops::gather> gather;
inline constexpr detail::Forward<&ops::scatter_add> scatter_add;
inline constexpr detail::Forward<&ops::dynamic_slice> dynamic_slice;
inline constexpr detail::Forward<&ops::dynamic_update_slice> dynamic_update_slice;
inline constexpr detail::Forward<&ops::reduce_sum> reduce_sum;
inline constexpr detail::Forward<&ops::reduce_max> reduce_max;
inline constexpr detail::Forward<&ops::reduce_prod> reduce_prod;
inline constexpr detail::Forward<&ops::cumsum> cumsum;
inline constexpr detail::Forward<&ops::argmax> argmax;
inline constexpr detail::Forward<&ops::dot_general> dot_general;
inline constexpr detail::Forward<&ops::matmul> matmul;
inline constexpr detail::Forward<&detail::stretched<ops::atan2>> atan2;
inline constexpr detail::Forward<&ops::tan> tan;
inline constexpr detail::Forward<&ops::acos> acos;
inline constexpr detail::Forward<&ops::silu> silu;
inline constexpr detail::Forward<&ops::gelu> gelu;
inline constexpr detail::Forward<&ops::gelu_tanh> gelu_tanh;
inline constexpr detail::Forward<&ops::mish> mish;
inline constexpr detail::Forward<&ops::relu> relu;
inline constexpr detail::Forward<&ops::leaky_relu> leaky_relu;
inline constexpr detail::Forward<&ops::elu> elu;
inline constexpr detail::Forward<&ops::selu> selu;
inline constexpr detail::Forward<&ops::squareplus> squareplus;
inline constexpr detail::Forward<&ops::stan> stan;
inline constexpr detail::Forward<&ops::mean> mean;
inline constexpr detail::Forward<&ops::softmax> softmax;
inline constexpr detail::Forward<&ops::logsumexp> logsumexp;
inline constexpr detail::Forward<&ops::layer_norm> layer_norm;
inline constexpr detail::Forward<&ops::rms_norm> rms_norm;
inline constexpr detail::Forward<&ops::weight_norm> weight_norm;
inline constexpr detail::Forward<&ops::linear> linear;
inline constexpr detail::Forward<&ops::real> real;
inline constexpr detail::Forward<&ops::imag> imag;
inline constexpr detail::Forward<&ops::complex> complex;
inline constexpr detail::Forward<&ops::conj> conj;
inline constexpr detail::Forward<&ops::rng_uniform> rng_uniform;
inline constexpr detail::Forward<&ops::rng_normal> rng_normal;

inline Tensor operator+(const Tensor& x, const Tensor& y) { return add(x, y); }
inline Tensor operator-(const Tensor& x, const Tensor& y) { return sub(x, y); }
inline Tensor operator*(const Tensor& x, const Tensor& y) { return mul(x, y); }
inline Tensor operator/(const Tensor& x, const Tensor& y) { return div(x, y); }
inline Tensor operator-(const Tensor& x) { return neg(x); }
// Numbers take the tensor's dtype.
inline Tensor operator+(const Tensor& x, double y) { return shift(x, y); }
inline Tensor operator+(double x, const Tensor& y) { return shift(y, x); }
inline Tensor operator-(const Tensor& x, double y) { return shift(x, -y); }
inline Tensor operator-(double x, const Tensor& y) { return sub(full_like(y, x), y); }
inline Tensor operator*(const Tensor& x, double y) { return scale(x, y); }
inline Tensor operator*(double x, const Tensor& y) { return scale(y, x); }
inline Tensor operator/(const Tensor& x, double y) { return div(x, full_like(x, y)); }
inline Tensor operator/(double x, const Tensor& y) { return div(full_like(y, x), y); }

}  // namespace eddy::runtime
