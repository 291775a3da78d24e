#include "science/fields/field_program.h"

#include <algorithm>

#include "science/problem/program.h"

namespace eddy::fields {

namespace {

/// Rows evaluated at once: enough for all threads, few enough for any memory.
constexpr std::int64_t kChunk = 16384;

/// Rows [first, first + n) of columns side by side, [n, n_columns].
Array rows_of(const std::vector<const std::vector<double>*>& columns, std::int64_t first, std::int64_t n) {
  const auto n_columns = static_cast<std::int64_t>(columns.size());
  Array rows(DType::f64, {n, n_columns});
  double* out = rows.data<double>().data();
  for (std::int64_t i = 0; i < n; ++i) {
    for (const std::vector<double>* column : columns) *out++ = (*column)[static_cast<std::size_t>(first + i)];
  }
  return rows;
}

std::vector<const std::vector<double>*> pointers(const std::vector<geometry::Column>& columns) {
  std::vector<const std::vector<double>*> result;
  for (const geometry::Column& column : columns) result.push_back(&column.values);
  return result;
}

}  // namespace

FieldProgram::FieldProgram(const problem::Model& model, runtime::Engine& engine,
                           const config::NamedList<config::Expression>& values)
    : model_(model),
      engine_(engine),
      names_(config::names(values)),
      module_(problem::build_fields(model, DType::f64, values)) {}

void FieldProgram::set_state(const std::vector<io::NamedArray>& state) {
  state_.clear();
  for (const problem::StateTensor& tensor : model_.state()) {
    const auto found =
        std::find_if(state.begin(), state.end(), [&](const auto& array) { return array.name == tensor.name; });
    if (found == state.end() || found->values.shape() != tensor.shape) {
      throw UserError(fmt::format("the solution has no array '{}' of the right shape", tensor.name),
                      "it was made by another configuration");
    }
    state_.push_back({tensor.name, found->values.cast(DType::f64)});
  }
}

std::vector<io::NamedArray> FieldProgram::run(const geometry::PointSet& points) {
  if (!call_) call_.emplace(engine_.load(module_->function("fields")));
  runtime::Call& call = *call_;
  const auto bind = [&](const std::string& name, Array values) {
    call.arguments()[call.argument(name)] = std::move(values);
  };
  for (const io::NamedArray& tensor : state_) bind(tensor.name, tensor.values);
  for (const problem::RuntimeScalar& scalar : model_.scalars()) bind(scalar.name, Array::scalar(scalar.value));
  std::vector<io::NamedArray> results;
  for (const std::string& name : names_) results.push_back({name, Array(DType::f64, {points.n_points})});
  for (std::int64_t first = 0; first < points.n_points; first += kChunk) {
    const std::int64_t n = std::min(kChunk, points.n_points - first);
    const auto set = [&](const char* name, const std::vector<const std::vector<double>*>& columns) {
      bind(name, rows_of(columns, first, n));
    };
    set("points", pointers(points.coordinates));
    if (call.has_argument("normals")) {
      if (points.normals.empty()) throw UserError("normals exist on boundaries alone", "leave dn() out");
      set("normals", pointers(points.normals));
    }
    if (call.has_argument("sdf")) {
      if (points.sdf.empty()) throw UserError("the distance to the boundary is not known at these points");
      set("sdf", {&points.sdf});
    }
    call.results().clear();  // chunks differ in size
    call.run();
    for (std::size_t i = 0; i < names_.size(); ++i) {
      const auto values = call.results()[call.result(names_[i])].data<double>();
      std::copy(values.begin(), values.end(), results[i].values.data<double>().begin() + first);
    }
  }
  return results;
}

}  // namespace eddy::fields
