#include "science/trainer/stage_run.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "framework/runtime/call.h"
#include "science/optimizers/schedule.h"
#include "science/trainer/batches.h"

namespace eddy::trainer {

namespace {

using Arrays = std::vector<io::NamedArray>;

const Array& find(const Arrays& arrays, const std::string& name, const std::vector<std::int64_t>& shape) {
  for (const auto& array : arrays) {
    if (array.name == name && array.values.shape() == shape) return array.values;
  }
  throw UserError(fmt::format("the checkpoint has no array '{}' of the right shape", name),
                  "it was made by another configuration: start anew with --force");
}

Array scalar(DType dtype, double value) { return Array::scalar(value).cast(dtype); }

/// Puts the state and the scalars into the arguments of `call`.
void bind_state(runtime::Call& call, const problem::Problem& problem, const Arrays& state, DType dtype) {
  for (const problem::StateTensor& tensor : problem.model().state()) {
    // A clone even where the dtype fits: steps write over it.
    call.arguments()[call.argument(tensor.name)] = find(state, tensor.name, tensor.shape).cast(dtype);
  }
  for (const problem::RuntimeScalar& value : problem.scalars()) {
    call.arguments()[call.argument(value.name)] = scalar(dtype, value.value);
  }
}

/// Reads loss and terms from the results.
class Metrics {
 public:
  Metrics(const problem::Problem& problem, const runtime::Call& call) : loss_(call.result("loss")) {
    for (const std::string& term : problem.terms()) terms_.push_back(call.result(term));
  }

  void read(const runtime::Call& call, StepReport& report) const {
    report.loss = call.results()[loss_].item();
    report.terms.clear();
    for (const std::size_t term : terms_) report.terms.push_back(call.results()[term].item());
  }

 private:
  std::size_t loss_;
  std::vector<std::size_t> terms_;
};

/// One native call per step. State goes back and forth between the call's arguments and its results.
class FirstOrderRun final : public StageRun {
 public:
  FirstOrderRun(problem::Problem& problem, runtime::Engine& engine, const config::StageSpec& stage,
                std::unique_ptr<optimizers::Optimizer> optimizer, DType dtype, const Arrays& state,
                const Arrays& optimizer_state)
      : problem_(problem),
        stage_(stage),
        owner_(std::move(optimizer)),
        optimizer_(dynamic_cast<const optimizers::FirstOrder&>(*owner_)),
        dtype_(dtype),
        program_(problem::build_training(problem, dtype, &optimizer_)),
        call_(engine.load(program_.module->function("step"))),
        batches_(problem, call_, dtype, stage),
        metrics_(problem, call_),
        rate_(call_.argument("lr")),
        step_(call_.argument("step")),
        gradient_norm_(call_.result("grad_norm")) {
    bind_state(call_, problem, state, dtype);
    for (const problem::StateTensor& tensor : problem.model().state()) {
      if (!tensor.trainable) continue;
      swapped_.push_back({call_.argument(tensor.name), call_.result(tensor.name)});
      for (const std::string& part : optimizer_.state()) {
        const std::string name = tensor.name + "." + part;
        const std::size_t argument = call_.argument(name);
        swapped_.push_back({argument, call_.result(name)});
        optimizer_names_.push_back(name);
        call_.arguments()[argument] = optimizer_state.empty() ? Array(dtype, tensor.shape)
                                                              : find(optimizer_state, name, tensor.shape).cast(dtype);
      }
    }
    call_.arguments()[call_.argument("clip")] =
        scalar(dtype, stage.clip.value_or(std::numeric_limits<double>::infinity()));
    call_.arguments()[rate_] = scalar(dtype, 0);
    call_.arguments()[step_] = Array::scalar(std::int64_t{0});
  }

  DType dtype() const override { return dtype_; }

  StepReport step(std::int64_t stage_step, std::int64_t step) override {
    if (stepped_) {
      for (const auto& [argument, result] : swapped_) std::swap(call_.arguments()[argument], call_.results()[result]);
    }
    batches_.fill(static_cast<std::uint64_t>(step - 1));
    StepReport report;
    report.rate = optimizers::learning_rate(stage_.lr, optimizer_.default_rate(), stage_step - 1, stage_.steps);
    call_.arguments()[rate_] = scalar(dtype_, report.rate);
    call_.arguments()[step_] = Array::scalar(stage_step);
    call_.run();
    stepped_ = true;
    metrics_.read(call_, report);
    report.gradient_norm = call_.results()[gradient_norm_].item();
    return report;
  }

  Snapshot latest() const override { return snapshot(stepped_ ? call_.results() : call_.arguments(), stepped_, 0); }
  Snapshot verified() const override { return snapshot(call_.arguments(), false, stepped_ ? 1 : 0); }

 private:
  struct Pair {
    std::size_t argument, result;
  };

  /// Copies, since the next step writes over one of the two.
  Snapshot snapshot(const std::vector<Array>& arrays, bool are_results, std::int64_t steps_ago) const {
    const auto get = [&](const std::string& name) {
      return io::NamedArray{name, arrays[are_results ? call_.result(name) : call_.argument(name)].clone()};
    };
    Snapshot snapshot{steps_ago, {}, {}};
    for (const problem::StateTensor& tensor : problem_.model().state()) {
      if (tensor.trainable) {
        snapshot.state.push_back(get(tensor.name));
      } else {
        snapshot.state.push_back({tensor.name, call_.arguments()[call_.argument(tensor.name)]});
      }
    }
    for (const std::string& name : optimizer_names_) snapshot.optimizer.push_back(get(name));
    return snapshot;
  }

  problem::Problem& problem_;
  const config::StageSpec& stage_;
  std::unique_ptr<optimizers::Optimizer> owner_;
  const optimizers::FirstOrder& optimizer_;
  DType dtype_;
  problem::TrainingProgram program_;
  runtime::Call call_;
  Batches batches_;
  Metrics metrics_;
  std::size_t rate_, step_, gradient_norm_;
  std::vector<Pair> swapped_;
  std::vector<std::string> optimizer_names_;
  bool stepped_ = false;
};

/// Iterations on the host over one vector of all parameters, in f64 and on one batch.
class QuasiNewtonRun final : public StageRun {
 public:
  QuasiNewtonRun(problem::Problem& problem, runtime::Engine& engine, const config::StageSpec& stage,
                 std::unique_ptr<optimizers::Minimizer> minimizer, const Arrays& state, const Arrays& optimizer_state,
                 std::int64_t first_step)
      : problem_(problem),
        minimizer_(std::move(minimizer)),
        program_(problem::build_training(problem, DType::f64)),
        call_(engine.load(program_.module->function("loss_and_grad"))),
        metrics_(problem, call_) {
    bind_state(call_, problem, state, DType::f64);
    Batches(problem, call_, DType::f64, stage).fill(static_cast<std::uint64_t>(first_step));
    std::vector<double> x;
    for (const problem::StateTensor& tensor : problem.model().state()) {
      if (!tensor.trainable) continue;
      parameters_.push_back({call_.argument(tensor.name), call_.result("grad." + tensor.name)});
      const auto values = call_.arguments()[parameters_.back().argument].data<double>();
      x.insert(x.end(), values.begin(), values.end());
    }
    if (optimizer_state.empty()) {
      minimizer_->start(x, objective());
    } else {
      minimizer_->restore(optimizer_state, x.size());
      evaluate_at_minimum();
    }
  }

  DType dtype() const override { return DType::f64; }

  StepReport step(std::int64_t, std::int64_t) override {
    // A start from where the loss is not finite ends here, with the terms of that place.
    if (!std::isfinite(minimizer_->loss())) return report(latest_);
    const optimizers::Standstill standstill = minimizer_->iterate(objective());
    // The search may have gone on after the point that it chose.
    if (latest_.loss != minimizer_->loss()) evaluate_at_minimum();
    StepReport result = report(latest_);
    if (standstill != optimizers::Standstill::none) result.standstill = optimizers::describe(standstill);
    return result;
  }

  Snapshot latest() const override {
    Snapshot snapshot;
    const double* next = minimizer_->x().data();
    for (const problem::StateTensor& tensor : problem_.model().state()) {
      if (!tensor.trainable) {
        snapshot.state.push_back({tensor.name, call_.arguments()[call_.argument(tensor.name)]});
        continue;
      }
      Array values(DType::f64, tensor.shape);
      std::copy_n(next, values.n_elements(), values.data<double>().begin());
      next += values.n_elements();
      snapshot.state.push_back({tensor.name, std::move(values)});
    }
    snapshot.optimizer = minimizer_->save();
    return snapshot;
  }
  Snapshot verified() const override { return latest(); }

 private:
  struct Pair {
    std::size_t argument, result;
  };

  optimizers::Objective objective() {
    return [this](std::span<const double> x, std::span<double> gradient) {
      const double* next = x.data();
      for (const Pair& parameter : parameters_) {
        // New arrays: results of an earlier run may share memory with the old ones.
        Array values(DType::f64, call_.arguments()[parameter.argument].shape());
        std::copy_n(next, values.n_elements(), values.data<double>().begin());
        next += values.n_elements();
        call_.arguments()[parameter.argument] = std::move(values);
      }
      call_.run();
      double* out = gradient.data();
      for (const Pair& parameter : parameters_) {
        const auto values = call_.results()[parameter.result].data<double>();
        out = std::copy(values.begin(), values.end(), out);
      }
      metrics_.read(call_, latest_);
      return latest_.loss;
    };
  }

  void evaluate_at_minimum() {
    std::vector<double> gradient(minimizer_->x().size());
    objective()(minimizer_->x(), gradient);
  }

  StepReport report(StepReport report) const {
    double sum = 0;
    for (const double component : minimizer_->gradient()) sum += component * component;
    report.gradient_norm = std::sqrt(sum);
    return report;
  }

  problem::Problem& problem_;
  std::unique_ptr<optimizers::Minimizer> minimizer_;
  problem::TrainingProgram program_;
  runtime::Call call_;
  Metrics metrics_;
  std::vector<Pair> parameters_;
  StepReport latest_;  // of the last evaluation
};

void reject(bool present, const config::Named<config::StageSpec>& stage, const char* key, const std::string& why) {
  if (present) {
    throw UserError(
        stage.value.where,
        fmt::format("stage '{}': '{}' does not go with {}", stage.name.text, key, stage.value.optimizer.text), why);
  }
}

std::unique_ptr<optimizers::Optimizer> make_optimizer(const problem::Registry& registry,
                                                      const config::Named<config::StageSpec>& stage) {
  const config::StageSpec& spec = stage.value;
  std::unique_ptr<optimizers::Optimizer> optimizer = registry.optimizers.at(spec.optimizer).make(spec.options);
  if (dynamic_cast<const optimizers::QuasiNewton*>(optimizer.get()) != nullptr) {
    reject(spec.lr.has_value(), stage, "lr", "it finds its own step lengths: leave 'lr' out");
    reject(spec.clip.has_value(), stage, "clip", "leave 'clip' out");
    reject(spec.resample.has_value(), stage, "resample", "it needs points that stay the same: leave 'resample' out");
    reject(spec.precision == DType::f32, stage, "precision: f32", "it needs f64: leave 'precision' out");
  }
  return optimizer;
}

}  // namespace

void check_stages(const config::TrainingSpec& training, const problem::Registry& registry) {
  for (const auto& stage : training.stages) make_optimizer(registry, stage);
}

std::unique_ptr<StageRun> start_stage(problem::Problem& problem, const problem::Registry& registry,
                                      runtime::Engine& engine, const config::Named<config::StageSpec>& stage,
                                      const Arrays& state, const Arrays& optimizer_state, std::int64_t first_step) {
  const config::StageSpec& spec = stage.value;
  std::unique_ptr<optimizers::Optimizer> optimizer = make_optimizer(registry, stage);
  if (const auto* quasi_newton = dynamic_cast<const optimizers::QuasiNewton*>(optimizer.get())) {
    return std::make_unique<QuasiNewtonRun>(problem, engine, spec, quasi_newton->minimizer(), state, optimizer_state,
                                            first_step);
  }
  return std::make_unique<FirstOrderRun>(problem, engine, spec, std::move(optimizer),
                                         spec.precision.value_or(problem.file().precision), state, optimizer_state);
}

}  // namespace eddy::trainer
