#pragma once
/// The problem file as typed values: what a user may write, with every default. Names that refer to something declared
/// elsewhere (shapes, data sets) are checked; what depends on the registries of equations, networks and optimizers is
/// not: their options are kept to be read with read_options() and the schema of the module.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "framework/core/dtype.h"
#include "science/config/expression.h"
#include "science/config/layers.h"
#include "science/config/schema.h"

namespace eddy::config {

// ---- equation -------------------------------------------------------------------------------------------------------

/// A number, an expression, or a trainable value that starts at `value`.
struct Parameter {
  Expression value;
  bool trainable = false;
  std::optional<double> min, max;  ///< bounds of a trainable value
};

/// A named expression of `define`.
struct Definition {
  Expression value;
};

/// Either a module (`use`) or written out in the file (`residuals`).
struct EquationSpec {
  std::optional<Text> use;
  Options options;
  NamedList<Parameter> parameters;
  std::vector<Text> unknowns, coordinates;
  std::optional<NamedList<Expression>> residuals;
  SourceLocation where;
};

// ---- geometry -------------------------------------------------------------------------------------------------------

struct IntervalShape {
  double min = 0, max = 1;
};
/// Corners of a rectangle or a box in any number of dimensions, [n_dims] each.
struct BoxShape {
  std::vector<double> min, max;
};
/// Coordinates [n_points][n_dims].
using PointList = std::vector<std::vector<double>>;

/// Exactly one member is set.
struct ShapeSpec {
  std::optional<IntervalShape> interval;
  std::optional<BoxShape> rectangle, box;
  std::optional<PointList> points;
  SourceLocation where;
};

struct TimeSpec {
  double begin = 0, end = 1;
};

struct GeometrySpec {
  NamedList<ShapeSpec> shapes;
  Text domain;
  std::optional<TimeSpec> time;  ///< absent: a steady problem
  SourceLocation where;
};

/// Where a constraint or an output lives: regions by name (`line`, `line.boundary`, `cavity.top`) or points.
struct At {
  std::vector<Text> regions;
  PointList points;  ///< used when `regions` is empty
  SourceLocation where;
};

// ---- networks -------------------------------------------------------------------------------------------------------

struct NetworkSpec {
  Text type;
  std::vector<Text> inputs, outputs;
  /// Hard constraints: output -> expression, in which `u_raw` is what the network gives for u.
  NamedList<Expression> transform;
  NamedList<double> periodic;  ///< input -> period
  bool scale_inputs = true;
  NamedList<double> output_scale;  ///< output -> factor
  Options options;                 ///< of the type
  SourceLocation where;
};

// ---- constraints ----------------------------------------------------------------------------------------------------

/// `all`, or names.
struct ResidualChoice {
  bool all = true;
  std::vector<Text> names;
};

/// left = right.
struct Equality {
  Text name;  ///< the left side as it was written
  Expression left, right;
};

/// The expression's value is compared with the data set's field.
struct Match {
  Text name;  ///< the expression as it was written
  Expression value;
  Text field;
};

struct ConstraintTime {
  enum class Kind { initial, moment, range };
  Kind kind = Kind::initial;
  double begin = 0, end = 0;  ///< equal for a moment
};

enum class Sampler { uniform, latin_hypercube, halton, sobol };
enum class Reduction { mean, sum, integral };

/// New points every so many steps; 0: never.
struct Resample {
  std::int64_t every = 0;
};

/// One expression for all terms, or one for each.
struct Weight {
  Expression all = Expression::number(1);
  NamedList<Expression> per_term;  ///< by residual name or left side; terms not named weigh 1. Empty: `all` holds
};

/// Exactly one of residuals, equals, periodic and data is set.
struct ConstraintSpec {
  At at;
  std::optional<Expression> where_condition;
  std::optional<ConstraintTime> time;  ///< absent: the whole range
  std::optional<ResidualChoice> residuals;
  std::optional<std::vector<Equality>> equals;
  std::optional<NamedList<std::vector<Expression>>> periodic;  ///< coordinate -> expressions equal on both faces
  std::optional<Text> data;
  std::vector<Match> match;            ///< with `data`; empty: every field that has an unknown's name
  std::optional<std::int64_t> points;  ///< per step; absent: all listed points, all points of the data set
  Sampler sampler = Sampler::sobol;
  std::optional<std::int64_t> pool;  ///< points drawn once from which every step takes its own
  Resample resample;
  Weight weight;
  std::optional<Reduction> reduction;  ///< absent: training.loss
  SourceLocation where;
};

// ---- training -------------------------------------------------------------------------------------------------------

/// start * rate^(step/every)
struct ExponentialRate {
  double start = 1e-3, rate = 0.95;
  std::int64_t every = 1000;
};
/// start * rate^floor(step/every)
struct StepRate {
  double start = 1e-3, rate = 0.5;
  std::int64_t every = 1000;
};
/// end + (start - end)*(1 + cos(pi*step/steps))/2, then `end`
struct CosineRate {
  double start = 1e-3, end = 0;
  std::optional<std::int64_t> steps;  ///< absent: those of the stage
};
/// Exactly one of the optional members is set; `step` counts from the stage's begin.
struct LearningRate {
  std::optional<double> constant;
  std::optional<ExponentialRate> exponential;
  std::optional<StepRate> step;
  std::optional<CosineRate> cosine;
  std::int64_t warmup = 0;  ///< steps over which the rate first rises linearly from 0
};

struct StageSpec {
  Text optimizer;
  std::int64_t steps = 0;
  std::optional<LearningRate> lr;    ///< absent: the optimizer's own default
  std::optional<double> clip;        ///< of the gradient's global norm
  std::optional<DType> precision;    ///< absent: the file's
  std::optional<Resample> resample;  ///< absent: the constraints' own
  Options options;                   ///< of the optimizer
  SourceLocation where;
};

struct StopSpec {
  double minutes = 0;  ///< of wall time, 0: no limit
  std::optional<double> loss;
};

struct TrainingSpec {
  Reduction loss = Reduction::mean;
  NamedList<StageSpec> stages;
  StopSpec stop;
  /// In steps, 0: never.
  std::int64_t log_every = 100, validate_every = 1000, checkpoint_every = 1000;
};

// ---- outputs, data, validation --------------------------------------------------------------------------------------

enum class FieldFormat { vti, vtu, csv, hdf5 };

struct FieldOutput {
  At at;
  std::optional<std::vector<std::int64_t>>
      grid;                ///< points per axis, one number for every axis; absent with listed points
  std::int64_t times = 1;  ///< moments, evenly spaced with both ends of the time range; 1: the end
  NamedList<Expression> values;
  std::optional<FieldFormat> format;  ///< absent: vti for grids, vtu for points
  SourceLocation where;
};

struct OutputSpec {
  NamedList<FieldOutput> fields;
};

/// A data file. Its arrays are called by the problem's names: coordinate or field -> name in the file.
struct DataSpec {
  Text file;
  NamedList<Text> axes;     ///< of a grid
  NamedList<Text> columns;  ///< of a table: coordinates and fields alike
  NamedList<Text> fields;   ///< of a grid
  NamedList<double> fixed;  ///< coordinates that have one value in the whole file
  SourceLocation where;
};

enum class Metric { rel_l2, linf };

/// Exactly one of data and exact is set.
struct ValidationSpec {
  std::optional<Text> data;
  std::optional<NamedList<Expression>> exact;
  std::vector<Text> fields;  ///< empty: all that the reference has
  Metric metric = Metric::rel_l2;
  std::optional<double> tolerance;  ///< absent: reported, never missed
  std::vector<std::int64_t> grid = {101};
  std::int64_t times = 11;
  SourceLocation where;
};

// ---- the whole ------------------------------------------------------------------------------------------------------

struct ProblemFile {
  Text name;
  std::optional<Text> about;
  std::int64_t seed = 0;
  DType precision = DType::f32;
  std::optional<Text> extends;  ///< resolved by read_layers, so always empty after reading
  NamedList<Definition> define;
  EquationSpec equation;
  GeometrySpec geometry;
  NamedList<NetworkSpec> networks;
  NamedList<ConstraintSpec> constraints;
  TrainingSpec training;
  OutputSpec outputs;
  NamedList<DataSpec> data;
  NamedList<ValidationSpec> validation;
  NamedList<Node> profiles;
  bool long_running = false;
  SourceLocation where;
};

/// The declaration of all of the above.
const Schema<ProblemFile>& problem_schema();

/// Reads `root`, a tree of layers, and checks its references.
ProblemFile read_problem(const Node& root);
/// Reads a file with everything it extends and the command line's overrides.
ProblemFile read_problem(const std::string& path, const Overrides& overrides = {});

/// The problem with every default as YAML, for `eddy check` and the manifest.
std::string resolved_yaml(const ProblemFile& problem);

/// Text of configs/schema.json and of the reference page in docs.
std::string problem_json_schema();
std::string problem_reference_page();

}  // namespace eddy::config
