#include "science/io/hdf5_file.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <complex>
#include <limits>

#include "science/io/atomic_file.h"
#include "science/io/test_files.h"

using namespace eddy;
using namespace eddy::io;
using Catch::Contains;

namespace {
Hdf5Content sample() {
  Hdf5Content content;
  const double inf = std::numeric_limits<double>::infinity();
  content.arrays["params/net/w0"] =
      Array::from<double>({2, 3}, {0.1, -0.0, inf, -inf, std::nan("7"), std::numeric_limits<double>::denorm_min()});
  content.arrays["params/net/b0"] = Array::from<float>({3}, {0.1f, -0.0f, 1e-45f});
  content.arrays["step"] = Array::scalar<std::int64_t>(INT64_MIN);
  content.arrays["mask"] = Array::from<bool>({4}, {true, false, false, true});
  content.arrays["spectrum"] = Array::from<std::complex<double>>({1, 2}, {{1, -0.0}, {std::nan(""), 2}});
  content.arrays["spectrum32"] = Array::from<std::complex<float>>({2}, {{1, -0.0f}, {0.1f, 2}});
  content.arrays["empty"] = Array(DType::f32, {0, 5});
  std::string long_text(200000, 'y');
  long_text.append("\xc3\xa9");
  content.attributes = {{"format", std::int64_t{3}}, {"time", 0.1}, {"config", long_text}, {"nothing", std::string()}};
  return content;
}
}  // namespace

TEST_CASE("HDF5 files give back every bit, name, shape and attribute") {
  const TemporaryFolder folder;
  const Hdf5Content written = sample();
  write_hdf5(folder / "a.h5", written);
  CHECK(folder.n_entries() == 1);
  const Hdf5Content read = Hdf5File(folder / "a.h5").read_all();
  REQUIRE(read.arrays.size() == written.arrays.size());
  for (const auto& [name, array] : written.arrays) {
    INFO(name);
    CHECK(read.arrays.at(name).identical(array));
  }
  CHECK(read.attributes == written.attributes);
  // A file that depends on its content alone: no clock in it.
  write_hdf5(folder / "b.h5", written);
  const bool equal = read_file(folder / "a.h5") == read_file(folder / "b.h5");
  CHECK(equal);
}

TEST_CASE("a data set that is missing or of another type or shape is named with the file") {
  const TemporaryFolder folder;
  write_hdf5(folder / "a.h5", sample());
  const Hdf5File file(folder / "a.h5");
  CHECK_THAT(error_of<UserError>([&] { file.read("params/net/w1"); }),
             Contains("a.h5") && Contains("params/net/w1") && Contains("did you mean 'params/net/w0'?"));
  CHECK_THAT(error_of<UserError>([&] {
               file.read("params/net/w0", DType::f32, {2, 3});
             }),
             Contains("'params/net/w0'") && Contains("expected f32[2, 3], found f64[2, 3]"));
  CHECK_THAT(error_of<UserError>([&] { file.read("params/net/w0", DType::f64, {6}); }), Contains("expected f64[6]"));
  CHECK(file.read("params/net/w0", DType::f64, {2, 3}).n_elements() == 6);
}

TEST_CASE("files cut anywhere are refused with the file's name") {
  const TemporaryFolder folder;
  Hdf5Content content;
  content.arrays["u"] = Array(DType::f64, {64});
  content.arrays["group/v"] = Array(DType::f32, {100});
  write_hdf5(folder / "whole.h5", content);
  const std::string whole = read_file(folder / "whole.h5");
  for (std::size_t size = 0; size < whole.size(); size += 1 + whole.size() / 100) {
    write_file(folder / "cut.h5", std::string_view(whole).substr(0, size));
    INFO(size << " of " << whole.size() << " bytes");
    CHECK_THAT(error_of<UserError>([&] { Hdf5File(folder / "cut.h5").read_all(); }), Contains("cut.h5"));
  }
}

TEST_CASE("files that are no HDF5 or missing are refused") {
  const TemporaryFolder folder;
  write_file(folder / "text.h5", "x,y\n1,2\n");
  CHECK_THAT(error_of<UserError>([&] { Hdf5File(folder / "text.h5"); }), Contains("not an HDF5 file"));
  CHECK_THAT(error_of<UserError>([&] { Hdf5File(folder / "none.h5"); }), Contains("No such file"));
  CHECK_THAT(error_of<UserError>([&] { Hdf5File(folder.path()); }), Contains(folder.path().string()));
}

TEST_CASE("a full disk while a checkpoint is written keeps the old one") {
  const TemporaryFolder folder;
  Hdf5Content content;
  content.arrays["w"] = Array::from<double>({2}, {1, 2});
  write_hdf5(folder / "checkpoint.h5", content);
  content.arrays["w"] = Array(DType::f64, {100000});
  const std::string text =
      runtime_error_when_files_are_limited(65536, [&] { write_hdf5(folder / "checkpoint.h5", content); });
  CHECK_THAT(text, Contains("checkpoint.h5") && Contains("File too large"));
  CHECK(folder.n_entries() == 1);
  CHECK(Hdf5File(folder / "checkpoint.h5").read("w").at(1) == 2);
}
