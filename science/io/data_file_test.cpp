#include "science/io/data_file.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

#include "science/io/atomic_file.h"
#include "science/io/hdf5_file.h"
#include "science/io/test_files.h"
#include "science/io/vtk_writer.h"

using namespace eddy;
using namespace eddy::io;
using Catch::Contains;

namespace {

/// f(i, j, k) = 100 i + 10 j + k on axes of the given sizes, in the given order of dimensions.
Array field(const std::vector<std::int64_t>& sizes, const std::vector<std::size_t>& order) {
  std::vector<std::int64_t> shape;
  for (const std::size_t axis : order) shape.push_back(sizes[axis]);
  Array result(DType::f64, shape);
  const double weight[] = {100, 10, 1};
  for (std::int64_t i = 0; i < result.n_elements(); ++i) {
    std::int64_t rest = i;
    double value = 0;
    for (std::size_t d = order.size(); d-- > 0; rest /= shape[d]) value += weight[order[d]] * double(rest % shape[d]);
    result.data<double>()[static_cast<std::size_t>(i)] = value;
  }
  return result;
}

Array axis(std::int64_t n) {
  Array result(DType::f64, {n});
  for (std::int64_t i = 0; i < n; ++i) result.data<double>()[static_cast<std::size_t>(i)] = 0.5 * double(i);
  return result;
}

}  // namespace

TEST_CASE("the Burgers reference is a grid whichever axis is named first") {
  const std::filesystem::path path = "data/burgers/burgers_shock.mat";
  const GridData xt = read_grid(path, {{"x", "x"}, {"t", "t"}}, {{"u", "usol"}});
  const GridData tx = read_grid(path, {{"t", "t"}, {"x", "x"}}, {{"u", "usol"}});
  CHECK(xt.n_points() == 25600);
  CHECK(xt.fields[0].values.shape() == std::vector<std::int64_t>{256, 100});
  CHECK(tx.fields[0].values.shape() == std::vector<std::int64_t>{100, 256});
  CHECK(xt.fields[0].values.at(17 * 100 + 42) == tx.fields[0].values.at(42 * 256 + 17));
  const Array points = tx.points();
  REQUIRE(points.shape() == std::vector<std::int64_t>{25600, 2});
  for (const std::int64_t i : {0, 1, 255}) {  // the first rows are the initial state
    CHECK(points.at(2 * i) == 0);
    CHECK(tx.fields[0].values.at(i) == Approx(-std::sin(M_PI * points.at(2 * i + 1))).margin(1e-12));
  }
}

TEST_CASE("fields in any order of axes, with sizes of one, agree") {
  const TemporaryFolder folder;
  const std::vector<std::int64_t> sizes{2, 3, 4};
  Hdf5Content content;
  content.arrays = {{"a", axis(2)}, {"b", axis(3)}, {"c", axis(4)}, {"one", axis(1)}, {"four", axis(4)}};
  content.arrays["f"] = field(sizes, {0, 1, 2});
  std::vector<std::size_t> order{0, 1, 2};
  do {
    content.arrays["g"] = field(sizes, order).reshaped({1, sizes[order[0]], sizes[order[1]], 1, sizes[order[2]]});
    write_hdf5(folder / "a.h5", content);
    const GridData grid = read_grid(folder / "a.h5", {{"x", "a"}, {"o", "one"}, {"y", "b"}, {"z", "c"}}, {{"g", "g"}});
    CHECK(grid.fields[0].values.identical(content.arrays["f"].reshaped({2, 1, 3, 4})));
  } while (std::next_permutation(order.begin(), order.end()));

  content.arrays["h"] = field({4, 4}, {0, 1});
  content.arrays["k"] = field({3, 4, 4}, {0, 1, 2});
  write_hdf5(folder / "a.h5", content);
  const GridData square = read_grid(folder / "a.h5", {{"x", "c"}, {"y", "four"}}, {{"h", "h"}});
  CHECK(square.fields[0].values.identical(content.arrays["h"]));
  CHECK_THAT(error_of<UserError>([&] {
               read_grid(folder / "a.h5", {{"x", "c"}, {"y", "four"}, {"z", "b"}}, {{"k", "k"}});
             }),
             Contains("several ways") && Contains("'k'"));
  CHECK_THAT(error_of<UserError>([&] {
               read_grid(folder / "a.h5", {{"x", "a"}, {"y", "b"}}, {{"f", "f"}});
             }),
             Contains("'f' of shape [2, 3, 4] does not fit axes of sizes [2, 3]"));
}

TEST_CASE("values that are not finite are named with file, data set and index") {
  const TemporaryFolder folder;
  Hdf5Content content;
  content.arrays["x"] = axis(2);
  content.arrays["y"] = axis(3);
  content.arrays["u"] = Array::from<float>({2, 3}, {0, 0, 0, 0, 0, std::nanf("")});
  content.arrays["v"] = Array::from<double>({3, 2}, {0, 0, -std::numeric_limits<double>::infinity(), 0, 0, 0});
  write_hdf5(folder / "a.h5", content);
  const DataNames axes{{"x", "x"}, {"y", "y"}};
  CHECK_THAT(error_of<UserError>([&] {
               read_grid(folder / "a.h5", axes, {{"u", "u"}});
             }),
             Contains("a.h5: data set 'u' holds nan at index [1, 2]"));
  CHECK_THAT(error_of<UserError>([&] {
               read_grid(folder / "a.h5", axes, {{"v", "v"}});
             }),
             Contains("data set 'v' holds an infinity at index [1, 0]"));
  write_file(folder / "a.csv", "x,u\n0,1\n1,nan\n");
  CHECK_THAT(error_of<UserError>([&] {
               read_points(folder / "a.csv", {{"x", "x"}}, {{"u", "u"}});
             }),
             Contains("a.csv: data set 'u' holds nan at index [1]"));
}

TEST_CASE("points from text tables and meshes") {
  const TemporaryFolder folder;
  write_file(folder / "a.dat", "% x y u (1)\n-1 0 5\n-2 0.5 6\n");
  const PointData table = read_points(folder / "a.dat", {{"x", "0"}, {"y", "1"}}, {{"u", "2"}});
  CHECK(table.points.identical(Array::from<double>({2, 2}, {-1, 0, -2, 0.5})));
  CHECK(table.fields[0].values.identical(Array::from<double>({2}, {5, 6})));
  CHECK(read_arrays(folder / "a.dat").size() == 3);

  Mesh mesh;
  mesh.points = Array::from<float>({2, 2}, {1, 2, 3, 4});
  mesh.point_fields = {{"v", Array::from<float>({2, 3}, {1, 2, 3, 4, 5, 6})}};
  write_vtu(folder / "a.vtu", mesh);
  const PointData cloud = read_points(folder / "a.vtu", {{"y", "y"}}, {{"w", "v_z"}});
  CHECK(cloud.points.identical(Array::from<double>({2, 1}, {2, 4})));
  CHECK(cloud.fields[0].values.identical(Array::from<double>({2}, {3, 6})));
  CHECK_THAT(error_of<UserError>([&] {
               read_points(folder / "a.vtu", {{"x", "x"}}, {{"w", "v_q"}});
             }),
             Contains("no field 'v_q'") && Contains("did you mean"));
  CHECK_THAT(error_of<UserError>([&] {
               read_points(folder / "a.vtu", {{"x", "x"}}, {{"v", "v"}});
             }),
             Contains("a vector is needed"));
}

TEST_CASE("an image is a grid") {
  const TemporaryFolder folder;
  write_vti(folder / "a.vti", {{2, 3}, {-1, 0}, {0.5, 2}, {{"u", field({2, 3}, {0, 1})}}});
  const GridData grid = read_grid(folder / "a.vti", {{"y", "y"}, {"x", "x"}}, {{"u", "u"}});
  CHECK(grid.axes[0].identical(Array::from<double>({3}, {0, 2, 4})));
  CHECK(grid.axes[1].identical(Array::from<double>({2}, {-1, -0.5})));
  CHECK(grid.fields[0].values.at(1 * 2 + 1) == 110);
}

TEST_CASE("mistakes in data files are named") {
  const TemporaryFolder folder;
  Hdf5Content content;
  content.arrays["x"] = Array::from<double>({3}, {0, 2, 1});
  content.arrays["u"] = axis(3);
  content.arrays["w"] = axis(4);
  write_hdf5(folder / "a.h5", content);
  CHECK_THAT(error_of<UserError>([&] {
               read_grid(folder / "a.h5", {{"x", "x"}}, {{"u", "u"}});
             }),
             Contains("axis 'x'") && Contains("at index 2"));
  CHECK_THAT(error_of<UserError>([&] {
               read_points(folder / "a.h5", {{"x", "x"}}, {{"w", "w"}});
             }),
             Contains("'w' has 4 values, 'x' has 3"));
  CHECK_THAT(error_of<UserError>([&] { read_arrays(folder / "a.npz"); }), Contains("'.npz' are not read"));
  CHECK_THAT(error_of<UserError>([&] { read_arrays("data/burgers/burgers_shock.mat", {"usoll"}); }),
             Contains("did you mean 'usol'?"));
}
