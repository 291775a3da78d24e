/// Elementwise functions made of primitives: tan, acos, atan2, and activation functions.

#include <cmath>
#include <numbers>

#include "framework/ops/dialects.h"
#include "framework/ops/elementwise.h"

namespace eddy::ops {

namespace {

constexpr ir::Trait kComposite = ir::Trait::pure | ir::Trait::elementwise | ir::Trait::composite;

std::vector<ir::Type> infer_real(const ir::InferArgs& args, std::size_t n_operands) {
  args.expect_operands(n_operands);
  if (!is_real(args.operands[0].dtype())) args.fail("the operands must be real floating-point tensors");
  return Elementwise::infer(args);
}

double number_at(const ir::InferArgs& args, std::string_view key) {
  const ir::Attribute attribute = args.at(key);
  if (attribute.kind() != ir::Attribute::Kind::floating) args.fail(fmt::format("'{}' must be a float", key));
  return attribute.as_float();
}

/// A function of one real operand. `Op` adds emit(b, x).
template <typename Op>
struct Activation : Elementwise {
  static constexpr ir::Trait traits = kComposite;
  static std::vector<ir::Type> infer(const ir::InferArgs& args) { return infer_real(args, 1); }
  static std::vector<Value> decompose(Builder& b, const ir::Operation& op) { return {Op::emit(b, op.operand(0))}; }
};

/// A function of one real operand and a number, the attribute Op::kParameter. `Op` adds emit(b, x, parameter).
template <typename Op>
struct ParametricActivation : Elementwise {
  static constexpr ir::Trait traits = kComposite;
  static std::vector<ir::Type> infer(const ir::InferArgs& args) {
    number_at(args, Op::kParameter);
    return infer_real(args, 1);
  }
  static std::vector<Value> decompose(Builder& b, const ir::Operation& op) {
    return {Op::emit(b, op.operand(0), op.at(Op::kParameter).as_float())};
  }
};

/// `below` where x <= 0, else `above`; NaN takes `above`, which is x or has it as a factor.
Value at_zero(Builder& b, Value x, Value below, Value above) {
  return select(b, compare(b, x, full_like(b, x, 0), "le"), below, above);
}

/// min(x, 0) with all of the derivative at 0: the argument of exp where only x <= 0 is used. The other branch of a
/// select must not overflow: its derivative would be 0 times infinity.
Value negative_part(Builder& b, Value x) { return at_zero(b, x, x, full_like(b, x, 0)); }

struct Tan : Activation<Tan> {
  static constexpr std::string_view name = "nn.tan";
  static Value emit(Builder& b, Value x) { return div(b, sin(b, x), cos(b, x)); }
};

/// pi/2 - asin(x): accurate to eps absolutely, not relatively near x = 1.
struct Acos : Activation<Acos> {
  static constexpr std::string_view name = "nn.acos";
  static Value emit(Builder& b, Value x) { return sub(b, full_like(b, x, std::numbers::pi / 2), asin(b, x)); }
};

/// The angle of the point (x, y), in [-pi, pi]. atan of the smaller coordinate over the larger one, plus the piecewise
/// constant angle of the sector, so that derivatives are those of the quotient, -y/(x^2+y^2) and x/(x^2+y^2):
///   |y| <= |x|:  atan(y/x) + {0 for x > 0; pi for x < 0, y >= 0; -pi for x < 0, y < 0}
///   |y| >  |x|:  atan(-x/y) + {pi/2 for y > 0; -pi/2 for y < 0}
/// The sign of a zero does not count (C's atan2 takes it). The origin gives 0; two infinite coordinates give NaN.
struct Atan2 : Elementwise {
  static constexpr std::string_view name = "nn.atan2";
  static constexpr ir::Trait traits = kComposite;
  static std::vector<ir::Type> infer(const ir::InferArgs& args) { return infer_real(args, 2); }
  static std::vector<Value> decompose(Builder& b, const ir::Operation& op) {
    const Value y = op.operand(0), x = op.operand(1);
    const auto number = [&](double value) { return full_like(b, x, value); };
    const Value zero = number(0);
    const Value is_steep = compare(b, abs(b, y), abs(b, x), "gt");
    const Value numerator = select(b, is_steep, neg(b, x), y), denominator = select(b, is_steep, y, x);
    const Value is_zero = compare(b, denominator, zero, "eq");  // the origin: the larger coordinate is 0
    const Value angle = atan(b, div(b, numerator, select(b, is_zero, number(1), denominator)));
    const Value is_below = compare(b, y, zero, "lt");
    const auto signed_by_y = [&](double value) { return select(b, is_below, number(-value), number(value)); };
    const Value flat = select(b, compare(b, x, zero, "lt"), signed_by_y(std::numbers::pi), zero);
    return {add(b, angle, select(b, is_steep, signed_by_y(std::numbers::pi / 2), flat))};
  }
};

/// x sigmoid(x)
struct Silu : Activation<Silu> {
  static constexpr std::string_view name = "nn.silu";
  static Value emit(Builder& b, Value x) { return mul(b, x, sigmoid(b, x)); }
};

/// {form = "erf"}: x/2 (1 + erf(x/sqrt 2)); {form = "tanh"}: x/2 (1 + tanh z) = x sigmoid(2 z) with
/// z = sqrt(2/pi) (x + 0.044715 x^3), the approximation of Hendrycks and Gimpel, arXiv:1606.08415.
struct Gelu : Elementwise {
  static constexpr std::string_view name = "nn.gelu";
  static constexpr ir::Trait traits = kComposite;
  static std::vector<ir::Type> infer(const ir::InferArgs& args) {
    const ir::Attribute form = args.at("form");
    if (form != ir::Attribute::string("erf") && form != ir::Attribute::string("tanh")) {
      args.fail("'form' must be \"erf\" or \"tanh\"");
    }
    return infer_real(args, 1);
  }
  static std::vector<Value> decompose(Builder& b, const ir::Operation& op) {
    const Value x = op.operand(0);
    if (op.at("form").as_string() == "tanh") {
      const Value inner = mul(b, x, shift(b, scale(b, square(b, x), 0.044715), 1));
      return {mul(b, x, sigmoid(b, scale(b, inner, 2 * std::sqrt(2 / std::numbers::pi))))};
    }
    return {mul(b, scale(b, x, 0.5), shift(b, erf(b, scale(b, x, std::numbers::sqrt2 / 2)), 1))};
  }
};

/// x tanh(softplus(x))
struct Mish : Activation<Mish> {
  static constexpr std::string_view name = "nn.mish";
  static Value emit(Builder& b, Value x) { return mul(b, x, tanh(b, softplus(b, x))); }
};

/// max(x, 0), with derivative 0 at 0.
struct Relu : Activation<Relu> {
  static constexpr std::string_view name = "nn.relu";
  static Value emit(Builder& b, Value x) { return at_zero(b, x, full_like(b, x, 0), x); }
};

/// x, below 0 times {slope}, which is the derivative at 0 too.
struct LeakyRelu : ParametricActivation<LeakyRelu> {
  static constexpr std::string_view name = "nn.leaky_relu", kParameter = "slope";
  static Value emit(Builder& b, Value x, double slope) { return at_zero(b, x, scale(b, x, slope), x); }
};

/// x, below 0 {alpha} (exp(x) - 1); the derivative at 0 is alpha.
struct Elu : ParametricActivation<Elu> {
  static constexpr std::string_view name = "nn.elu", kParameter = "alpha";
  static Value emit(Builder& b, Value x, double alpha) {
    return at_zero(b, x, scale(b, expm1(b, negative_part(b, x)), alpha), x);
  }
};

/// elu times a scale, the constants for which activations keep mean 0 and variance 1: Klambauer et al.,
/// arXiv:1706.02515.
struct Selu : Activation<Selu> {
  static constexpr std::string_view name = "nn.selu";
  static Value emit(Builder& b, Value x) {
    return scale(b, Elu::emit(b, x, 1.6732632423543772848170429916717), 1.0507009873554804934193349852946);
  }
};

/// (x + sqrt(x^2 + {width}))/2: Barron, arXiv:2112.11687.
struct Squareplus : ParametricActivation<Squareplus> {
  static constexpr std::string_view name = "nn.squareplus", kParameter = "width";
  static Value emit(Builder& b, Value x, double width) {
    return scale(b, add(b, x, sqrt(b, shift(b, square(b, x), width))), 0.5);
  }
};

/// stan(x, beta) = tanh(x) (1 + beta x), beta trainable: Gnanasambandam et al., arXiv:2204.12589.
struct Stan : Elementwise {
  static constexpr std::string_view name = "nn.stan";
  static constexpr ir::Trait traits = kComposite;
  static std::vector<ir::Type> infer(const ir::InferArgs& args) { return infer_real(args, 2); }
  static std::vector<Value> decompose(Builder& b, const ir::Operation& op) {
    const Value x = op.operand(0);
    return {mul(b, tanh(b, x), shift(b, mul(b, op.operand(1), x), 1))};
  }
};

template <typename Op>
Value parametric(Builder& b, Value x, double parameter) {
  return b.op(Op::name, {x}, {{std::string(Op::kParameter), ir::Attribute::floating(parameter)}});
}

}  // namespace

void register_activations(ir::Context& context) {
  register_op<Tan>(context);
  register_op<Acos>(context);
  register_op<Atan2>(context);
  register_op<Silu>(context);
  register_op<Gelu>(context);
  register_op<Mish>(context);
  register_op<Relu>(context);
  register_op<LeakyRelu>(context);
  register_op<Elu>(context);
  register_op<Selu>(context);
  register_op<Squareplus>(context);
  register_op<Stan>(context);
}

Value tan(Builder& b, Value x) { return b.op(Tan::name, {x}); }
Value acos(Builder& b, Value x) { return b.op(Acos::name, {x}); }
Value atan2(Builder& b, Value y, Value x) { return b.op(Atan2::name, {y, x}); }
Value silu(Builder& b, Value x) { return b.op(Silu::name, {x}); }
Value gelu(Builder& b, Value x) { return b.op(Gelu::name, {x}, {{"form", ir::Attribute::string("erf")}}); }
Value gelu_tanh(Builder& b, Value x) { return b.op(Gelu::name, {x}, {{"form", ir::Attribute::string("tanh")}}); }
Value mish(Builder& b, Value x) { return b.op(Mish::name, {x}); }
Value relu(Builder& b, Value x) { return b.op(Relu::name, {x}); }
Value leaky_relu(Builder& b, Value x, double slope) { return parametric<LeakyRelu>(b, x, slope); }
Value elu(Builder& b, Value x, double alpha) { return parametric<Elu>(b, x, alpha); }
Value selu(Builder& b, Value x) { return b.op(Selu::name, {x}); }
Value squareplus(Builder& b, Value x, double width) { return parametric<Squareplus>(b, x, width); }
Value stan(Builder& b, Value x, Value beta) { return b.op(Stan::name, {x, broadcast_to(b, beta, x.shape())}); }

}  // namespace eddy::ops
