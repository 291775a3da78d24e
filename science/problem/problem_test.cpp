#include "science/problem/problem.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <fmt/format.h>

#include "science/problem/evaluator.h"
#include "science/problem/test_problem.h"

using namespace eddy;
using namespace eddy::problem;

namespace {

const std::string good = R"yaml(name: case
equation:
  unknowns: [u]
  coordinates: [t, x]
  parameters: {nu: 0.1}
  residuals: {burgers: "u_t + u*u_x - nu*u_xx"}
geometry: {shapes: {line: {interval: {min: -1, max: 1}}}, domain: line, time: [0, 1]}
networks:
  net: {type: mlp, inputs: [t, x], outputs: [u], hidden: [4]}
constraints:
  interior: {at: line, residuals: all, points: 10}
training: {stages: {warm: {optimizer: adam, steps: 10}}}
)yaml";

std::string with(const std::string& old_text, const std::string& new_text) {
  std::string yaml = good;
  const std::size_t at = yaml.find(old_text);
  REQUIRE(at != std::string::npos);
  return yaml.replace(at, old_text.size(), new_text);
}

/// The error must point at the `|` in `place`, a piece of the text, and contain all `parts`.
void check_error(const std::string& yaml, std::string place, const std::vector<std::string>& parts) {
  const std::size_t bar = place.find('|');
  place.erase(bar, 1);
  const std::size_t found = yaml.find(place);
  REQUIRE(found != std::string::npos);
  const std::string before = yaml.substr(0, found + bar);
  const auto line = 1 + std::count(before.begin(), before.end(), '\n');
  const std::size_t column = before.size() - before.rfind('\n');  // the last line break counts as column 0
  const std::string message = error_of(yaml);
  INFO(message);
  CHECK(message.find(fmt::format("test.yaml:{}:{}:", line, column)) == 0);
  for (const std::string& part : parts) CHECK(message.find(part) != std::string::npos);
}

}  // namespace

TEST_CASE("Mistakes in a problem are reported where they are", "[problem]") {
  CHECK(error_of(good) == "no error");
  check_error(with("inputs: [t, x]", "inputs: [t]"), "u*|u_x",
              {"differentiate 'u' by 'x'", "network 'net'", "inputs are t"});
  check_error(with("at: line,", "at: line.top,"), "at: |line.top", {"top"});
  check_error(with("residuals: all", "residuals: burger"), "residuals: |burger,",
              {"no residual 'burger'", "'burgers'"});
  check_error(with("unknowns: [u]", "unknowns: [u, v]"), "[u, |v]", {"no network gives the unknown 'v'"});
  check_error(with("outputs: [u]", "outputs: [u, w]"), "[u, |w]", {"'w'", "no unknown"});
  const std::string net = "  net: {type: mlp, inputs: [t, x], outputs: [u], hidden: [4]}";
  check_error(with(net, net + "\n  two: {type: mlp, inputs: [x], outputs: [u]}"), "[x], outputs: [|u]",
              {"'u' is given by two networks"});
  check_error(with(net, net + "\n  two: {type: mlp, inputs: [x], outputs: [q]}"), "[x], outputs: [|q]",
              {"output 'q' of network 'two'"});
  check_error(with("inputs: [t, x]", "inputs: [t, y]"), "inputs: [t, |y]", {"'y' is no coordinate"});
  check_error(with("type: mlp", "type: mpl"), "type: |mpl", {"no network type 'mpl'", "'mlp'"});
  check_error(with("hidden: [4]", "hiden: [4]"), "|hiden", {"unknown key", "'hidden'"});
  check_error(with("points: 10", "where: \"x > 2\", points: 10"), "x |> 2", {"holds no points"});
  check_error(with("residuals: all", "equals: {\"dn(u)\": 0}"), "|dn(u)", {"'dn' is only known on boundaries"});
  check_error(with("residuals: all", "equals: {u: q}"), "{u: |q}", {"unknown name 'q'"});
  check_error(with("residuals: all", "equals: {\"d(sdf*u, x)\": 0}"), "|d(sdf", {"derivatives of the signed distance"});
  check_error(with("nu: 0.1", "nu: \"2*mu\", mu: \"nu/2\""), "{|nu", {"'nu' is defined by itself: nu -> mu -> nu"});
  check_error(with("residuals: all", "residuals: all, weight: {burgrs: 2}"), "|burgrs",
              {"no term 'burgrs'", "'burgers'"});
  check_error(with(", time: [0, 1]", ""), "domain: |line", {"1 dimension", "geometry.time"});
  check_error(with("net: {", "grad: {"), "|grad", {"cannot be called 'grad'"});
  check_error(with("interior:", "net:"), "|net: {at", {"cannot be called 'net'"});
  check_error(with("hidden: [4]", "transform: {v: \"u\"}"), "{|v: ", {"'v' is no unknown"});
  check_error(with("residuals: all", "residuals: all, time: 3"), "interior: |{", {"outside the problem's range"});
  check_error(with("nu: 0.1", "nu: {trainable: \"x\"}"), "trainable: \"|x\"", {"must start at a number"});
}

TEST_CASE("Conditions compare coordinates with a tolerance", "[problem]") {
  const Problem problem(read_text(good), test_registry());
  geometry::PointSet points;
  points.n_points = 5;
  points.coordinates = {{"t", {0, 0, 0, 0, 0.5}}, {"x", {1, 1 - 1e-9, 1 - 1e-3, 1 + 1e-9, 0.5}}};
  const auto holding = [&](const std::string& text) {
    const auto condition = problem.model().symbols().resolve(config::parse_expression(text), config::Expect::condition);
    std::vector<char> keep(5, 1);
    criterion(problem.model(), condition)(points, keep);
    return std::vector<int>(keep.begin(), keep.end());
  };
  using Rows = std::vector<int>;
  CHECK(holding("x == 1") == Rows{1, 1, 0, 1, 0});
  CHECK(holding("x != 1") == Rows{0, 0, 1, 0, 1});
  CHECK(holding("x < 1") == Rows{0, 0, 1, 0, 1});
  CHECK(holding("1 > x") == Rows{0, 0, 1, 0, 1});
  CHECK(holding("x <= 1") == Rows{1, 1, 1, 1, 1});
  CHECK(holding("x >= 1") == Rows{1, 1, 0, 1, 0});
  CHECK(holding("x == t") == Rows{0, 0, 0, 0, 1});
  CHECK(holding("x == 10*nu and not t > 0") == Rows{1, 1, 0, 1, 0});
  CHECK(holding("2*x > 1.5 or t == 0.5") == Rows{1, 1, 1, 1, 1});
  CHECK_THROWS_AS(holding("u > 0"), UserError);
}

TEST_CASE("Expressions on the host have the values of their formulas", "[problem]") {
  const Problem problem(read_text(good), test_registry());
  geometry::PointSet points;
  points.n_points = 2;
  points.coordinates = {{"t", {0.25, 0.5}}, {"x", {-0.5, 0.75}}};
  const auto check = [&](const std::string& text, double (*formula)(double t, double x)) {
    const Evaluator evaluator(problem.model(), {problem.model().symbols().resolve(config::parse_expression(text))});
    const Array values = evaluator.run(points).front();
    for (std::int64_t i = 0; i < 2; ++i) {
      INFO(text);
      const auto row = static_cast<std::size_t>(i);
      // A few operations of numbers of order one, each within some units of the last place.
      CHECK(values.at(i) ==
            Approx(formula(points.coordinates[0].values[row], points.coordinates[1].values[row])).epsilon(1e-14));
    }
  };
  check("-x^2 + 1/3", [](double, double x) { return -x * x + 1.0 / 3; });
  check("t^x", [](double t, double x) { return std::pow(t, x); });
  check("max(x, t, 0.3) - min(x, t)", [](double t, double x) { return std::max({x, t, 0.3}) - std::min(x, t); });
  check("where(x > 0, exp(t), atan2(x, t))", [](double t, double x) { return x > 0 ? std::exp(t) : std::atan2(x, t); });
  check("d(sin(pi*x)*t^2, x, t)", [](double t, double x) { return 2 * t * M_PI * std::cos(M_PI * x); });
  check("lap(x^4)", [](double, double x) { return 12 * x * x; });
  check("nu*tanh(x) + abs(x)", [](double, double x) { return 0.1 * std::tanh(x) + std::abs(x); });
  // Every function of the language has an operation.
  for (const config::Function& function : config::functions()) {
    if (function.name == "d" || function.name == "dn" || function.name == "where") continue;
    std::string text = function.name + "(t";
    for (int i = 1; i < function.min_arguments; ++i) text += ", x";
    const Evaluator evaluator(problem.model(),
                              {problem.model().symbols().resolve(config::parse_expression(text + ")"))});
    CHECK(std::isfinite(evaluator.run(points).front().at(0)));
  }
}
