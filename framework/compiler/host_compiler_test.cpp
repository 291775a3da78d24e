#include "framework/compiler/host_compiler.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <functional>

#include "framework/compiler/test_folder.h"

using namespace eddy;
using namespace eddy::compiler;
using Catch::Matchers::Contains;

namespace {
template <typename E>
std::string words_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const E& error) {
    return error.what();
  }
  FAIL("nothing of the expected type was thrown");
  return {};
}
}  // namespace

TEST_CASE("host compiler: found by EDDY_CC, by path or by name, else on PATH", "[host_compiler]") {
  const TestFolder folder;
  const auto mine = folder.script("mycc", "exec cc \"$@\"");
  {
    const TestEnvironment cc("EDDY_CC", mine.c_str());
    CHECK(HostCompiler::find().program() == mine);
  }
  const std::string path = folder.path.string() + ":" + std::getenv("PATH");
  const TestEnvironment on_path("PATH", path.c_str());
  {
    const TestEnvironment cc("EDDY_CC", "mycc");
    CHECK(HostCompiler::find().program() == mine);
  }
  folder.script("cc", "exit 0");
  const TestEnvironment cc("EDDY_CC", nullptr);
  CHECK(HostCompiler::find().program() == folder.path / "cc");
}

TEST_CASE("host compiler: a missing one is an error of its own type", "[host_compiler]") {
  const TestFolder folder;
  const TestEnvironment path("PATH", folder.path.c_str());
  {
    const TestEnvironment cc("EDDY_CC", nullptr);
    CHECK_THAT(words_of<NoCompiler>([] { HostCompiler::find(); }), Contains("PATH"));
  }
  const TestEnvironment cc("EDDY_CC", "/no/such/cc");
  CHECK_THAT(words_of<NoCompiler>([] { HostCompiler::find(); }), Contains("/no/such/cc"));
  std::ofstream(folder.path / "text") << "no program";
  const TestEnvironment text("EDDY_CC", "text");
  CHECK_THROWS_AS(HostCompiler::find(), NoCompiler);
}

TEST_CASE("host compiler: one that does not run is as good as none", "[host_compiler]") {
  const TestFolder folder;
  const HostCompiler refuses(folder.script("refuses", "echo 'error: no licence'; exit 1"));
  CHECK_THAT(words_of<NoCompiler>([&] { refuses.identity(); }), Contains("no licence"));
  const HostCompiler gone(folder.path / "gone");
  CHECK_THROWS_AS(gone.stamp(), NoCompiler);
  CHECK_THROWS_AS(gone.identity(), NoCompiler);
  const std::vector<std::string> sources = {"int f;"};
  CHECK_THROWS_AS(gone.compile(sources), NoCompiler);
}

TEST_CASE("host compiler: identity and stamp", "[host_compiler]") {
  const TestFolder folder;
  const auto script = folder.script("mycc", "echo \"mycc 1.0 for $1\"; echo ignored");
  const HostCompiler mine(script);
  CHECK(mine.identity() == "mycc 1.0 for --version\nmycc 1.0 for -dumpmachine\n");
  const std::string stamp = mine.stamp();
  CHECK(mine.stamp() == stamp);
  folder.script("mycc", "echo mycc 1.1");
  CHECK(mine.stamp() != stamp);
}

TEST_CASE("host compiler: the flags keep IEEE arithmetic and fit this CPU", "[host_compiler]") {
  const auto flags = native_flags();
  const auto has = [&](const char* flag) { return std::find(flags.begin(), flags.end(), flag) != flags.end(); };
  CHECK(has("-ffp-contract=off"));
  CHECK_FALSE(has("-ffast-math"));
  // The kernel's own list of what the CPU can do.
  const bool avx512 = cpu_identity().find(" avx512f") != std::string::npos;
  const bool avx2 = cpu_identity().find(" avx2") != std::string::npos;
  CHECK(native_vector_bytes() == (avx512 ? 64 : avx2 ? 32 : 16));
  CHECK(has("-mprefer-vector-width=512") == avx512);
}

TEST_CASE("host compiler: a refused text is kept and the error quoted", "[host_compiler]") {
  const TestFolder folder;
  const TestEnvironment temporary("TMPDIR", folder.path.c_str());
  const std::vector<std::string> sources = {"int good(void) { return 1; }\n", "int bad(void) { return undeclared; }\n"};
  const auto words = words_of<InternalError>([&] { HostCompiler::find().compile(sources); });
  CHECK_THAT(words, Contains("undeclared") && Contains("unit_1.c:1"));
  const auto kept = words.substr(words.rfind("kept as ") + 8);
  CHECK(file_text(kept) == sources[1]);
}

TEST_CASE("host compiler: units are linked, and what is undefined then is an error", "[host_compiler]") {
  const TestFolder folder;
  const TestEnvironment temporary("TMPDIR", folder.path.c_str());
  std::vector<std::string> sources = {"int f(int); int g(int x) { return f(x); }", "int f(int x) { return x; }"};
  CHECK(HostCompiler::find().compile(sources).substr(0, 4) == "\177ELF");
  CHECK(std::filesystem::is_empty(folder.path));
  sources.pop_back();
  CHECK_THAT(words_of<InternalError>([&] { HostCompiler::find().compile(sources); }), Contains("undefined"));
}

TEST_CASE("host compiler: one that was killed is no defect of the program", "[host_compiler]") {
  const TestFolder folder;
  const HostCompiler killed(folder.script("killed", "kill -9 $$"));
  const std::vector<std::string> sources = {"int x;"};
  CHECK_THAT(words_of<RuntimeError>([&] { killed.compile(sources); }), Contains("signal 9"));
}
