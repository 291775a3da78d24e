#pragma once
/// Expressions on the host: conditions, targets, exact solutions, values of parameters. They become a small program
/// that the interpreter runs, so that there is one meaning of the language.

#include <vector>

#include "framework/ir/module.h"
#include "science/geometry/domain.h"
#include "science/problem/model.h"

namespace eddy::problem {

/// The value of a resolved expression that is a number. `model` need not know its scalars' values yet.
double evaluate_number(const Model& model, const config::Expression& expression);

/// Evaluates expressions that contain no unknowns at given points, in f64.
class Evaluator {
 public:
  /// `expressions` are resolved. UserError at the expression when it depends on an unknown or a trainable parameter.
  Evaluator(const Model& model, std::vector<config::Expression> expressions);

  /// One array [n_points] for each expression, f64 or bool.
  std::vector<Array> run(const geometry::PointSet& points) const;

 private:
  std::shared_ptr<const ir::Module> module_;
  std::vector<std::string> columns_;  // by the names of PointSet::find()
  std::vector<Array> scalars_;
};

/// The points where a resolved condition holds. The model must outlive the criterion.
geometry::Criterion criterion(const Model& model, const config::Expression& condition);

}  // namespace eddy::problem
