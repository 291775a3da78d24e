#include "framework/compiler/kernel_cache.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <dlfcn.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include "framework/compiler/test_folder.h"

using namespace eddy;
using namespace eddy::compiler;
using Catch::Matchers::Contains;
namespace fs = std::filesystem;

namespace {

constexpr std::int64_t kPlenty = std::int64_t{1} << 30;

/// A compiler that writes a line whenever it compiles, and a cache. No optimization: what is made here is tiny.
struct Fixture {
  explicit Fixture(std::int64_t max_bytes = kPlenty) : cache(folder.path / "cache", max_bytes) {}

  int n_compiled() const {
    const std::string text = file_text(folder.path / "log");
    return static_cast<int>(std::count(text.begin(), text.end(), '\n'));
  }
  std::shared_ptr<ObjectFile> object(const std::string& source) {
    const std::vector<std::string> sources = {source};
    return cache.object(compiler, sources);
  }
  fs::path file(const std::string& source, const std::string& suffix) const {
    const std::vector<std::string> sources = {source};
    return folder.path / "cache" / (cache.key(compiler, sources) + suffix);
  }

  TestFolder folder;
  HostCompiler compiler{folder.script("cc", "case \" $* \" in *' -c '*) echo compiled >> " +
                                                (folder.path / "log").string() + ";; esac\nexec cc \"$@\""),
                        {"-O0", "-fPIC"}};
  KernelCache cache;
};

std::string returning(int value) { return fmt::format("int eddy_run(void) {{ return {}; }}\n", value); }

struct Loaded {
  explicit Loaded(const ObjectFile& object) : handle(dlopen(object.path().c_str(), RTLD_NOW | RTLD_LOCAL)) {
    if (handle == nullptr) throw RuntimeError(dlerror());
  }
  ~Loaded() { dlclose(handle); }
  Loaded(const Loaded&) = delete;
  Loaded& operator=(const Loaded&) = delete;
  int run() const { return reinterpret_cast<int (*)()>(dlsym(handle, "eddy_run"))(); }
  void* handle;
};

int run(const ObjectFile& object) { return Loaded(object).run(); }

}  // namespace

TEST_CASE("kernel cache: an object is compiled once, also for a later process", "[kernel_cache]") {
  Fixture f;
  const auto first = f.object(returning(7));
  CHECK_FALSE(first->from_cache);
  CHECK(first->compile_seconds > 0);
  CHECK(run(*first) == 7);
  const auto second = f.object(returning(7));
  CHECK(second->from_cache);
  CHECK(second->compile_seconds == 0);
  CHECK(run(*second) == 7);
  KernelCache later(f.cache.folder(), kPlenty);  // shares nothing but the folder
  const std::vector<std::string> sources = {returning(7)};
  CHECK(run(*later.object(f.compiler, sources)) == 7);
  CHECK(f.n_compiled() == 1);
  CHECK(later.statistics().n_hits == 1);
  CHECK(later.statistics().n_objects == 1);
  CHECK(file_text(f.file(returning(7), ".c")) == returning(7));
  CHECK_FALSE(fs::exists(f.file(returning(7), ".lock")));
  CHECK(fs::status(f.cache.folder()).permissions() == fs::perms::owner_all);
}

TEST_CASE("kernel cache: several units make one object, and objects of one name coexist", "[kernel_cache]") {
  Fixture f;
  const std::vector<std::string> sources = {"int part(void); int eddy_run(void) { return 2 * part(); }",
                                            "int part(void) { return 21; }"};
  const auto pair = f.cache.object(f.compiler, sources);
  CHECK(f.n_compiled() == 2);
  const std::vector<std::string> others = {sources[0], "int part(void) { return 4; }"};
  const auto other = f.cache.object(f.compiler, others);
  const Loaded a(*pair), b(*other);
  CHECK(a.run() == 42);
  CHECK(b.run() == 8);
}

TEST_CASE("kernel cache: a path never names an earlier object", "[kernel_cache]") {
  Fixture f;
  f.object(returning(1));
  f.object(returning(2));
  for (const bool compiled : {false, true}) {  // by cached and by new objects
    auto a = f.object(returning(compiled ? 3 : 1));
    const std::string path = a->path();
    const Loaded loaded_a(*a);  // stays loaded while its descriptor's number is used again
    a.reset();
    const auto b = f.object(returning(compiled ? 4 : 2));
    const Loaded loaded_b(*b);
    CHECK(path.substr(path.rfind('/')) == b->path().substr(b->path().rfind('/')));  // the trap is set
    CHECK(loaded_a.run() == (compiled ? 3 : 1));
    CHECK(loaded_b.run() == (compiled ? 4 : 2));
  }
  // Dropped before it is loaded, and loaded in either order.
  f.object(returning(1)).reset();
  const auto b = f.object(returning(2)), a = f.object(returning(1));
  CHECK(run(*b) == 2);
  CHECK(run(*a) == 1);
  CHECK(run(*b) == 2);
}

TEST_CASE("kernel cache: damaged entries are compiled anew", "[kernel_cache]") {
  Fixture f;
  const std::string source = returning(5);
  f.object(source);
  const auto object = f.file(source, ".so"), sum = f.file(source, ".sum");
  const std::string good = file_text(object);
  SECTION("a flipped bit") {
    std::string bad = good;
    bad[bad.size() / 2] ^= 1;
    std::ofstream(object, std::ios::binary) << bad;
  }
  SECTION("truncated") { fs::resize_file(object, good.size() / 2); }
  SECTION("empty") { fs::resize_file(object, 0); }
  SECTION("another entry's") {
    f.object(returning(6));
    fs::copy_file(f.file(returning(6), ".so"), object, fs::copy_options::overwrite_existing);
    fs::copy_file(f.file(returning(6), ".sum"), sum, fs::copy_options::overwrite_existing);
  }
  SECTION("no checksum") { fs::remove(sum); }
  SECTION("a checksum that is none") { std::ofstream(sum) << "x"; }
  const int before = f.n_compiled();
  CHECK_FALSE(f.object(source)->from_cache);
  CHECK(f.n_compiled() == before + 1);
  CHECK(f.cache.statistics().n_corrupt == 1);
  const auto again = f.object(source);
  CHECK(again->from_cache);
  CHECK(run(*again) == 5);
}

TEST_CASE("kernel cache: the key has everything the object depends on", "[kernel_cache]") {
  Fixture f;
  const auto key = [&](const HostCompiler& compiler, const std::vector<std::string>& sources) {
    return f.cache.key(compiler, sources);
  };
  const std::string base = key(f.compiler, {"ab", "c"});
  CHECK(key(f.compiler, {"ab", "c"}) == base);
  CHECK(key(f.compiler, {"a", "bc"}) != base);
  CHECK(key(f.compiler, {"abc"}) != base);
  CHECK(key(HostCompiler(f.compiler.program(), {"-O1", "-fPIC"}), {"ab", "c"}) != base);
  CHECK(key(HostCompiler(f.compiler.program(), {"-O0", "-fPIC", "ab"}), {"c"}) != base);
  const HostCompiler other(f.folder.script("other", "echo other compiler"), f.compiler.flags());
  CHECK(key(other, {"ab", "c"}) != base);
}

TEST_CASE("kernel cache: a compiler is asked who it is only once", "[kernel_cache]") {
  Fixture f;
  const HostCompiler asked(f.folder.script("asked", "echo asked >> " + (f.folder.path / "log").string()));
  const std::vector<std::string> sources = {"x"};
  f.cache.key(asked, sources);
  CHECK(f.n_compiled() == 2);  // version and machine
  KernelCache later(f.cache.folder(), kPlenty);
  later.key(asked, sources);
  CHECK(f.n_compiled() == 2);
}

TEST_CASE("kernel cache: folders that others could have filled are refused", "[kernel_cache]") {
  const TestFolder folder;
  const fs::path path = folder.path / "cache";
  const auto open = [&](const fs::path& opened) { KernelCache(opened, kPlenty); };
  SECTION("writable by group") {
    fs::create_directory(path);
    fs::permissions(path, fs::perms(0770));
    CHECK_THROWS_WITH(open(path), Contains("0770") && Contains("chmod 700") && Contains("EDDY_CACHE_DIR"));
    fs::permissions(path, fs::perms(0702));
    CHECK_THROWS_AS(open(path), UserError);
    fs::permissions(path, fs::perms(0755));  // others may read
    CHECK_NOTHROW(open(path));
  }
  SECTION("symbolic link") {
    fs::create_directory(folder.path / "real");
    fs::permissions(folder.path / "real", fs::perms(0700));
    fs::create_directory_symlink(folder.path / "real", path);
    CHECK_THROWS_AS(open(path), UserError);
    CHECK_THROWS_WITH(open(path), Contains("symbolic link"));
    CHECK_THROWS_AS(open(path / ""), UserError);
    CHECK_NOTHROW(open(folder.path / "real" / ""));
  }
  SECTION("someone else's") {
    if (geteuid() != 0) {
      WARN("not checked: only the superuser can give a folder away");
      return;
    }
    fs::create_directory(path);
    REQUIRE(chown(path.c_str(), 12345, 12345) == 0);
    CHECK_THROWS_WITH(open(path), Contains("user 12345"));
  }
  SECTION("a file") {
    std::ofstream(path) << "x";
    CHECK_THROWS_AS(open(path), RuntimeError);
  }
}

TEST_CASE("kernel cache: the size cap evicts what was used longest ago", "[kernel_cache]") {
  std::int64_t n_bytes = 0;  // of one entry
  {
    Fixture measured;
    measured.object(returning(1));
    n_bytes = measured.cache.statistics().n_bytes;
  }
  Fixture f(3 * n_bytes);  // with the identity's file, room for two
  const auto age = [&](int value, int hours) {
    for (const auto* suffix : {".so", ".sum", ".c"}) {
      fs::last_write_time(f.file(returning(value), suffix),
                          fs::file_time_type::clock::now() - std::chrono::hours(hours));
    }
  };
  f.object(returning(1));
  age(1, 30);
  f.object(returning(2));
  age(2, 20);
  CHECK(f.object(returning(1))->from_cache);  // now the younger one
  f.object(returning(3));
  f.object(returning(4));
  CHECK(f.cache.statistics().n_bytes <= 3 * n_bytes);
  CHECK(f.object(returning(1))->from_cache);
  CHECK_FALSE(fs::exists(f.file(returning(2), ".so")));
  CHECK_FALSE(fs::exists(f.file(returning(2), ".c")));
  CHECK(fs::exists(f.file(returning(4), ".so")));

  Fixture none(0);
  const auto object = none.object(returning(9));
  CHECK(none.cache.statistics().n_bytes == 0);
  CHECK(run(*object) == 9);
}

TEST_CASE("kernel cache: clear removes entries and nothing else", "[kernel_cache]") {
  Fixture f;
  f.object(returning(1));
  std::ofstream(f.cache.folder() / "letter.c") << "mine";
  f.cache.clear();
  CHECK(f.cache.statistics().n_objects == 0);
  CHECK(f.cache.statistics().n_bytes == 0);
  CHECK(std::distance(fs::directory_iterator(f.cache.folder()), {}) == 1);
  CHECK_FALSE(f.object(returning(1))->from_cache);
}

TEST_CASE("kernel cache: threads and processes that want the same object compile it once", "[kernel_cache]") {
  Fixture f;
  const std::vector<std::string> sources = {returning(11)};
  f.cache.key(f.compiler, sources);  // the compiler's identity is known
  std::vector<pid_t> children;
  for (int i = 0; i < 2; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      bool good = false;
      try {
        KernelCache own(f.cache.folder(), kPlenty);
        good = run(*own.object(f.compiler, sources)) == 11;
      } catch (...) {
      }
      _exit(good ? 0 : 1);
    }
    children.push_back(child);
  }
  std::vector<int> results(3, 0);
  std::vector<std::thread> threads;
  for (auto& result : results) threads.emplace_back([&] { result = run(*f.cache.object(f.compiler, sources)); });
  for (auto& thread : threads) thread.join();
  for (const pid_t child : children) {
    int status = -1;
    REQUIRE(waitpid(child, &status, 0) == child);
    CHECK(status == 0);
  }
  CHECK(results == std::vector<int>(3, 11));
  CHECK(f.n_compiled() == 1);
}

TEST_CASE("kernel cache: a refused text leaves no entry", "[kernel_cache]") {
  Fixture f;
  const TestEnvironment temporary("TMPDIR", f.folder.path.c_str());
  CHECK_THROWS_AS(f.object("int eddy_run(void) { return oops; }"), InternalError);
  CHECK(f.cache.statistics().n_objects == 0);
  CHECK_FALSE(fs::exists(f.file("int eddy_run(void) { return oops; }", ".lock")));
}

TEST_CASE("kernel cache: folder and size come from the environment", "[kernel_cache]") {
  const TestFolder folder;
  const std::string a = folder.path / "a", b = folder.path / "b", c = folder.path / "c";
  const TestEnvironment home("HOME", a.c_str()), size("EDDY_CACHE_MAX_MIB", nullptr);
  const auto opened = [] { return KernelCache::of_environment()->folder().string(); };
  {
    const TestEnvironment caches("XDG_CACHE_HOME", nullptr), mine("EDDY_CACHE_DIR", "");
    CHECK(opened() == a + "/.cache/eddyline");
    const TestEnvironment relative("XDG_CACHE_HOME", "relative");
    CHECK(opened() == a + "/.cache/eddyline");
  }
  const TestEnvironment caches("XDG_CACHE_HOME", b.c_str()), mine("EDDY_CACHE_DIR", nullptr);
  CHECK(opened() == b + "/eddyline");
  CHECK(KernelCache::of_environment()->statistics().max_bytes == 512 << 20);
  const TestEnvironment chosen("EDDY_CACHE_DIR", c.c_str());
  CHECK(opened() == c);
  for (const auto* bad : {"many", "-1", "1.5", "9007199254740993"}) {
    const TestEnvironment number("EDDY_CACHE_MAX_MIB", bad);
    CHECK_THROWS_AS(KernelCache::of_environment(), UserError);
  }
  const TestEnvironment number("EDDY_CACHE_MAX_MIB", "3");
  CHECK(KernelCache::of_environment()->statistics().max_bytes == 3 << 20);
  fs::permissions(c, fs::perms(0777));
  CHECK_THROWS_AS(KernelCache::of_environment(), UserError);  // no fallback: the user must know
}

TEST_CASE("kernel cache: where nothing can be written, a temporary folder serves", "[kernel_cache]") {
  Fixture f;
  std::ofstream(f.folder.path / "file") << "x";
  const TestEnvironment impossible("EDDY_CACHE_DIR", (f.folder.path / "file" / "cache").c_str());
  fs::path folder;
  {
    const auto cache = KernelCache::of_environment();
    folder = cache->folder();
    const std::vector<std::string> sources = {returning(8)};
    cache->object(f.compiler, sources);
    CHECK(run(*cache->object(f.compiler, sources)) == 8);
    CHECK(cache->statistics().n_hits == 1);
    CHECK(fs::status(folder).permissions() == fs::perms::owner_all);
  }
  CHECK_FALSE(fs::exists(folder));
}

TEST_CASE("kernel cache: a folder that takes nothing more only costs the cache", "[kernel_cache]") {
  Fixture f;
  fs::remove_all(f.cache.folder());  // what is open can be read but not filled
  CHECK(run(*f.object(returning(4))) == 4);
  CHECK_FALSE(f.object(returning(4))->from_cache);
}

TEST_CASE("kernel cache: compile_object", "[kernel_cache]") {
  const TestFolder folder;
  const TestEnvironment place("EDDY_CACHE_DIR", (folder.path / "cache").c_str());
  const std::vector<std::string> sources = {returning(3)};
  {
    const TestEnvironment cc("EDDY_CC", "/no/such/cc");
    CHECK_THROWS_AS(compile_object(sources), NoCompiler);
  }
  CHECK(run(*compile_object(sources)) == 3);
  CHECK(compile_object(sources)->from_cache);
}
