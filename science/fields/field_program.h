#pragma once
/// A solution evaluated anywhere.

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "framework/runtime/call.h"
#include "science/config/problem_file.h"
#include "science/geometry/point_set.h"
#include "science/io/named_array.h"
#include "science/problem/model.h"

namespace eddy::fields {

/// Expressions of the solution (unknowns, residuals, derivatives), evaluated in f64 at points.
class FieldProgram {
 public:
  /// Nothing is compiled before the first run. `model` and `engine` must outlive the program. UserError at the
  /// expression when it cannot be evaluated.
  FieldProgram(const problem::Model& model, runtime::Engine& engine,
               const config::NamedList<config::Expression>& values);

  /// The solution to evaluate, by the names of Model::state(), of any real dtype. UserError when an array is missing.
  void set_state(const std::vector<io::NamedArray>& state);
  /// One array f64 [n_points] for each expression. `points` have the model's coordinates, and what the expressions need
  /// besides (normals, sdf).
  std::vector<io::NamedArray> run(const geometry::PointSet& points);

 private:
  const problem::Model& model_;
  runtime::Engine& engine_;
  std::vector<std::string> names_;
  std::unique_ptr<ir::Module> module_;
  std::vector<io::NamedArray> state_;
  std::optional<runtime::Call> call_;
};

}  // namespace eddy::fields
