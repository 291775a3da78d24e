/// constraints.
#include "science/config/problem_parts.h"

namespace eddy::config::parts {

namespace {

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
  const auto moment = constant();
  const auto range = list(constant(), 2, 2);
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
            const double value = moment.read(node);
            return {Kind::moment, value, value};
          },
          [=](const ConstraintTime& time) {
            if (time.kind == Kind::initial) return word.write(Kind::initial);
            return time.kind == Kind::moment ? moment.write(time.begin) : range.write({time.begin, time.end});
          }};
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

}  // namespace

Schema<std::int64_t> count(double min) { return integer({.min = min}); }

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

}  // namespace eddy::config::parts
