#include "science/config/problem_file.h"

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "science/config/test_support.h"

using namespace eddy;
using namespace eddy::config;

namespace {

const std::string burgers = R"yaml(name: burgers
about: viscous shock, nu = 0.01/pi
seed: 0
precision: f64
equation:
  unknowns: [u]
  coordinates: [t, x]
  parameters: {nu: "0.01/pi"}
  residuals: {burgers: "u_t + u*u_x - nu*u_xx"}
geometry:
  shapes: {line: {interval: {min: -1, max: 1}}}
  domain: line
  time: [0, 1]
networks:
  net: {type: mlp, inputs: [t, x], outputs: [u], hidden: [32, 32, 32], activation: tanh}
constraints:
  interior: {at: line, residuals: all, points: 10000, sampler: sobol}
  initial:  {at: line, time: 0, equals: {u: "-sin(pi*x)"}, points: 200}
  ends:     {at: line.boundary, equals: {u: 0}, points: 100}
training:
  stages:
    warm:   {optimizer: adam, steps: 3000, lr: {exponential: {start: 5e-3, rate: 0.98, every: 100}}}
    polish: {optimizer: lbfgs, steps: 3000}
  stop: {minutes: 3, loss: 1e-13}
outputs:
  fields: {u: {at: line, grid: [256], times: 101, values: {u: u, residual: burgers}, format: vti}}
data:
  shock: {file: data/burgers/burgers_shock.mat, axes: {x: x, t: t}, fields: {u: usol}}
validation:
  shock: {data: shock, fields: [u], metric: rel_l2, tolerance: 1e-3}
profiles:
  quick: {training.stages.polish.steps: 500, validation.shock.tolerance: 1e-2}
)yaml";

const std::string cavity = R"yaml(name: cavity_re100
about: steady lid-driven cavity, unit square, Re = 100
precision: f64
equation:
  use: navier_stokes
  options: {dim: 2, steady: true}
  parameters: {nu: 0.01, rho: 1}
geometry:
  shapes:
    cavity: {rectangle: {min: [0, 0], max: [1, 1]}}      # faces: left right bottom top
    mid:    {line: {from: [0.5, 0], to: [0.5, 1]}}
  domain: cavity
networks:
  flow: {type: mlp, inputs: [x, y], outputs: [u, v, p], hidden: [40, 40, 40], activation: tanh}
constraints:
  interior: {at: cavity, residuals: [continuity, momentum_x, momentum_y], points: 6000, sampler: sobol}
  lid:      {at: cavity.top, equals: {u: 1, v: 0}, points: 200, weight: {u: "1 - abs(2*x - 1)", v: 1}}
  walls:    {at: [cavity.left, cavity.right, cavity.bottom], equals: {u: 0, v: 0}, points: 600}
  gauge:    {at: {points: [[0, 0]]}, equals: {p: 0}}
training:
  stages:
    warm:   {optimizer: adam, steps: 5000, lr: 1e-3}
    polish: {optimizer: ssbroyden, steps: 20000, resample: {rad: {every: 500, k: 1, c: 1}}}
outputs:
  fields:   {flow: {at: cavity, grid: [257, 257], values: {u: u, v: v, p: p, vorticity: "v_x - u_y"}}}
  monitors: {net_flux: {integral: u, at: mid, every: 500}}
data:
  ghia_u: {file: data/ghia/re100_u.csv, columns: {y: y, u: u}, fixed: {x: 0.5}}
validation:
  centre_u: {data: ghia_u, fields: [u], metric: linf, tolerance: 0.01}
)yaml";

std::string replaced(std::string text, const std::string& what, const std::string& by) {
  const std::size_t at = text.find(what);
  REQUIRE(at != std::string::npos);
  return text.replace(at, what.size(), by);
}

ProblemFile read(const std::string& yaml) { return read_problem(parse_yaml(yaml, "f")); }
std::string read_error(const std::string& yaml) {
  return error_of([&] { read(yaml); });
}
/// The error after one replacement in the Burgers file.
std::string burgers_error(const std::string& what, const std::string& by) {
  return read_error(replaced(burgers, what, by));
}

}  // namespace

TEST_CASE("the Burgers file is read literally") {
  const ProblemFile p = read(burgers);
  CHECK(p.name.text == "burgers");
  CHECK(p.precision == DType::f64);
  REQUIRE(p.equation.residuals);
  const Expression& residual = p.equation.residuals->at(0).value;
  CHECK(str(residual) == "u_t + u*u_x - nu*u_xx");
  CHECK(residual.operand(1).where.str() == "f:9:41");
  CHECK(str(find(p.equation.parameters, "nu")->value) == "0.01/pi");
  CHECK(find(p.geometry.shapes, "line")->interval->min == -1);
  CHECK(p.geometry.time->end == 1);
  const NetworkSpec& net = p.networks[0].value;
  CHECK(net.type.text == "mlp");
  CHECK(net.inputs == std::vector<Text>{"t", "x"});
  CHECK(net.options.node.keys() == std::vector<std::string>{"hidden", "activation"});
  REQUIRE(p.constraints.size() == 3);
  CHECK(p.constraints[0].value.residuals->all);
  CHECK(p.constraints[0].value.points == 10000);
  CHECK(p.constraints[1].value.time->kind == ConstraintTime::Kind::moment);
  CHECK(str(p.constraints[1].value.equals->at(0).right) == "-sin(pi*x)");
  CHECK(p.constraints[2].value.at.regions[0].text == "line.boundary");
  CHECK(p.constraints[2].value.at.regions[0].where.str() == "f:19:18");
  const StageSpec& warm = p.training.stages[0].value;
  CHECK(warm.lr->exponential->start == 5e-3);
  CHECK(warm.lr->exponential->every == 100);
  CHECK_FALSE(p.training.stages[1].value.lr);
  CHECK(p.training.stop.minutes == 3);
  CHECK(p.training.stop.loss == 1e-13);
  const FieldOutput& field = p.outputs.fields[0].value;
  CHECK(field.grid == std::vector<std::int64_t>{256});
  CHECK(field.times == 101);
  CHECK(field.format == FieldFormat::vti);
  CHECK(find(p.data[0].value.fields, "u")->text == "usol");
  CHECK(p.validation[0].value.tolerance == 1e-3);
  CHECK(names(p.profiles) == std::vector<std::string>{"quick"});
}

TEST_CASE("the cavity is refused only for what is not there yet, by name") {
  std::string text = cavity;
  CHECK(read_error(text).find("f:11:14: 'line' is not there yet in the shape") == 0);
  text = replaced(text, "    mid:    {line: {from: [0.5, 0], to: [0.5, 1]}}\n", "");
  CHECK(read_error(text).find("'rad' is not there yet in the resample") != std::string::npos);
  text = replaced(text, ", resample: {rad: {every: 500, k: 1, c: 1}}", "");
  CHECK(read_error(text).find("'monitors' is not there yet in the outputs") != std::string::npos);
  text = replaced(text, "  monitors: {net_flux: {integral: u, at: mid, every: 500}}\n", "");
  const ProblemFile p = read(text);
  CHECK(p.equation.use->text == "navier_stokes");
  CHECK(p.equation.options.node.keys() == std::vector<std::string>{"dim", "steady"});
  CHECK(p.constraints[0].value.residuals->names.size() == 3);
  CHECK(str(*find(p.constraints[1].value.weight.per_term, "u")) == "1 - abs(2*x - 1)");
  CHECK(p.constraints[2].value.at.regions.size() == 3);
  CHECK(p.constraints[3].value.at.points == PointList{{0, 0}});
  CHECK_FALSE(p.constraints[3].value.points);
  CHECK(p.training.stages[0].value.lr->constant == 1e-3);
  CHECK(p.data[0].value.fixed[0].value == 0.5);
  CHECK(p.validation[0].value.metric == Metric::linf);
}

TEST_CASE("planned keys are known by name") {
  CHECK(burgers_error("seed: 0", "equations: {}").find("'equations' is not there yet in the problem") !=
        std::string::npos);
  CHECK(burgers_error("time: [0, 1]", "time: {range: [0, 1], windows: 10}").find("'windows' is not there yet") !=
        std::string::npos);
  CHECK(
      burgers_error("time: [0, 1]", "parameters: {r: [0, 1]}").find("'parameters' is not there yet in the geometry") !=
      std::string::npos);
  CHECK(burgers_error("interval: {min: -1, max: 1}", "stl: a.stl").find("'stl' is not there yet") != std::string::npos);
  CHECK(burgers_error("{interval: {min: -1, max: 1}}", "a + b").find("expressions over shapes are not there yet") !=
        std::string::npos);
  CHECK(burgers_error("residuals: all", "interface: {}").find("'interface' is not there yet") != std::string::npos);
  CHECK(burgers_error("residuals: all", "weak: {}").find("'weak' is not there yet") != std::string::npos);
  CHECK(burgers_error("residuals: all", "residuals: all, causal: 1").find("'causal' is not there yet") !=
        std::string::npos);
  CHECK(burgers_error("  stop: {minutes: 3, loss: 1e-13}", "  balance: ntk").find("'balance' is not there yet") !=
        std::string::npos);
  CHECK(burgers_error("optimizer: adam", "optimizer: adam, freeze: [net]").find("'freeze' is not there yet") !=
        std::string::npos);
  CHECK(burgers_error("type: mlp", "type: mlp, from: runs/a").find("'from' is not there yet") != std::string::npos);
  CHECK(burgers_error("seed: 0", "define: {a: {interpolate: c.a}}").find("'interpolate' is not there yet") !=
        std::string::npos);
}

TEST_CASE("mistakes are reported where they are") {
  CHECK(burgers_error("training:", "traning:") ==
        "f:20:1: unknown key 'traning' in the problem\n  did you mean 'training'?");
  CHECK(burgers_error("sampler: sobol", "sampler: sobel")
            .find("f:17:64: expected one of uniform, latin_hypercube, halton, sobol, "
                  "found the text \"sobel\"\n  did you mean 'sobol'?") == 0);
  CHECK(
      burgers_error("points: 200", "points: many").find("f:18:68: expected an integer >= 1, found the text \"many\"") ==
      0);
  CHECK(burgers_error("- nu*u_xx", "- nu*").find("f:9:42: expected a value, found the end of the expression") == 0);
  CHECK(burgers_error("equals: {u: 0}", "equals: {\"u +\": 0}").find("f:19:46: expected a value") == 0);
  CHECK(burgers_error("at: line.boundary", "at: lime.boundary") ==
        "f:19:18: there is no shape 'lime'\n  did you mean 'line'?");
  CHECK(burgers_error("domain: line", "domain: lin").find("f:12:11: there is no shape 'lin'") == 0);
  CHECK(burgers_error("data: shock,", "data: shok,").find("there is no data set 'shok'\n  did you mean 'shock'?") !=
        std::string::npos);
  CHECK(burgers_error(", points: 100}", "}").find("f:19:13: the key 'points' is missing in this constraint") == 0);
  CHECK(burgers_error("residuals: all", "residuals: all, equals: {u: 0}")
            .find("'residuals' and 'equals' exclude each other") != std::string::npos);
  CHECK(burgers_error("residuals: all, ", "").find("this constraint needs one of residuals, equals, periodic, data") !=
        std::string::npos);
  CHECK(burgers_error("exponential: {start: 5e-3", "exponentail: {start: 5e-3").find("did you mean 'exponential'?") !=
        std::string::npos);
  CHECK(burgers_error("  time: [0, 1]\n", "").find("f:17:13: 'time' needs a problem in time") == 0);
  CHECK(burgers_error("time: [0, 1]", "time: [1, 0]").find("must end after it begins") != std::string::npos);
  CHECK(burgers_error("min: -1, max: 1", "min: 1, max: 1").find("'min' must be below 'max'") != std::string::npos);
  CHECK(burgers_error("name: burgers", "name: a/b").find("f:1:7: the name becomes a folder's name") == 0);
  CHECK(burgers_error("unknowns: [u]", "unknowns: [u, u]").find("f:6:17: 'u' appears twice") == 0);
  CHECK(burgers_error("unknowns: [u]", "unknowns: [2u]").find("f:6:14: '2u' cannot be used as a name") == 0);
  CHECK(burgers_error("  unknowns: [u]\n", "").find("f:6:3: the key 'unknowns' is missing") == 0);
  CHECK(
      burgers_error("  residuals:", "  use: burgers\n  residuals:").find("'use' and 'residuals' exclude each other") !=
      std::string::npos);
}

TEST_CASE("other forms of values") {
  ProblemFile p = read(replaced(burgers, "nu: \"0.01/pi\"", "nu: {trainable: 0.05, min: 0}"));
  const Parameter& nu = *find(p.equation.parameters, "nu");
  CHECK(nu.trainable);
  CHECK(nu.min == 0.0);
  CHECK(str(nu.value) == "0.05");
  p = read(
      replaced(burgers, "equals: {u: 0}, points: 100", "periodic: {x: [u, u_x]}, points: 100, weight: \"1 + x^2\""));
  CHECK(str(find(*p.constraints[2].value.periodic, "x")->at(1)) == "u_x");
  CHECK(str(p.constraints[2].value.weight.all) == "1 + x^2");
  p = read(replaced(burgers, "at: line.boundary, equals: {u: 0}, points: 100",
                    "at: line, data: shock, match: [u], where: x > 0, reduction: sum"));
  CHECK(p.constraints[2].value.match.at(0).field.text == "u");
  CHECK(p.constraints[2].value.reduction == Reduction::sum);
  CHECK(p.constraints[2].value.where_condition->is_condition());
  p = read(replaced(burgers, "time: 0", "time: initial, resample: 100, pool: 1000"));
  CHECK(p.constraints[1].value.time->kind == ConstraintTime::Kind::initial);
  CHECK(p.constraints[1].value.resample.every == 100);
  p = read(replaced(burgers, "time: 0", "time: [0.5, 1]"));
  CHECK(p.constraints[1].value.time->begin == 0.5);
  p = read(replaced(burgers, "lr: {exponential: {start: 5e-3, rate: 0.98, every: 100}}",
                    "lr: {cosine: {start: 1e-2}, warmup: 50}, clip: 0.5, precision: f32, beta1: 0.8"));
  CHECK(p.training.stages[0].value.lr->cosine->start == 1e-2);
  CHECK(p.training.stages[0].value.lr->warmup == 50);
  CHECK(p.training.stages[0].value.precision == DType::f32);
  CHECK(p.training.stages[0].value.options.node.keys() == std::vector<std::string>{"beta1"});
  p = read(replaced(burgers, "data: shock, fields: [u]", "exact: {u: \"exp(-t)*sin(pi*x)\"}"));
  CHECK(str(*find(*p.validation[0].value.exact, "u")) == "exp(-t)*sin(pi*x)");
}

TEST_CASE("what eddy check prints reads back as the same problem") {
  std::string steady = replaced(cavity, "    mid:    {line: {from: [0.5, 0], to: [0.5, 1]}}\n", "");
  steady = replaced(steady, ", resample: {rad: {every: 500, k: 1, c: 1}}", ", resample: 7");
  steady = replaced(steady, "  monitors: {net_flux: {integral: u, at: mid, every: 500}}\n", "");
  const std::string variant = replaced(
      replaced(burgers, "nu: \"0.01/pi\"", "nu: {trainable: 0.05, max: 1}"), "at: line.boundary, equals: {u: 0}",
      "at: line, data: shock, match: {\"2*u\": u}, time: [0.5, 1], weight: {\"2*u\": x^2}");
  for (const std::string& text : {burgers, steady, variant}) {
    const std::string once = resolved_yaml(read(text));
    INFO(once);
    CHECK(resolved_yaml(read(once)) == once);
    CHECK(once.find("seed: 0\n") != std::string::npos);
    CHECK(once.find("checkpoint_every: 1000\n") != std::string::npos);
  }
}

TEST_CASE("the JSON Schema has a definition for everything it refers to") {
  const auto json = nlohmann::json::parse(problem_json_schema());
  const std::function<void(const nlohmann::json&)> check = [&](const nlohmann::json& node) {
    if (node.is_object() && node.contains("$ref")) {
      const std::string reference = node["$ref"];
      CHECK(json["$defs"].contains(reference.substr(reference.rfind('/') + 1)));
    }
    for (const auto& child : node) {
      if (child.is_structured()) check(child);
    }
  };
  check(json);
  const std::string page = problem_reference_page();
  for (const char* section : {"## problem\n", "## equation\n", "## constraint\n", "## stage\n", "## learning rate\n"}) {
    CHECK(page.find(section) != std::string::npos);
  }
}

TEST_CASE("configs/schema.json and the reference page are those of the declaration") {
  // Written by the hidden test below: eddy_science_config_test "write the generated files".
  const auto content = [](const std::string& path) {
    std::ifstream stream(path);
    return std::string(std::istreambuf_iterator<char>(stream), {});
  };
  CHECK(content("configs/schema.json") == problem_json_schema());
  CHECK(content("docs/reference/problem_file.md") == problem_reference_page());
}

TEST_CASE("write the generated files", "[.]") {
  std::filesystem::create_directories("configs");
  std::filesystem::create_directories("docs/reference");
  std::ofstream("configs/schema.json") << problem_json_schema();
  std::ofstream("docs/reference/problem_file.md") << problem_reference_page();
}

TEST_CASE("a file is read with overrides from the command line") {
  const std::string path = (std::filesystem::temp_directory_path() / "eddy_problem_file_test.yaml").string();
  std::ofstream(path) << burgers;
  const ProblemFile p = read_problem(path, {"quick", {"training.stages.warm.steps=7", "training.stop=null"}});
  CHECK(p.training.stages[0].value.steps == 7);
  CHECK(p.training.stages[1].value.steps == 500);
  CHECK(p.training.stop.minutes == 0);
  CHECK(p.validation[0].value.tolerance == 1e-2);
  const auto set_error = [&](const std::string& assignment) {
    return error_of([&] { read_problem(path, {"", {assignment}}); });
  };
  CHECK(set_error("training.stages.warm.steps=many") ==
        "--set training.stages.warm.steps=many: expected an integer >= 0, found the text \"many\"");
  CHECK(set_error("training.stages.worm.steps=1").find("there is no 'worm'\n  did you mean 'warm'?") !=
        std::string::npos);
  CHECK(set_error("trainig.loss=sum").find("unknown key 'trainig' in the problem\n  did you mean 'training'?") !=
        std::string::npos);
  CHECK(set_error("equation.residuals.burgers=u_t + *u")
            .find("expected a value, found '*' (character 7 of \"u_t + *u\")") != std::string::npos);
  const Rng rng(6, "set_fuzz");
  std::uint64_t index = 0;
  for (int i = 0; i < 300; ++i) {
    const std::string assignment = mutate("training.stages.warm={steps: 7, lr: [1]}", ".=:{}[] ,*&\"'", rng, index);
    INFO(assignment);
    set_error(assignment);  // throws through for anything but a UserError
  }
  std::filesystem::remove(path);
}

TEST_CASE("sizes may be written with pi") {
  ProblemFile p = read(replaced(burgers, "min: -1, max: 1", "min: -pi, max: 2*pi/3"));
  CHECK(p.geometry.shapes[0].value.interval->min == -M_PI);
  CHECK(p.geometry.shapes[0].value.interval->max == 2 * M_PI / 3);
  CHECK(burgers_error("min: -1, max: 1", "min: -1, max: x").find("expected a number, found the text \"x\"") !=
        std::string::npos);
  CHECK(burgers_error("min: -1, max: 1", "min: -1, max: 1/0").find("expected a number") != std::string::npos);
}

TEST_CASE("mutated files give a problem or a user's error", "[fuzz]") {
  const Rng rng(5, "problem_fuzz");
  std::uint64_t index = 0;
  int n_good = 0;
  for (int i = 0; i < 3000; ++i) {
    const std::string text = mutate(i % 2 == 0 ? burgers : cavity, " \n:{}[],\"'-#&*!|>%@`0x", rng, index);
    INFO(text);
    try {
      const std::string once = resolved_yaml(read(text));
      REQUIRE(resolved_yaml(read(once)) == once);
      ++n_good;
    } catch (const UserError& error) {
      REQUIRE(error.where().known());
    }
  }
  CHECK(n_good > 100);  // the test is about both outcomes
}
