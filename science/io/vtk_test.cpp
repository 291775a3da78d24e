#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <vtkDataArray.h>
#include <vtkImageData.h>
#include <vtkNew.h>
#include <vtkPointData.h>
#include <vtkUnstructuredGrid.h>
#include <vtkXMLImageDataReader.h>
#include <vtkXMLUnstructuredGridReader.h>

#include "science/io/atomic_file.h"
#include "science/io/test_files.h"
#include "science/io/vtk_reader.h"
#include "science/io/vtk_writer.h"

using namespace eddy;
using namespace eddy::io;
using Catch::Contains;

namespace {

/// Every value different, the awkward ones among them.
template <typename T>
Array ramp(std::vector<std::int64_t> shape) {
  Array array(dtype_of<T>(), std::move(shape));
  for (std::size_t i = 0; i < array.data<T>().size(); ++i) array.data<T>()[i] = T(1) / static_cast<T>(i + 1);
  array.data<T>()[0] = -T(0);
  array.data<T>()[1] = std::numeric_limits<T>::quiet_NaN();
  array.data<T>()[2] = -std::numeric_limits<T>::infinity();
  array.data<T>()[3] = std::numeric_limits<T>::denorm_min();
  return array;
}

ImageData sample_image() {
  ImageData image{{2, 3, 4}, {-1, 0.5, 0}, {0.1, 0.25, 1.0 / 3}, {}};
  image.fields = {{"u", ramp<double>({2, 3, 4})},
                  {"velocity", ramp<float>({2, 3, 4, 3})},
                  {"count", Array(DType::i64, {2, 3, 4})},
                  {"inside", Array(DType::boolean, {2, 3, 4})}};
  image.fields[2].values.data<std::int64_t>()[5] = INT64_MIN + 1;
  image.fields[3].values.data<bool>()[7] = true;
  return image;
}

bool same_bits(double a, double b) { return std::memcmp(&a, &b, sizeof a) == 0; }

}  // namespace

TEST_CASE("an image reads back bitwise with VTK's own reader") {
  const TemporaryFolder folder;
  const ImageData image = sample_image();
  for (const bool compress : {false, true}) {
    write_vti(folder / "a.vti", image, {compress});
    CHECK(folder.n_entries() == 1);
    vtkNew<vtkXMLImageDataReader> reader;
    reader->SetFileName((folder / "a.vti").c_str());
    reader->Update();
    vtkImageData* const read = reader->GetOutput();
    REQUIRE(read->GetDimensions()[0] == 2);
    REQUIRE(read->GetDimensions()[2] == 4);
    CHECK(read->GetOrigin()[1] == 0.5);
    CHECK(same_bits(read->GetSpacing()[2], 1.0 / 3));
    vtkDataArray* const u = read->GetPointData()->GetArray("u");
    vtkDataArray* const velocity = read->GetPointData()->GetArray("velocity");
    REQUIRE(u->GetDataType() == VTK_DOUBLE);
    REQUIRE(velocity->GetDataType() == VTK_FLOAT);
    REQUIRE(velocity->GetNumberOfComponents() == 3);
    for (int x = 0; x < 2; ++x) {
      for (int y = 0; y < 3; ++y) {
        for (int z = 0; z < 4; ++z) {
          int index[3] = {x, y, z};
          const vtkIdType id = read->ComputePointId(index);
          const std::int64_t ours = (x * 3 + y) * 4 + z;
          CHECK(same_bits(u->GetComponent(id, 0), image.fields[0].values.at(ours)));
          CHECK(same_bits(velocity->GetComponent(id, 2), image.fields[1].values.at(3 * ours + 2)));
        }
      }
    }
  }
}

TEST_CASE("an image reads back bitwise with our reader, in one to three dimensions") {
  const TemporaryFolder folder;
  const ImageData image = sample_image();
  write_vti(folder / "a.vti", image);
  const auto read = std::get<ImageData>(read_vtk(folder / "a.vti"));
  CHECK(read.dims == image.dims);
  CHECK(read.origin == image.origin);
  CHECK(read.spacing == image.spacing);
  REQUIRE(read.fields.size() == 4);
  for (std::size_t i = 0; i < 3; ++i) {
    CHECK(read.fields[i].name == image.fields[i].name);
    CHECK(read.fields[i].values.identical(image.fields[i].values));
  }
  CHECK(read.fields[3].values.identical(image.fields[3].values.cast(DType::i64)));

  for (const std::vector<std::int64_t>& dims : {std::vector<std::int64_t>{5}, {4, 3}, {1, 4}}) {
    std::vector<std::int64_t> vector_shape = dims;
    vector_shape.push_back(2);
    ImageData small{dims, std::vector<double>(dims.size(), 1), std::vector<double>(dims.size(), 2), {}};
    small.fields = {{"u", ramp<float>(dims)}, {"v", ramp<double>(vector_shape)}};
    write_vti(folder / "b.vti", small);
    const auto back = std::get<ImageData>(read_vtk(folder / "b.vti"));
    CHECK(back.dims == dims);
    CHECK(back.fields[0].values.identical(small.fields[0].values));
    CHECK(back.fields[1].values.shape().back() == 3);
    CHECK(same_bits(back.fields[1].values.at(4), small.fields[1].values.at(3)));
    CHECK(back.fields[1].values.at(5) == 0);
  }
}

TEST_CASE("an image of many megabytes reads back") {
  const TemporaryFolder folder;
  const ImageData image{{300, 1100}, {0, 0}, {1, 1}, {{"u", ramp<double>({300, 1100})}}};
  for (const bool compress : {false, true}) {
    write_vti(folder / "a.vti", image, {compress});
    CHECK(std::get<ImageData>(read_vtk(folder / "a.vti")).fields[0].values.identical(image.fields[0].values));
  }
}

TEST_CASE("a mesh reads back bitwise, with and without cells") {
  const TemporaryFolder folder;
  Mesh mesh;
  mesh.points = Array::from<double>({4, 2}, {0, 0, 1.0 / 3, 0, 1, 1, 0, -0.0});
  mesh.offsets = Array::from<std::int64_t>({3}, {0, 3, 5});
  mesh.connectivity = Array::from<std::int64_t>({5}, {0, 1, 2, 2, 3});
  mesh.cell_types = Array::from<std::int64_t>({2}, {5, 3});
  mesh.point_fields = {{"u", ramp<float>({4})}, {"grad <u> & \"more\"", ramp<double>({4, 3})}};
  mesh.cell_fields = {{"material", Array::from<std::int64_t>({2}, {7, 8})}};
  write_vtu(folder / "a.vtu", mesh, {true});
  const auto read = std::get<Mesh>(read_vtk(folder / "a.vtu"));
  CHECK(read.points.identical(Array::from<double>({4, 3}, {0, 0, 0, 1.0 / 3, 0, 0, 1, 1, 0, 0, -0.0, 0})));
  CHECK(read.offsets.identical(mesh.offsets));
  CHECK(read.connectivity.identical(mesh.connectivity));
  CHECK(read.cell_types.identical(mesh.cell_types));
  CHECK(read.point_fields[0].values.identical(mesh.point_fields[0].values));
  CHECK(read.point_fields[1].name == "grad _u_ _ _more_");
  CHECK(read.point_fields[1].values.identical(mesh.point_fields[1].values));
  CHECK(read.cell_fields[0].values.identical(mesh.cell_fields[0].values));

  vtkNew<vtkXMLUnstructuredGridReader> reader;
  reader->SetFileName((folder / "a.vtu").c_str());
  reader->Update();
  CHECK(reader->GetOutput()->GetNumberOfCells() == 2);
  CHECK(same_bits(reader->GetOutput()->GetPoint(1)[0], 1.0 / 3));

  Mesh cloud;
  cloud.points = Array::from<float>({2, 3}, {0, 0, 0.1f, 1, 2, 3});
  write_vtu(folder / "b.vtu", cloud);
  const auto vertices = std::get<Mesh>(read_vtk(folder / "b.vtu"));
  CHECK(vertices.points.identical(cloud.points));
  CHECK(vertices.cell_types.identical(Array::from<std::int64_t>({2}, {1, 1})));
}

TEST_CASE("meshes of another program in several encodings") {
  const auto star = std::get<Mesh>(read_vtk("data/mesh/star.vtk"));
  CHECK(star.n_points() == 31);
  CHECK(star.n_cells() == 20);
  CHECK(star.points.at(3) == 1);
  CHECK(star.points.at(3 * 30 + 1) == -0.475529);
  CHECK(star.connectivity.at(4 * 19 + 1) == 30);
  CHECK(star.cell_fields.at(0).name == "material");
  const auto beam = std::get<Mesh>(read_vtk("data/mesh/beam-hex.vtk"));
  CHECK(beam.n_points() == 36);
  CHECK(beam.cell_types.at(7) == 12);
  CHECK(beam.cell_fields.at(0).values.at(7) == 2);

  const auto ascii = std::get<Mesh>(read_vtk("data/mesh/quad_ascii.vtu"));
  CHECK(ascii.n_points() == 16);
  CHECK(ascii.n_cells() == 9);
  CHECK(ascii.cell_types.at(0) == 9);
  for (const char* name : {"data/mesh/quad_binary.vtu", "data/mesh/quad_append_b64_compress.vtu"}) {
    INFO(name);
    const auto mesh = std::get<Mesh>(read_vtk(name));
    CHECK(mesh.points.identical(ascii.points));
    CHECK(mesh.connectivity.identical(ascii.connectivity));
    CHECK(mesh.cell_types.identical(ascii.cell_types));
  }
}

TEST_CASE("a time series names its files") {
  const TemporaryFolder folder;
  write_pvd(folder / "fields.pvd", {{0, "fields/u_0000.vti"}, {0.1, "fields/u_0001.vti"}});
  const auto entries = read_pvd(folder / "fields.pvd");
  REQUIRE(entries.size() == 2);
  CHECK(entries[1].time == 0.1);
  CHECK(entries[1].file == "fields/u_0001.vti");
  write_file(folder / "fields.pvd", read_file(folder / "fields.pvd").substr(0, 150));
  CHECK_THAT(error_of<UserError>([&] { read_pvd(folder / "fields.pvd"); }), Contains("fields.pvd"));
}

TEST_CASE("VTK files cut anywhere, missing or of another kind are refused with their name") {
  const TemporaryFolder folder;
  for (const bool compress : {false, true}) {
    write_vti(folder / "whole.vti", sample_image(), {compress});
    const std::string whole = read_file(folder / "whole.vti");
    // The last line closes the XML element; what stands before it is all there is to know.
    const std::size_t end = whole.rfind("</VTKFile>");
    for (std::size_t size = 0; size < end; size += 1 + end / 60) {
      write_file(folder / "cut.vti", std::string_view(whole).substr(0, size));
      INFO(size << " of " << whole.size() << " bytes");
      CHECK_THAT(error_of<UserError>([&] { read_vtk(folder / "cut.vti"); }), Contains("cut.vti"));
    }
  }
  const std::string legacy = read_file("data/mesh/beam-hex.vtk");
  // The format has no end mark: a file cut before a whole section, here CELL_DATA, is a valid one with less in it.
  const std::size_t section = legacy.find("CELL_DATA"), section_end = legacy.find("SCALARS");
  for (std::size_t size = 0; size < legacy.size() - 2; size += 7) {
    if (size >= section && size < section_end) continue;
    write_file(folder / "cut.vtk", std::string_view(legacy).substr(0, size));
    INFO(size << " of " << legacy.size() << " bytes");
    CHECK_THAT(error_of<UserError>([&] { read_vtk(folder / "cut.vtk"); }), Contains("cut.vtk"));
  }
  CHECK_THAT(error_of<UserError>([&] { read_vtk(folder / "none.vtu"); }), Contains("No such file"));
  write_file(folder / "a.stl", "solid");
  CHECK_THAT(error_of<UserError>([&] { read_vtk(folder / "a.stl"); }), Contains("use .vti, .vtu or .vtk"));
}

TEST_CASE("a full disk while a field is written keeps the old file") {
  const TemporaryFolder folder;
  ImageData image{{4}, {0}, {1}, {{"u", ramp<double>({4})}}};
  write_vti(folder / "u.vti", image);
  const std::string old = read_file(folder / "u.vti");
  image.dims = {100000};
  image.fields[0].values = ramp<double>({100000});
  CHECK_THAT(runtime_error_when_files_are_limited(65536, [&] { write_vti(folder / "u.vti", image); }),
             Contains("u.vti") && Contains("File too large"));
  CHECK(read_file(folder / "u.vti") == old);
  CHECK(folder.n_entries() == 1);
}
