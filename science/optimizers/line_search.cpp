#include "science/optimizers/line_search.h"

#include <algorithm>
#include <cmath>

#include "framework/core/errors.h"

namespace eddy::optimizers {

namespace {

/// Minimizer of the cubic with the values and slopes of two points; NaN when it has none.
double cubic_step(const LinePoint& a, const LinePoint& b) {
  const double d = b.step - a.step;
  const double theta = 3 * (a.value - b.value) / d + a.slope + b.slope;
  // Scaled, so that squares neither overflow nor vanish.
  const double scale = std::max({std::abs(theta), std::abs(a.slope), std::abs(b.slope)});
  const double discriminant = (theta / scale) * (theta / scale) - (a.slope / scale) * (b.slope / scale);
  const double root = std::copysign(scale * std::sqrt(discriminant), d);
  return a.step + d * ((root - a.slope) + theta) / ((root - a.slope) + root + b.slope);
}

/// Minimizer of the parabola with both values and a's slope.
double parabola_step(const LinePoint& a, const LinePoint& b) {
  const double d = b.step - a.step;
  return a.step + d * a.slope / ((a.value - b.value) / d + a.slope) / 2;
}

/// Where the line through both slopes vanishes.
double secant_step(const LinePoint& a, const LinePoint& b) {
  return b.step + (a.step - b.step) * b.slope / (b.slope - a.slope);
}

/// The interval of uncertainty: `best` has the least value so far and, once `bracketed`, a step that satisfies the
/// conditions lies between the two.
struct Interval {
  LinePoint best, other;
  bool bracketed = false;

  double width() const { return std::abs(other.step - best.step); }

  /// Takes in `trial` and returns the next one, section 4 of the paper. Values and slopes are those of the function
  /// minus tilt * step. As long as nothing is bracketed, trials stay below `max_step`.
  double advance(const LinePoint& trial, double tilt, double max_step) {
    const auto tilted = [&](const LinePoint& p) { return LinePoint{p.step, p.value - p.step * tilt, p.slope - tilt}; };
    const LinePoint b = tilted(best), o = tilted(other), t = tilted(trial);
    double next;
    if (t.value > b.value) {  // a minimum lies between the best and the trial
      const double cubic = cubic_step(b, t), parabola = parabola_step(b, t);
      next = std::abs(cubic - b.step) < std::abs(parabola - b.step) ? cubic : (cubic + parabola) / 2;
      other = trial;
      bracketed = true;
    } else if (t.slope * b.slope < 0) {  // likewise
      const double cubic = cubic_step(b, t), secant = secant_step(b, t);
      next = std::abs(cubic - t.step) >= std::abs(secant - t.step) ? cubic : secant;
      other = best;
      best = trial;
      bracketed = true;
    } else {
      const double low = t.step + 1.1 * (t.step - b.step);  // of trials that extrapolate
      const double high = std::min(max_step, t.step + 4 * (t.step - b.step));
      if (std::abs(t.slope) <= std::abs(b.slope)) {  // the slope flattens
        const double cubic = cubic_step(b, t), secant = secant_step(b, t);
        const bool usable = std::isfinite(cubic) && (cubic - t.step) * (t.step - b.step) > 0;
        const bool nearer = usable && std::abs(cubic - t.step) < std::abs(secant - t.step);
        next = usable && nearer == bracketed ? cubic : secant;
        if (bracketed) {
          const double limit = t.step + 0.66 * (o.step - t.step);
          next = t.step > b.step ? std::min(limit, next) : std::max(limit, next);
        }
      } else {  // it falls ever faster
        next = bracketed ? cubic_step(o, t) : high;
      }
      best = trial;
      if (!bracketed) return std::isfinite(next) ? std::clamp(next, std::min(low, high), high) : high;
    }
    if (!std::isfinite(next)) return (best.step + other.step) / 2;
    return std::clamp(next, std::min(best.step, other.step), std::max(best.step, other.step));
  }
};

}  // namespace

LineSearchResult line_search(const LinePoint& start, double first, const std::function<LinePoint(double)>& evaluate,
                             const LineSearchOptions& options) {
  EDDY_CHECK(start.slope < 0 && first > 0 && std::isfinite(start.value));
  LineSearchResult result{start, false, 0};
  Interval interval{start, start, false};
  bool first_phase = true;  // no step was found yet that decreases enough and has a slope >= 0
  double max_step = options.max_step;
  double width = max_step, older_width = 2 * max_step;
  double step = std::min(first, max_step);

  while (result.n_evaluations < options.max_evaluations) {
    const LinePoint trial = evaluate(step);
    ++result.n_evaluations;
    if (!std::isfinite(trial.value) || !std::isfinite(trial.slope)) {
      max_step = (interval.best.step + step) / 2;  // the function may exist up to there
      step = interval.best.step + (step - interval.best.step) / 4;
      if (step == interval.best.step) break;
      continue;
    }
    const double tilt = options.decrease * start.slope;
    const bool decreases = trial.value <= start.value + trial.step * tilt;
    if (decreases && trial.value <= result.point.value) result.point = trial;
    if (decreases && std::abs(trial.slope) <= options.curvature * -start.slope) {
      result.point = trial;
      result.satisfied = true;
      break;
    }
    if (!interval.bracketed && step >= max_step && decreases && trial.slope <= tilt) break;  // it falls without end
    if (decreases && trial.slope >= 0) first_phase = false;

    const bool tilts = first_phase && trial.value <= interval.best.value && !decreases;
    step = interval.advance(trial, tilts ? tilt : 0, max_step);
    if (interval.bracketed) {
      if (interval.width() >= 0.66 * older_width) step = (interval.best.step + interval.other.step) / 2;
      older_width = width;
      width = interval.width();
      if (step == interval.best.step || step == interval.other.step) break;  // no number lies between them
    }
  }
  return result;
}

}  // namespace eddy::optimizers
