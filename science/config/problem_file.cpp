#include "science/config/problem_file.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace eddy::config {

namespace {

void check_reference(const Text& reference, const std::string& name, const std::vector<std::string>& known,
                     const std::string& what) {
  if (std::find(known.begin(), known.end(), name) != known.end()) return;
  const std::string nearest = nearest_name(name, known);
  throw UserError(reference.where, fmt::format("there is no {} '{}'", what, name),
                  !nearest.empty() ? fmt::format("did you mean '{}'?", nearest)
                  : known.empty()  ? std::string{}
                                   : fmt::format("there are {}", fmt::join(known, ", ")));
}

/// `line.boundary` is a part of the shape `line`; which parts a shape has is the geometry's matter.
void check_regions(const At& at, const std::vector<std::string>& shapes) {
  for (const Text& region : at.regions) {
    check_reference(region, region.text.substr(0, region.text.find('.')), shapes, "shape");
  }
}

/// Whether a constraint there needs no number of points.
bool lists_its_points(const At& at, const GeometrySpec& geometry) {
  return std::all_of(at.regions.begin(), at.regions.end(), [&](const Text& region) {
    const ShapeSpec* shape = find(geometry.shapes, region.text);
    return shape != nullptr && shape->points;
  });
}

void check_references(const ProblemFile& problem) {
  for (const char c : problem.name.text) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0 && std::string_view("_-.").find(c) == std::string_view::npos) {
      throw UserError(problem.name.where, "the name becomes a folder's name",
                      "use letters, digits, underscores, hyphens and dots");
    }
  }
  if (problem.name.text.empty() || problem.name.text[0] == '.') {
    throw UserError(problem.name.where, "the name becomes a folder's name", "begin it with a letter");
  }
  const std::vector<std::string> shapes = names(problem.geometry.shapes), data = names(problem.data);
  check_reference(problem.geometry.domain, problem.geometry.domain.text, shapes, "shape");
  for (const auto& [name, constraint] : problem.constraints) {
    check_regions(constraint.at, shapes);
    if (constraint.data) check_reference(*constraint.data, constraint.data->text, data, "data set");
    if (!constraint.points && !constraint.data && !lists_its_points(constraint.at, problem.geometry)) {
      throw UserError(constraint.where, "the key 'points' is missing in this constraint", "points: 1000");
    }
    if (constraint.time && !problem.geometry.time) {
      throw UserError(constraint.where, "'time' needs a problem in time", "give geometry.time, for instance [0, 1]");
    }
  }
  for (const auto& output : problem.outputs.fields) check_regions(output.value.at, shapes);
  for (const auto& validation : problem.validation) {
    if (validation.value.data) check_reference(*validation.value.data, validation.value.data->text, data, "data set");
  }
}

}  // namespace

ProblemFile read_problem(const Node& root) {
  ProblemFile problem = problem_schema().read(root);
  check_references(problem);
  return problem;
}

ProblemFile read_problem(const std::string& path, const Overrides& overrides) {
  return read_problem(read_layers(path, overrides, problem_schema().type.get()));
}

std::string resolved_yaml(const ProblemFile& problem) { return to_yaml(problem_schema().write(problem)); }

std::string problem_json_schema() { return json_schema(*problem_schema().type, "Eddyline problem file"); }

std::string problem_reference_page() {
  std::string page =
      "# The problem file\n\n"
      "Generated from the declarations in `science/config/problem_*.cpp`. Every collection is a map, so every value "
      "has a\n"
      "path: `--set training.stages.polish.steps=100`. Later layers win: the file that `extends` names, the file, the "
      "profile\n"
      "chosen with `--profile`, `--set`. Maps are merged, everything else is replaced, `null` removes a key. Numbers "
      "of the\n"
      "geometry and times may be constant expressions: `2*pi`. `eddy check FILE` prints a file with every "
      "default.\n\n" +
      reference_sections(*problem_schema().type) +
      "\n## Expressions\n\n"
      "Loosest first: `or`, `and`, `not`, comparisons (`==` `!=` `<` `<=` `>` `>=`, no chains), `+ -`, `* /`, unary "
      "`-`, `^`\n"
      "(to the right). All numbers are real: `1/3` is a third. `pi` is a number, `sdf` the distance to the boundary. "
      "`u_xx` is\n"
      "the second derivative of `u` where the suffix spells coordinates and nothing else has that name.\n\n"
      "| function | value |\n|---|---|\n";
  for (const Function& function : functions()) page += fmt::format("| `{}` | {} |\n", function.name, function.doc);
  return page;
}

}  // namespace eddy::config
