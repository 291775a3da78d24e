/// L-BFGS (Liu and Nocedal, "On the limited memory BFGS method for large scale optimization", Math. Programming 45
/// (1989) 503-528) with steps that satisfy the strong Wolfe conditions.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <deque>

#include "science/optimizers/line_search.h"
#include "science/optimizers/minimizer.h"
#include "science/optimizers/optimizer.h"

namespace eddy::optimizers {

namespace {

using Vector = std::vector<double>;

struct LbfgsOptions {
  std::int64_t memory = 50;
  double tolerance = 1e-14;
  double decrease = 1e-4, curvature = 0.9;
  std::int64_t evaluations = 30;
};

/// Eight running sums, added in a fixed order: the compiler may use vectors and the result has the same bits
/// everywhere.
double dot(std::span<const double> a, std::span<const double> b) {
  std::array<double, 8> sums{};
  std::size_t i = 0;
  for (; i + 8 <= a.size(); i += 8) {
    for (std::size_t j = 0; j < 8; ++j) sums[j] += a[i + j] * b[i + j];
  }
  for (std::size_t j = 0; i < a.size(); ++i, ++j) sums[j] += a[i] * b[i];
  return ((sums[0] + sums[4]) + (sums[2] + sums[6])) + ((sums[1] + sums[5]) + (sums[3] + sums[7]));
}

/// y += factor x
void add_scaled(Vector& y, double factor, std::span<const double> x) {
  for (std::size_t i = 0; i < y.size(); ++i) y[i] += factor * x[i];
}

double largest(std::span<const double> values) {
  double result = 0;
  for (const double value : values) result = std::max(result, std::abs(value));
  return result;
}

class LbfgsMinimizer final : public Minimizer {
 public:
  explicit LbfgsMinimizer(const LbfgsOptions& options) : options_(options) {}

  void start(std::span<const double> x, const Objective& objective) override {
    pairs_.clear();
    x_.assign(x.begin(), x.end());
    gradient_.assign(x.size(), 0);
    loss_ = objective(x_, gradient_);
  }

  Standstill iterate(const Objective& objective) override {
    // Not `<=`: a gradient that is NaN must not look like one that is small.
    if (largest(gradient_) < options_.tolerance || largest(gradient_) == 0) return Standstill::small_gradient;
    if (!pairs_.empty() && search(objective, direction())) return Standstill::none;
    // The memory does not describe the loss here: the steepest descent does.
    pairs_.clear();
    Vector downhill(gradient_);
    for (double& component : downhill) component = -component;
    return search(objective, downhill) ? Standstill::none : Standstill::no_decrease;
  }

  std::span<const double> x() const override { return x_; }
  double loss() const override { return loss_; }
  std::span<const double> gradient() const override { return gradient_; }

  std::vector<io::NamedArray> save() const override {
    const std::int64_t n = static_cast<std::int64_t>(x_.size());
    const auto pack = [&](Vector Pair::*member) {
      Vector all;
      for (const Pair& pair : pairs_) all.insert(all.end(), (pair.*member).begin(), (pair.*member).end());
      return Array::from({static_cast<std::int64_t>(pairs_.size()), n}, all);
    };
    return {{"x", Array::from({n}, x_)},
            {"gradient", Array::from({n}, gradient_)},
            {"loss", Array::scalar(loss_)},
            {"steps", pack(&Pair::step)},
            {"changes", pack(&Pair::change)}};
  }

  void restore(const std::vector<io::NamedArray>& state, std::size_t n) override {
    const auto find = [&](const std::string& name, std::size_t rank) -> const Array& {
      for (const auto& entry : state) {
        const Array& values = entry.values;
        if (entry.name == name && values.dtype() == DType::f64 && values.rank() == rank &&
            (rank == 0 || values.shape().back() == static_cast<std::int64_t>(n))) {
          return values;
        }
      }
      throw UserError(fmt::format("the state of L-BFGS has no array '{}' of the right shape", name));
    };
    const auto vector = [](std::span<const double> values) { return Vector(values.begin(), values.end()); };
    const Array &steps = find("steps", 2), &changes = find("changes", 2);
    if (steps.shape() != changes.shape()) throw UserError("the pairs in the state of L-BFGS are not complete");
    x_ = vector(find("x", 1).data<double>());
    gradient_ = vector(find("gradient", 1).data<double>());
    loss_ = find("loss", 0).item();
    pairs_.clear();
    for (std::size_t i = 0; i < static_cast<std::size_t>(steps.shape()[0]); ++i) {
      remember(vector(steps.data<double>().subspan(i * n, n)), vector(changes.data<double>().subspan(i * n, n)));
    }
  }

 private:
  struct Pair {
    Vector step, change;  // of x and of the gradient
    double curvature;     // their product, > 0
  };

  void remember(Vector step, Vector change) {
    const double curvature = dot(step, change);
    pairs_.push_back({std::move(step), std::move(change), curvature});
    if (static_cast<std::int64_t>(pairs_.size()) > options_.memory) pairs_.pop_front();
  }

  /// Minus the inverse Hessian's estimate times the gradient: the two-loop recursion.
  Vector direction() const {
    Vector d(gradient_);
    for (double& component : d) component = -component;
    Vector factors(pairs_.size());
    for (std::size_t i = pairs_.size(); i-- > 0;) {
      factors[i] = dot(pairs_[i].step, d) / pairs_[i].curvature;
      add_scaled(d, -factors[i], pairs_[i].change);
    }
    const Pair& newest = pairs_.back();
    const double scale = newest.curvature / dot(newest.change, newest.change);
    for (double& component : d) component *= scale;
    for (std::size_t i = 0; i < pairs_.size(); ++i) {
      add_scaled(d, factors[i] - dot(pairs_[i].change, d) / pairs_[i].curvature, pairs_[i].step);
    }
    return d;
  }

  /// Moves along the direction to a point with a smaller loss; false, with nothing changed, when there is none.
  bool search(const Objective& objective, const Vector& direction) {
    const double slope = dot(gradient_, direction);
    if (!(slope < 0)) return false;
    Vector x(x_.size());
    std::vector<std::pair<double, Vector>> evaluated;  // step and gradient there; the search returns one of the steps
    const auto evaluate = [&](double step) {
      for (std::size_t i = 0; i < x.size(); ++i) x[i] = x_[i] + step * direction[i];
      Vector gradient(x_.size());
      const double value = objective(x, gradient);
      evaluated.emplace_back(step, std::move(gradient));
      return LinePoint{step, value, dot(evaluated.back().second, direction)};
    };
    // Without memory nothing is known of the right length: a move of length one at most.
    const double first = pairs_.empty() ? std::min(1.0, 1 / std::sqrt(dot(direction, direction))) : 1.0;
    const LineSearchResult result =
        line_search({0, loss_, slope}, first, evaluate,
                    {options_.decrease, options_.curvature, static_cast<int>(options_.evaluations), 1e10});
    if (!(result.point.value < loss_)) return false;
    const auto found = std::find_if(evaluated.begin(), evaluated.end(),
                                    [&](const auto& entry) { return entry.first == result.point.step; });
    EDDY_CHECK(found != evaluated.end());
    Vector step(x_.size()), change(x_.size());
    for (std::size_t i = 0; i < x_.size(); ++i) {
      const double moved = x_[i] + result.point.step * direction[i];
      step[i] = moved - x_[i];
      change[i] = found->second[i] - gradient_[i];
      x_[i] = moved;
    }
    gradient_ = std::move(found->second);
    loss_ = result.point.value;
    // The strong Wolfe conditions make the curvature positive; a pair without it would spoil the estimate.
    if (dot(step, change) > 0) remember(std::move(step), std::move(change));
    return true;
  }

  LbfgsOptions options_;
  Vector x_, gradient_;
  double loss_ = 0;
  std::deque<Pair> pairs_;  // oldest first
};

class Lbfgs final : public QuasiNewton {
 public:
  static constexpr const char* about = "limited-memory BFGS with strong Wolfe steps, in f64 on fixed points";

  static const config::Schema<LbfgsOptions>& schema() {
    static const config::Schema<LbfgsOptions> schema =
        config::ObjectSchema<LbfgsOptions>("lbfgs", about)
            .field("memory", &LbfgsOptions::memory, config::integer({.min = 1}), "pairs of steps and gradient changes")
            .field("tolerance", &LbfgsOptions::tolerance, config::number({.min = 0}),
                   "ends when no component of the gradient is larger")
            .field("decrease", &LbfgsOptions::decrease, config::number({.max = 0.5, .above = 0}),
                   "c1 of the Wolfe conditions")
            .field("curvature", &LbfgsOptions::curvature, config::number({.max = 1 - 1e-9, .above = 0}),
                   "c2 of the Wolfe conditions, above c1")
            .field("evaluations", &LbfgsOptions::evaluations, config::integer({.min = 1, .max = 1000}),
                   "of the loss in one line search, at most")
            .check([](const LbfgsOptions& options, const config::Node& node) {
              if (options.curvature <= options.decrease) {
                throw UserError(node.where, "'curvature' must be above 'decrease'", "leave both out");
              }
            })
            .schema();
    return schema;
  }

  explicit Lbfgs(const LbfgsOptions& options) : options_(options) {}
  std::unique_ptr<Minimizer> minimizer() const override { return std::make_unique<LbfgsMinimizer>(options_); }

 private:
  LbfgsOptions options_;
};

}  // namespace

}  // namespace eddy::optimizers

EDDY_OPTIMIZER(lbfgs, Lbfgs)
