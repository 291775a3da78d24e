/// Adam (Kingma and Ba, ICLR 2015).
#include <cmath>

#include "framework/ops/emit.h"
#include "science/optimizers/optimizer.h"

namespace eddy::optimizers {

namespace {

using ir::Value;

struct AdamOptions {
  double beta1 = 0.9, beta2 = 0.999, epsilon = 1e-8;
};

/// m = beta1 m + (1 - beta1) g, v = beta2 v + (1 - beta2) g^2,
/// p = p - rate m / (1 - beta1^step) / (sqrt(v / (1 - beta2^step)) + epsilon)
class Adam final : public FirstOrder {
 public:
  static constexpr const char* about = "Adam: gradients over their running root mean square, with momentum";

  static const config::Schema<AdamOptions>& schema() {
    static const config::Schema<AdamOptions> schema =
        config::ObjectSchema<AdamOptions>("adam", about)
            .field("beta1", &AdamOptions::beta1, beta(), "decay of the gradient's mean")
            .field("beta2", &AdamOptions::beta2, beta(), "decay of the squared gradient's mean")
            .field("epsilon", &AdamOptions::epsilon, config::number({.above = 0}), "added to the root mean square")
            .schema();
    return schema;
  }

  explicit Adam(const AdamOptions& options) : options_(options) {}

  double default_rate() const override { return 1e-3; }
  std::vector<std::string> state() const override { return {"m", "v"}; }

  std::vector<Value> update(ir::Builder& b, Value parameter, Value gradient, std::span<const Value> state, Value rate,
                            Value step) const override {
    const Shape& shape = parameter.shape();
    const auto decay = [&](Value old, double beta, Value now) {
      return ops::add(b, ops::scale(b, old, beta), ops::scale(b, now, 1 - beta));
    };
    const Value m = decay(state[0], options_.beta1, gradient);
    const Value v = decay(state[1], options_.beta2, ops::square(b, gradient));
    const Value real_step = ops::cast(b, step, parameter.dtype());
    // The scalar factors first: rate / (1 - beta1^step) and 1 / (1 - beta2^step).
    const Value rate1 = ops::div(b, rate, one_minus_power(b, options_.beta1, real_step));
    const Value root =
        ops::sqrt(b, ops::div(b, v, ops::broadcast(b, one_minus_power(b, options_.beta2, real_step), shape, {})));
    const Value direction = ops::div(b, m, ops::shift(b, root, options_.epsilon));
    return {ops::sub(b, parameter, ops::mul(b, ops::broadcast(b, rate1, shape, {}), direction)), m, v};
  }

 private:
  static config::Schema<double> beta() { return config::number({.min = 0, .max = 1 - 1e-9}); }

  /// 1 - beta^step, exact to rounding also in f32 where beta is near 1.
  static Value one_minus_power(ir::Builder& b, double beta, Value step) {
    if (beta == 0) return ops::full_like(b, step, 1);
    return ops::neg(b, ops::expm1(b, ops::scale(b, step, std::log(beta))));
  }

  AdamOptions options_;
};

}  // namespace

}  // namespace eddy::optimizers

EDDY_OPTIMIZER(adam, Adam)
