#pragma once
/// Fields of a solution as files.

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "science/fields/field_program.h"
#include "science/fields/grid.h"
#include "science/problem/problem.h"

namespace eddy::fields {

/// The fields at one moment: on a grid (`dims` set) or at points.
struct FieldSample {
  geometry::PointSet points;
  std::optional<Grid> grid;
  std::vector<io::NamedArray> values;  ///< [n_points] each
};

/// Writes one file in the format that its extension names (.vti, .vtu, .csv, .h5). UserError for others, and for a grid
/// format without a grid. Coordinates called x, y, z are VTK's axes; others take the axes that are left, in order.
void write_sample(const std::filesystem::path& path, const FieldSample& sample, const std::string& time_name);

/// The outputs of a problem file, ready to be written any number of times.
class FieldOutputs {
 public:
  /// UserError at its place for what cannot be written. The references must outlive the object.
  FieldOutputs(const problem::Problem& problem, runtime::Engine& engine);
  ~FieldOutputs();

  /// Writes `folder`/fields/<output>_<moment>.<format>, and the time series `folder`/fields.pvd of the first output for
  /// VTK, `folder`/fields_<output>.pvd of the others. Returns the files that a person would open.
  std::vector<std::filesystem::path> write(const std::filesystem::path& folder,
                                           const std::vector<io::NamedArray>& state);

 private:
  struct Output;
  const problem::Problem& problem_;
  std::vector<Output> outputs_;
};

}  // namespace eddy::fields
