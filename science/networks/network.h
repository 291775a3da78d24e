#pragma once
/// Neural networks: kinds of them by name, and one with its options chosen.

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "framework/core/array.h"
#include "framework/ir/builder.h"
#include "science/config/catalogue.h"

namespace eddy::networks {

/// How a tensor starts.
struct Initializer {
  enum class Kind {
    constant,        ///< `scale` everywhere
    glorot_normal,   ///< normal, variance 2 / (fan_in + fan_out) (Glorot and Bengio, AISTATS 2010)
    glorot_uniform,  ///< uniform in +-sqrt(6 / (fan_in + fan_out)), the same variance
    normal,          ///< normal with standard deviation `scale`
    uniform,         ///< uniform in [-scale, scale]
    given,           ///< `values`, row-major
  };
  Kind kind = Kind::constant;
  double scale = 0;
  std::int64_t fan_in = 1, fan_out = 1;
  std::vector<double> values;
};

/// A tensor of a network.
struct Parameter {
  std::string name;  ///< within the network: "w0"
  std::vector<std::int64_t> shape;
  Initializer initializer;
  bool trainable = true;  ///< else it keeps its initial value (frequencies of Fourier features)
};

/// What the parameter starts with, f64. Each number depends on the seed, `full_name` ("net.w0") and its index alone, so
/// that no other tensor changes it.
Array initial_value(const Parameter& parameter, const std::string& full_name, std::uint64_t seed);

/// A function of rows.
class Network {
 public:
  virtual ~Network() = default;
  virtual std::vector<Parameter> parameters() const = 0;
  /// Emits the network applied to `input` [n, n_in]; `parameters` in the order of parameters(). Result: [n, n_out].
  /// Rows must not depend on each other.
  virtual ir::Value forward(ir::Builder& b, std::span<const ir::Value> parameters, ir::Value input) const = 0;
};

struct NetworkKind {
  std::string about;
  config::TypePtr options;
  std::function<std::unique_ptr<Network>(const config::Options&, std::int64_t n_in, std::int64_t n_out)> make;
};
using Catalogue = config::Catalogue<NetworkKind>;

/// Enters every network of this folder.
void register_all(Catalogue& catalogue);

/// The kind of a class that has `static constexpr about`, `static Schema<...> schema()` and a constructor from the
/// options read with it and the numbers of inputs and outputs.
template <typename N>
NetworkKind network_kind() {
  return {N::about, N::schema().type, [](const config::Options& options, std::int64_t n_in, std::int64_t n_out) {
            return std::make_unique<N>(config::read_options(N::schema(), options), n_in, n_out);
          }};
}

}  // namespace eddy::networks

/// Ends the source `name.cpp` of this folder: enters class `Class` under `name`.
#define EDDY_NETWORK(name, Class)                                                                 \
  namespace eddy::networks {                                                                      \
  void register_network_##name(Catalogue& catalogue) { /* NOLINT: named by the generated table */ \
    catalogue.add(#name, network_kind<Class>());                                                  \
  }                                                                                               \
  }
