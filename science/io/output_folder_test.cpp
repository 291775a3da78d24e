#include "science/io/output_folder.h"

#include <catch2/catch.hpp>

#include "science/io/atomic_file.h"
#include "science/io/test_files.h"

using namespace eddy;
using namespace eddy::io;
using Catch::Contains;

TEST_CASE("an output folder is created, locked, and free again afterwards") {
  const TemporaryFolder base;
  const auto path = base / "a" / "b";
  {
    const OutputFolder first(path, IfOccupied::refuse);
    CHECK_FALSE(first.was_occupied());
    CHECK_THAT(error_of<UserError>([&] { OutputFolder(path, IfOccupied::accept); }), Contains("locked by another run"));
  }
  const OutputFolder second(path, IfOccupied::refuse);  // an empty folder but for the lock file is not occupied
  CHECK_FALSE(second.was_occupied());
}

TEST_CASE("an occupied folder is refused unless the caller accepts it") {
  const TemporaryFolder base;
  write_file(base / "checkpoint.h5", "x");
  CHECK_THAT(error_of<UserError>([&] { OutputFolder(base.path(), IfOccupied::refuse); }),
             Contains("--resume") && Contains("--force"));
  CHECK(base.n_entries() == 1);
  write_file(base / ".checkpoint.h5.123-4.tmp", "left by a killed process");
  CHECK(OutputFolder(base.path(), IfOccupied::accept).was_occupied());
  CHECK_FALSE(std::filesystem::exists(base / ".checkpoint.h5.123-4.tmp"));
  CHECK(read_file(base / "checkpoint.h5") == "x");
}

TEST_CASE("an output folder that cannot be made names path and system error") {
  const TemporaryFolder base;
  write_file(base / "file", "x");
  const std::string text = error_of<RuntimeError>([&] { OutputFolder(base / "file" / "run", IfOccupied::refuse); });
  CHECK_THAT(text, Contains((base / "file" / "run").string()) && Contains("Not a directory"));
  CHECK_THAT(error_of<RuntimeError>([&] { OutputFolder(base / "file", IfOccupied::refuse); }),
             Contains("Not a directory"));
  CHECK_THAT(error_of<RuntimeError>([&] { OutputFolder("/proc/eddy_run", IfOccupied::refuse); }),
             Contains("/proc/eddy_run"));
}
