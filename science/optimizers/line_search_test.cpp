#include "science/optimizers/line_search.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

#include "framework/core/rng.h"

using namespace eddy;
using optimizers::line_search;
using optimizers::LinePoint;
using optimizers::LineSearchOptions;

namespace {

using Function = std::function<LinePoint(double)>;

/// The strong Wolfe conditions, stated once more.
void check_conditions(const Function& f, const optimizers::LineSearchResult& result, const LineSearchOptions& options) {
  const LinePoint start = f(0), end = f(result.point.step);
  CHECK(result.satisfied);
  CHECK(end.value == result.point.value);
  CHECK(end.value <= start.value + options.decrease * end.step * start.slope);
  CHECK(std::abs(end.slope) <= options.curvature * std::abs(start.slope));
}

}  // namespace

TEST_CASE("steps of random functions satisfy the strong Wolfe conditions") {
  // A parabola with waves on it: bounded below, with many minima.
  for (int seed = 0; seed < 300; ++seed) {
    const Rng rng(static_cast<std::uint64_t>(seed), "line");
    const double centre = std::exp(6 * rng.uniform(0) - 3), amplitude = rng.uniform(1), frequency = 8 * rng.uniform(2),
                 phase = 6 * rng.uniform(3);
    Function f = [=](double s) {
      return LinePoint{s, (s - centre) * (s - centre) + amplitude * std::sin(frequency * s + phase),
                       2 * (s - centre) + amplitude * frequency * std::cos(frequency * s + phase)};
    };
    if (f(0).slope >= 0) continue;
    LineSearchOptions options;
    options.curvature = seed % 2 == 0 ? 0.9 : 0.1;
    check_conditions(f, line_search(f(0), std::exp(8 * rng.uniform(4) - 4), f, options), options);
  }
}

TEST_CASE("the functions of the method's paper are solved from first steps over six orders of magnitude") {
  // Functions 1 to 3 of Moré and Thuente, section 5, with the parameters given there.
  const Function one = [](double a) {
    const double d = a * a + 2;
    return LinePoint{a, -a / d, (a * a - 2) / (d * d)};
  };
  const Function two = [](double a) {
    const double b = a + 0.004;
    return LinePoint{a, std::pow(b, 5) - 2 * std::pow(b, 4), 5 * std::pow(b, 4) - 8 * std::pow(b, 3)};
  };
  const Function three = [](double a) {
    const double beta = 0.01, l = 39, wave = M_PI * l / 2;
    const double bend = a <= 1 - beta ? 1 - a : a >= 1 + beta ? a - 1 : (a - 1) * (a - 1) / (2 * beta) + beta / 2;
    const double slope = a <= 1 - beta ? -1 : a >= 1 + beta ? 1 : (a - 1) / beta;
    return LinePoint{a, bend + 2 * (1 - beta) / (l * M_PI) * std::sin(wave * a),
                     slope + (1 - beta) * std::cos(wave * a)};
  };
  for (const double first : {1e-3, 1e-1, 1e1, 1e3}) {
    const LineSearchOptions loose{1e-3, 0.1, 50, 1e10}, tight{0.1, 0.1, 50, 1e10};
    check_conditions(one, line_search(one(0), first, one, loose), loose);
    check_conditions(two, line_search(two(0), first, two, tight), tight);
    check_conditions(three, line_search(three(0), first, three, tight), tight);
  }
}

TEST_CASE("where a function ends, shorter steps are tried") {
  const Function f = [](double s) {  // exists for s < 2, its minimum is at 1.9
    return LinePoint{s, -std::log(2 - s) * 0.1 - s, 0.1 / (2 - s) - 1};
  };
  const LineSearchOptions options;
  check_conditions(f, line_search(f(0), 100, f, options), options);
}

TEST_CASE("what falls without end or does not fall is reported") {
  const Function line = [](double s) { return LinePoint{s, -s, -1}; };
  const auto far = line_search(line(0), 1, line, {1e-4, 0.9, 100, 1e3});
  CHECK_FALSE(far.satisfied);
  CHECK(far.point.step == 1e3);

  // The slope lies: the value never falls.
  const Function wrong = [](double s) { return LinePoint{s, s, -1}; };
  const auto none = line_search(wrong(0), 1, wrong);
  CHECK_FALSE(none.satisfied);
  CHECK(none.point.step == 0);

  const double nan = std::numeric_limits<double>::quiet_NaN();
  const auto nowhere = line_search({0, 1, -1}, 1, [&](double s) { return LinePoint{s, nan, nan}; });
  CHECK_FALSE(nowhere.satisfied);
  CHECK(nowhere.point.step == 0);
}
