#include "framework/compiler/kernel_cache.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <limits>
#include <map>
#include <sys/mman.h>
#include <unistd.h>

#include "framework/compiler/sha256.h"
#include "framework/core/log.h"

namespace eddy::compiler {

namespace fs = std::filesystem;

namespace {

/// Part of every key: changes with the meaning of the folder's files.
constexpr std::string_view kFormatVersion = "1";

constexpr std::int64_t kMiB = 1 << 20;
constexpr std::size_t kKeySize = 64;

/// The entry that a file belongs to, also while it is being written; empty for other people's files.
std::string entry_of(const std::string& file_name) {
  const std::string key = file_name.substr(0, file_name.find('.'));
  const bool is_key = key.size() == kKeySize && key.find_first_not_of("0123456789abcdef") == std::string::npos;
  return is_key && key.size() < file_name.size() ? key : std::string();
}

std::string checksum_line(const std::string& key, const std::string& bytes) {
  return fmt::format("{}  {}.so\n", sha256(bytes), key);
}

FileDescriptor memory_file(const std::string& name, std::string_view bytes) {
#ifndef MFD_NOEXEC_SEAL
  constexpr unsigned MFD_NOEXEC_SEAL = 8;  // Linux 6.3: a file to map, not to start
#endif
  FileDescriptor file(memfd_create(name.c_str(), MFD_CLOEXEC | MFD_ALLOW_SEALING | MFD_NOEXEC_SEAL));
  if (!file && errno == EINVAL) file = FileDescriptor(memfd_create(name.c_str(), MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!file || !write_all(file, bytes) ||
      fcntl(file.number(), F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0) {
    throw RuntimeError(
        fmt::format("cannot hold a compiled object of {} bytes in memory: {}", bytes.size(), std::strerror(errno)));
  }
  return file;
}

/// A path of the descriptor that no other call gives, though numbers are used again after they are closed: "./" and
/// ".//" lead nowhere, and spell a number.
std::string unique_path(int descriptor) {
  static std::atomic<std::uint64_t> n_paths{0};
  std::string path = "/proc/self/fd/";
  for (std::uint64_t n = n_paths++; n > 0; n /= 2) path += n % 2 == 0 ? "./" : ".//";
  return path + std::to_string(descriptor);
}

const char* environment(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr && *value != '\0' ? value : nullptr;
}

/// Empty where the environment names none.
fs::path folder_of_environment() {
  if (const char* folder = environment("EDDY_CACHE_DIR")) return folder;
  // The XDG base directory specification wants relative paths ignored.
  if (const char* caches = environment("XDG_CACHE_HOME"); caches != nullptr && *caches == '/') {
    return fs::path(caches) / "eddyline";
  }
  if (const char* home = environment("HOME")) return fs::path(home) / ".cache" / "eddyline";
  return {};
}

std::int64_t max_bytes_of_environment() {
  const char* text = environment("EDDY_CACHE_MAX_MIB");
  if (text == nullptr) return 512 * kMiB;
  std::int64_t n = 0;
  const char* end = text + std::strlen(text);
  const auto [stop, error] = std::from_chars(text, end, n);
  if (error != std::errc() || stop != end || n < 0 || n > std::numeric_limits<std::int64_t>::max() / kMiB) {
    throw UserError(fmt::format("EDDY_CACHE_MAX_MIB is '{}'", text),
                    "write the cache's greatest size as a whole number of MiB, such as 512; 0 keeps nothing");
  }
  return n * kMiB;
}

struct Entry {
  std::int64_t n_bytes = 0, modified_ns = 0;
  std::vector<std::string> files;
  bool has_object = false;
};

std::map<std::string, Entry> entries(const CacheFolder& folder) {
  std::map<std::string, Entry> found;
  for (const auto& file : folder.list()) {
    const std::string key = entry_of(file.name);
    if (key.empty()) continue;
    Entry& entry = found[key];
    entry.n_bytes += file.n_bytes;
    entry.modified_ns = std::max(entry.modified_ns, file.modified_ns);
    entry.files.push_back(file.name);
    entry.has_object |= file.name == key + ".so";
  }
  return found;
}

}  // namespace

ObjectFile::ObjectFile(const std::string& name, std::string_view bytes, double seconds, bool cached)
    : compile_seconds(seconds),
      from_cache(cached),
      file_(memory_file(name, bytes)),
      path_(unique_path(file_.number())) {}

KernelCache::KernelCache(const fs::path& folder, std::int64_t max_bytes) : folder_(folder), max_bytes_(max_bytes) {}

KernelCache::~KernelCache() {
  std::error_code ignored;
  if (temporary_) fs::remove_all(folder_.path(), ignored);
}

std::unique_ptr<KernelCache> KernelCache::of_environment() {
  const std::int64_t max_bytes = max_bytes_of_environment();
  const fs::path folder = folder_of_environment();
  std::string why = "neither EDDY_CACHE_DIR, XDG_CACHE_HOME nor HOME is set";
  try {
    if (!folder.empty()) return std::make_unique<KernelCache>(folder, max_bytes);
  } catch (const RuntimeError& error) {
    why = error.what();
  }
  std::error_code error;
  std::string pattern = (fs::temp_directory_path(error) / "eddyline-cache-XXXXXX").string();
  if (error || mkdtemp(pattern.data()) == nullptr) {
    throw RuntimeError(fmt::format("no folder for compiled programs: {}; nor can {} be created: {}", why, pattern,
                                   error ? error.message() : std::strerror(errno)));
  }
  log::warning_once("kernel cache folder",
                    fmt::format("compiled programs are not kept for the next run: {}; set EDDY_CACHE_DIR to a folder "
                                "that can be written",
                                why));
  auto cache = std::make_unique<KernelCache>(pattern, max_bytes);
  cache->temporary_ = true;
  return cache;
}

KernelCache& KernelCache::of_process() {
  static const std::unique_ptr<KernelCache> cache = of_environment();
  return *cache;
}

std::string KernelCache::identity(const HostCompiler& compiler) const {
  const std::string name = sha256(compiler.stamp()) + ".compiler";
  if (auto known = folder_.read(name); known && !known->empty()) return *known;
  std::string identity = compiler.identity();
  folder_.write(name, identity);
  return identity;
}

std::string KernelCache::key(const HostCompiler& compiler, std::span<const std::string> sources) const {
  Sha256 hash;
  // Each part behind its length, and lists behind their number of parts: different inputs never spell the same message.
  const auto add = [&](std::string_view part) {
    hash.update(fmt::format("{}:", part.size()));
    hash.update(part);
  };
  const auto add_all = [&](std::span<const std::string> parts) {
    hash.update(fmt::format("{}*", parts.size()));
    for (const auto& part : parts) add(part);
  };
  add(kFormatVersion);
  add(kGeneratorVersion);
  add(identity(compiler));
  add_all(compiler.flags());
  add(cpu_identity());
  add_all(sources);
  return hash.finish();
}

std::shared_ptr<ObjectFile> KernelCache::object(const HostCompiler& compiler, std::span<const std::string> sources) {
  const std::string key = this->key(compiler, sources);
  const std::string name = "eddy-" + key.substr(0, 16);
  const auto cached = [&]() -> std::shared_ptr<ObjectFile> {
    const auto bytes = load(key);
    if (!bytes) return nullptr;
    ++n_hits_;
    return std::make_shared<ObjectFile>(name, *bytes, 0.0, true);
  };
  if (auto object = cached()) return object;
  const CacheFolder::Lock lock(folder_, key + ".lock");
  if (auto object = cached()) return object;  // someone else compiled it while we waited

  using Clock = std::chrono::steady_clock;
  const auto start = Clock::now();
  const std::string bytes = compiler.compile(sources);
  const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
  ++n_compiled_;
  store(key, sources, bytes);
  evict();
  return std::make_shared<ObjectFile>(name, bytes, seconds, false);
}

std::optional<std::string> KernelCache::load(const std::string& key) {
  auto bytes = folder_.read(key + ".so");
  if (!bytes) return std::nullopt;
  if (folder_.read(key + ".sum") != checksum_line(key, *bytes)) {
    ++n_corrupt_;
    log::debug(fmt::format("the cached object {}.so does not match its checksum; compiling it anew", key));
    folder_.remove(key + ".so");
    return std::nullopt;
  }
  folder_.touch(key + ".so");
  return bytes;
}

void KernelCache::store(const std::string& key, std::span<const std::string> sources, const std::string& bytes) {
  std::string text;
  for (std::size_t i = 0; i < sources.size(); ++i) {
    if (sources.size() > 1) text += fmt::format("/* Translation unit {} of {}. */\n", i + 1, sources.size());
    text += sources[i];
  }
  // The object comes last: once it is there, its checksum is, too.
  if (folder_.write(key + ".c", text) && folder_.write(key + ".sum", checksum_line(key, bytes)) &&
      folder_.write(key + ".so", bytes)) {
    return;
  }
  log::warning_once("kernel cache store", fmt::format("a compiled program could not be kept in {}: {}",
                                                      folder_.path().string(), std::strerror(errno)));
}

void KernelCache::evict() {
  auto found = entries(folder_);
  std::int64_t n_bytes = 0;
  std::vector<const Entry*> oldest_first;
  for (const auto& [key, entry] : found) {
    n_bytes += entry.n_bytes;
    oldest_first.push_back(&entry);
  }
  std::sort(oldest_first.begin(), oldest_first.end(),
            [](const Entry* a, const Entry* b) { return a->modified_ns < b->modified_ns; });
  for (const Entry* entry : oldest_first) {
    if (n_bytes <= max_bytes_) break;
    for (const auto& file : entry->files) folder_.remove(file);
    n_bytes -= entry->n_bytes;
  }
}

void KernelCache::clear() {
  for (const auto& [key, entry] : entries(folder_)) {
    for (const auto& file : entry.files) folder_.remove(file);
  }
}

CacheStatistics KernelCache::statistics() const {
  CacheStatistics statistics;
  for (const auto& [key, entry] : entries(folder_)) {
    statistics.n_bytes += entry.n_bytes;
    statistics.n_objects += entry.has_object ? 1 : 0;
  }
  statistics.max_bytes = max_bytes_;
  statistics.n_hits = n_hits_;
  statistics.n_compiled = n_compiled_;
  statistics.n_corrupt = n_corrupt_;
  return statistics;
}

std::shared_ptr<ObjectFile> compile_object(std::span<const std::string> sources) {
  return KernelCache::of_process().object(HostCompiler::find(), sources);
}

}  // namespace eddy::compiler
