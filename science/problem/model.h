#pragma once
/// The functions of a problem: its equation, networks and parameters, without the places where they must hold.

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "framework/core/array.h"
#include "science/config/problem_file.h"
#include "science/geometry/region.h"
#include "science/networks/network.h"
#include "science/problem/registry.h"
#include "science/problem/symbols.h"

namespace eddy::problem {

/// A network of the problem with what stands around it: inputs scaled or made periodic, outputs scaled.
struct ModelNetwork {
  struct Input {
    std::string coordinate;
    double centre = 0, half_width = 1;  ///< the network sees (x - centre) / half_width
    std::optional<double> period;       ///< instead: cos and sin of 2 pi x / period
  };

  std::string name;
  std::unique_ptr<networks::Network> network;
  std::vector<Input> inputs;
  std::vector<std::string> outputs;  ///< symbols of Kind::output, in the order of its columns
  std::vector<double> output_scale;
};

/// A tensor that belongs to the state of a solution, under the name of the functions' argument: "net.w0", and "eq.nu"
/// for a trainable parameter of the equation.
///
/// A bounded parameter is trained as an unbounded number r: min + softplus(r), max - softplus(r), or
/// min + (max - min) sigmoid(r).
struct StateTensor {
  std::string name;
  std::vector<std::int64_t> shape;
  bool trainable = true;
};

/// A scalar argument of the functions and the value it has unless the host gives another: "param.nu".
struct RuntimeScalar {
  std::string name;
  double value = 0;
};

class Model {
 public:
  /// UserError at its place for everything that does not fit together.
  Model(const config::ProblemFile& file, const Registry& registry);

  const Symbols& symbols() const { return symbols_; }
  const std::vector<ModelNetwork>& networks() const { return networks_; }
  /// Residuals of the equation in their order.
  const std::vector<std::string>& residuals() const { return residuals_; }
  const std::vector<std::string>& unknowns() const { return unknowns_; }
  /// Trainable tensors first.
  const std::vector<StateTensor>& state() const { return state_; }
  /// What a tensor of the state starts with, f64.
  Array initial_value(const StateTensor& tensor) const;
  /// The equation's parameters.
  const std::vector<RuntimeScalar>& scalars() const { return scalars_; }
  /// Of a trainable parameter.
  const config::Parameter& trainable(const std::string& name) const { return trainables_.at(name); }
  /// The number that a trainable parameter is, from the one that is trained ("eq.nu"), for reports.
  double trainable_value(const std::string& name, double raw) const;

  const geometry::Shapes& shapes() const { return shapes_; }
  const geometry::Geometry& domain() const { return *domain_; }
  /// What coordinates in conditions may differ by and still be equal.
  double tolerance() const { return geometry::kRelativeTolerance * domain_->size(); }
  /// Least and greatest value of a coordinate.
  std::pair<double, double> range(const std::string& coordinate) const;

 private:
  void declare_equation(const config::ProblemFile& file, const Registry& registry);
  void declare_parameter(const std::string& name, const config::Parameter& parameter, const SourceLocation& where);
  void declare_networks(const config::ProblemFile& file);
  void make_shapes(const config::GeometrySpec& geometry);
  void make_networks(const config::ProblemFile& file, const Registry& registry);
  void make_state();

  Symbols symbols_;
  std::vector<std::string> unknowns_, residuals_;
  std::vector<ModelNetwork> networks_;
  std::map<std::string, config::Parameter> trainables_;
  std::vector<StateTensor> state_;
  std::vector<RuntimeScalar> scalars_;
  geometry::Shapes shapes_;
  std::shared_ptr<const geometry::Geometry> domain_;
  std::optional<config::TimeSpec> time_;
  std::uint64_t seed_ = 0;
};

}  // namespace eddy::problem
