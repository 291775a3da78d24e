#include "science/problem/program.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <limits>
#include <set>
#include <unistd.h>

#include "framework/compiler/pipeline.h"
#include "framework/core/thread_pool.h"
#include "framework/ir/verifier.h"
#include "framework/runtime/executable.h"
#include "science/problem/test_problem.h"

using namespace eddy;
using namespace eddy::problem;

namespace {

const std::string burgers = R"yaml(name: burgers
precision: f64
equation:
  unknowns: [u]
  coordinates: [t, x]
  parameters: {nu: "0.01/pi"}
  residuals: {burgers: "u_t + u*u_x - nu*u_xx"}
geometry: {shapes: {line: {interval: {min: -1, max: 1}}}, domain: line, time: [0, 2]}
networks:
  net: {type: mlp, inputs: [t, x], outputs: [u], hidden: [3], activation: tanh}
constraints:
  interior: {at: line, residuals: all, points: 7}
  initial:  {at: line, time: 0, equals: {u: "-sin(pi*x)"}, points: 5, weight: 10}
  ends:     {at: line.boundary, equals: {"u_x + u": 0.5}, points: 4, weight: "1 + t^2"}
training: {stages: {warm: {optimizer: adam, steps: 10, lr: 1e-3}}}
)yaml";

const std::string plate = R"yaml(name: plate
precision: f64
define: {amplitude: 3}
equation:
  unknowns: [u]
  coordinates: [x, y]
  parameters:
    k: {trainable: 2, min: 0.5}
    f: "amplitude*x"
    g: "f^2"
  residuals: {flux: "k*lap(u) + f + g", scaled: "2*flux"}
geometry: {shapes: {plate: {rectangle: {min: [0, 0], max: [2, 1]}}}, domain: plate}
networks:
  net: {type: fourier, axis: [1, 2], inputs: [x, y], outputs: [u], hidden: [4], activation: silu, weight_norm: true,
        transform: {u: "x*u_raw + y"}, output_scale: {u: 0.5}}
constraints:
  interior: {at: plate, residuals: [flux, scaled], points: 8}
  sides:    {at: [plate.left, plate.top], equals: {"dn(u)": "sdf"}, points: 6, reduction: integral}
  across:   {at: plate.left, periodic: {x: [u, u_x]}, points: 5, reduction: sum}
training: {stages: {warm: {optimizer: adam, steps: 10}}}
)yaml";

/// u and its derivatives by the formula: u = b1 + sum_j w1_j tanh(a_j), a_j = w0_0j s + w0_1j x + b0_j, s = t - 1.
struct Reference {
  double u, u_t, u_x, u_xx;
};
Reference by_hand(const NamedArrays& p, double t, double x) {
  Reference r{p.at("net.b1").at(0), 0, 0, 0};
  for (std::int64_t j = 0; j < 3; ++j) {
    const double wt = p.at("net.w0").at(j), wx = p.at("net.w0").at(3 + j), w1 = p.at("net.w1").at(j);
    const double h = std::tanh(wt * (t - 1) + wx * x + p.at("net.b0").at(j)), d = 1 - h * h;
    r.u += w1 * h;
    r.u_t += w1 * d * wt;
    r.u_x += w1 * d * wx;
    r.u_xx += w1 * -2 * h * d * wx * wx;
  }
  return r;
}

template <typename F>
double mean_square(const Array& points, F residual) {
  double sum = 0;
  const std::int64_t n = points.shape()[0];
  for (std::int64_t i = 0; i < n; ++i) sum += residual(points.at(2 * i), points.at(2 * i + 1));
  return sum / static_cast<double>(n);
}

/// A relative bound for values summed from a few hundred products of numbers of order one.
constexpr double rounding = 1e-13;

}  // namespace

TEST_CASE("Terms agree with formulas written by hand", "[problem]") {
  Problem problem(read_text(burgers), test_registry());
  const NamedArrays arguments = arguments_of(problem);
  CHECK(arguments.at("param.nu").item() == Approx(0.01 / M_PI).epsilon(1e-15));
  const auto module = build_terms(problem, DType::f64);
  ir::verify(*module);
  const NamedArrays terms = run(module->function("terms"), arguments);

  const double nu = 0.01 / M_PI;
  const double interior = mean_square(arguments.at("interior.points"), [&](double t, double x) {
    const Reference r = by_hand(arguments, t, x);
    return std::pow(r.u_t + r.u * r.u_x - nu * r.u_xx, 2);
  });
  const double initial = 10 * mean_square(arguments.at("initial.points"), [&](double t, double x) {
                           CHECK(t == 0);
                           return std::pow(by_hand(arguments, t, x).u + std::sin(M_PI * x), 2);
                         });
  const double ends = mean_square(arguments.at("ends.points"), [&](double t, double x) {
    CHECK(std::abs(x) == 1);
    const Reference r = by_hand(arguments, t, x);
    return (1 + t * t) * std::pow(r.u_x + r.u - 0.5, 2);
  });
  CHECK(terms.at("interior.burgers").item() == Approx(interior).epsilon(rounding));
  CHECK(terms.at("initial.u").item() == Approx(initial).epsilon(rounding));
  CHECK(terms.at("ends.u_x + u").item() == Approx(ends).epsilon(rounding));

  const TrainingProgram training = build_training(problem, DType::f64);
  ir::verify(*training.module);
  CHECK(training.plans.size() == 2);  // interior and ends
  const NamedArrays results = run(training.module->function("loss_and_grad"), arguments);
  CHECK(results.at("loss").item() == Approx(interior + initial + ends).epsilon(rounding));
}

TEST_CASE("Gradients agree with finite differences", "[problem]") {
  Problem problem(read_text(burgers), test_registry());
  NamedArrays arguments = arguments_of(problem);
  const TrainingProgram training = build_training(problem, DType::f64);
  const ir::Function function = training.module->function("loss_and_grad");
  const NamedArrays results = run(function, arguments);
  // Central differences: error h^2 |f'''| / 6 + eps |f| / h with f and f''' of order 100 at most.
  const double h = 1e-5, tolerance = 1e-8;
  for (const StateTensor& tensor : problem.model().state()) {
    const Array start = arguments.at(tensor.name);
    for (std::int64_t i = 0; i < start.n_elements(); ++i) {
      double loss[2];
      for (const int side : {0, 1}) {
        arguments[tensor.name] = start.clone();
        arguments[tensor.name].data<double>()[static_cast<std::size_t>(i)] += side == 0 ? -h : h;
        loss[side] = run(function, arguments).at("loss").item();
      }
      INFO(tensor.name << " " << i);
      CHECK(results.at("grad." + tensor.name).at(i) == Approx((loss[1] - loss[0]) / (2 * h)).margin(tolerance));
    }
    arguments[tensor.name] = start;
  }
}

TEST_CASE("The step is loss_and_grad, clipping and Adam", "[problem]") {
  Problem problem(read_text(burgers), test_registry());
  NamedArrays arguments = arguments_of(problem);
  const auto optimizer = problem::Registry(test_registry()).optimizers.at("adam").make({});
  const auto& adam = dynamic_cast<const optimizers::FirstOrder&>(*optimizer);
  const TrainingProgram training = build_training(problem, DType::f64, &adam);
  ir::verify(*training.module);
  std::map<std::string, std::vector<double>> m, v;
  for (const StateTensor& tensor : problem.model().state()) {
    m[tensor.name].resize(static_cast<std::size_t>(arguments.at(tensor.name).n_elements()));
    v[tensor.name] = m[tensor.name];
    for (const char* s : {".m", ".v"}) arguments[tensor.name + s] = Array(DType::f64, tensor.shape);
  }
  const double lr = 0.01;
  arguments["lr"] = Array::scalar(lr);
  for (std::int64_t step = 1; step <= 3; ++step) {
    // Without a limit, with one that is above the norm, with one below.
    const NamedArrays reference = run(training.module->function("loss_and_grad"), arguments);
    double norm = 0;
    for (const StateTensor& tensor : problem.model().state()) {
      const Array& g = reference.at("grad." + tensor.name);
      for (std::int64_t i = 0; i < g.n_elements(); ++i) norm += g.at(i) * g.at(i);
    }
    norm = std::sqrt(norm);
    const double clip = step == 1 ? std::numeric_limits<double>::infinity() : step == 2 ? 2 * norm : norm / 4;
    arguments["clip"] = Array::scalar(clip);
    arguments["step"] = Array::scalar(step);
    const NamedArrays results = run(training.module->function("step"), arguments);
    CHECK(results.at("loss").item() == reference.at("loss").item());
    CHECK(results.at("initial.u").item() == reference.at("initial.u").item());
    CHECK(results.at("grad_norm").item() == Approx(norm).epsilon(rounding));
    for (const StateTensor& tensor : problem.model().state()) {
      const Array g = reference.at("grad." + tensor.name);
      for (std::int64_t i = 0; i < g.n_elements(); ++i) {
        const double clipped = g.at(i) * std::min(1.0, clip / norm);
        double& mi = m[tensor.name][static_cast<std::size_t>(i)];
        double& vi = v[tensor.name][static_cast<std::size_t>(i)];
        mi = 0.9 * mi + 0.1 * clipped;
        vi = 0.999 * vi + 0.001 * clipped * clipped;
        const double k = static_cast<double>(step);
        const double change = lr * mi / (1 - std::pow(0.9, k)) / (std::sqrt(vi / (1 - std::pow(0.999, k))) + 1e-8);
        CHECK(results.at(tensor.name).at(i) == Approx(arguments.at(tensor.name).at(i) - change).epsilon(1e-12));
      }
    }
    for (const auto& [name, value] : results) {
      if (arguments.count(name) != 0) arguments[name] = value;
    }
  }
}

TEST_CASE("Both precisions come from one problem; no points make no loss", "[problem]") {
  Problem problem(read_text(burgers), test_registry());
  const TrainingProgram f32 = build_training(problem, DType::f32), f64 = build_training(problem, DType::f64);
  const double single = run(f32.module->function("loss_and_grad"), arguments_of(problem, DType::f32)).at("loss").item();
  NamedArrays arguments = arguments_of(problem);
  const double exact = run(f64.module->function("loss_and_grad"), arguments).at("loss").item();
  CHECK(single == Approx(exact).epsilon(1e-5));  // some hundred roundings of 6e-8
  for (const char* name : {"interior.points", "initial.points", "ends.points"})
    arguments[name] = Array(DType::f64, {0, 2});
  CHECK(run(f64.module->function("loss_and_grad"), arguments).at("loss").item() == 0);
}

TEST_CASE("Normal derivatives, transforms, periodic faces, integrals, trained parameters", "[problem]") {
  Problem problem(read_text(plate), test_registry());
  NamedArrays arguments = arguments_of(problem);
  CHECK(arguments.count("param.f") == 0);  // varies in space
  CHECK(problem.model().trainable_value("k", arguments.at("eq.k").item()) == Approx(2).epsilon(1e-15));
  const TrainingProgram training = build_training(problem, DType::f64);
  ir::verify(*training.module);
  const NamedArrays results = run(training.module->function("loss_and_grad"), arguments);
  CHECK(results.at("interior.scaled").item() == Approx(4 * results.at("interior.flux").item()).epsilon(rounding));

  // The same numbers from the program of fields, whose values are put together by hand.
  config::NamedList<config::Expression> wanted;
  for (const char* text : {"u", "u_x", "u_y", "lap(u)"}) wanted.push_back({text, config::parse_expression(text)});
  const auto fields = build_fields(problem.model(), DType::f64, wanted);
  const auto at = [&](const Array& points) {
    NamedArrays with_points = arguments;
    with_points["points"] = points;
    return run(fields->function("fields"), with_points);
  };
  double flux = 0, sides = 0, across = 0;
  const Array interior = arguments.at("interior.points");
  NamedArrays values = at(interior);
  for (std::int64_t i = 0; i < 8; ++i) {
    const double x = interior.at(2 * i);
    flux += std::pow(2 * values.at("lap(u)").at(i) + 3 * x + 9 * x * x, 2) / 8;
  }
  CHECK(results.at("interior.flux").item() == Approx(flux).epsilon(rounding));
  values = at(arguments.at("sides.points"));
  double area = 0;
  for (std::int64_t i = 0; i < 6; ++i) {
    const bool is_left = arguments.at("sides.points").at(2 * i) == 0;
    const double dn = is_left ? -values.at("u_x").at(i) : values.at("u_y").at(i);
    sides += arguments.at("sides.area").at(i) * dn * dn;  // sdf is 0 on the boundary
    area += arguments.at("sides.area").at(i);
  }
  CHECK(area == Approx(3).epsilon(rounding));
  CHECK(results.at("sides.dn(u)").item() == Approx(sides).epsilon(rounding));
  const NamedArrays near = at(arguments.at("across.points")), far = at(arguments.at("across.opposite_points"));
  for (std::int64_t i = 0; i < 5; ++i) {
    CHECK(arguments.at("across.points").at(2 * i) == 0);
    CHECK(arguments.at("across.opposite_points").at(2 * i) == 2);
    across += std::pow(near.at("u_x").at(i) - far.at("u_x").at(i), 2);
  }
  CHECK(results.at("across.u_x").item() == Approx(across).epsilon(1e-12));

  // Central differences, h = 1e-5: error 1e-10 |f'''| / 6 + 2e-16 |f| / 1e-5, both relative to f below 1e-8.
  const double start = arguments.at("eq.k").item(), h = 1e-5;
  double loss[2];
  for (const int side : {0, 1}) {
    arguments["eq.k"] = Array::scalar(start + (side == 0 ? -h : h));
    loss[side] = run(training.module->function("loss_and_grad"), arguments).at("loss").item();
  }
  CHECK(results.at("grad.eq.k").item() ==
        Approx((loss[1] - loss[0]) / (2 * h)).margin(1e-8 * results.at("loss").item()));
}

TEST_CASE("A periodic embedding is exactly periodic", "[problem]") {
  std::string yaml = burgers;
  yaml.replace(yaml.find("hidden: [3]"), 11, "hidden: [3], periodic: {x: 2}");
  Problem problem(read_text(yaml), test_registry());
  NamedArrays arguments = arguments_of(problem);
  CHECK(arguments.at("net.w0").shape() == std::vector<std::int64_t>{3, 3});
  const auto fields = build_fields(problem.model(), DType::f64, {{"u", config::parse_expression("u")}});
  arguments["points"] = Array::from<double>({4, 2}, {0.3, -0.7, 0.3, 1.3, 1.1, 0.25, 1.1, 2.25});
  const Array u = run(fields->function("fields"), arguments).at("u");
  CHECK(u.at(0) == Approx(u.at(1)).epsilon(rounding));
  CHECK(u.at(2) == Approx(u.at(3)).epsilon(rounding));
  CHECK(u.at(0) != Approx(u.at(2)));
}

TEST_CASE("Data constraints compare with every point of the file, or with mini-batches", "[problem]") {
  const std::string path =
      (std::filesystem::temp_directory_path() / fmt::format("eddy_program_test_{}.csv", getpid())).string();
  std::ofstream(path) << "t,x,speed\n0,0.5,1\n0.5,-0.5,2\n1,0.25,3\n1.5,0,4\n";
  const auto yaml = [&](const std::string& constraint) {
    std::string text = burgers;
    const std::size_t at = text.find("  interior:");
    text.insert(at, "  sensors: {at: line, " + constraint + "}\n");
    return text + "data: {sensors: {file: " + path + ", columns: {t: t, x: x, v: speed}}}\n";
  };
  Problem all(read_text(yaml("data: sensors, match: {\"2*u\": v}")), test_registry());
  const NamedArrays arguments = arguments_of(all);
  const auto module = build_terms(all, DType::f64);
  double expected = 0;
  const double t[] = {0, 0.5, 1, 1.5}, x[] = {0.5, -0.5, 0.25, 0};
  for (int i = 0; i < 4; ++i) expected += std::pow(2 * by_hand(arguments, t[i], x[i]).u - (i + 1), 2) / 4;
  CHECK(run(module->function("terms"), arguments).at("sensors.2*u").item() == Approx(expected).epsilon(rounding));

  Problem some(read_text(yaml("data: sensors, match: {u: v}, points: 2, where: \"t > 0\"")), test_registry());
  std::set<double> seen;
  for (std::uint64_t k = 0; k < 20; ++k) {
    const std::vector<Array> batch = some.constraints().front().batch(k, DType::f64);
    REQUIRE(batch.at(0).shape() == std::vector<std::int64_t>{2, 2});
    for (std::int64_t i = 0; i < 2; ++i) {
      const double value = batch.at(1).at(i);
      CHECK(batch[0].at(2 * i) == t[static_cast<int>(value) - 1]);  // rows stay together
      seen.insert(value);
    }
  }
  CHECK(seen == std::set<double>{2, 3, 4});

  CHECK(error_of(yaml("data: sensors")).find("no field of an unknown's name") != std::string::npos);
  CHECK(error_of(yaml("data: sensors, match: {u: w}")).find("has no field 'w'") != std::string::npos);
  CHECK(error_of(yaml("data: sensors, match: {u: v}, points: 5")).find("has 4 points only") != std::string::npos);
  CHECK(error_of(yaml("data: sensors, match: {u: v}, where: \"t > 9\"")).find("no point of the data set") !=
        std::string::npos);
  std::remove(path.c_str());
}

TEST_CASE("Compiled steps agree with the interpreter, and two threads with one", "[problem]") {
  const auto optimizer = test_registry().optimizers.at("adam").make({});
  const auto& adam = dynamic_cast<const optimizers::FirstOrder&>(*optimizer);
  ThreadPool one_thread(1), two_threads(2);
  for (const std::string& yaml : {burgers, plate}) {
    Problem problem(read_text(yaml), test_registry());
    const TrainingProgram training = build_training(problem, DType::f64, &adam);
    const ir::Function step = training.module->function("step");
    NamedArrays named = arguments_of(problem);
    named["lr"] = Array::scalar(0.01);
    named["clip"] = Array::scalar(0.5);
    named["step"] = Array::scalar(std::int64_t{1});
    for (const StateTensor& tensor : problem.model().state()) {
      for (const char* s : {".m", ".v"}) named[tensor.name + s] = Array(DType::f64, tensor.shape);
    }
    const NamedArrays expected = run(step, named);

    const compiler::Prepared prepared = compiler::prepare(step);
    runtime::Executable one(prepared.function(), devices::Device::open("cpu", one_thread), 1);
    runtime::Executable two(prepared.function(), devices::Device::open("cpu", two_threads), 2);
    std::vector<Array> arguments;
    for (const std::string& name : one.argument_names()) arguments.push_back(named.at(name));
    const std::vector<Array> results = one.run(arguments), same = two.run(arguments);
    for (std::size_t i = 0; i < results.size(); ++i) {
      const Array& reference = expected.at(one.result_names()[i]);
      INFO(one.result_names()[i]);
      CHECK(results[i].identical(same[i]));
      REQUIRE(results[i].shape() == reference.shape());
      // Values below 1e3, some hundred roundings each. Adam's first step is lr g / (|g| + 1e-8), whose slope 1/|g|
      // multiplies the gradient's error by lr / 1e-8 at worst, where g nearly vanishes; none of these does.
      for (std::int64_t k = 0; k < reference.n_elements(); ++k) {
        CHECK(results[i].at(k) == Approx(reference.at(k)).epsilon(1e-10).margin(1e-10));
      }
    }
  }
}

TEST_CASE("Unknowns may be derivatives of a network's output: an exactly solenoidal field", "[problem]") {
  const std::string yaml = R"yaml(name: stream
precision: f64
equation:
  unknowns: [u, v]
  coordinates: [x, y]
  residuals: {continuity: "u_x + v_y", vorticity: "v_x - u_y + lap(psi)"}
geometry: {shapes: {plate: {rectangle: {min: [0, 0], max: [1, 1]}}}, domain: plate}
networks:
  net: {type: mlp, inputs: [x, y], outputs: [psi], hidden: [6], transform: {u: psi_y, v: "-psi_x"}}
constraints:
  interior: {at: plate, residuals: all, points: 9}
  flow:     {at: plate, equals: {u: 1}, points: 9}
training: {stages: {warm: {optimizer: adam, steps: 10}}}
)yaml";
  Problem problem(read_text(yaml), test_registry());
  const auto module = build_terms(problem, DType::f64);
  const NamedArrays terms = run(module->function("terms"), arguments_of(problem));
  // Both residuals cancel up to rounding of second derivatives of order ten, and are squared.
  CHECK(terms.at("interior.continuity").item() < 1e-26);
  CHECK(terms.at("interior.vorticity").item() < 1e-26);
  CHECK(terms.at("flow.u").item() > 1e-3);
}
