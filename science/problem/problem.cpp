#include "science/problem/problem.h"

#include <algorithm>
#include <fmt/format.h>

namespace eddy::problem {

namespace {

/// Sizes are symbols of the program: "n_interior" for the constraint `interior`.
class SizeNames {
 public:
  Dim next(const std::string& constraint) {
    std::string name = "n_";
    for (const char c : constraint) name += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
    while (std::find(taken_.begin(), taken_.end(), name) != taken_.end()) name += "_";
    taken_.push_back(name);
    return Dim::symbol(name);
  }

 private:
  std::vector<std::string> taken_;
};

}  // namespace

Problem::Problem(config::ProblemFile file, const Registry& registry, ThreadPool* pool)
    : file_(std::move(file)), model_(file_, registry) {
  if (file_.constraints.empty()) {
    throw UserError(file_.where, "the problem has no constraints",
                    "constraints: {interior: {at: ..., residuals: all}}");
  }
  SizeNames sizes;
  for (const auto& spec : file_.constraints) {
    const std::string& name = spec.name.text;
    const bool taken = name == "eq" || name == "grad" || name == "param" || name == "weight" ||
                       config::find(file_.networks, name) != nullptr;
    if (taken) {
      throw UserError(spec.name.where, fmt::format("a constraint cannot be called '{}': that name is taken", name),
                      "choose another name");
    }
    constraints_.emplace_back(model_, file_, spec, sizes.next(name), pool);
  }
}

std::vector<RuntimeScalar> Problem::scalars() const {
  std::vector<RuntimeScalar> scalars = model_.scalars();
  for (const Constraint& constraint : constraints_) {
    scalars.insert(scalars.end(), constraint.weights().begin(), constraint.weights().end());
  }
  return scalars;
}

std::vector<std::string> Problem::terms() const {
  std::vector<std::string> names;
  for (const Constraint& constraint : constraints_) {
    for (const Term& term : constraint.terms()) names.push_back(term.name);
  }
  return names;
}

}  // namespace eddy::problem
