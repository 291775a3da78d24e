#include "science/problem/constraint.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "science/geometry/point_cloud.h"
#include "science/problem/evaluator.h"

namespace eddy::problem {

using config::Expression;

namespace {

sampling::SamplerKind kind_of(config::Sampler sampler) {
  switch (sampler) {
    case config::Sampler::uniform: return sampling::SamplerKind::uniform;
    case config::Sampler::latin_hypercube: return sampling::SamplerKind::latin_hypercube;
    case config::Sampler::halton: return sampling::SamplerKind::halton;
    case config::Sampler::sobol: return sampling::SamplerKind::sobol;
  }
  throw InternalError("unknown sampler");
}

std::string hint_for(const std::string& name, const std::vector<std::string>& candidates) {
  const std::string nearest = nearest_name(name, candidates);
  return nearest.empty() ? fmt::format("there are {}", fmt::join(candidates, ", "))
                         : fmt::format("did you mean '{}'?", nearest);
}

/// Puts the columns side by side: [n, n_columns].
Array side_by_side(std::int64_t n, const std::vector<const std::vector<double>*>& columns) {
  Array array(DType::f64, {n, static_cast<std::int64_t>(columns.size())});
  const auto out = array.data<double>();
  for (std::size_t c = 0; c < columns.size(); ++c) {
    for (std::size_t row = 0; row < static_cast<std::size_t>(n); ++row) {
      out[row * columns.size() + c] = (*columns[c])[row];
    }
  }
  return array;
}

}  // namespace

Constraint::Constraint(const Model& model, const config::ProblemFile& file,
                       const config::Named<config::ConstraintSpec>& named, Dim rows, ThreadPool* pool)
    : model_(model),
      name_(named.name.text),
      rows_(rows),
      threads_(pool),
      seed_(static_cast<std::uint64_t>(file.seed)),
      reduction_(named.value.reduction.value_or(file.training.loss)) {
  const config::ConstraintSpec& spec = named.value;
  if (spec.residuals) add_residuals(spec);
  if (spec.equals) add_equalities(spec);
  if (spec.periodic) add_periodic(spec);
  if (spec.data) add_data(file, spec);
  add_weights(spec.weight);
  add_inputs();
  make_sampler(file, spec);
}

void Constraint::add_term(Term term, const SourceLocation& where) {
  term.name = name_ + "." + term.name;
  for (const Term& other : terms_) {
    if (other.name == term.name) throw UserError(where, fmt::format("the term '{}' is there twice", term.name));
  }
  terms_.push_back(std::move(term));
}

void Constraint::add_residuals(const config::ConstraintSpec& spec) {
  std::vector<config::Text> names = spec.residuals->names;
  if (spec.residuals->all) {
    for (const std::string& name : model_.residuals()) names.emplace_back(name, spec.where);
  }
  for (const config::Text& name : names) {
    const std::vector<std::string>& known = model_.residuals();
    if (std::find(known.begin(), known.end(), name.text) == known.end()) {
      throw UserError(name.where, fmt::format("the equation has no residual '{}'", name.text),
                      hint_for(name.text, known));
    }
    Expression value = Expression::named(name.text);
    value.where = name.where;
    add_term({name.text, value, {}, {}, false, {}, false}, name.where);
  }
}

void Constraint::add_equalities(const config::ConstraintSpec& spec) {
  for (const config::Equality& equality : *spec.equals) {
    Term term{equality.name.text, model_.symbols().resolve(equality.left), {}, {}, false, {}, false};
    const Expression target = model_.symbols().resolve(equality.right);
    if (!(target == Expression::number(0))) term.target = target;
    add_term(std::move(term), equality.name.where);
  }
}

void Constraint::add_periodic(const config::ConstraintSpec& spec) {
  if (spec.periodic->size() != 1) {
    throw UserError(spec.where, "a periodic constraint is across one coordinate", "write one constraint for each");
  }
  const auto& [coordinate, expressions] = spec.periodic->front();
  const std::vector<std::string>& known = model_.symbols().coordinates();
  if (std::find(known.begin(), known.end(), coordinate.text) == known.end()) {
    throw UserError(coordinate.where, fmt::format("'{}' is no coordinate", coordinate.text),
                    hint_for(coordinate.text, known));
  }
  periodic_coordinate_ = coordinate.text;
  for (const Expression& expression : expressions) {
    add_term({config::str(expression), model_.symbols().resolve(expression), {}, {}, true, {}, false},
             expression.where);
  }
}

void Constraint::add_data(const config::ProblemFile& file, const config::ConstraintSpec& spec) {
  data_ = read_data_set(*config::find(file.data, spec.data->text), model_.symbols().coordinates());
  if (spec.where_condition) {
    const Expression condition = model_.symbols().resolve(*spec.where_condition, config::Expect::condition);
    std::vector<char> keep(static_cast<std::size_t>(data_->points.n_points), 1);
    criterion(model_, condition)(data_->points, keep);
    std::vector<std::int64_t> rows;
    for (std::size_t i = 0; i < keep.size(); ++i) {
      if (keep[i]) rows.push_back(static_cast<std::int64_t>(i));
    }
    if (rows.empty()) throw UserError(condition.where, "no point of the data set fulfils the condition");
    for (geometry::Column& field : data_->fields) {
      std::vector<double> values;
      for (const std::int64_t row : rows) values.push_back(field.values[static_cast<std::size_t>(row)]);
      field.values = std::move(values);
    }
    data_->points = data_->points.select(rows);
  }
  std::vector<config::Match> matches = spec.match;
  std::vector<std::string> known;
  for (const geometry::Column& field : data_->fields) {
    known.push_back(field.name);
    const auto& unknowns = model_.unknowns();
    if (spec.match.empty() && std::find(unknowns.begin(), unknowns.end(), field.name) != unknowns.end()) {
      Expression value = Expression::named(field.name);
      value.where = spec.data->where;
      matches.push_back({config::Text(field.name, spec.data->where), value, field.name});
    }
  }
  if (matches.empty()) {
    throw UserError(spec.data->where,
                    fmt::format("the data set '{}' has no field of an unknown's name", spec.data->text),
                    fmt::format("say what to compare, for instance match: {{{}: {}}}", model_.unknowns().front(),
                                known.empty() ? "field" : known.front()));
  }
  for (const config::Match& match : matches) {
    const geometry::Column* field = data_->field(match.field.text);
    if (field == nullptr) {
      throw UserError(match.field.where,
                      fmt::format("the data set '{}' has no field '{}'", spec.data->text, match.field.text),
                      hint_for(match.field.text, known));
    }
    Term term{match.name.text, model_.symbols().resolve(match.value), {}, data_fields_.size(), false, {}, false};
    data_fields_.push_back(static_cast<std::size_t>(field - data_->fields.data()));
    add_term(std::move(term), match.name.where);
  }
}

void Constraint::add_weights(const config::Weight& weight) {
  std::vector<std::string> names;
  for (const Term& term : terms_) names.push_back(term.name.substr(name_.size() + 1));
  for (const auto& entry : weight.per_term) {
    if (std::find(names.begin(), names.end(), entry.name.text) != names.end()) continue;
    throw UserError(entry.name.where, fmt::format("the constraint '{}' has no term '{}'", name_, entry.name.text),
                    hint_for(entry.name.text, names));
  }
  for (std::size_t i = 0; i < terms_.size(); ++i) {
    Term& term = terms_[i];
    const Expression* own = config::find(weight.per_term, names[i]);
    term.weight = model_.symbols().resolve(own ? *own : weight.per_term.empty() ? weight.all : Expression::number(1));
    term.constant_weight = model_.symbols().uses(term.weight).is_constant();
    if (term.constant_weight) weights_.push_back({"weight." + term.name, evaluate_number(model_, term.weight)});
  }
}

void Constraint::add_inputs() {
  Uses uses;
  for (const Term& term : terms_) {
    uses.add(model_.symbols().uses(term.value));
    uses.add(model_.symbols().uses(term.weight));
    if (term.target) uses.add(model_.symbols().uses(*term.target));
  }
  using Kind = BatchInput::Kind;
  const auto n_coordinates = static_cast<std::int64_t>(model_.symbols().coordinates().size());
  const auto add = [&](Kind kind, const char* name, std::int64_t n_columns) {
    inputs_.push_back({kind, name_ + "." + name, n_columns});
  };
  add(Kind::points, "points", n_coordinates);
  if (periodic_coordinate_) add(Kind::opposite_points, "opposite_points", n_coordinates);
  if (uses.normals) add(Kind::normals, "normals", static_cast<std::int64_t>(model_.symbols().space().size()));
  if (reduction_ == config::Reduction::integral) add(Kind::area, "area", 1);
  if (uses.sdf) add(Kind::sdf, "sdf", 1);
  if (data_) add(Kind::data, "data", static_cast<std::int64_t>(data_fields_.size()));
}

geometry::Region Constraint::region(const config::At& at) const {
  std::vector<geometry::Region> regions;
  for (const config::Text& name : at.regions) regions.push_back(model_.shapes().region(name.text, name.where));
  if (regions.empty()) {
    const std::size_t n_dims = model_.symbols().space().size();
    std::vector<double> points;
    for (const std::vector<double>& point : at.points) {
      if (point.size() != n_dims) {
        throw UserError(at.where, fmt::format("each point needs {} coordinate{}: {}", n_dims, n_dims == 1 ? "" : "s",
                                              fmt::join(model_.symbols().space(), ", ")));
      }
      points.insert(points.end(), point.begin(), point.end());
    }
    regions.push_back(geometry::Region::interior(
        name_, std::make_shared<geometry::PointCloud>(static_cast<int>(n_dims), std::move(points))));
  }
  return geometry::Region::join(regions, at.where);
}

void Constraint::make_sampler(const config::ProblemFile& file, const config::ConstraintSpec& spec) {
  using Kind = BatchInput::Kind;
  const auto needs = [&](Kind kind) {
    return std::any_of(inputs_.begin(), inputs_.end(), [&](const BatchInput& input) { return input.kind == kind; });
  };
  if (data_) {
    if (needs(Kind::normals)) throw UserError(spec.where, "the normal derivative 'dn' is not known at points of data");
    if (needs(Kind::sdf)) throw UserError(spec.where, "the signed distance 'sdf' is not known at points of data");
    if (needs(Kind::area)) {
      throw UserError(spec.where, "points of data have no area for an integral", "reduction: mean");
    }
    const std::int64_t n = data_->points.n_points, batch = spec.points.value_or(n);
    if (batch > n) throw UserError(spec.where, fmt::format("the data set has {} points only", n));
    plan_ = {batch, n, 0};
    return;
  }
  const geometry::Region place = region(spec.at);
  if (needs(Kind::normals) && !place.has_normals()) {
    for (const Term& term : terms_) {
      if (model_.symbols().uses(term.value).normals) {
        throw UserError(term.value.where, "the normal derivative 'dn' is only known on boundaries",
                        "use it where 'at' is a boundary or a face, such as line.boundary");
      }
    }
  }
  std::optional<geometry::TimeRange> time;
  if (file.geometry.time) {
    const config::TimeSpec& all = *file.geometry.time;
    time = geometry::TimeRange{model_.symbols().time(), all.begin, all.end};
    if (spec.time && spec.time->kind == config::ConstraintTime::Kind::initial) {
      time->end = all.begin;
    } else if (spec.time) {
      if (spec.time->begin < all.begin || spec.time->end > all.end) {
        throw UserError(spec.where,
                        fmt::format("'time' lies outside the problem's range of time, {} to {}", all.begin, all.end));
      }
      time->start = spec.time->begin;
      time->end = spec.time->end;
    }
  }
  geometry::Criterion keep;
  SourceLocation where = spec.where;
  if (spec.where_condition) {
    const Expression condition = model_.symbols().resolve(*spec.where_condition, config::Expect::condition);
    keep = criterion(model_, condition);
    where = condition.where;
  }
  std::int64_t n_listed = 0;
  for (const auto& part : place.parts()) n_listed += part.piece->dimension() == 0 ? 1 : 0;
  plan_ = {spec.points.value_or(n_listed), spec.pool.value_or(0), spec.resample.every};
  sampler_.emplace(sampling::RegionSampler(geometry::Domain(place, model_.symbols().coordinates(), time),
                                           kind_of(spec.sampler), keep, where),
                   plan_, seed_, name_, threads_);
}

std::int64_t Constraint::n_points() const { return plan_.batch; }

std::optional<double> Constraint::measure() const {
  return sampler_ ? std::optional<double>(sampler_->region().measure()) : std::nullopt;
}

void Constraint::set_resample(std::int64_t every) {
  if (!sampler_ || plan_.resample_every == every) return;
  plan_.resample_every = every;
  sampling::RegionSampler region = sampler_->region();
  sampler_.emplace(std::move(region), plan_, seed_, name_, threads_);
}

bool Constraint::changes_at(std::uint64_t k) const {
  if (sampler_) return sampler_->changes_at(k);
  return k == 0 || plan_.batch < data_->points.n_points;
}

std::vector<Array> Constraint::batch(std::uint64_t k, DType dtype) {
  geometry::PointSet selected;
  std::vector<std::int64_t> rows;
  if (data_) {
    for (std::int64_t i = 0; i < plan_.batch; ++i) rows.push_back(i);
    if (plan_.batch < data_->points.n_points) {
      rows = sampling::MiniBatches(data_->points.n_points, plan_.batch, seed_, name_).rows(k);
    }
    selected = data_->points.select(rows);
  }
  const geometry::PointSet& points = data_ ? selected : sampler_->batch(k);
  const auto columns_of = [](const std::vector<geometry::Column>& columns) {
    std::vector<const std::vector<double>*> result;
    for (const geometry::Column& column : columns) result.push_back(&column.values);
    return result;
  };

  std::vector<Array> arrays;
  for (const BatchInput& input : inputs_) {
    std::vector<const std::vector<double>*> columns;
    std::vector<std::vector<double>> own;
    own.reserve(data_fields_.size() + 1);
    switch (input.kind) {
      case BatchInput::Kind::points:
      case BatchInput::Kind::opposite_points: {
        columns = columns_of(points.coordinates);
        if (!periodic_coordinate_) break;
        const auto [low, high] = model_.range(*periodic_coordinate_);
        own.emplace_back(static_cast<std::size_t>(points.n_points),
                         input.kind == BatchInput::Kind::points ? low : high);
        for (std::size_t i = 0; i < columns.size(); ++i) {
          if (points.coordinates[i].name == *periodic_coordinate_) columns[i] = &own.back();
        }
        break;
      }
      case BatchInput::Kind::normals: columns = columns_of(points.normals); break;
      case BatchInput::Kind::area: columns = {&points.area}; break;
      case BatchInput::Kind::sdf: columns = {&points.sdf}; break;
      case BatchInput::Kind::data:
        for (const std::size_t field : data_fields_) {
          own.emplace_back();
          for (const std::int64_t row : rows)
            own.back().push_back(data_->fields[field].values[static_cast<std::size_t>(row)]);
          columns.push_back(&own.back());
        }
    }
    arrays.push_back(side_by_side(points.n_points, columns).cast(dtype));
  }
  return arrays;
}

}  // namespace eddy::problem
