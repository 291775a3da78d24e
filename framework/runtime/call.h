#pragma once
/// A runnable function whose arguments and results are kept and found by name.

#include <memory>
#include <string>
#include <vector>

#include "framework/runtime/engine.h"

namespace eddy::runtime {

class Call {
 public:
  explicit Call(std::unique_ptr<Runnable> function) : function_(std::move(function)) {
    arguments_.resize(function_->argument_names().size());
  }

  /// InternalError when there is none of that name.
  std::size_t argument(const std::string& name) const { return index(function_->argument_names(), name); }
  bool has_argument(const std::string& name) const;
  std::size_t result(const std::string& name) const { return index(function_->result_names(), name); }

  std::vector<Array>& arguments() { return arguments_; }
  const std::vector<Array>& arguments() const { return arguments_; }
  std::vector<Array>& results() { return results_; }
  const std::vector<Array>& results() const { return results_; }

  void run() { function_->run(arguments_, results_); }

 private:
  static std::size_t index(const std::vector<std::string>& names, const std::string& name);

  std::unique_ptr<Runnable> function_;
  std::vector<Array> arguments_, results_;
};

}  // namespace eddy::runtime
