#include "science/io/csv.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <cstring>
#include <limits>

#include "framework/core/rng.h"
#include "science/io/atomic_file.h"
#include "science/io/test_files.h"

using namespace eddy;
using namespace eddy::io;
using Catch::Contains;

TEST_CASE("numbers are written so that they read back exactly") {
  CHECK(format_number(0.1) == "0.1");
  CHECK(format_number(0.1f) == "0.1");
  CHECK(format_number(100000.0) == "100000");
  CHECK(format_number(-0.0) == "-0");
  CHECK(format_number(-std::nan("")) == "nan");
  CHECK(format_number(-std::numeric_limits<double>::infinity()) == "-inf");
  std::uint64_t bits = 0x9e3779b97f4a7c15u;
  for (int i = 0; i < 20000; ++i) {
    bits = bits * 6364136223846793005u + 1442695040888963407u;
    double value;
    std::memcpy(&value, &bits, sizeof value);
    if (std::isnan(value)) continue;
    // strtod is an independent reader.
    const double read = std::strtod(format_number(value).c_str(), nullptr);
    REQUIRE(std::memcmp(&read, &value, sizeof value) == 0);
    const float narrow = static_cast<float>(i) * 1e-3f;
    REQUIRE(std::strtof(format_number(narrow).c_str(), nullptr) == narrow);
  }
}

TEST_CASE("tables in several dialects") {
  const CsvFile comma =
      CsvFile::parse("\xef\xbb\xbf# made by hand\r\ny, u\r\n\r\n1.0,-2e-3\r\n+2, inf # note\r\n", "a.csv");
  CHECK(comma.names() == std::vector<std::string>{"y", "u"});
  CHECK(comma.n_rows() == 2);
  CHECK(comma.column("y").at(1) == 2);
  CHECK(comma.column("u").at(0) == -2e-3);
  CHECK(std::isinf(comma.column("1").at(1)));

  const CsvFile spaces = CsvFile::parse("% x   y  u @ Re=100\n-1   -0.96\t 0.2\n 1e-400 1e400 NaN", "b.dat");
  CHECK(spaces.names().empty());
  CHECK(spaces.n_columns() == 3);
  CHECK(spaces.column("2").at(0) == 0.2);
  CHECK(spaces.column(0).at(1) == 0);
  CHECK(std::isinf(spaces.column(1).at(1)));
  CHECK(std::isnan(spaces.column(2).at(1)));

  const CsvFile semicolon = CsvFile::parse("stage;\"loss; all\"\nwarm;1\npolish;2\n", "c.csv");
  CHECK(semicolon.names()[1] == "loss; all");
  CHECK(semicolon.text(0) == std::vector<std::string>{"warm", "polish"});
  CHECK(semicolon.column(1).at(1) == 2);
}

TEST_CASE("mistakes in a table are located") {
  CHECK_THAT(error_of<UserError>([] { CsvFile::parse("x,y\n1,2\n3,4o\n", "a.csv").column("y"); }),
             Contains("a.csv:3:3: '4o' is no number"));
  CHECK_THAT(error_of<UserError>([] { CsvFile::parse("x,y\n1,2\n\n3, ,5\n", "a.csv"); }),
             Contains("a.csv:4:") && Contains("3 cells, the first one 2"));
  CHECK_THAT(error_of<UserError>([] { CsvFile::parse("x,y\n1,\n", "a.csv").column("y"); }),
             Contains("a.csv:2:3: this cell is empty"));
  CHECK_THAT(error_of<UserError>([] { CsvFile::parse("x,vel\n1,2\n", "a.csv").column("vle"); }),
             Contains("did you mean 'vel'?"));
  CHECK_THAT(error_of<UserError>([] { CsvFile::parse("1,2\n", "a.csv").column("2"); }), Contains("from 0 to 1"));
  CHECK_THAT(error_of<UserError>([] { CsvFile::parse("# nothing\n\n", "a.csv"); }),
             Contains("a.csv: the table is empty"));
  CHECK_THAT(error_of<UserError>([] { CsvFile::read("none.csv"); }), Contains("none.csv") && Contains("No such file"));
}

TEST_CASE("arrays go to a table and back") {
  const Array x = Array::from<double>({3}, {1.0 / 3, -0.0, 1e300});
  const Array n = Array::from<std::int64_t>({3}, {INT64_MAX, 0, -1});
  const CsvFile read = CsvFile::parse(format_csv({"x", "n"}, {x, n}), "a.csv");
  CHECK(read.column("x").identical(x));
  CHECK(read.text(1)[0] == "9223372036854775807");
}

TEST_CASE("a growing table is cut at a step and goes on") {
  const TemporaryFolder folder;
  const auto path = folder / "history.csv";
  const std::vector<std::string> names{"step", "stage", "loss"};
  {
    CsvWriter writer = CsvWriter::create(path, names);
    for (std::int64_t step = 0; step < 5; ++step) writer.append({step * 100, "adam", 0.1f * static_cast<float>(step)});
    CHECK(read_file(path) == "step,stage,loss\n");
    writer.flush();
    CHECK(CsvFile::read(path).n_rows() == 5);
    writer.append({std::int64_t{500}, "adam", 0.25});
  }
  const std::string whole = read_file(path);
  write_file(path, whole + "600,ada");  // a process killed while it wrote
  { CsvWriter writer = CsvWriter::resume(path, names, 1e9); }
  CHECK(read_file(path) == whole);
  {
    CsvWriter writer = CsvWriter::resume(path, names, 300);
    writer.append({std::int64_t{300}, "lbfgs", 1.0});
  }
  CHECK(read_file(path) == "step,stage,loss\n0,adam,0\n100,adam,0.1\n200,adam,0.2\n300,lbfgs,1\n");
  CHECK_THAT(error_of<UserError>([&] { CsvWriter::resume(path, {"step", "loss"}, 0); }), Contains("history.csv:1:1"));
  const std::string text = runtime_error_when_files_are_limited(100, [&] {
    CsvWriter writer = CsvWriter::resume(path, names, 1e9);
    for (std::int64_t step = 0; step < 50; ++step) writer.append({step, "lbfgs", 1.0});
    writer.flush();
  });
  CHECK_THAT(text, Contains("history.csv") && Contains("File too large"));
}
