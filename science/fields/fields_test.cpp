#include <catch2/catch.hpp>
#include <cmath>
#include <filesystem>

#include "science/fields/field_output.h"
#include "science/fields/validation.h"
#include "science/io/csv.h"
#include "science/io/hdf5_file.h"
#include "science/io/vtk_reader.h"
#include "science/problem/test_problem.h"

using namespace eddy;
namespace fs = std::filesystem;

namespace {

// A transform leaves nothing of the network, so that the solution is known: u = t x^2 sin(y).
constexpr const char* kProblem = R"yaml(
name: known
equation:
  unknowns: [u]
  coordinates: [t, x, y]
  parameters: {k: 2}
  residuals: {heat: "u_t - k*lap(u)"}
geometry:
  shapes: {plate: {rectangle: {min: [0, -1], max: [2, 1]}}}
  domain: plate
  time: [0, 1]
networks:
  net:
    type: mlp
    inputs: [t, x, y]
    outputs: [u]
    hidden: [4]
    transform: {u: "t*x^2*sin(y) + 0*u_raw"}
constraints:
  interior: {at: plate, residuals: all, points: 8}
training: {stages: {adam: {optimizer: adam, steps: 1}}}
outputs:
  fields:
    grid: {at: plate, grid: [5, 3], times: 2, values: {u: u, r: heat, wall: sdf}}
    table: {at: {points: [[0.5, 0.25], [1, 1]]}, values: {u: u, slope: u_x}, format: csv}
    arrays: {at: plate, grid: [2, 2], values: {u: u}, format: hdf5}
validation:
  same: {exact: {u: "t*x^2*sin(y)"}, grid: [7], times: 3, tolerance: 1e-12}
  half: {exact: {u: "2*t*x^2*sin(y)"}, grid: [5, 3], times: 2, metric: linf, tolerance: 0.1}
)yaml";

double solution(double t, double x, double y) { return t * x * x * std::sin(y); }
double residual(double t, double x, double y) {
  return x * x * std::sin(y) - 2 * (2 * t * std::sin(y) - t * x * x * std::sin(y));
}

struct Setup {
  explicit Setup(const std::string& text = kProblem)
      : engine({"cpu", runtime::Mode::eager, 1}),
        problem(config::read_problem(config::parse_yaml(text, "known.yaml")), problem::test_registry()) {
    fs::remove_all(folder);
    fs::create_directories(folder);
    for (const auto& tensor : problem.model().state()) {
      state.push_back({tensor.name, problem.model().initial_value(tensor)});
    }
  }
  ~Setup() { fs::remove_all(folder); }

  runtime::Engine engine;
  problem::Problem problem;
  std::vector<io::NamedArray> state;
  fs::path folder = fs::temp_directory_path() / "eddy_fields_test";
};

std::string with(const std::string& from, const std::string& to) {
  std::string text = kProblem;
  const std::size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

}  // namespace

// Tolerances below: a handful of roundings of numbers up to 8.
TEST_CASE_METHOD(Setup, "fields on grids are read back by VTK's own readers, point by point, at each moment") {
  fields::FieldOutputs outputs(problem, engine);
  const auto written = outputs.write(folder, state);
  REQUIRE(written.size() == 3);
  const auto series = io::read_pvd(folder / "fields.pvd");
  REQUIRE(series.size() == 2);
  CHECK(series[0].time == 0);
  CHECK(series[1].time == 1);
  for (const io::PvdEntry& entry : series) {
    const auto image = std::get<io::ImageData>(io::read_vtk(folder / entry.file));
    CHECK(image.dims == std::vector<std::int64_t>{5, 3});
    CHECK(image.origin == std::vector<double>{0, -1});
    CHECK(image.spacing == std::vector<double>{0.5, 1});
    for (const io::NamedArray& field : image.fields) {
      for (std::int64_t i = 0; i < 5; ++i) {
        for (std::int64_t j = 0; j < 3; ++j) {
          const double x = 0.5 * static_cast<double>(i), y = static_cast<double>(j) - 1;
          const double expected = field.name == "u"   ? solution(entry.time, x, y)
                                  : field.name == "r" ? residual(entry.time, x, y)
                                                      : std::min(std::min(x, 2 - x), std::min(y + 1, 1 - y));
          CHECK(field.values.at(3 * i + j) == Approx(expected).margin(1e-13));
        }
      }
    }
  }
}

TEST_CASE_METHOD(Setup, "fields as tables and arrays") {
  fields::FieldOutputs(problem, engine).write(folder, state);
  const io::CsvFile table = io::CsvFile::read(folder / "fields/table_0000.csv");
  CHECK(table.names() == std::vector<std::string>{"t", "x", "y", "u", "slope"});
  CHECK(table.column("t").at(0) == 1);  // the end
  CHECK(table.column("u").at(0) == Approx(solution(1, 0.5, 0.25)).epsilon(1e-14));
  CHECK(table.column("slope").at(1) == Approx(2 * std::sin(1.0)).epsilon(1e-14));

  const io::Hdf5File arrays(folder / "fields/arrays_0000.h5");
  CHECK(arrays.read("x").at(2) == 2);
  CHECK(arrays.read("u").at(3) == Approx(solution(1, 2, 1)).epsilon(1e-14));
}

TEST_CASE_METHOD(Setup, "points fall into several chunks without a trace") {
  fields::FieldProgram program(problem.model(), engine, {{"u", config::Expression::named("u")}});
  program.set_state(state);
  const auto grid = fields::make_grid(problem.model(), problem.model().domain(), {150, 131}, {});
  const geometry::PointSet points = fields::grid_points(problem.model(), grid, 0.5, nullptr);
  const Array values = program.run(points).front().values;
  REQUIRE(values.n_elements() == 150 * 131);
  for (std::size_t i = 0; i < static_cast<std::size_t>(points.n_points); ++i) {
    const double expected = solution(0.5, points.column("x")[i], points.column("y")[i]);
    REQUIRE(values.data<double>()[i] == Approx(expected).margin(1e-14));
  }
}

TEST_CASE_METHOD(Setup, "errors against exact solutions") {
  fields::Validation validation(problem, engine);
  CHECK(validation.names() == std::vector<std::string>{"same.u", "half.u"});
  const auto errors = validation.run(state);
  REQUIRE(errors.size() == 2);
  CHECK(errors[0].rel_l2 < 1e-15);
  CHECK_FALSE(errors[0].is_missed());
  CHECK(errors[1].rel_l2 == Approx(0.5).epsilon(1e-14));
  CHECK(errors[1].linf == Approx(4 * std::sin(1.0)).epsilon(1e-14));
  CHECK(errors[1].value() == errors[1].linf);
  CHECK(errors[1].is_missed());
}

TEST_CASE("wrong outputs and validations are errors at their places") {
  const auto message = [](const std::string& from, const std::string& to) {
    Setup setup(with(from, to));
    try {
      fields::FieldOutputs outputs(setup.problem, setup.engine);
      fields::Validation validation(setup.problem, setup.engine);
    } catch (const UserError& error) {
      CHECK(error.where().known());
      return std::string(error.what());
    }
    return std::string("no error");
  };
  CHECK(message("grid: [5, 3], times: 2, values", "grid: [5, 3, 2], times: 2, values").find("axes") !=
        std::string::npos);
  CHECK(message("r: heat", "r: haet").find("haet") != std::string::npos);
  CHECK(message("at: plate, grid: [5, 3]", "at: plate.left, grid: [5, 3]").find("not there yet") != std::string::npos);
  CHECK(message("[[0.5, 0.25], [1, 1]]", "[[0.5], [1]]").find("coordinates") != std::string::npos);
  CHECK(message("slope: u_x}, format: csv", "slope: u_x}, format: vti").find("grid") != std::string::npos);
  CHECK(message("\"2*t*x^2*sin(y)\"", "\"1/x\"").find("finite") != std::string::npos);
  CHECK(message("\"2*t*x^2*sin(y)\"", "u").find("being trained") != std::string::npos);
  CHECK(message("metric: linf", "fields: [v]").find("'v'") != std::string::npos);
}
