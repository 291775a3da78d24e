#include "framework/loops/evaluate.h"

#include <cmath>
#include <functional>

#include "framework/core/errors.h"

namespace eddy::loops {

namespace {

// ---- functions by name

template <typename T>
using Function = T (*)(T);

template <typename T>
const std::map<std::string, Function<T>>& functions() {
  static const std::map<std::string, Function<T>> table = {
      {"exp", [](T x) { return std::exp(x); }},
      {"expm1", [](T x) { return std::expm1(x); }},
      {"log", [](T x) { return std::log(x); }},
      {"log1p", [](T x) { return std::log1p(x); }},
      {"sin", [](T x) { return std::sin(x); }},
      {"cos", [](T x) { return std::cos(x); }},
      {"sinh", [](T x) { return std::sinh(x); }},
      {"cosh", [](T x) { return std::cosh(x); }},
      {"tanh", [](T x) { return std::tanh(x); }},
      // No exponential of a positive number: neither overflows.
      {"sigmoid",
       [](T x) {
         const T e = std::exp(-std::abs(x));
         return (x >= 0 ? T(1) : e) / (1 + e);
       }},
      {"softplus", [](T x) { return (x > 0 ? x : T(0)) + std::log1p(std::exp(-std::abs(x))); }},
      {"erf", [](T x) { return std::erf(x); }},
      {"atan", [](T x) { return std::atan(x); }},
      {"asin", [](T x) { return std::asin(x); }},
      {"sqrt", [](T x) { return std::sqrt(x); }},
      {"rsqrt", [](T x) { return 1 / std::sqrt(x); }},
      {"abs", [](T x) { return std::abs(x); }},
      {"floor", [](T x) { return std::floor(x); }},
      {"sign", [](T x) { return x > 0   ? T(1)
                                : x < 0 ? T(-1)
                                        : x; }},
  };
  return table;
}

template <typename T>
T call_function(const std::string& name, const std::vector<T>& x) {
  if (name == "pow" && x.size() == 2) return std::pow(x[0], x[1]);
  const auto found = functions<T>().find(name);
  EDDY_CHECK(found != functions<T>().end() && x.size() == 1, "no function {} of {} arguments", name, x.size());
  return found->second(x[0]);
}

// ---- numbers

template <typename T>
T value_of(const Scalar& x) {
  if constexpr (std::is_floating_point_v<T>) {
    return static_cast<T>(x.floating);
  } else {
    return static_cast<T>(x.integer);
  }
}

template <typename T>
Scalar scalar_of(T value) {
  Scalar x{dtype_of<T>()};
  if constexpr (std::is_floating_point_v<T>) {
    x.floating = static_cast<double>(value);
  } else {
    x.integer = static_cast<std::int64_t>(value);
  }
  return x;
}

/// Calls `f` with a value of the type behind a dtype that expressions may have.
template <typename F>
Scalar visit_scalar(DType dtype, F&& f) {
  return visit_dtype(dtype, [&](auto zero) -> Scalar {
    using T = decltype(zero);
    if constexpr (std::is_arithmetic_v<T>) {
      return f(zero);
    } else {
      throw InternalError("complex expressions are not evaluated");
    }
  });
}

std::int64_t floor_div_of(std::int64_t a, std::int64_t b) {
  EDDY_CHECK(b != 0, "division by zero");
  return a / b - (a % b != 0 && (a % b < 0) != (b < 0));
}

/// Operands of one dtype to a value of that dtype.
template <typename T>
T arithmetic(ExprKind kind, T a, T b) {
  // Integers wrap: they are computed as unsigned.
  using U = std::conditional_t<std::is_same_v<T, std::int64_t>, std::uint64_t, T>;
  switch (kind) {
    case ExprKind::add: return static_cast<T>(static_cast<U>(a) + static_cast<U>(b));
    case ExprKind::sub: return static_cast<T>(static_cast<U>(a) - static_cast<U>(b));
    case ExprKind::mul: return static_cast<T>(static_cast<U>(a) * static_cast<U>(b));
    case ExprKind::div:
      if constexpr (std::is_integral_v<T>) EDDY_CHECK(b != 0, "division by zero");
      return a / b;
    // Both hand on a NaN from either side.
    case ExprKind::min: return a < b || a != a ? a : b;
    case ExprKind::max: return a > b || a != a ? a : b;
    default: break;
  }
  if constexpr (std::is_same_v<T, std::int64_t>) {
    if (kind == ExprKind::floor_div) return floor_div_of(a, b);
    if (kind == ExprKind::floor_mod) return a - floor_div_of(a, b) * b;
  }
  throw InternalError(fmt::format("no arithmetic of {} for an operation", name(dtype_of<T>())));
}

template <typename T>
bool comparison(ExprKind kind, T a, T b) {
  switch (kind) {
    case ExprKind::eq: return a == b;
    case ExprKind::ne: return a != b;
    case ExprKind::lt: return a < b;
    default: return a <= b;
  }
}

std::int64_t position_in(const std::string& buffer, const Array& array, const std::vector<Expr>& indices,
                         const Environment& environment) {
  EDDY_CHECK(indices.size() == array.rank(), "{} has rank {}, not {}", buffer, array.rank(), indices.size());
  std::int64_t position = 0;
  for (std::size_t i = 0; i < indices.size(); ++i) {
    const std::int64_t index = evaluate(indices[i], environment).integer;
    EDDY_CHECK(index >= 0 && index < array.shape()[i], "{}: index {} of dim {} of size {}", buffer, index, i,
               array.shape()[i]);
    position = position * array.shape()[i] + index;
  }
  return position;
}

const Array& buffer_of(const std::string& name, const Environment& environment) {
  const auto found = environment.buffers.find(name);
  EDDY_CHECK(found != environment.buffers.end(), "no buffer {}", name);
  return found->second;
}

}  // namespace

Scalar evaluate(const Expr& e, const Environment& environment) {
  const ExprNode& node = e.node();
  if (node.kind == ExprKind::load) {
    const Array& array = buffer_of(node.name, environment);
    EDDY_CHECK(array.dtype() == node.dtype, "{} holds {}, not {}", node.name, name(array.dtype()), name(node.dtype));
    const auto position = static_cast<std::size_t>(position_in(node.name, array, node.operands, environment));
    return visit_scalar(node.dtype, [&](auto zero) { return scalar_of(array.data<decltype(zero)>()[position]); });
  }
  std::vector<Scalar> x;
  for (const Expr& operand : node.operands) x.push_back(evaluate(operand, environment));
  // Of the operands' common type T.
  const DType operand_dtype = x.empty() ? node.dtype : x.back().dtype;
  return visit_scalar(operand_dtype, [&](auto zero) -> Scalar {
    using T = decltype(zero);
    const auto at = [&](std::size_t i) { return value_of<T>(x[i]); };
    switch (node.kind) {
      case ExprKind::constant: return {node.dtype, node.floating, node.integer};
      case ExprKind::variable: {
        const auto found = environment.variables.find(node.name);
        EDDY_CHECK(found != environment.variables.end(), "no variable {}", node.name);
        EDDY_CHECK(found->second.dtype == node.dtype, "{} is a {}", node.name, name(found->second.dtype));
        return found->second;
      }
      case ExprKind::size: return scalar_of(node.dim.evaluate(environment.sizes));
      case ExprKind::neg: return scalar_of(arithmetic<T>(ExprKind::mul, at(0), static_cast<T>(-1)));
      case ExprKind::eq:
      case ExprKind::ne:
      case ExprKind::lt:
      case ExprKind::le: return scalar_of(comparison(node.kind, at(0), at(1)));
      case ExprKind::logical_and: return scalar_of(x[0].integer && x[1].integer);
      case ExprKind::logical_or: return scalar_of(x[0].integer || x[1].integer);
      case ExprKind::logical_not: return scalar_of(!x[0].integer);
      case ExprKind::select: return x[0].integer ? x[1] : x[2];
      case ExprKind::cast:
        return visit_scalar(node.dtype, [&](auto target) {
          return scalar_of(Array::scalar(at(0)).cast(node.dtype).template data<decltype(target)>()[0]);
        });
      case ExprKind::fma:
      case ExprKind::call:
        if constexpr (std::is_floating_point_v<T>) {
          if (node.kind == ExprKind::fma) return scalar_of(std::fma(at(0), at(1), at(2)));
          std::vector<T> arguments;
          for (std::size_t i = 0; i < x.size(); ++i) arguments.push_back(at(i));
          return scalar_of(call_function(node.name, arguments));
        }
        throw InternalError(fmt::format("{} of {}", node.name, name(operand_dtype)));
      default:
        if constexpr (std::is_same_v<T, bool>) {
          throw InternalError("arithmetic of booleans");
        } else {
          return scalar_of(arithmetic<T>(node.kind, at(0), at(1)));
        }
    }
  });
}

void execute(const Stmt& stmt, Environment& environment) {
  const StmtNode& node = stmt.node();
  switch (node.kind) {
    case StmtKind::block: {
      std::vector<std::string> bound;
      for (const Stmt& inner : node.body) {
        if (inner->kind == StmtKind::let) bound.push_back(inner->name);
        execute(inner, environment);
      }
      for (const std::string& name : bound) environment.variables.erase(name);
      return;
    }
    case StmtKind::loop: {
      const std::int64_t extent = evaluate(node.value, environment).integer;
      for (std::int64_t i = 0; i < extent; ++i) {
        environment.variables[node.name] = scalar_of(i);
        for (const Stmt& inner : node.body) execute(inner, environment);
      }
      environment.variables.erase(node.name);
      return;
    }
    case StmtKind::store: {
      const Scalar value = evaluate(node.value, environment);
      Array array = buffer_of(node.name, environment);  // shares the memory
      EDDY_CHECK(array.dtype() == value.dtype, "{} holds {}, not {}", node.name, name(array.dtype()),
                 name(value.dtype));
      const auto position = static_cast<std::size_t>(position_in(node.name, array, node.indices, environment));
      visit_scalar(value.dtype, [&](auto zero) {
        using T = decltype(zero);
        array.data<T>()[position] = value_of<T>(value);
        return value;
      });
      return;
    }
    case StmtKind::let:
      EDDY_CHECK(!environment.variables.contains(node.name), "{} is bound already", node.name);
      environment.variables[node.name] = evaluate(node.value, environment);
      return;
    case StmtKind::assign: {
      const Scalar value = evaluate(node.value, environment);
      const auto found = environment.variables.find(node.name);
      EDDY_CHECK(found != environment.variables.end() && found->second.dtype == value.dtype, "assignment to {}",
                 node.name);
      found->second = value;
      return;
    }
    case StmtKind::branch:
      if (evaluate(node.value, environment).integer) {
        for (const Stmt& inner : node.body) execute(inner, environment);
      }
      return;
    case StmtKind::call: throw InternalError(fmt::format("the kernel {} is not known here", node.name));
    case StmtKind::comment: return;
  }
}

}  // namespace eddy::loops
