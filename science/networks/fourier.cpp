/// Fourier features before dense layers (Tancik et al., NeurIPS 2020; the axis spectrum is that of NVIDIA Modulus).
#include <cmath>

#include "framework/ops/emit.h"
#include "science/networks/dense_stack.h"

namespace eddy::networks {

namespace {

using ir::Value;

struct FourierOptions : DenseOptions {
  std::vector<double> axis;
  std::int64_t gaussian = 0;
  double sigma = 1;
};

/// x -> [x, sin(x F), cos(x F)] -> dense layers. The columns of F [n_in, n_features] are `pi k e_i` for each input i
/// and each k of `axis`, then `gaussian` random ones, 2 pi sigma times standard normal numbers: inputs scaled to
/// [-1, 1] have the natural period 2/k. F is not trained.
class Fourier final : public Network {
 public:
  static constexpr const char* about = "Fourier features of the inputs, then dense layers";

  static const config::Schema<FourierOptions>& schema() {
    static const config::Schema<FourierOptions> schema = [] {
      config::ObjectSchema<FourierOptions> object("fourier", about);
      object.field("axis", &FourierOptions::axis, config::list(config::number({.above = 0})),
                   "frequencies along each input, in half waves over its range");
      object.field("gaussian", &FourierOptions::gaussian, config::integer({.min = 0}), "number of random frequencies");
      object.field("sigma", &FourierOptions::sigma, config::number({.above = 0}), "their standard deviation");
      object.check([](const FourierOptions& options, const config::Node& node) {
        if (options.axis.empty() && options.gaussian == 0) {
          throw UserError(node.where, "the network has no frequencies", "axis: [1, 2, 3], or gaussian: 16");
        }
      });
      declare_dense(object);
      return object.schema();
    }();
    return schema;
  }

  Fourier(const FourierOptions& options, std::int64_t n_in, std::int64_t n_out)
      : options_(options),
        n_in_(n_in),
        n_axis_(n_in * static_cast<std::int64_t>(options.axis.size())),
        stack_(options, n_in + 2 * (n_axis_ + options.gaussian), n_out) {}

  std::vector<Parameter> parameters() const override {
    std::vector<Parameter> parameters;
    if (n_axis_ > 0) {
      Parameter p{"axis_frequencies", {n_in_, n_axis_}, {Initializer::Kind::given, 0, 1, 1, {}}, false};
      p.initializer.values.assign(static_cast<std::size_t>(n_in_ * n_axis_), 0);
      for (std::int64_t i = 0; i < n_in_; ++i) {
        for (std::size_t k = 0; k < options_.axis.size(); ++k) {
          const auto column = static_cast<std::size_t>(i) * options_.axis.size() + k;
          p.initializer.values[static_cast<std::size_t>(i * n_axis_) + column] = M_PI * options_.axis[k];
        }
      }
      parameters.push_back(std::move(p));
    }
    if (options_.gaussian > 0) {
      parameters.push_back({"random_frequencies",
                            {n_in_, options_.gaussian},
                            {Initializer::Kind::normal, 2 * M_PI * options_.sigma, 1, 1, {}},
                            false});
    }
    const std::vector<Parameter> dense = stack_.parameters();
    parameters.insert(parameters.end(), dense.begin(), dense.end());
    return parameters;
  }

  Value forward(ir::Builder& b, std::span<const Value> parameters, Value input) const override {
    std::vector<Value> features = {input};
    const std::size_t n_spectra = (n_axis_ > 0) + (options_.gaussian > 0);
    for (std::size_t i = 0; i < n_spectra; ++i) {
      const Value phase = ops::matmul(b, input, parameters[i]);
      features.push_back(ops::sin(b, phase));
      features.push_back(ops::cos(b, phase));
    }
    return stack_.forward(b, parameters.subspan(n_spectra), ops::concat(b, features, 1));
  }

 private:
  FourierOptions options_;
  std::int64_t n_in_, n_axis_;
  DenseStack stack_;
};

}  // namespace

}  // namespace eddy::networks

EDDY_NETWORK(fourier, Fourier)
