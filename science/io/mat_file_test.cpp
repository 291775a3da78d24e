#include "science/io/mat_file.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <complex>
#include <matio.h>

#include "science/io/atomic_file.h"
#include "science/io/test_files.h"

using namespace eddy;
using namespace eddy::io;
using Catch::Contains;

namespace {

/// A file with a matrix of each kind, written by the library itself.
void write_sample(const std::filesystem::path& path, mat_ft version, matio_compression compression) {
  mat_t* const file = Mat_CreateVer(path.c_str(), nullptr, version);
  REQUIRE(file);
  const auto put = [&](const char* name, matio_classes kind, matio_types type, std::vector<std::size_t> dims,
                       void* data, int flags) {
    matvar_t* const variable = Mat_VarCreate(name, kind, type, static_cast<int>(dims.size()), dims.data(), data, flags);
    REQUIRE(Mat_VarWrite(file, variable, compression) == 0);
    Mat_VarFree(variable);
  };
  double matrix[6] = {1, 2, 3, 4, 5, -0.0};  // column-major: [[1, 3, 5], [2, 4, -0]]
  float single[2] = {0.1f, 1e-45f};
  std::int32_t cube[24];
  for (int i = 0; i < 24; ++i) cube[i] = i;
  std::uint8_t logical[2] = {1, 0};
  double re[2] = {1, 2}, im[2] = {-1, 0.5};
  mat_complex_split_t complex{re, im};
  char text[] = "text";
  put("matrix", MAT_C_DOUBLE, MAT_T_DOUBLE, {2, 3}, matrix, 0);
  put("single", MAT_C_SINGLE, MAT_T_SINGLE, {2, 1}, single, 0);
  put("cube", MAT_C_INT32, MAT_T_INT32, {2, 3, 4}, cube, 0);
  put("flags", MAT_C_UINT8, MAT_T_UINT8, {1, 2}, logical, MAT_F_LOGICAL);
  put("spectrum", MAT_C_DOUBLE, MAT_T_DOUBLE, {2, 1}, &complex, MAT_F_COMPLEX);
  put("title", MAT_C_CHAR, MAT_T_UINT8, {1, 4}, text, 0);
  Mat_Close(file);
}

void check_sample(const std::filesystem::path& path) {
  CHECK(read_mat(path, "matrix").identical(Array::from<double>({2, 3}, {1, 3, 5, 2, 4, -0.0})));
  CHECK(read_mat(path, "single").identical(Array::from<float>({2, 1}, {0.1f, 1e-45f})));
  const Array cube = read_mat(path, "cube");
  CHECK(cube.dtype() == DType::i64);
  CHECK(cube.shape() == std::vector<std::int64_t>{2, 3, 4});
  CHECK(cube.at((1 * 3 + 2) * 4 + 3) == 1 + 2 * 2 + 2 * 3 * 3);
  CHECK(cube.at((0 * 3 + 1) * 4 + 2) == 2 * 1 + 2 * 3 * 2);
  CHECK(read_mat(path, "flags").identical(Array::from<bool>({1, 2}, {true, false})));
  CHECK(read_mat(path, "spectrum").identical(Array::from<std::complex<double>>({2, 1}, {{1, -1}, {2, 0.5}})));
  CHECK(list_mat(path).size() == 6);
  CHECK(read_mat(path).size() == 5);
  CHECK_THAT(error_of<UserError>([&] { read_mat(path, "title"); }), Contains("'title' is no dense numeric array"));
  CHECK_THAT(error_of<UserError>([&] { read_mat(path, "matrx"); }),
             Contains(path.string()) && Contains("no variable 'matrx'") && Contains("did you mean 'matrix'?"));
}

}  // namespace

TEST_CASE("MATLAB files of versions 5 and 7.3, compressed or not") {
  const TemporaryFolder folder;
  write_sample(folder / "5.mat", MAT_FT_MAT5, MAT_COMPRESSION_NONE);
  check_sample(folder / "5.mat");
  write_sample(folder / "5z.mat", MAT_FT_MAT5, MAT_COMPRESSION_ZLIB);
  check_sample(folder / "5z.mat");
  write_sample(folder / "73.mat", MAT_FT_MAT73, MAT_COMPRESSION_NONE);
  check_sample(folder / "73.mat");
}

TEST_CASE("the Burgers reference reads as its description says") {
  const std::filesystem::path path = "data/burgers/burgers_shock.mat";
  const Array x = read_mat(path, "x"), t = read_mat(path, "t"), u = read_mat(path, "usol");
  CHECK(x.shape() == std::vector<std::int64_t>{256, 1});
  CHECK(t.shape() == std::vector<std::int64_t>{100, 1});
  REQUIRE(u.shape() == std::vector<std::int64_t>{256, 100});
  for (std::int64_t i = 0; i < 256; ++i) CHECK(u.at(i * 100) == Approx(-std::sin(M_PI * x.at(i))).margin(1e-12));
}

TEST_CASE("MATLAB files cut anywhere are refused with their name") {
  const TemporaryFolder folder;
  for (const auto& [version, compression] :
       {std::pair{MAT_FT_MAT5, MAT_COMPRESSION_NONE}, std::pair{MAT_FT_MAT5, MAT_COMPRESSION_ZLIB},
        std::pair{MAT_FT_MAT73, MAT_COMPRESSION_NONE}}) {
    write_sample(folder / "whole.mat", version, compression);
    const std::string whole = read_file(folder / "whole.mat");
    const std::size_t n_variables = 5;
    for (std::size_t size = 0; size < whole.size(); size += 1 + whole.size() / 150) {
      write_file(folder / "cut.mat", std::string_view(whole).substr(0, size));
      INFO(size << " of " << whole.size() << " bytes");
      // Version 5 has no length of the whole file: a cut between two variables leaves a valid file with fewer of them.
      std::size_t n_read = 0;
      const std::string text = error_of<UserError>([&] { n_read = read_mat(folder / "cut.mat").size(); });
      CHECK(n_read < n_variables);
      if (text != "<nothing thrown>") CHECK_THAT(text, Contains("cut.mat"));
    }
  }
}

TEST_CASE("damaged compressed MATLAB files are refused, not believed") {
  const TemporaryFolder folder;
  write_sample(folder / "whole.mat", MAT_FT_MAT5, MAT_COMPRESSION_ZLIB);
  const std::string whole = read_file(folder / "whole.mat");
  for (std::size_t at = 136; at < 200; ++at) {
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x10);
    write_file(folder / "damaged.mat", damaged);
    INFO("byte " << at);
    try {
      read_mat(folder / "damaged.mat");
    } catch (const UserError& error) {
      CHECK_THAT(error.what(), Contains("damaged.mat"));
    }
  }
}

TEST_CASE("files that are no MATLAB files or missing are refused") {
  const TemporaryFolder folder;
  write_file(folder / "text.mat", "x,y\n1,2\n");
  CHECK_THAT(error_of<UserError>([&] { list_mat(folder / "text.mat"); }), Contains("no MATLAB file"));
  write_file(folder / "long.mat", std::string(1000, 'x'));
  CHECK_THAT(error_of<UserError>([&] { list_mat(folder / "long.mat"); }), Contains("long.mat"));
  CHECK_THAT(error_of<UserError>([&] { list_mat(folder / "none.mat"); }), Contains("No such file"));
}
