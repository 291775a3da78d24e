#include "science/io/atomic_file.h"

#include <catch2/catch.hpp>
#include <fstream>

#include "science/io/test_files.h"

using namespace eddy;
using namespace eddy::io;
using Catch::Contains;

TEST_CASE("a written file holds exactly the bytes, and nothing is left beside it") {
  const TemporaryFolder folder;
  const std::string bytes("a\0b\r\n\xff", 6);
  write_file(folder / "x.bin", "old");
  write_file(folder / "x.bin", bytes);
  CHECK(read_file(folder / "x.bin") == bytes);
  CHECK(folder.n_entries() == 1);
  write_file_with(folder / "y.txt", [](const std::filesystem::path& temporary) { std::ofstream(temporary) << "y"; });
  CHECK(read_file(folder / "y.txt") == "y");
  CHECK(folder.n_entries() == 2);
}

TEST_CASE("a failing writer leaves the old file and no temporary") {
  const TemporaryFolder folder;
  write_file(folder / "x", "old");
  const auto failing = [](const std::filesystem::path& temporary) {
    std::ofstream(temporary) << "half";
    throw RuntimeError("no more");
  };
  CHECK_THROWS_WITH(write_file_with(folder / "x", failing), "no more");
  CHECK(read_file(folder / "x") == "old");
  CHECK(folder.n_entries() == 1);
}

TEST_CASE("a full disk is noticed, named, and costs nothing that existed") {
  const TemporaryFolder folder;
  write_file(folder / "x", "old");
  const std::string text =
      runtime_error_when_files_are_limited(4096, [&] { write_file(folder / "x", std::string(10000, 'n')); });
  CHECK_THAT(text, Contains((folder / "x").string()) && Contains("File too large"));
  CHECK(read_file(folder / "x") == "old");
  CHECK(folder.n_entries() == 1);
}

TEST_CASE("places that cannot be written are named with the system's error") {
  const TemporaryFolder folder;
  write_file(folder / "file", "text");
  CHECK_THAT(error_of<RuntimeError>([&] { write_file(folder / "file" / "x", "y"); }), Contains("Not a directory"));
  CHECK_THAT(error_of<RuntimeError>([&] { write_file(folder / "none" / "x", "y"); }), Contains("No such file"));
  CHECK_THAT(error_of<RuntimeError>([&] { write_file(folder.path(), "y"); }), Contains("no regular file"));
  CHECK_THAT(error_of<RuntimeError>([&] { write_file("/dev/null", "y"); }), Contains("no regular file"));
  CHECK_THAT(error_of<UserError>([&] { read_file(folder / "none"); }), Contains("No such file"));
  CHECK_THAT(error_of<UserError>([&] { read_file(folder.path()); }), Contains("Is a directory"));
}

TEST_CASE("a symbolic link is followed") {
  const TemporaryFolder folder;
  write_file(folder / "target", "old");
  std::filesystem::create_symlink("target", folder / "link");
  write_file(folder / "link", "new");
  CHECK(std::filesystem::is_symlink(folder / "link"));
  CHECK(read_file(folder / "target") == "new");
}
