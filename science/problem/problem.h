#pragma once
/// A problem: the functions that are looked for, and what must hold where.

#include <memory>
#include <string>
#include <vector>

#include "science/problem/constraint.h"
#include "science/problem/model.h"

namespace eddy::problem {

class Problem {
 public:
  /// Builds everything and checks it; reads data files. `pool` draws points; it may be null. UserError at its place.
  Problem(config::ProblemFile file, const Registry& registry, ThreadPool* pool = nullptr);
  Problem(const Problem&) = delete;
  Problem& operator=(const Problem&) = delete;

  const config::ProblemFile& file() const { return file_; }
  const Model& model() const { return model_; }
  const std::vector<Constraint>& constraints() const { return constraints_; }
  std::vector<Constraint>& constraints() { return constraints_; }
  /// Scalars that the host sets at run time, with their values in the file: parameters, then weights of terms.
  std::vector<RuntimeScalar> scalars() const;
  /// Names of the terms in their order: "interior.burgers".
  std::vector<std::string> terms() const;

 private:
  config::ProblemFile file_;
  Model model_;
  std::vector<Constraint> constraints_;
};

}  // namespace eddy::problem
