/// The declaration of the problem file: every key with its type, default and meaning.
#include "science/config/problem_file.h"

namespace eddy::config {

namespace {

Schema<DType> precision() { return choice<DType>({{"f32", DType::f32}, {"f64", DType::f64}}); }

Schema<std::int64_t> count(double min = 1) { return integer({.min = min}); }

/// Names, each once.
Schema<std::vector<Text>> identifiers(std::size_t min_size) {
  Schema<std::vector<Text>> schema = list(identifier(), min_size);
  return {schema.type,
          [schema](const Node& node) {
            std::vector<Text> names = schema.read(node);
            for (std::size_t i = 0; i < names.size(); ++i) {
              for (std::size_t j = 0; j < i; ++j) {
                if (names[i] == names[j]) throw UserError(names[i].where, "'" + names[i].text + "' appears twice");
              }
            }
            return names;
          },
          schema.write};
}

/// Options of a module as one map.
Schema<Options> options() {
  const Schema<Node> node = any();
  Type type;
  type.kind = Type::Kind::map;
  type.doc = "option";
  type.element = node.type;
  const auto shared = std::make_shared<const Type>(type);
  return {shared,
          [shared](const Node& value) {
            if (!value.is_map()) detail::throw_unexpected(*shared, value);
            return Options{value, {}};
          },
          [](const Options& value) { return value.node; }};
}

// ---- equation
// ---------------------------------------------------------------------------------------------------------

Schema<Parameter> parameter() {
  Schema<Parameter> object = ObjectSchema<Parameter>("trainable parameter", "A parameter that training may change.")
                                 .required("trainable", &Parameter::value, expression(), "value it starts with")
                                 .field("min", &Parameter::min, number(), "lower bound")
                                 .field("max", &Parameter::max, number(), "upper bound")
                                 .check([](const Parameter& p, const Node& node) {
                                   if (p.min && p.max && *p.min >= *p.max)
                                     throw UserError(node.where, "'min' must be below 'max'");
                                 })
                                 .schema();
  const auto read = object.read;
  object.read = [read](const Node& node) {
    Parameter value = read(node);
    value.trainable = true;
    return value;
  };
  return with_shorthand<Parameter, Expression>(
      object, expression(),
      [](Expression value) {
        return Parameter{std::move(value), false, {}, {}};
      },
      [](const Parameter& p) { return p.trainable ? std::nullopt : std::optional<Expression>(p.value); });
}

Schema<Definition> definition() {
  const Schema<Definition> object =
      ObjectSchema<Definition>("definition", "A field that is made from something else than an expression.")
          .later({"interpolate"})
          .check([](const Definition&, const Node& node) {
            throw UserError(node.where, "expected a number or an expression, found an empty map");
          })
          .schema();
  return with_shorthand<Definition, Expression>(
      object, expression(), [](Expression value) { return Definition{std::move(value)}; },
      [](const Definition& d) { return std::optional<Expression>(d.value); });
}

Schema<EquationSpec> equation() {
  return ObjectSchema<EquationSpec>("equation",
                                    "What is solved: a module by name, or unknowns, coordinates and residuals written "
                                    "out. A residual is zero where the equation holds.")
      .field("use", &EquationSpec::use, text(), "name of a module (`eddy list equations`)")
      .field("options", &EquationSpec::options, options(), "options of the module (`eddy describe NAME`)")
      .field("parameters", &EquationSpec::parameters, map_of(parameter(), "parameter", true),
             "constants of the equation; changed at run time without compiling again")
      .field("unknowns", &EquationSpec::unknowns, identifiers(0), "functions that are looked for")
      .field("coordinates", &EquationSpec::coordinates, identifiers(0),
             "independent variables; t is time, x, y and z are the axes of space")
      .field("residuals", &EquationSpec::residuals, map_of(expression(), "residual", true),
             "expressions that are to vanish, such as `u_t - nu*u_xx`; later ones may use the names of earlier ones")
      .exactly_one({"use", "residuals"})
      .located(&EquationSpec::where)
      .later({"rename", "domain"})
      .check([](const EquationSpec& e, const Node& node) {
        if (e.use && !(e.unknowns.empty() && e.coordinates.empty())) {
          const Text& first = e.unknowns.empty() ? e.coordinates[0] : e.unknowns[0];
          throw UserError(first.where, "unknowns and coordinates come from the module '" + e.use->text + "'",
                          "leave them out, or write 'residuals' instead of 'use'");
        }
        if (e.use) return;
        if (!e.options.node.entries.empty()) {
          throw UserError(e.options.node.where, "'options' belong to a module", "they go with 'use'");
        }
        if (e.residuals->empty()) throw UserError(node.where, "the equation has no residuals");
        if (e.unknowns.empty())
          throw UserError(node.where, "the key 'unknowns' is missing in this equation", "unknowns: [u]");
        if (e.coordinates.empty()) {
          throw UserError(node.where, "the key 'coordinates' is missing in this equation", "coordinates: [t, x]");
        }
      })
      .schema();
}

// ---- geometry
// ---------------------------------------------------------------------------------------------------------

Schema<PointList> points() { return list(list(number(), 1), 1); }

Schema<BoxShape> box(const std::string& name, const std::string& doc, std::size_t min_dims,
                     std::optional<std::size_t> max_dims) {
  return ObjectSchema<BoxShape>(name, doc)
      .required("min", &BoxShape::min, list(number(), min_dims, max_dims), "lowest corner")
      .required("max", &BoxShape::max, list(number(), min_dims, max_dims), "highest corner")
      .check([](const BoxShape& b, const Node& node) {
        if (b.min.size() != b.max.size()) throw UserError(node.where, "'min' and 'max' differ in size");
        for (std::size_t i = 0; i < b.min.size(); ++i) {
          if (b.min[i] >= b.max[i]) throw UserError(node.find("max")->items[i].where, "'min' must be below 'max'");
        }
      })
      .schema();
}

Schema<ShapeSpec> shape() {
  const Schema<IntervalShape> interval =
      ObjectSchema<IntervalShape>("interval", "A part of the line. Faces: left, right.")
          .required("min", &IntervalShape::min, number(), "left end")
          .required("max", &IntervalShape::max, number(), "right end")
          .check([](const IntervalShape& s, const Node& node) {
            if (s.min >= s.max) throw UserError(node.find("max")->where, "'min' must be below 'max'");
          })
          .schema();
  Schema<ShapeSpec> schema =
      ObjectSchema<ShapeSpec>("shape", "A primitive shape. `NAME.boundary` is its boundary, `NAME.left` a face of it.")
          .field("interval", &ShapeSpec::interval, interval, "1-D")
          .field("rectangle", &ShapeSpec::rectangle,
                 box("rectangle", "An axis-parallel rectangle. Faces: left, right, bottom, top.", 2, 2), "2-D")
          .field("box", &ShapeSpec::box,
                 box("box",
                     "An axis-parallel box in any number of dimensions. Faces in 3-D: left, right, bottom, top, "
                     "back, front; in every dimension x_min, x_max and so on.",
                     1, {}),
                 "n-D")
          .field("points", &ShapeSpec::points, points(), "a list of points")
          .exactly_one({"interval", "rectangle", "box", "points"})
          .located(&ShapeSpec::where)
          .later({"line", "circle", "disk", "ellipse", "triangle", "polygon", "channel", "sphere", "ellipsoid",
                  "cylinder", "cone", "torus", "extrude", "stl", "cloud"})
          .schema();
  const auto read = schema.read;
  schema.read = [read](const Node& node) {
    if (node.is_scalar()) {
      throw UserError(node.where, "expressions over shapes are not there yet",
                      "give one primitive: {interval: {min: 0, max: 1}}");
    }
    return read(node);
  };
  return schema;
}

Schema<TimeSpec> time_range() {
  const auto from_list = [](std::vector<double> v) { return TimeSpec{v[0], v[1]}; };
  const auto to_list = [](const TimeSpec& t) { return std::vector<double>{t.begin, t.end}; };
  const Schema<TimeSpec> range = convert<TimeSpec, std::vector<double>>(list(number(), 2, 2), from_list, to_list);
  struct Holder {
    TimeSpec range;
  };
  const Schema<Holder> holder = ObjectSchema<Holder>("time", "The range of time.")
                                    .required("range", &Holder::range, range, "begin and end")
                                    .later({"windows"})
                                    .schema();
  const Schema<TimeSpec> object = convert<TimeSpec, Holder>(
      holder, [](Holder h) { return h.range; }, [](const TimeSpec& t) { return Holder{t}; });
  Schema<TimeSpec> schema = with_shorthand<TimeSpec, std::vector<double>>(
      object, list(number(), 2, 2), from_list, [to_list](const TimeSpec& t) { return std::optional(to_list(t)); });
  const auto read = schema.read;
  schema.read = [read](const Node& node) {
    const TimeSpec value = read(node);
    if (value.begin >= value.end) throw UserError(node.where, "the range of time must end after it begins");
    return value;
  };
  return schema;
}

Schema<GeometrySpec> geometry() {
  return ObjectSchema<GeometrySpec>("geometry", "Where the problem is posed.")
      .required("shapes", &GeometrySpec::shapes, map_of(shape(), "shape", true), "shapes by name")
      .required("domain", &GeometrySpec::domain, text(), "the shape the equation holds in")
      .field("time", &GeometrySpec::time, time_range(), "begin and end of time; none for a steady problem")
      .located(&GeometrySpec::where)
      .later({"domains", "parameters"})
      .schema();
}

const Schema<At>& at() {
  struct Holder {
    PointList points;
  };
  static const Schema<At> schema = [] {
    const Schema<Holder> holder = ObjectSchema<Holder>("place", "Points instead of a region.")
                                      .required("points", &Holder::points, points(), "coordinates of each")
                                      .schema();
    const Schema<At> object = convert<At, Holder>(
        holder,
        [](Holder h) {
          return At{{}, std::move(h.points), {}};
        },
        [](const At& a) { return Holder{a.points}; });
    Schema<At> either = with_shorthand<At, std::vector<Text>>(
        object, one_or_list(text()),
        [](std::vector<Text> regions) {
          return At{std::move(regions), {}, {}};
        },
        [](const At& a) { return a.regions.empty() ? std::nullopt : std::optional(a.regions); });
    const auto read = either.read;
    either.read = [read](const Node& node) {
      At value = read(node);
      value.where = node.where;
      return value;
    };
    return either;
  }();
  return schema;
}

// ---- networks
// ---------------------------------------------------------------------------------------------------------

Schema<NetworkSpec> network() {
  return ObjectSchema<NetworkSpec>("network", "A function with trainable parameters.")
      .required("type", &NetworkSpec::type, text(), "kind of network (`eddy list networks`)")
      .required("inputs", &NetworkSpec::inputs, identifiers(1), "coordinates")
      .required("outputs", &NetworkSpec::outputs, identifiers(1), "unknowns")
      .field(
          "transform", &NetworkSpec::transform, map_of(expression(), "unknown", true),
          "hard constraints: an unknown as an expression of `NAME_raw`, what the network gives for it, and coordinates")
      .field("periodic", &NetworkSpec::periodic, map_of(number({.above = 0}), "input", true),
             "period of an input: the network is exactly periodic in it")
      .field("scale_inputs", &NetworkSpec::scale_inputs, boolean(), "map each input from its range to [-1, 1]")
      .field("output_scale", &NetworkSpec::output_scale, map_of(number(), "output", true), "factor of an output")
      .rest(&NetworkSpec::options, "options of the type (`eddy describe TYPE`)")
      .located(&NetworkSpec::where)
      .later({"from", "trainable"})
      .schema();
}

// ---- constraints
// ------------------------------------------------------------------------------------------------------

Schema<ResidualChoice> residual_choice() {
  return convert<ResidualChoice, std::vector<Text>>(
      one_or_list(text()),
      [](std::vector<Text> names) {
        if (names.size() == 1 && names[0].text == "all") return ResidualChoice{};
        return ResidualChoice{false, std::move(names)};
      },
      [](const ResidualChoice& c) { return c.all ? std::vector<Text>{"all"} : c.names; });
}

/// A map whose keys are expressions: `{u: 0, "dn(u)": "sin(x)"}`.
Schema<std::vector<Equality>> equalities() {
  const TypePtr type = detail::make_map_type(expression().type, "expression", false);
  return {type,
          [type](const Node& node) {
            detail::check_map(*type, node);
            if (node.entries.empty())
              throw UserError(node.where, "expected at least one equality, found none", "{u: 0}");
            std::vector<Equality> result;
            for (const Entry& entry : node.entries) {
              result.push_back(
                  {Text(entry.key.text, entry.key.where), parse_expression(entry.key), expression().read(entry.value)});
            }
            return result;
          },
          [](const std::vector<Equality>& list) {
            Node node = Node::map();
            for (const Equality& equality : list) node.set(equality.name.text, expression().write(equality.right));
            return node;
          }};
}

Schema<std::vector<Match>> matches() {
  const TypePtr map = detail::make_map_type(text().type, "expression", false);
  const Schema<std::vector<Text>> names = list(text(), 1);
  const TypePtr type = detail::make_either_type(names.type, map);
  return {type,
          [type, map, names](const Node& node) {
            std::vector<Match> result;
            if (node.is_sequence()) {
              names.read(node);
              for (const Node& item : node.items) {
                const Text name(item.text, item.where);
                result.push_back({name, parse_expression(item), name});
              }
              return result;
            }
            if (!node.is_map()) detail::throw_unexpected(*type, node);
            detail::check_map(*map, node);
            for (const Entry& entry : node.entries) {
              result.push_back(
                  {Text(entry.key.text, entry.key.where), parse_expression(entry.key), text().read(entry.value)});
            }
            return result;
          },
          [](const std::vector<Match>& list) {
            Node node = Node::map();
            for (const Match& match : list) node.set(match.name.text, Node::scalar(match.field.text));
            return node;
          }};
}

Schema<ConstraintTime> constraint_time() {
  using Kind = ConstraintTime::Kind;
  const auto word = choice<Kind>({{"initial", Kind::initial}});
  const auto moment = number();
  const auto range = list(number(), 2, 2);
  const TypePtr type = detail::make_either_type(detail::make_either_type(moment.type, word.type), range.type);
  return {type,
          [=](const Node& node) -> ConstraintTime {
            if (node.is_sequence()) {
              const std::vector<double> ends = range.read(node);
              if (ends[0] >= ends[1]) throw UserError(node.where, "the range of time must end after it begins");
              return {Kind::range, ends[0], ends[1]};
            }
            if (!node.is_scalar()) detail::throw_unexpected(*type, node);
            if (node.text == "initial") return {Kind::initial, 0, 0};
            if (node.quoted || !number_from_text(node.text)) detail::throw_unexpected(*type, node);
            const double value = moment.read(node);
            return {Kind::moment, value, value};
          },
          [=](const ConstraintTime& time) {
            if (time.kind == Kind::initial) return word.write(Kind::initial);
            return time.kind == Kind::moment ? moment.write(time.begin) : range.write({time.begin, time.end});
          }};
}

Schema<Resample> resample() {
  static const Schema<Resample> object =
      ObjectSchema<Resample>("resample", "When points are drawn anew.")
          .required("every", &Resample::every, count(0), "steps between two draws, 0: never")
          .later({"rad", "rar", "importance"})
          .schema();
  return with_shorthand<Resample, std::int64_t>(
      object, count(0), [](std::int64_t every) { return Resample{every}; },
      [](const Resample& r) { return std::optional(r.every); });
}

Schema<Weight> weight() {
  const Schema<Weight> per_term = convert<Weight, NamedList<Expression>>(
      map_of(expression(), "term"),
      [](NamedList<Expression> list) {
        return Weight{Expression::number(1), std::move(list)};
      },
      [](const Weight& w) { return w.per_term; });
  return with_shorthand<Weight, Expression>(
      per_term, expression(),
      [](Expression all) {
        return Weight{std::move(all), {}};
      },
      [](const Weight& w) { return w.per_term.empty() ? std::optional(w.all) : std::nullopt; });
}

Schema<Reduction> reduction() {
  return choice<Reduction>({{"mean", Reduction::mean}, {"sum", Reduction::sum}, {"integral", Reduction::integral}});
}

Schema<ConstraintSpec> constraint() {
  using C = ConstraintSpec;
  return ObjectSchema<C>("constraint", "A term of the loss: what holds in a region.")
      .required("at", &C::at, at(), "region or regions by name (`line`, `line.boundary`, `cavity.top`), or points")
      .field("where", &C::where_condition, expression(), "condition a point must fulfil, such as `x > 0.5 and y < 1`")
      .field("time", &C::time, constraint_time(), "a moment, `initial` or a range; none: all of time")
      .field("residuals", &C::residuals, residual_choice(), "residuals of the equation that vanish here, or `all`")
      .field("equals", &C::equals, equalities(),
             "left side: right side, both expressions; `u`, `dn(u)`, `u_t` (Dirichlet, Neumann, Robin, initial rate)")
      .field("periodic", &C::periodic, map_of(one_or_list(expression()), "coordinate", true),
             "coordinate: expressions that agree on the two faces across it")
      .field("data", &C::data, text(), "data set to fit")
      .field("match", &C::match, matches(),
             "with `data`: expression: field of the data set, or a list of names that both have; empty: every unknown "
             "in it")
      .field("points", &C::points, count(),
             "number of points per step; none: all listed points, all points of the data")
      .field("sampler", &C::sampler,
             choice<Sampler>({{"uniform", Sampler::uniform},
                              {"latin_hypercube", Sampler::latin_hypercube},
                              {"halton", Sampler::halton},
                              {"sobol", Sampler::sobol}}),
             "how points are drawn")
      .field("pool", &C::pool, count(), "points drawn once, of which every step takes its own; none: `points`")
      .field("resample", &C::resample, resample(), "steps between two draws of new points, 0: never")
      .field("weight", &C::weight, weight(), "factor of the term, an expression of coordinates, or one for each term")
      .field("reduction", &C::reduction, reduction(), "how points are summed up; none: training.loss")
      .exactly_one({"residuals", "equals", "periodic", "data"})
      .located(&C::where)
      .later({"integral", "interface", "weak", "causal"})
      .check([](const C& c, const Node& node) {
        if (!c.data && !c.match.empty()) throw UserError(node.find("match")->where, "'match' goes with 'data'");
        if (c.pool && c.points && *c.pool < *c.points) {
          throw UserError(node.find("pool")->where,
                          "the pool is smaller than 'points', which every step takes from it");
        }
      })
      .schema();
}

// ---- training
// ---------------------------------------------------------------------------------------------------------

Schema<LearningRate> learning_rate() {
  using L = LearningRate;
  const auto positive = number({.above = 0});
  const Schema<ExponentialRate> exponential =
      ObjectSchema<ExponentialRate>("exponential", "start * rate^(step/every).")
          .required("start", &ExponentialRate::start, positive, "rate at the stage's begin")
          .field("rate", &ExponentialRate::rate, positive, "factor after `every` steps")
          .field("every", &ExponentialRate::every, count(), "steps")
          .schema();
  const Schema<StepRate> step = ObjectSchema<StepRate>("step", "start * rate^floor(step/every).")
                                    .required("start", &StepRate::start, positive, "rate at the stage's begin")
                                    .field("rate", &StepRate::rate, positive, "factor after every `every` steps")
                                    .field("every", &StepRate::every, count(), "steps")
                                    .schema();
  const Schema<CosineRate> cosine = ObjectSchema<CosineRate>("cosine", "Half a period of a cosine from start to end.")
                                        .required("start", &CosineRate::start, positive, "rate at the stage's begin")
                                        .field("end", &CosineRate::end, number({.min = 0}), "rate at the end")
                                        .field("steps", &CosineRate::steps, count(), "length; none: the stage's steps")
                                        .schema();
  const Schema<L> object = ObjectSchema<L>("learning rate", "How the learning rate changes with the steps of a stage.")
                               .field("constant", &L::constant, positive, "one rate")
                               .field("exponential", &L::exponential, exponential, "exponential decay")
                               .field("step", &L::step, step, "decay in steps")
                               .field("cosine", &L::cosine, cosine, "cosine decay")
                               .field("warmup", &L::warmup, count(0), "steps over which the rate first rises from 0")
                               .exactly_one({"constant", "exponential", "step", "cosine"})
                               .later({"one_cycle", "plateau"})
                               .schema();
  return with_shorthand<L, double>(
      object, positive,
      [](double constant) {
        L rate;
        rate.constant = constant;
        return rate;
      },
      [](const L& rate) { return rate.warmup == 0 ? rate.constant : std::nullopt; });
}

Schema<TrainingSpec> training() {
  using S = StageSpec;
  using T = TrainingSpec;
  const Schema<S> stage =
      ObjectSchema<S>("stage", "A phase of training with its own optimizer. Stages run in the order of the file.")
          .required("optimizer", &S::optimizer, text(), "its name (`eddy list optimizers`)")
          .required("steps", &S::steps, count(0), "number of steps")
          .field("lr", &S::lr, learning_rate(), "learning rate; none: the optimizer's default")
          .field("clip", &S::clip, number({.above = 0}), "bound of the gradient's global norm")
          .field("precision", &S::precision, precision(), "f32 or f64; none: the file's")
          .field("resample", &S::resample, resample(), "overrides the constraints' own")
          .rest(&S::options, "options of the optimizer (`eddy describe NAME`)")
          .located(&S::where)
          .later({"freeze", "set", "stop", "balance"})
          .schema();
  const Schema<StopSpec> stop =
      ObjectSchema<StopSpec>("stop", "When training ends before its last step.")
          .field("minutes", &StopSpec::minutes, number({.min = 0, .unit = "minutes"}), "wall time; 0: no limit")
          .field("loss", &StopSpec::loss, number({.min = 0}), "the loss has come below this")
          .schema();
  return ObjectSchema<T>("training", "How the networks are trained.")
      .field("loss", &T::loss, reduction(),
             "how the squares of a term's points are summed up: `mean`, `sum`, or `integral`: the mean times the "
             "region's size")
      .required("stages", &T::stages, map_of(stage, "stage"), "phases by name")
      .field("stop", &T::stop, stop, "criteria to end early")
      .field("log_every", &T::log_every, count(0), "steps between two lines of the history, 0: never")
      .field("validate_every", &T::validate_every, count(0),
             "steps between two comparisons with the reference, 0: only at the end")
      .field("checkpoint_every", &T::checkpoint_every, count(0), "steps between two checkpoints, 0: only at the end")
      .later({"balance"})
      .check([](const T& t, const Node& node) {
        if (t.stages.empty())
          throw UserError(node.find("stages")->where, "training has no stages", "adam: {optimizer: adam, steps: 1000}");
      })
      .schema();
}

// ---- outputs, data, validation
// ----------------------------------------------------------------------------------------

Schema<OutputSpec> outputs() {
  using F = FieldOutput;
  const Schema<F> field =
      ObjectSchema<F>("field output", "Values on a grid or on points, written for ParaView at the end of training.")
          .required("at", &F::at, at(), "region by name, or points")
          .field("grid", &F::grid, one_or_list(count(2)), "points along each axis; one number holds for every axis")
          .field("times", &F::times, count(), "moments, evenly spaced, both ends of time included; 1: the end alone")
          .required("values", &F::values, map_of(expression(), "value"),
                    "what is written: name: expression (residuals by their names)")
          .field("format", &F::format,
                 choice<FieldFormat>({{"vti", FieldFormat::vti},
                                      {"vtu", FieldFormat::vtu},
                                      {"csv", FieldFormat::csv},
                                      {"hdf5", FieldFormat::hdf5}}),
                 "none: vti for grids, vtu for points")
          .located(&F::where)
          .later({"mesh", "plane", "points"})
          .check([](const F& f, const Node& node) {
            if (f.values.empty())
              throw UserError(node.find("values")->where, "there are no values to write", "values: {u: u}");
            if (f.at.regions.empty() && f.grid) {
              throw UserError(node.find("grid")->where, "listed points have no grid", "leave 'grid' out");
            }
            if (!f.at.regions.empty() && !f.grid) {
              throw UserError(node.where, "the key 'grid' is missing in this field output", "grid: 101");
            }
          })
          .schema();
  return ObjectSchema<OutputSpec>("outputs", "What a run writes besides its history.")
      .field("fields", &OutputSpec::fields, map_of(field, "output"), "fields by name")
      .later({"monitors", "pictures"})
      .schema();
}

Schema<DataSpec> data_set() {
  using D = DataSpec;
  return ObjectSchema<D>("data set", "A data file, described once. Maps go from the problem's names to the file's.")
      .required("file", &D::file, path(), "MAT, HDF5, NPZ or CSV file, relative to the working directory")
      .field("axes", &D::axes, map_of(text(), "coordinate", true), "of gridded data: coordinate: array in the file")
      .field("fields", &D::fields, map_of(text(), "field", true), "of gridded data: field: array in the file")
      .field("columns", &D::columns, map_of(text(), "name", true), "of a table: coordinate or field: column")
      .field("fixed", &D::fixed, map_of(number(), "coordinate", true), "coordinates with one value in the whole file")
      .located(&D::where)
      .later({"samples", "scale", "unit"})
      .check([](const D& d, const Node& node) {
        if (!d.columns.empty() && !(d.axes.empty() && d.fields.empty())) {
          throw UserError(node.where, "a data set is a grid ('axes' and 'fields') or a table ('columns'), not both");
        }
        if (d.columns.empty() && (d.axes.empty() || d.fields.empty())) {
          throw UserError(node.where, "this data set needs 'axes' and 'fields', or 'columns'",
                          "axes: {x: x, t: t}, fields: {u: u}");
        }
      })
      .schema();
}

Schema<ValidationSpec> validation() {
  using V = ValidationSpec;
  return ObjectSchema<V>("validation", "A comparison of the solution with a reference.")
      .field("data", &V::data, text(), "data set")
      .field("exact", &V::exact, map_of(expression(), "unknown", true),
             "exact solution, expressions of the coordinates")
      .field("fields", &V::fields, list(text()), "what is compared; empty: all that the reference has")
      .field("metric", &V::metric, choice<Metric>({{"rel_l2", Metric::rel_l2}, {"linf", Metric::linf}}),
             "`rel_l2`: |u - ref|/|ref| in the Euclidean norm; `linf`: largest |u - ref|")
      .field("tolerance", &V::tolerance, number({.above = 0}), "`eddy validate` fails above it; none: only reported")
      .field("grid", &V::grid, one_or_list(count(2)), "with `exact`: points along each axis of the domain")
      .field("times", &V::times, count(2), "with `exact`: moments, both ends of time included")
      .exactly_one({"data", "exact"})
      .located(&V::where)
      .schema();
}

}  // namespace

const Schema<ProblemFile>& problem_schema() {
  using P = ProblemFile;
  static const Schema<P> schema =
      ObjectSchema<P>("problem", "The problem file: one YAML map.")
          .required("name", &P::name, text(), "names the run and its folder")
          .field("about", &P::about, text(), "one line for people")
          .field("seed", &P::seed, count(0), "seed of all random numbers")
          .field("precision", &P::precision, precision(), "of training and evaluation; a stage may set its own")
          .field("extends", &P::extends, path(), "another file whose keys this one overrides, relative to this file")
          .field("define", &P::define, map_of(definition(), "definition", true),
                 "named expressions, usable in all expressions")
          .required("equation", &P::equation, equation(), "what is solved")
          .required("geometry", &P::geometry, geometry(), "where it is solved")
          .required("networks", &P::networks, map_of(network(), "network"),
                    "networks by name; their outputs are the unknowns")
          .required("constraints", &P::constraints, map_of(constraint(), "constraint"), "terms of the loss by name")
          .required("training", &P::training, training(), "how it is solved")
          .field("outputs", &P::outputs, outputs(), "what is written")
          .field("data", &P::data, map_of(data_set(), "data set"), "data files by name")
          .field("validation", &P::validation, map_of(validation(), "validation"), "comparisons by name")
          .field("profiles", &P::profiles, map_of(any(), "profile"),
                 "named sets of overrides, path: value, chosen with --profile")
          .field("long", &P::long_running, boolean(), "`eddy validate` on a folder skips this file")
          .located(&P::where)
          .later({"equations"})
          .schema();
  return schema;
}

}  // namespace eddy::config
