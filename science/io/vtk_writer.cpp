#include "science/io/vtk_writer.h"

#include <array>
#include <limits>
#include <string_view>
#include <vtkCellArray.h>
#include <vtkCellData.h>
#include <vtkDoubleArray.h>
#include <vtkFloatArray.h>
#include <vtkImageData.h>
#include <vtkNew.h>
#include <vtkPointData.h>
#include <vtkTypeInt64Array.h>
#include <vtkUnsignedCharArray.h>
#include <vtkUnstructuredGrid.h>
#include <vtkXMLImageDataWriter.h>
#include <vtkXMLUnstructuredGridWriter.h>

#include "framework/core/dim.h"
#include "science/io/atomic_file.h"
#include "science/io/csv.h"
#include "science/io/vtk_session.h"

namespace eddy::io {

namespace fs = std::filesystem;

namespace {

std::string xml_name(const std::string& name) {
  std::string result = name;
  for (char& c : result) {
    if (static_cast<unsigned char>(c) < 0x20 || std::string_view("\"'<>&").find(c) != std::string_view::npos) c = '_';
  }
  return result;
}

/// Where the tuple of VTK's index goes: VTK's first axis varies fastest, ours last.
struct Layout {
  std::array<std::int64_t, 3> dims;
  std::int64_t n_tuples() const { return checked_multiply(checked_multiply(dims[0], dims[1]), dims[2]); }
};

template <typename VtkArray, typename T>
vtkSmartPointer<vtkDataArray> copy(const Layout& layout, int n_components, const Array& values) {
  auto result = vtkSmartPointer<VtkArray>::New();
  const int n_padded = n_components == 2 ? 3 : n_components;
  result->SetNumberOfComponents(n_padded);
  result->SetNumberOfTuples(layout.n_tuples());
  const T* source = values.data<T>().data();
  auto* target = result->GetPointer(0);
  const auto [nx, ny, nz] = layout.dims;
  for (std::int64_t z = 0; z < nz; ++z) {
    for (std::int64_t y = 0; y < ny; ++y) {
      for (std::int64_t x = 0; x < nx; ++x) {
        const T* tuple = source + ((x * ny + y) * nz + z) * n_components;
        for (int c = 0; c < n_padded; ++c) *target++ = c < n_components ? tuple[c] : T(0);
      }
    }
  }
  return result;
}

/// `values` must have the sizes of `shape`, and may have one more for components.
vtkSmartPointer<vtkDataArray> to_vtk(const NamedArray& field, const std::vector<std::int64_t>& shape,
                                     const Layout& layout) {
  const Array& values = field.values;
  const std::size_t rank = shape.size();
  EDDY_CHECK(values.rank() == rank || values.rank() == rank + 1, "field '{}' has rank {} on a grid of rank {}",
             field.name, values.rank(), rank);
  for (std::size_t i = 0; i < rank; ++i) {
    EDDY_CHECK(values.shape()[i] == shape[i], "field '{}' has size {} on axis {} of size {}", field.name,
               values.shape()[i], i, shape[i]);
  }
  const std::int64_t n_components = values.rank() == rank ? 1 : values.shape()[rank];
  EDDY_CHECK(n_components >= 1 && n_components <= std::numeric_limits<int>::max());
  const int n = static_cast<int>(n_components);
  vtkSmartPointer<vtkDataArray> result;
  switch (values.dtype()) {
    case DType::f32: result = copy<vtkFloatArray, float>(layout, n, values); break;
    case DType::f64: result = copy<vtkDoubleArray, double>(layout, n, values); break;
    case DType::i64: result = copy<vtkTypeInt64Array, std::int64_t>(layout, n, values); break;
    case DType::boolean: result = copy<vtkUnsignedCharArray, bool>(layout, n, values); break;
    default:
      throw InternalError(fmt::format("field '{}': write the parts of complex values as two fields", field.name));
  }
  result->SetName(xml_name(field.name).c_str());
  return result;
}

/// Drops VTK's `<InformationKey>` elements (ranges of norms): no reader needs them, and VTK's own stumbles over "inf".
void erase_information_keys(std::string& xml) {
  const std::string_view open = "<InformationKey", close = "</InformationKey>";
  for (std::size_t from = xml.find(open); from != std::string::npos; from = xml.find(open, from)) {
    const std::size_t to = xml.find(close, from);
    xml.erase(from, to == std::string::npos ? to : to + close.size() - from);
  }
}

/// Assembles the file in memory, so that a failing disk is seen by write_file() and not half-seen by VTK.
template <typename Writer>
void write(const fs::path& path, vtkDataObject* data, const VtkOptions& options) {
  std::string bytes;
  {
    const VtkSession session;
    vtkNew<Writer> writer;
    writer->SetInputData(data);
    // Not "appended": ParaView 5.11 with the expat of Debian 12's security updates cannot read it beyond a few kB.
    writer->SetDataModeToBinary();
    writer->SetHeaderTypeToUInt64();
    if (options.compress) {
      writer->SetCompressorTypeToZLib();
    } else {
      writer->SetCompressorTypeToNone();
    }
    writer->WriteToOutputStringOn();
    if (writer->Write() != 1 || !session.messages().empty()) {
      throw RuntimeError(fmt::format("cannot write '{}': VTK says: {}", path.string(), session.messages()));
    }
    bytes = writer->GetOutputString();
    erase_information_keys(bytes);
  }
  write_file(path, bytes);
}

}  // namespace

void write_vti(const fs::path& path, const ImageData& image, const VtkOptions& options) {
  const std::size_t rank = image.dims.size();
  EDDY_CHECK(rank >= 1 && rank <= 3 && image.origin.size() == rank && image.spacing.size() == rank);
  Layout layout{{1, 1, 1}};
  std::array<double, 3> origin{}, spacing{1, 1, 1};
  for (std::size_t i = 0; i < rank; ++i) {
    EDDY_CHECK(image.dims[i] >= 1 && image.dims[i] <= std::numeric_limits<int>::max());
    layout.dims[i] = image.dims[i];
    origin[i] = image.origin[i];
    if (image.dims[i] > 1) spacing[i] = image.spacing[i];  // a single point has no spacing
  }
  vtkNew<vtkImageData> data;
  data->SetDimensions(static_cast<int>(layout.dims[0]), static_cast<int>(layout.dims[1]),
                      static_cast<int>(layout.dims[2]));
  data->SetOrigin(origin.data());
  data->SetSpacing(spacing.data());
  for (const NamedArray& field : image.fields) data->GetPointData()->AddArray(to_vtk(field, image.dims, layout));
  write<vtkXMLImageDataWriter>(path, data, options);
}

void write_vtu(const fs::path& path, const Mesh& mesh, const VtkOptions& options) {
  EDDY_CHECK(mesh.points.rank() == 2 && is_real(mesh.points.dtype()), "points are [n, d] of reals");
  const std::int64_t n_points = mesh.n_points(), n_dims = mesh.points.shape()[1], n_cells = mesh.n_cells();
  EDDY_CHECK(n_dims >= 1 && n_dims <= 3);
  EDDY_CHECK(mesh.offsets.n_elements() == n_cells + 1);

  Array coordinates(mesh.points.dtype(), {n_points, 3});
  visit_dtype(mesh.points.dtype(), [&](auto zero) {
    using T = decltype(zero);
    const auto source = mesh.points.data<T>();
    const auto target = coordinates.data<T>();
    for (std::int64_t i = 0; i < n_points; ++i) {
      for (std::int64_t j = 0; j < n_dims; ++j) {
        target[static_cast<std::size_t>(3 * i + j)] = source[static_cast<std::size_t>(n_dims * i + j)];
      }
    }
  });
  vtkNew<vtkUnstructuredGrid> data;
  vtkNew<vtkPoints> points;
  points->SetData(to_vtk({"Points", coordinates}, {n_points}, Layout{{n_points, 1, 1}}));
  data->SetPoints(points);

  vtkNew<vtkCellArray> cells;
  vtkNew<vtkUnsignedCharArray> types;
  types->SetNumberOfTuples(n_cells == 0 ? n_points : n_cells);
  if (n_cells == 0) {
    for (std::int64_t i = 0; i < n_points; ++i) {
      cells->InsertNextCell({static_cast<vtkIdType>(i)});
      types->SetValue(i, VTK_VERTEX);
    }
  } else {
    for (std::int64_t i = 0; i < n_cells; ++i) {
      const std::int64_t type = mesh.cell_types.data<std::int64_t>()[static_cast<std::size_t>(i)];
      EDDY_CHECK(type > 0 && type < 256, "cell type {}", type);
      types->SetValue(i, static_cast<unsigned char>(type));
    }
    const std::int64_t n_ids = mesh.connectivity.n_elements();
    for (const std::int64_t id : mesh.connectivity.data<std::int64_t>()) EDDY_CHECK(id >= 0 && id < n_points);
    std::int64_t before = 0;
    for (const std::int64_t offset : mesh.offsets.data<std::int64_t>()) {
      EDDY_CHECK(offset >= before && offset <= n_ids);
      before = offset;
    }
    EDDY_CHECK(mesh.offsets.data<std::int64_t>()[0] == 0 && before == n_ids);
    const auto ids = [](const Array& array) {
      return copy<vtkTypeInt64Array, std::int64_t>(Layout{{array.n_elements(), 1, 1}}, 1, array);
    };
    cells->SetData(vtkTypeInt64Array::SafeDownCast(ids(mesh.offsets)),
                   vtkTypeInt64Array::SafeDownCast(ids(mesh.connectivity)));
  }
  data->SetCells(types, cells);
  for (const NamedArray& field : mesh.point_fields) {
    data->GetPointData()->AddArray(to_vtk(field, {n_points}, Layout{{n_points, 1, 1}}));
  }
  for (const NamedArray& field : mesh.cell_fields) {
    data->GetCellData()->AddArray(to_vtk(field, {n_cells}, Layout{{n_cells, 1, 1}}));
  }
  write<vtkXMLUnstructuredGridWriter>(path, data, options);
}

void write_pvd(const fs::path& path, const std::vector<PvdEntry>& entries) {
  std::string text =
      "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"0.1\" byte_order=\"LittleEndian\">\n  "
      "<Collection>\n";
  for (const PvdEntry& entry : entries) {
    EDDY_CHECK(fs::path(entry.file).is_relative() && xml_name(entry.file) == entry.file, "file name '{}'", entry.file);
    text += fmt::format("    <DataSet timestep=\"{}\" group=\"\" part=\"0\" file=\"{}\"/>\n", format_number(entry.time),
                        entry.file);
  }
  write_file(path, text + "  </Collection>\n</VTKFile>\n");
}

}  // namespace eddy::io
