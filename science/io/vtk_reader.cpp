#include "science/io/vtk_reader.h"

#include <array>
#include <charconv>
#include <memory>
#include <vtkCell.h>
#include <vtkCellData.h>
#include <vtkDataArray.h>
#include <vtkGenericDataObjectReader.h>
#include <vtkIdList.h>
#include <vtkImageData.h>
#include <vtkNew.h>
#include <vtkPointData.h>
#include <vtkPointSet.h>
#include <vtkXMLDataElement.h>
#include <vtkXMLDataParser.h>
#include <vtkXMLImageDataReader.h>
#include <vtkXMLUnstructuredGridReader.h>

#include "framework/core/dim.h"
#include "science/io/atomic_file.h"
#include "science/io/vtk_session.h"

namespace eddy::io {

namespace fs = std::filesystem;

namespace {

[[noreturn]] void fail(const fs::path& path, const std::string& message, const std::string& hint = {}) {
  throw UserError(SourceLocation{std::make_shared<const std::string>(path.string())}, message, hint);
}

/// Copies a VTK array to [dims..., n_components], or [dims...] for one component. `dims` counts x first.
template <typename Stored, typename T>
Array copy(const Stored* source, const std::vector<std::int64_t>& dims, int n_components, DType dtype) {
  std::vector<std::int64_t> shape = dims;
  if (n_components != 1) shape.push_back(n_components);
  Array result(dtype, shape);
  T* target = result.data<T>().data();
  std::array<std::int64_t, 3> n{1, 1, 1};
  std::copy(dims.begin(), dims.end(), n.begin());
  for (std::int64_t z = 0; z < n[2]; ++z) {
    for (std::int64_t y = 0; y < n[1]; ++y) {
      for (std::int64_t x = 0; x < n[0]; ++x) {
        T* tuple = target + ((x * n[1] + y) * n[2] + z) * n_components;
        for (int c = 0; c < n_components; ++c) tuple[c] = static_cast<T>(*source++);
      }
    }
  }
  return result;
}

/// Nothing for arrays that are not of numbers.
void add_field(std::vector<NamedArray>& fields, vtkDataArray* array, const std::vector<std::int64_t>& dims,
               const fs::path& path) {
  if (!array) return;
  const std::string name = array->GetName() ? array->GetName() : "";
  const int n_components = array->GetNumberOfComponents();
  if (array->GetNumberOfTuples() != n_elements(dims)) {
    fail(path, fmt::format("field '{}' has {} values for {} places: the file is corrupt", name,
                           array->GetNumberOfTuples(), n_elements(dims)));
  }
  const void* data = array->GetVoidPointer(0);
  switch (array->GetDataType()) {
    case VTK_FLOAT:
      fields.push_back({name, copy<float, float>(static_cast<const float*>(data), dims, n_components, DType::f32)});
      break;
    case VTK_DOUBLE:
      fields.push_back({name, copy<double, double>(static_cast<const double*>(data), dims, n_components, DType::f64)});
      break;
    default:
      switch (array->GetDataType()) {
        vtkTemplateMacro(fields.push_back(
            {name, copy<VTK_TT, std::int64_t>(static_cast<const VTK_TT*>(data), dims, n_components, DType::i64)}));
        default: break;  // bits and text
      }
  }
}

std::vector<NamedArray> fields_of(vtkDataSetAttributes* attributes, const std::vector<std::int64_t>& dims,
                                  const fs::path& path) {
  std::vector<NamedArray> fields;
  for (int i = 0; i < attributes->GetNumberOfArrays(); ++i) add_field(fields, attributes->GetArray(i), dims, path);
  return fields;
}

ImageData image_of(vtkImageData& data, const fs::path& path) {
  ImageData image;
  int dims[3];
  data.GetDimensions(dims);
  if (dims[0] < 1 || dims[1] < 1 || dims[2] < 1) fail(path, "the image holds no points");
  const int rank = dims[2] > 1 ? 3 : dims[1] > 1 ? 2 : 1;
  double corner[3];
  int extent[6];
  data.GetExtent(extent);
  for (int i = 0; i < 3; ++i) corner[i] = data.GetOrigin()[i] + extent[2 * i] * data.GetSpacing()[i];
  for (int i = 0; i < rank; ++i) {
    image.dims.push_back(dims[i]);
    image.origin.push_back(corner[i]);
    image.spacing.push_back(data.GetSpacing()[i]);
  }
  image.fields = fields_of(data.GetPointData(), image.dims, path);
  return image;
}

Mesh mesh_of(vtkPointSet& data, const fs::path& path) {
  Mesh mesh;
  const std::int64_t n_points = data.GetNumberOfPoints(), n_cells = data.GetNumberOfCells();
  std::vector<NamedArray> points;
  if (n_points > 0) add_field(points, data.GetPoints()->GetData(), {n_points}, path);
  mesh.points = points.empty() ? Array(DType::f64, {0, 3}) : points[0].values;

  std::vector<std::int64_t> offsets{0}, connectivity, types;
  vtkNew<vtkIdList> ids;
  for (std::int64_t i = 0; i < n_cells; ++i) {
    data.GetCellPoints(i, ids);
    for (vtkIdType j = 0; j < ids->GetNumberOfIds(); ++j) {
      const std::int64_t id = ids->GetId(j);
      if (id < 0 || id >= n_points) {
        fail(path, fmt::format("cell {} refers to point {} of {}: the file is corrupt", i, id, n_points));
      }
      connectivity.push_back(id);
    }
    offsets.push_back(static_cast<std::int64_t>(connectivity.size()));
    types.push_back(data.GetCellType(i));
  }
  mesh.offsets = Array::from({n_cells + 1}, offsets);
  mesh.connectivity = Array::from({static_cast<std::int64_t>(connectivity.size())}, connectivity);
  mesh.cell_types = Array::from({n_cells}, types);
  mesh.point_fields = fields_of(data.GetPointData(), {n_points}, path);
  mesh.cell_fields = fields_of(data.GetCellData(), {n_cells}, path);
  return mesh;
}

template <typename Reader>
vtkSmartPointer<vtkDataObject> run(Reader* reader, const fs::path& path, const VtkSession& session) {
  reader->SetFileName(path.c_str());
  reader->Update();
  vtkSmartPointer<vtkDataObject> data = reader->GetOutputDataObject(0);
  const std::string messages = session.messages();
  if (!messages.empty() || reader->GetErrorCode() != 0 || !data) {
    fail(path, "the VTK file is truncated or corrupt", messages.empty() ? "" : "VTK says: " + messages);
  }
  return data;
}

/// VTK's XML readers accept a file whose last elements are cut off.
void check_closed(const std::string& bytes, const fs::path& path) {
  if (bytes.find("<VTKFile") == std::string::npos) fail(path, "this is no VTK XML file");
  const std::size_t close = bytes.rfind("</VTKFile>");
  if (close == std::string::npos || bytes.find_first_not_of(" \t\r\n", close + 10) != std::string::npos) {
    fail(path, "the VTK file is truncated: its last element is not closed");
  }
}

}  // namespace

std::variant<ImageData, Mesh> read_vtk(const fs::path& path) {
  const std::string kind = path.extension().string();
  if (kind != ".vti" && kind != ".vtu" && kind != ".vtk") {
    fail(path, fmt::format("files '{}' are not read", kind), "use .vti, .vtu or .vtk");
  }
  const std::string bytes = read_file(path);  // the system's error for a file that cannot be read
  if (kind != ".vtk") check_closed(bytes, path);
  const VtkSession session;
  vtkSmartPointer<vtkDataObject> data;
  if (kind == ".vti") {
    data = run(vtkNew<vtkXMLImageDataReader>().Get(), path, session);
  } else if (kind == ".vtu") {
    data = run(vtkNew<vtkXMLUnstructuredGridReader>().Get(), path, session);
  } else {
    vtkNew<vtkGenericDataObjectReader> reader;
    reader->ReadAllScalarsOn();
    reader->ReadAllVectorsOn();
    reader->ReadAllFieldsOn();
    data = run(reader.Get(), path, session);
    // A file that ends before CELL_TYPES gives a mesh without cells, and no error.
    auto* points = vtkPointSet::SafeDownCast(data);
    if (points && points->GetNumberOfCells() == 0 && bytes.find("\nCELLS ") != std::string::npos &&
        bytes.find("\nCELLS 0 ") == std::string::npos) {
      fail(path, "the VTK file is truncated: its cells have no types");
    }
  }
  if (auto* image = vtkImageData::SafeDownCast(data)) return image_of(*image, path);
  if (auto* points = vtkPointSet::SafeDownCast(data)) return mesh_of(*points, path);
  fail(path, fmt::format("data sets of kind {} are not read", data->GetClassName()),
       "use image data, structured points, unstructured grids or polygonal data");
}

std::vector<PvdEntry> read_pvd(const fs::path& path) {
  check_closed(read_file(path), path);
  const VtkSession session;
  vtkNew<vtkXMLDataParser> parser;
  parser->SetFileName(path.c_str());
  const bool parsed = parser->vtkXMLParser::Parse() != 0 && session.messages().empty();
  vtkXMLDataElement* root = parsed ? parser->GetRootElement() : nullptr;
  vtkXMLDataElement* collection = root ? root->FindNestedElementWithName("Collection") : nullptr;
  if (!collection) fail(path, "this is no .pvd index, or it is truncated or corrupt", session.messages());
  std::vector<PvdEntry> entries;
  for (int i = 0; i < collection->GetNumberOfNestedElements(); ++i) {
    vtkXMLDataElement* element = collection->GetNestedElement(i);
    const char* file = element->GetAttribute("file");
    const char* time = element->GetAttribute("timestep");
    if (!file) fail(path, fmt::format("entry {} names no file", i));
    PvdEntry entry{0, file};
    if (time) {
      const std::string_view number = time;
      if (std::from_chars(number.data(), number.data() + number.size(), entry.time).ec != std::errc()) {
        fail(path, fmt::format("entry {}: the time '{}' is no number", i, number));
      }
    }
    entries.push_back(std::move(entry));
  }
  return entries;
}

}  // namespace eddy::io
