/// eddy predict: evaluates a trained solution.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstdio>

#include "apps/command.h"
#include "equations/registry.h"
#include "science/fields/field_output.h"
#include "science/io/data_file.h"
#include "science/trainer/checkpoint.h"
#include "science/trainer/manifest.h"

namespace eddy::apps {

namespace fs = std::filesystem;

namespace {

struct PredictOptions {
  std::string run, points, out;
  std::vector<std::int64_t> grid;
  std::vector<std::string> expressions;
  std::optional<double> time;
  EngineOptions engine;
};

/// Points of a file by the coordinates' names; time is --time where it is given.
geometry::PointSet read_points(const problem::Model& model, const PredictOptions& options) {
  const std::string& time = model.symbols().time();
  io::DataNames names;
  for (const std::string& name : model.symbols().coordinates()) {
    if (name != time || !options.time) names.emplace_back(name, name);
  }
  const io::PointData data = io::read_points(options.points, names, {});
  geometry::PointSet points;
  points.n_points = data.points.shape()[0];
  const auto values = data.points.data<double>();
  for (const std::string& name : model.symbols().coordinates()) {
    geometry::Column column{name,
                            std::vector<double>(static_cast<std::size_t>(points.n_points), options.time.value_or(0))};
    for (std::size_t c = 0; c < names.size(); ++c) {
      if (names[c].first != name) continue;
      for (std::size_t i = 0; i < column.values.size(); ++i) column.values[i] = values[i * names.size() + c];
    }
    points.coordinates.push_back(std::move(column));
  }
  return points;
}

/// "u_x" is called u_x; "2*u + 1" as it is written; "v=u_x" v.
config::NamedList<config::Expression> read_expressions(const problem::Model& model,
                                                       const std::vector<std::string>& texts) {
  config::NamedList<config::Expression> values;
  if (texts.empty()) {
    for (const std::string& name : model.unknowns()) values.push_back({name, config::Expression::named(name)});
  }
  for (const std::string& text : texts) {
    const std::size_t equals = text.find('=');
    const bool is_named = equals != std::string::npos && config::is_identifier(text.substr(0, equals)) &&
                          text.compare(equals, 2, "==") != 0;
    const std::string name = is_named ? text.substr(0, equals) : text;
    values.push_back({name, config::parse_expression(is_named ? text.substr(equals + 1) : text, "--expr")});
  }
  return values;
}

int predict(const PredictOptions& options) {
  if (options.points.empty() == options.grid.empty()) {
    throw UserError("give points or a grid", "--points FILE, or --grid 101");
  }
  const fs::path run(options.run);
  if (!fs::exists(run / "manifest.yaml")) {
    throw UserError(fmt::format("there is no run in '{}'", run.string()), "give the folder that eddy solve wrote into");
  }
  const config::ProblemFile file = trainer::read_manifest(run / "manifest.yaml");
  const trainer::Checkpoint checkpoint = trainer::read_checkpoint(run / "checkpoint.h5");
  const problem::Registry registry = equations::built_in();
  const problem::Model model(file, registry);
  runtime::Engine engine(options.engine.read());
  fields::FieldProgram program(model, engine, read_expressions(model, options.expressions));
  program.set_state(checkpoint.state);

  fields::FieldSample sample;
  const std::string& time = model.symbols().time();
  if (options.time && time.empty()) throw UserError("this problem has no time", "leave --time out");
  if (options.points.empty()) {
    sample.grid = fields::make_grid(model, model.domain(), options.grid, {});
    const double moment = options.time.value_or(fields::moments(model, 1).front());
    sample.points = fields::grid_points(model, *sample.grid, moment, &model.domain());
  } else {
    sample.points = read_points(model, options);
  }
  sample.values = program.run(sample.points);
  fields::write_sample(options.out, sample, time);
  fmt::print("{} points: {}\n", sample.points.n_points, options.out);
  return 0;
}

}  // namespace

void add_predict(CLI::App& app, Action& chosen) {
  auto options = std::make_shared<PredictOptions>();
  CLI::App* command = app.add_subcommand("predict", "Evaluate a trained solution at points or on a grid");
  command->add_option("RUN", options->run, "folder of a run")->required();
  auto* points = command->add_option("--points", options->points, "data file with a column for each coordinate");
  points->type_name("FILE");
  command->add_option("--grid", options->grid, "points along each axis of the domain: 101, or 101,51")
      ->delimiter(',')
      ->type_name("N[,N...]")
      ->excludes(points);
  command->add_option("--time", options->time, "moment (default: the end; of points: their column)")->type_name("T");
  command->add_option("--expr", options->expressions, "what to evaluate, any number of times: u_x, or flux=-k*u_x")
      ->type_name("[NAME=]E")
      ->allow_extra_args(false);
  command->add_option("-o,--output", options->out, "file: .csv, .vti, .vtu or .h5")->required()->type_name("FILE");
  options->engine.add_to(*command);
  command->footer(
      "Examples:\n"
      "  eddy predict runs/burgers --grid 512 --time 0.5 -o profile.csv\n"
      "  eddy predict runs/burgers --points points.csv --expr u --expr slope=u_x -o values.csv");
  command->callback([options, &chosen] { chosen = [options] { return predict(*options); }; });
}

}  // namespace eddy::apps
