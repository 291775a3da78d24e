#pragma once
/// What must hold somewhere: terms of the loss over points of their own.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "framework/core/array.h"
#include "framework/core/dim.h"
#include "framework/core/thread_pool.h"
#include "science/problem/data_set.h"
#include "science/problem/model.h"
#include "science/sampling/constraint_sampler.h"

namespace eddy::problem {

/// The residual r = value - target at each point.
struct Term {
  std::string name;          ///< "interior.burgers"
  config::Expression value;  ///< resolved
  /// What it is compared with: zero where none is set.
  std::optional<config::Expression> target;
  std::optional<std::size_t> data_column;  ///< of BatchInput::Kind::data
  bool across = false;                     ///< `value` at the opposite points
  config::Expression weight;               ///< resolved
  /// Whether the weight is a number: then it is the scalar "weight.<name>".
  bool constant_weight = false;
};

/// An array of a constraint's batch, an argument of the functions: [n, n_columns].
struct BatchInput {
  enum class Kind {
    points,           ///< coordinates, in the problem's order
    opposite_points,  ///< of periodic constraints: the points on the other face
    normals,          ///< outward, one column per coordinate of space
    area,             ///< measure / n
    sdf,              ///< signed distance
    data,             ///< values of the data set, one column per term
  };
  Kind kind = Kind::points;
  std::string name;  ///< "interior.points"
  std::int64_t n_columns = 1;
};

class Constraint {
 public:
  /// Reads its data and finds out where its points may lie. `pool` may be null, else it must outlive the constraint, as
  /// the model must. UserError at its place for everything that does not fit.
  Constraint(const Model& model, const config::ProblemFile& file, const config::Named<config::ConstraintSpec>& spec,
             Dim rows, ThreadPool* pool);

  const std::string& name() const { return name_; }
  /// The number of points in the types of the functions' arguments.
  Dim rows() const { return rows_; }
  config::Reduction reduction() const { return reduction_; }
  const std::vector<Term>& terms() const { return terms_; }
  const std::vector<BatchInput>& inputs() const { return inputs_; }
  /// Values of the scalars "weight.<term>".
  const std::vector<RuntimeScalar>& weights() const { return weights_; }

  /// Points per step.
  std::int64_t n_points() const;
  /// Measure in space of where its points lie; none for points of a data set.
  std::optional<double> measure() const;
  /// Draws the pool anew every so many steps, instead of what the constraint itself says; 0: never.
  void set_resample(std::int64_t every);
  /// Whether the batch of step k = 0, 1, ... differs from that of step k - 1 (true for k = 0).
  bool changes_at(std::uint64_t k) const;
  /// The batch of step k, one array per input.
  std::vector<Array> batch(std::uint64_t k, DType dtype);

 private:
  void add_residuals(const config::ConstraintSpec& spec);
  void add_equalities(const config::ConstraintSpec& spec);
  void add_periodic(const config::ConstraintSpec& spec);
  void add_data(const config::ProblemFile& file, const config::ConstraintSpec& spec);
  void add_term(Term term, const SourceLocation& where);
  void add_weights(const config::Weight& weight);
  void add_inputs();
  void make_sampler(const config::ProblemFile& file, const config::ConstraintSpec& spec);
  geometry::Region region(const config::At& at) const;

  const Model& model_;
  std::string name_;
  Dim rows_;
  ThreadPool* threads_;
  std::uint64_t seed_;
  config::Reduction reduction_;
  std::vector<Term> terms_;
  std::vector<RuntimeScalar> weights_;
  std::vector<BatchInput> inputs_;
  std::optional<std::string> periodic_coordinate_;
  sampling::BatchPlan plan_;
  // One of the two: a region or data.
  std::optional<sampling::ConstraintSampler> sampler_;
  std::optional<DataSet> data_;
  std::vector<std::size_t> data_fields_;  // by data_column
};

}  // namespace eddy::problem
