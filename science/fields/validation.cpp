#include "science/fields/validation.h"

#include <algorithm>
#include <cmath>

#include "science/fields/grid.h"
#include "science/problem/data_set.h"
#include "science/problem/evaluator.h"

namespace eddy::fields {

namespace {

/// The exact solution on a grid at all moments.
std::pair<geometry::PointSet, std::vector<geometry::Column>> exact_reference(const problem::Model& model,
                                                                             const config::ValidationSpec& spec) {
  const Grid grid = make_grid(model, model.domain(), spec.grid, spec.where);
  geometry::PointSet points;
  for (const double time : moments(model, spec.times)) {
    const geometry::PointSet at_time = grid_points(model, grid, time, &model.domain());
    if (points.n_points == 0) {
      points = at_time;
    } else {
      points.append(at_time);
    }
  }
  std::vector<config::Expression> expressions;
  for (const auto& entry : *spec.exact) expressions.push_back(model.symbols().resolve(entry.value));
  const std::vector<Array> values = problem::Evaluator(model, expressions).run(points);
  std::vector<geometry::Column> fields;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto column = values[i].data<double>();
    fields.push_back({(*spec.exact)[i].name.text, std::vector<double>(column.begin(), column.end())});
    for (const double value : column) {
      if (!std::isfinite(value)) {
        throw UserError((*spec.exact)[i].value.where, "the exact solution is not finite everywhere in the domain");
      }
    }
  }
  return {std::move(points), std::move(fields)};
}

std::string known_fields(const std::vector<geometry::Column>& fields) {
  std::string names;
  for (const geometry::Column& field : fields) names += (names.empty() ? "" : ", ") + field.name;
  return names;
}

}  // namespace

Validation::Validation(const problem::Problem& problem, runtime::Engine& engine) {
  const problem::Model& model = problem.model();
  const config::ProblemFile& file = problem.file();
  config::NamedList<config::Expression> values;
  for (const auto& [name, spec] : file.validation) {
    Reference reference{name.text, &spec, {}, {}};
    if (spec.exact) {
      std::tie(reference.points, reference.fields) = exact_reference(model, spec);
    } else {
      const config::DataSpec* data = config::find(file.data, spec.data->text);
      EDDY_CHECK(data != nullptr);
      problem::DataSet set = problem::read_data_set(*data, model.symbols().coordinates());
      reference.points = std::move(set.points);
      reference.fields = std::move(set.fields);
    }
    if (!spec.fields.empty()) {
      std::vector<geometry::Column> chosen;
      for (const config::Text& field : spec.fields) {
        const auto found = std::find_if(reference.fields.begin(), reference.fields.end(),
                                        [&](const geometry::Column& column) { return column.name == field.text; });
        if (found == reference.fields.end()) {
          throw UserError(field.where, fmt::format("the reference has no field '{}'", field.text),
                          "there are " + known_fields(reference.fields));
        }
        chosen.push_back(*found);
      }
      reference.fields = std::move(chosen);
    }
    for (const geometry::Column& field : reference.fields) {
      if (config::find(values, field.name) != nullptr) continue;
      config::Expression expression = config::Expression::named(field.name);
      expression.where = spec.where;
      values.push_back({{field.name, spec.where}, std::move(expression)});
    }
    references_.push_back(std::move(reference));
  }
  if (!references_.empty()) program_ = std::make_unique<FieldProgram>(model, engine, values);
}

std::vector<FieldError> Validation::run(const std::vector<io::NamedArray>& state) {
  std::vector<FieldError> errors;
  if (references_.empty()) return errors;
  program_->set_state(state);
  for (const Reference& reference : references_) {
    const std::vector<io::NamedArray> values = program_->run(reference.points);
    for (const geometry::Column& field : reference.fields) {
      const auto found =
          std::find_if(values.begin(), values.end(), [&](const auto& v) { return v.name == field.name; });
      const auto solution = found->values.data<double>();
      double difference = 0, norm = 0, largest = 0;
      for (std::size_t i = 0; i < field.values.size(); ++i) {
        const double d = solution[i] - field.values[i];
        difference += d * d;
        norm += field.values[i] * field.values[i];
        largest = std::isnan(d) ? d : std::max(largest, std::abs(d));
        if (std::isnan(largest)) break;
      }
      errors.push_back({reference.name + "." + field.name, std::isnan(largest) ? largest : std::sqrt(difference / norm),
                        largest, reference.spec->metric, reference.spec->tolerance});
    }
  }
  return errors;
}

std::vector<std::string> Validation::names() const {
  std::vector<std::string> names;
  for (const Reference& reference : references_) {
    for (const geometry::Column& field : reference.fields) names.push_back(reference.name + "." + field.name);
  }
  return names;
}

}  // namespace eddy::fields
