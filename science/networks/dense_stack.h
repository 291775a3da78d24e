#pragma once
/// Dense layers with an activation between them: the core of most networks.

#include "science/networks/network.h"

namespace eddy::networks {

using Activation = std::function<ir::Value(ir::Builder&, ir::Value)>;

/// "tanh", "sin", ...; UserError with the nearest name.
const Activation& activation(const config::Text& name);
config::Schema<config::Text> activation_schema();

/// Options of dense layers; networks made of them have these keys among theirs.
struct DenseOptions {
  std::vector<std::int64_t> hidden = {32, 32, 32};
  config::Text activation = "tanh";
  bool weight_norm = false;
  Initializer::Kind initializer = Initializer::Kind::glorot_normal;
};

/// Binds the keys of DenseOptions, which `Options` derives from.
template <typename Options>
void declare_dense(config::ObjectSchema<Options>& object);

/// x -> activation(x w0 + b0) -> ... -> x wk + bk with weights [n_in, n_out]. With weight normalization
/// w = g v / |v| per column (Salimans and Kingma, NeurIPS 2016), where g starts as 1.
class DenseStack {
 public:
  DenseStack(const DenseOptions& options, std::int64_t n_in, std::int64_t n_out);

  std::vector<Parameter> parameters() const;
  ir::Value forward(ir::Builder& b, std::span<const ir::Value> parameters, ir::Value input) const;

 private:
  DenseOptions options_;
  std::vector<std::int64_t> sizes_;
};

config::Schema<Initializer::Kind> initializer_schema();

template <typename Options>
void declare_dense(config::ObjectSchema<Options>& object) {
  const auto member = [](auto DenseOptions::*m) {
    return static_cast<std::remove_reference_t<decltype(Options{}.*m)> Options::*>(m);
  };
  object
      .field("hidden", member(&DenseOptions::hidden), config::list(config::integer({.min = 1}), 1),
             "sizes of the hidden layers")
      .field("activation", member(&DenseOptions::activation), activation_schema(), "between the layers")
      .field("weight_norm", member(&DenseOptions::weight_norm), config::boolean(),
             "learn lengths and directions of the weights apart")
      .field("initializer", member(&DenseOptions::initializer), initializer_schema(),
             "how weights start; biases start at 0");
}

}  // namespace eddy::networks
