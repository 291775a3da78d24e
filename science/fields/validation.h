#pragma once
/// The solution compared with references.

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "science/fields/field_program.h"
#include "science/problem/problem.h"

namespace eddy::fields {

struct FieldError {
  std::string name;  ///< "shock.u": validation, field
  double rel_l2 = 0, linf = 0;
  config::Metric metric = config::Metric::rel_l2;
  std::optional<double> tolerance;

  /// What the tolerance is for.
  double value() const { return metric == config::Metric::rel_l2 ? rel_l2 : linf; }
  /// An error that is no number misses every tolerance.
  bool is_missed() const { return tolerance && !(value() <= *tolerance); }
};

/// All comparisons of a problem file, ready to be made any number of times.
class Validation {
 public:
  /// Reads data files and evaluates exact solutions. UserError at its place.
  Validation(const problem::Problem& problem, runtime::Engine& engine);

  bool empty() const { return references_.empty(); }
  /// Of the solution with this state.
  std::vector<FieldError> run(const std::vector<io::NamedArray>& state);
  /// Names of the errors in their order.
  std::vector<std::string> names() const;

 private:
  struct Reference {
    std::string name;
    const config::ValidationSpec* spec;
    geometry::PointSet points;
    std::vector<geometry::Column> fields;
  };

  std::vector<Reference> references_;
  std::unique_ptr<FieldProgram> program_;  // of all fields
};

}  // namespace eddy::fields
