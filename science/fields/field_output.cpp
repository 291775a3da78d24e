#include "science/fields/field_output.h"

#include <algorithm>
#include <array>

#include "science/io/atomic_file.h"
#include "science/io/csv.h"
#include "science/io/hdf5_file.h"
#include "science/io/vtk_writer.h"

namespace eddy::fields {

namespace fs = std::filesystem;

namespace {

/// For each coordinate of space the axis of VTK that it is drawn along.
std::vector<std::size_t> vtk_axes(const std::vector<std::string>& space) {
  std::array<bool, 3> taken{};
  std::vector<std::size_t> axes(space.size(), 3);
  for (std::size_t i = 0; i < space.size(); ++i) {
    if (space[i] == "x" || space[i] == "y" || space[i] == "z") axes[i] = static_cast<std::size_t>(space[i][0] - 'x');
    if (axes[i] < 3) taken[axes[i]] = true;
  }
  for (std::size_t& axis : axes) {
    if (axis < 3) continue;
    axis = static_cast<std::size_t>(std::find(taken.begin(), taken.end(), false) - taken.begin());
    if (axis == 3) throw UserError("VTK files have three axes, this problem has more", "write CSV or HDF5 files");
    taken[axis] = true;
  }
  return axes;
}

/// A value on the grid with the axes in VTK's order.
Array on_axes(const Array& values, const Grid& grid, const std::vector<std::size_t>& axes,
              const std::vector<std::int64_t>& dims) {
  Array result(DType::f64, dims);
  const auto in = values.data<double>();
  const auto out = result.data<double>();
  std::vector<std::int64_t> strides(dims.size(), 1);
  for (std::size_t i = dims.size() - 1; i-- > 0;) strides[i] = strides[i + 1] * dims[i + 1];
  for (std::int64_t i = 0; i < values.n_elements(); ++i) {
    std::int64_t rest = i, at = 0;
    for (std::size_t axis = grid.dims.size(); axis-- > 0;) {
      at += rest % grid.dims[axis] * strides[axes[axis]];
      rest /= grid.dims[axis];
    }
    out[static_cast<std::size_t>(at)] = in[static_cast<std::size_t>(i)];
  }
  return result;
}

void write_image(const fs::path& path, const FieldSample& sample) {
  const Grid& grid = *sample.grid;
  const std::vector<std::size_t> axes = vtk_axes(grid.axes);
  const std::size_t rank = *std::max_element(axes.begin(), axes.end()) + 1;
  io::ImageData image;
  image.dims.assign(rank, 1);
  image.origin.assign(rank, 0);
  image.spacing.assign(rank, 1);
  const std::vector<double> spacing = grid.spacing();
  for (std::size_t i = 0; i < axes.size(); ++i) {
    image.dims[axes[i]] = grid.dims[i];
    image.origin[axes[i]] = grid.min[i];
    image.spacing[axes[i]] = spacing[i] > 0 ? spacing[i] : 1;
  }
  for (const io::NamedArray& value : sample.values) {
    image.fields.push_back({value.name, on_axes(value.values, grid, axes, image.dims)});
  }
  io::write_vti(path, image);
}

void write_mesh(const fs::path& path, const FieldSample& sample, const std::string& time_name) {
  std::vector<std::string> space;
  for (const geometry::Column& column : sample.points.coordinates) {
    if (column.name != time_name) space.push_back(column.name);
  }
  const std::vector<std::size_t> axes = vtk_axes(space);
  io::Mesh mesh;
  mesh.points = Array(DType::f64, {sample.points.n_points, 3});
  const auto out = mesh.points.data<double>();
  for (std::size_t c = 0; c < space.size(); ++c) {
    const std::vector<double>& column = sample.points.column(space[c]);
    for (std::size_t i = 0; i < column.size(); ++i) out[3 * i + axes[c]] = column[i];
  }
  for (const io::NamedArray& value : sample.values) mesh.point_fields.push_back(value);
  io::write_vtu(path, mesh);
}

Array to_array(const std::vector<double>& values) {
  return Array::from({static_cast<std::int64_t>(values.size())}, values);
}

void write_table(const fs::path& path, const FieldSample& sample) {
  std::vector<std::string> names;
  std::vector<Array> columns;
  for (const geometry::Column& column : sample.points.coordinates) {
    names.push_back(column.name);
    columns.push_back(to_array(column.values));
  }
  for (const io::NamedArray& value : sample.values) {
    names.push_back(value.name);
    columns.push_back(value.values);
  }
  io::write_file(path, io::format_csv(names, columns));
}

void write_arrays(const fs::path& path, const FieldSample& sample) {
  io::Hdf5Content content;
  for (const geometry::Column& column : sample.points.coordinates) {
    content.arrays.emplace(column.name, to_array(column.values));
  }
  for (const io::NamedArray& value : sample.values) {
    // A field may have a coordinate's name only when it is that coordinate.
    content.arrays.insert_or_assign(value.name, value.values);
  }
  io::write_hdf5(path, content);
}

const char* extension(config::FieldFormat format) {
  switch (format) {
    case config::FieldFormat::vti: return ".vti";
    case config::FieldFormat::vtu: return ".vtu";
    case config::FieldFormat::csv: return ".csv";
    case config::FieldFormat::hdf5: return ".h5";
  }
  throw InternalError("unknown field format");
}

}  // namespace

void write_sample(const fs::path& path, const FieldSample& sample, const std::string& time_name) {
  const std::string kind = path.extension().string();
  if (kind == ".vti") {
    if (!sample.grid) throw UserError("a .vti file holds a grid, these are points", "choose .vtu, .csv or .h5");
    write_image(path, sample);
  } else if (kind == ".vtu") {
    write_mesh(path, sample, time_name);
  } else if (kind == ".csv") {
    write_table(path, sample);
  } else if (kind == ".h5") {
    write_arrays(path, sample);
  } else {
    throw UserError(fmt::format("'{}' is no kind of file that fields can be written to", path.string()),
                    "end the name with .vti, .vtu, .csv or .h5");
  }
}

struct FieldOutputs::Output {
  std::string name;
  const config::FieldOutput* spec;
  std::shared_ptr<const geometry::Geometry> shape;  // null for listed points
  std::optional<Grid> grid;
  std::string extension;
  std::unique_ptr<FieldProgram> program;
};

FieldOutputs::~FieldOutputs() = default;

FieldOutputs::FieldOutputs(const problem::Problem& problem, runtime::Engine& engine) : problem_(problem) {
  const problem::Model& model = problem.model();
  for (const auto& [name, spec] : problem.file().outputs.fields) {
    Output output{name.text, &spec, nullptr, std::nullopt, {}, nullptr};
    if (!spec.at.regions.empty()) {
      if (spec.at.regions.size() > 1 || spec.at.regions[0].text.find('.') != std::string::npos) {
        throw UserError(spec.at.regions[0].where, "fields on faces and on several shapes are not there yet",
                        "name one shape, or list points");
      }
      output.shape = model.shapes().shape(spec.at.regions[0].text, spec.at.regions[0].where);
      output.grid = make_grid(model, *output.shape, *spec.grid, spec.where);
    } else if (spec.at.points.empty() || spec.at.points[0].size() != model.symbols().space().size()) {
      throw UserError(spec.where, fmt::format("points have {} coordinates here", model.symbols().space().size()));
    }
    const auto format = spec.format.value_or(output.grid ? config::FieldFormat::vti : config::FieldFormat::vtu);
    if (format == config::FieldFormat::vti && !output.grid) {
      throw UserError(spec.where, "listed points have no grid", "format: vtu");
    }
    output.extension = extension(format);
    output.program = std::make_unique<FieldProgram>(model, engine, spec.values);
    outputs_.push_back(std::move(output));
  }
}

std::vector<fs::path> FieldOutputs::write(const fs::path& folder, const std::vector<io::NamedArray>& state) {
  const problem::Model& model = problem_.model();
  std::vector<fs::path> written;
  bool has_series = false;
  for (Output& output : outputs_) {
    output.program->set_state(state);
    const fs::path files = folder / "fields";
    std::error_code error;
    fs::create_directories(files, error);
    if (error) throw RuntimeError(fmt::format("cannot create '{}': {}", files.string(), error.message()));
    const std::vector<double> times = moments(model, output.spec->times);
    std::vector<io::PvdEntry> series;
    for (std::size_t i = 0; i < times.size(); ++i) {
      FieldSample sample;
      sample.grid = output.grid;
      if (output.grid) {
        sample.points = grid_points(model, *output.grid, times[i], output.shape.get());
      } else {
        sample.points = listed_points(model, output.spec->at.points, times[i]);
      }
      sample.values = output.program->run(sample.points);
      const std::string name = fmt::format("{}_{:04}{}", output.name, i, output.extension);
      write_sample(files / name, sample, model.symbols().time());
      series.push_back({times[i], "fields/" + name});
    }
    if (output.extension == ".vti" || output.extension == ".vtu") {
      written.push_back(folder / (has_series ? fmt::format("fields_{}.pvd", output.name) : "fields.pvd"));
      io::write_pvd(written.back(), series);
      has_series = true;
    } else {
      written.push_back(files);
    }
  }
  return written;
}

}  // namespace eddy::fields
