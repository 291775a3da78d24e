#include <catch2/catch.hpp>
#include <cmath>

#include "framework/core/rng.h"
#include "science/optimizers/optimizer.h"

using namespace eddy;
using optimizers::Minimizer;
using optimizers::Objective;
using optimizers::Standstill;
using Vector = std::vector<double>;

namespace {

std::unique_ptr<Minimizer> lbfgs(const std::string& options = "{}") {
  optimizers::Catalogue catalogue("optimizer");
  optimizers::register_all(catalogue);
  const auto optimizer = catalogue.at("lbfgs").make({config::parse_yaml(options, "test"), {}});
  return dynamic_cast<const optimizers::QuasiNewton&>(*optimizer).minimizer();
}

/// Sum of 100 (x[i+1] - x[i]^2)^2 + (1 - x[i])^2, minimum 0 at (1, ..., 1).
double rosenbrock(std::span<const double> x, std::span<double> g) {
  double sum = 0;
  for (double& component : g) component = 0;
  for (std::size_t i = 0; i + 1 < x.size(); ++i) {
    const double a = x[i + 1] - x[i] * x[i], b = 1 - x[i];
    sum += 100 * a * a + b * b;
    g[i] += -400 * x[i] * a - 2 * b;
    g[i + 1] += 200 * a;
  }
  return sum;
}

double distance(std::span<const double> x, double target) {
  double largest = 0;
  for (const double value : x) largest = std::max(largest, std::abs(value - target));
  return largest;
}

}  // namespace

TEST_CASE("L-BFGS ends on a quadratic after about as many iterations as it has distinct curvatures") {
  // With exact line searches it would be conjugate gradients: 5 iterations for 5 eigenvalues. Inexact ones take a few
  // more; steepest descent, at condition 1000, would take thousands.
  const Objective quadratic = [](std::span<const double> x, std::span<double> g) {
    double sum = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double curvature = std::pow(1000, static_cast<double>(i % 5) / 4);
      g[i] = curvature * (x[i] - 3);
      sum += g[i] * (x[i] - 3) / 2;
    }
    return sum;
  };
  const auto minimizer = lbfgs("{tolerance: 1e-10}");
  minimizer->start(Vector(40, 0.0), quadratic);
  int n = 0;
  while (minimizer->iterate(quadratic) == Standstill::none) ++n;
  CHECK(n < 60);
  // |x - x*| <= |g| / (least curvature 1)
  CHECK(distance(minimizer->x(), 3) < 1e-10);
}

TEST_CASE("L-BFGS converges superlinearly on Rosenbrock's function, and the loss never rises") {
  for (const std::size_t n : {2, 20}) {
    const auto minimizer = lbfgs();
    Vector start(n, -1.2);
    for (std::size_t i = 1; i < n; i += 2) start[i] = 1;
    minimizer->start(start, rosenbrock);
    std::vector<double> losses{minimizer->loss()};
    while (minimizer->iterate(rosenbrock) == Standstill::none && losses.size() < 1000) {
      CHECK(minimizer->loss() <= losses.back());
      losses.push_back(minimizer->loss());
    }
    CHECK(losses.size() < 200);
    // The Hessian at the minimum has the condition 2500; what is left of the gradient is rounding.
    CHECK(distance(minimizer->x(), 1) < 1e-9);
    if (n == 2) {  // memory spans the space: the last factors of reduction get smaller and smaller
      std::size_t last = losses.size() - 1;
      while (last > 3 && losses[last] < 1e-26) --last;
      CHECK(losses[last] / losses[last - 1] < 1e-2);
    }
  }
}

TEST_CASE("a restored L-BFGS goes on with the same bits") {
  const auto whole = lbfgs("{memory: 4}");
  whole->start(Vector(7, -0.5), rosenbrock);
  for (int i = 0; i < 9; ++i) whole->iterate(rosenbrock);
  const auto resumed = lbfgs("{memory: 4}");
  resumed->restore(whole->save(), 7);
  for (int i = 0; i < 10; ++i) {
    CHECK(whole->iterate(rosenbrock) == resumed->iterate(rosenbrock));
    CHECK(whole->loss() == resumed->loss());
  }
  CHECK(Vector(whole->x().begin(), whole->x().end()) == Vector(resumed->x().begin(), resumed->x().end()));
  CHECK_THROWS_AS(resumed->restore(whole->save(), 8), UserError);
  CHECK_THROWS_AS(resumed->restore({}, 7), UserError);
}

TEST_CASE("L-BFGS says why it stands still, and keeps the best point") {
  const auto minimizer = lbfgs();
  minimizer->start(Vector(2, 1.0), rosenbrock);
  CHECK(minimizer->iterate(rosenbrock) == Standstill::small_gradient);

  // Gradients that point the wrong way: no decrease anywhere.
  const Objective wrong = [](std::span<const double> x, std::span<double> g) {
    for (std::size_t i = 0; i < x.size(); ++i) g[i] = -2 * x[i];
    return x[0] * x[0] + x[1] * x[1];
  };
  minimizer->start(Vector{1, 2}, wrong);
  CHECK(minimizer->iterate(wrong) == Standstill::no_decrease);
  CHECK(minimizer->loss() == 5);
  CHECK(minimizer->x()[0] == 1);
}

TEST_CASE("options of L-BFGS are checked") {
  CHECK_THROWS_AS(lbfgs("{memory: 0}"), UserError);
  CHECK_THROWS_AS(lbfgs("{curvature: 1e-5}"), UserError);
  CHECK_THROWS_AS(lbfgs("{memry: 5}"), UserError);
}
