#pragma once
/// Step lengths that satisfy the strong Wolfe conditions.

#include <functional>

namespace eddy::optimizers {

/// A function of one variable and its derivative at a point.
struct LinePoint {
  double step = 0, value = 0, slope = 0;
};

struct LineSearchOptions {
  double decrease = 1e-4;  ///< c1 of the strong Wolfe conditions
  double curvature = 0.9;  ///< c2, decrease < c2 < 1
  int max_evaluations = 30;
  double max_step = 1e10;
};

struct LineSearchResult {
  LinePoint point;         ///< the best found; step 0 when there is nothing better than the start
  bool satisfied = false;  ///< whether it satisfies the strong Wolfe conditions
  int n_evaluations = 0;
};

/// Looks for a step > 0 with
///     f(step) <= f(0) + c1 step f'(0)   and   |f'(step)| <= c2 |f'(0)|,   f'(0) < 0,
/// by the method of Moré and Thuente, "Line search algorithms with guaranteed sufficient decrease", ACM Trans. Math.
/// Softw. 20 (1994) 286-307. `evaluate` gives value and slope at a step; where they are not finite, shorter steps are
/// tried. `start` is the point at step 0, `first` the first step tried.
LineSearchResult line_search(const LinePoint& start, double first, const std::function<LinePoint(double)>& evaluate,
                             const LineSearchOptions& options = {});

}  // namespace eddy::optimizers
