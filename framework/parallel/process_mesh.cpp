#include "framework/parallel/process_mesh.h"

#include <algorithm>
#include <charconv>
#include <numeric>
#include <set>

#include "framework/core/dim.h"
#include "framework/core/errors.h"

namespace eddy::parallel {

namespace {

bool is_identifier(std::string_view text) {
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  return !text.empty() && is_letter(text[0]) &&
         std::all_of(text.begin(), text.end(), [&](char c) { return is_letter(c) || (c >= '0' && c <= '9'); });
}

std::int64_t n_places(const std::vector<ProcessMesh::Axis>& axes) {
  std::vector<std::int64_t> sizes;
  for (const auto& axis : axes) {
    if (!is_identifier(axis.name)) {
      throw UserError(fmt::format("'{}' cannot be the name of a mesh axis", axis.name), "use letters, digits and _");
    }
    const auto same = [&](const auto& other) { return other.name == axis.name; };
    if (std::count_if(axes.begin(), axes.end(), same) > 1) {
      throw UserError(fmt::format("a mesh has two axes called '{}'", axis.name), "give each its own name");
    }
    if (axis.size < 1) {
      throw UserError(fmt::format("mesh axis '{}' has size {}", axis.name, axis.size), "a size is 1 or more");
    }
    sizes.push_back(axis.size);
  }
  if (axes.empty()) throw UserError("a mesh has no axes", "name at least one, for instance data=1");
  return n_elements(sizes);
}

std::vector<std::int64_t> first_ranks(std::int64_t n) {
  constexpr std::int64_t kMost = std::int64_t{1} << 24;  // more processes than any machine has, few enough to list
  if (n > kMost) throw UserError(fmt::format("a mesh has {} ranks", n), fmt::format("at most {} are possible", kMost));
  std::vector<std::int64_t> ranks(static_cast<std::size_t>(n));
  std::iota(ranks.begin(), ranks.end(), std::int64_t{0});
  return ranks;
}

/// Reads a whole number from the front of `text`.
std::int64_t take_number(std::string_view& text, std::string_view whole) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{}) throw UserError(fmt::format("'{}' is no mesh: a number is missing", whole));
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return value;
}

bool take(std::string_view& text, std::string_view token) {
  if (text.substr(0, token.size()) != token) return false;
  text.remove_prefix(token.size());
  return true;
}

}  // namespace

ProcessMesh::ProcessMesh(std::vector<Axis> axes) : axes_(std::move(axes)), ranks_(first_ranks(n_places(axes_))) {}

ProcessMesh::ProcessMesh(std::vector<Axis> axes, std::vector<std::int64_t> ranks)
    : axes_(std::move(axes)), ranks_(std::move(ranks)) {
  const std::int64_t n = n_places(axes_);
  if (n_ranks() != n)
    throw UserError(fmt::format("a mesh of {} places has {} ranks", n, n_ranks()), "list one for each");
  const std::set<std::int64_t> distinct(ranks_.begin(), ranks_.end());
  if (distinct.size() != ranks_.size() || *distinct.begin() < 0) {
    throw UserError("the ranks of a mesh are not distinct numbers from 0 on", "list each rank once");
  }
}

std::size_t ProcessMesh::axis(std::string_view name) const {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < axes_.size(); ++i) {
    if (axes_[i].name == name) return i;
    names.push_back(axes_[i].name);
  }
  const std::string nearest = nearest_name(std::string(name), names);
  throw UserError(fmt::format("the mesh has no axis '{}'", name),
                  nearest.empty() ? str() : fmt::format("did you mean '{}'?", nearest));
}

bool ProcessMesh::contains(std::int64_t rank) const {
  return std::find(ranks_.begin(), ranks_.end(), rank) != ranks_.end();
}

std::vector<std::int64_t> ProcessMesh::coordinates(std::int64_t rank) const {
  EDDY_CHECK(contains(rank), "rank {} is not in {}", rank, str());
  std::int64_t index = std::find(ranks_.begin(), ranks_.end(), rank) - ranks_.begin();
  std::vector<std::int64_t> coordinates(axes_.size());
  for (std::size_t i = axes_.size(); i-- > 0;) {
    coordinates[i] = index % axes_[i].size;
    index /= axes_[i].size;
  }
  return coordinates;
}

std::vector<std::int64_t> ProcessMesh::line(std::int64_t rank, std::size_t axis) const {
  EDDY_CHECK(axis < axes_.size());
  std::vector<std::int64_t> coordinates = this->coordinates(rank), line;
  for (coordinates[axis] = 0; coordinates[axis] < axes_[axis].size; ++coordinates[axis]) {
    std::int64_t index = 0;
    for (std::size_t i = 0; i < axes_.size(); ++i) index = index * axes_[i].size + coordinates[i];
    line.push_back(ranks_[static_cast<std::size_t>(index)]);
  }
  return line;
}

std::string ProcessMesh::str() const {
  std::string text = "mesh<";
  for (std::size_t i = 0; i < axes_.size(); ++i) {
    text += fmt::format("{}{}={}", i == 0 ? "" : ", ", axes_[i].name, axes_[i].size);
  }
  if (ranks_ != first_ranks(n_ranks())) {
    text += ";";
    for (const std::int64_t rank : ranks_) text += fmt::format(" {}", rank);
  }
  return text + ">";
}

ProcessMesh ProcessMesh::parse(std::string_view text) {
  std::string_view rest = text;
  const auto refuse = [&](const char* what) {
    throw UserError(fmt::format("'{}' is no mesh: {}", text, what), "write for instance mesh<data=4, model=2>");
  };
  std::vector<Axis> axes;
  std::vector<std::int64_t> ranks;
  if (!take(rest, "mesh<")) refuse("it begins with 'mesh<'");
  do {
    const std::size_t equals = rest.find('=');
    if (equals == std::string_view::npos) refuse("an axis is NAME=SIZE");
    Axis axis{std::string(rest.substr(0, equals)), 1};
    rest.remove_prefix(equals + 1);
    axis.size = take_number(rest, text);
    axes.push_back(std::move(axis));
  } while (take(rest, ", "));
  const bool lists_ranks = take(rest, ";");
  while (lists_ranks && take(rest, " ")) ranks.push_back(take_number(rest, text));
  if (rest != ">") refuse("'>' is missing, or something follows it");
  return lists_ranks ? ProcessMesh(std::move(axes), std::move(ranks)) : ProcessMesh(std::move(axes));
}

}  // namespace eddy::parallel
