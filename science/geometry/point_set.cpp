#include "science/geometry/point_set.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "framework/core/errors.h"

namespace eddy::geometry {

namespace {
/// Calls f(column of a, column of b) for each column of two sets with the same columns.
template <typename A, typename B, typename F>
void for_each_column(A& a, B& b, F f) {
  EDDY_CHECK(a.coordinates.size() == b.coordinates.size() && a.normals.size() == b.normals.size());
  for (std::size_t i = 0; i < a.coordinates.size(); ++i) f(a.coordinates[i].values, b.coordinates[i].values);
  for (std::size_t i = 0; i < a.normals.size(); ++i) f(a.normals[i].values, b.normals[i].values);
  f(a.area, b.area);
  f(a.sdf, b.sdf);
}
}  // namespace

const std::vector<double>* PointSet::find(std::string_view name) const {
  for (const auto* columns : {&coordinates, &normals}) {
    for (const Column& column : *columns) {
      if (column.name == name) return &column.values;
    }
  }
  if (name == "area") return &area;
  if (name == "sdf") return &sdf;
  return nullptr;
}

const std::vector<double>& PointSet::column(std::string_view name) const {
  const std::vector<double>* values = find(name);
  EDDY_CHECK(values != nullptr, "points have no column '{}'", name);
  return *values;
}

void PointSet::append(const PointSet& other) {
  for_each_column(*this, other, [](std::vector<double>& mine, const std::vector<double>& theirs) {
    mine.insert(mine.end(), theirs.begin(), theirs.end());
  });
  n_points += other.n_points;
}

PointSet PointSet::select(std::span<const std::int64_t> rows) const {
  PointSet out;
  out.n_points = static_cast<std::int64_t>(rows.size());
  for (const Column& column : coordinates) out.coordinates.push_back({column.name, {}});
  for (const Column& column : normals) out.normals.push_back({column.name, {}});
  for_each_column(out, *this, [&](std::vector<double>& to, const std::vector<double>& from) {
    to.reserve(from.empty() ? 0 : rows.size());
    if (from.empty()) return;
    for (const std::int64_t row : rows) to.push_back(from[static_cast<std::size_t>(row)]);
  });
  if (!rows.empty()) {
    const double scale = static_cast<double>(n_points) / static_cast<double>(rows.size());
    for (double& area_of_point : out.area) area_of_point *= scale;
  }
  return out;
}

std::vector<std::int64_t> apportion(std::int64_t n, std::span<const double> shares) {
  const double total = std::accumulate(shares.begin(), shares.end(), 0.0);
  EDDY_CHECK(n >= 0 && total > 0 && std::isfinite(total));
  std::vector<std::int64_t> parts(shares.size());
  std::vector<double> remainder(shares.size());
  std::int64_t left = n;
  for (std::size_t i = 0; i < shares.size(); ++i) {
    const double exact = static_cast<double>(n) * (shares[i] / total);
    parts[i] = std::min(left, static_cast<std::int64_t>(exact));
    remainder[i] = shares[i] > 0 ? exact - static_cast<double>(parts[i]) : -1.0;
    left -= parts[i];
  }
  std::vector<std::size_t> order(shares.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return remainder[a] > remainder[b]; });
  // Rounding may leave more than one point per part only when n is beyond 2^53; the loop is right then, too.
  for (std::size_t i = 0; left > 0; i = (i + 1) % order.size()) {
    if (shares[order[i]] <= 0) continue;
    ++parts[order[i]];
    --left;
  }
  return parts;
}

}  // namespace eddy::geometry
