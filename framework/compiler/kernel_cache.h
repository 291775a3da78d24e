#pragma once
/// From printed C to a shared object that can be loaded, through a cache on disk.
///
/// An entry is three files: `<key>.so`, `<key>.sum` (its SHA-256, as `sha256sum -c` reads it) and `<key>.c`, the source
/// for readers. An object is read into memory, checked there and handed on as a sealed memory file, so nobody can
/// change it between the check and its loading. What does not check is compiled anew. Any number of processes and
/// threads may use a folder at once; of those that want the same missing object one compiles and the others wait for
/// it.

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "framework/compiler/cache_folder.h"
#include "framework/compiler/host_compiler.h"

namespace eddy::compiler {

/// Part of every key. Raise it when objects of unchanged source must not be used any more.
inline constexpr std::string_view kGeneratorVersion = "1";

/// A shared object in memory. Once it is loaded, this may go.
class ObjectFile {
 public:
  /// `name` is what debuggers and profilers show. RuntimeError when the system lends no memory file.
  ObjectFile(const std::string& name, std::string_view bytes, double seconds, bool cached);

  /// What dlopen takes, in this process and while this object lives. No two objects have the same path, not even one
  /// after the other: dlopen knows what it has loaded by the path's text.
  const std::string& path() const { return path_; }

  const double compile_seconds;  ///< what compiling took, 0 when it was in the cache
  const bool from_cache;

 private:
  FileDescriptor file_;
  std::string path_;
};

struct CacheStatistics {
  std::int64_t n_objects = 0;  ///< in the folder, by any process
  std::int64_t n_bytes = 0;    ///< of all their files
  std::int64_t max_bytes = 0;
  std::int64_t n_hits = 0, n_compiled = 0, n_corrupt = 0;  ///< of this process; the corrupt ones are among the compiled
};

/// A folder of compiled objects. Safe to use from several threads.
class KernelCache {
 public:
  /// The folder's errors are CacheFolder's.
  KernelCache(const std::filesystem::path& folder, std::int64_t max_bytes);
  ~KernelCache();
  KernelCache(const KernelCache&) = delete;
  KernelCache& operator=(const KernelCache&) = delete;

  /// $EDDY_CACHE_DIR, else $XDG_CACHE_HOME/eddyline, else ~/.cache/eddyline; where that cannot be written, with a
  /// warning, a private temporary folder that goes with the result. Holds $EDDY_CACHE_MAX_MIB, 512 by default.
  /// UserError when the folder is not safe or the number is none.
  static std::unique_ptr<KernelCache> of_environment();
  /// The one of this process: of_environment() at the first call.
  static KernelCache& of_process();

  /// The object of these translation units, from the folder or compiled now. Errors are HostCompiler's.
  std::shared_ptr<ObjectFile> object(const HostCompiler& compiler, std::span<const std::string> sources);
  /// The entry's name: a SHA-256 of everything that the object depends on.
  std::string key(const HostCompiler& compiler, std::span<const std::string> sources) const;

  const std::filesystem::path& folder() const { return folder_.path(); }
  /// Removes every entry; files that are none stay.
  void clear();
  CacheStatistics statistics() const;

 private:
  std::string identity(const HostCompiler& compiler) const;
  std::optional<std::string> load(const std::string& key);
  void store(const std::string& key, std::span<const std::string> sources, const std::string& bytes);
  void evict();

  CacheFolder folder_;
  std::int64_t max_bytes_;
  bool temporary_ = false;
  std::atomic<std::int64_t> n_hits_{0}, n_compiled_{0}, n_corrupt_{0};
};

/// The object of these translation units by this process's cache and the compiler of HostCompiler::find(). NoCompiler
/// where there is none.
std::shared_ptr<ObjectFile> compile_object(std::span<const std::string> sources);

}  // namespace eddy::compiler
