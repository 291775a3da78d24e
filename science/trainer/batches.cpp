#include "science/trainer/batches.h"

namespace eddy::trainer {

Batches::Batches(problem::Problem& problem, runtime::Call& call, DType dtype, const config::StageSpec& stage)
    : problem_(problem), call_(call), dtype_(dtype) {
  for (std::size_t i = 0; i < problem.constraints().size(); ++i) {
    problem::Constraint& constraint = problem.constraints()[i];
    const config::Resample& own = problem.file().constraints[i].value.resample;
    constraint.set_resample(stage.resample ? stage.resample->every : own.every);
    std::vector<std::size_t>& arguments = arguments_.emplace_back();
    for (const problem::BatchInput& input : constraint.inputs()) arguments.push_back(call.argument(input.name));
  }
}

void Batches::fill(std::uint64_t k) {
  for (std::size_t i = 0; i < arguments_.size(); ++i) {
    problem::Constraint& constraint = problem_.constraints()[i];
    if (is_filled_ && !constraint.changes_at(k)) continue;
    std::vector<Array> batch = constraint.batch(k, dtype_);
    for (std::size_t j = 0; j < batch.size(); ++j) call_.arguments()[arguments_[i][j]] = std::move(batch[j]);
  }
  is_filled_ = true;
}

}  // namespace eddy::trainer
