#pragma once
/// The points of all constraints as arguments of a program.

#include <cstdint>
#include <vector>

#include "framework/runtime/call.h"
#include "science/problem/problem.h"

namespace eddy::trainer {

class Batches {
 public:
  /// `stage` says how often points are drawn anew, where it does. Both references must outlive the object.
  Batches(problem::Problem& problem, runtime::Call& call, DType dtype, const config::StageSpec& stage);

  /// Puts the batches of step k = 0, 1, ... into the call's arguments, at first all, then those that change from k - 1
  /// to k: k goes up by one from call to call.
  void fill(std::uint64_t k);

 private:
  problem::Problem& problem_;
  runtime::Call& call_;
  DType dtype_;
  std::vector<std::vector<std::size_t>> arguments_;  // of each constraint
  bool is_filled_ = false;
};

}  // namespace eddy::trainer
