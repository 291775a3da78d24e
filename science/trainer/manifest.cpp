#include "science/trainer/manifest.h"

#include <set>

#include "framework/compiler/host_compiler.h"
#include "framework/compiler/sha256.h"
#include "science/io/atomic_file.h"

namespace eddy::trainer {

using config::Node;

namespace {

constexpr const char* kFormat = "1";

Node without(const Node& map, const std::set<std::string>& keys) {
  Node result = Node::map();
  for (const auto& entry : map.entries) {
    if (keys.count(entry.key.text) == 0) result.set(entry.key.text, entry.value);
  }
  return result;
}

/// The processor as it calls itself.
std::string processor_name() {
  const std::string& all = compiler::cpu_identity();
  const std::size_t key = all.find("model name");
  const std::size_t begin = all.find(": ", key == std::string::npos ? 0 : key);
  return begin == std::string::npos ? "unknown" : all.substr(begin + 2, all.find('\n', begin) - begin - 2);
}

std::string value_text(const Node* node) { return node == nullptr ? "absent" : node->describe(); }

}  // namespace

const char* program_version() { return EDDY_VERSION; }
const char* program_revision() { return EDDY_REVISION; }

Node trained_config(const config::ProblemFile& file) {
  Node root =
      without(config::problem_schema().write(file), {"about", "outputs", "validation", "profiles", "long", "extends"});
  Node* training = root.find("training");
  EDDY_CHECK(training != nullptr);
  *training = without(*training, {"stop", "checkpoint_every", "validate_every"});
  return root;
}

std::string config_hash(const config::ProblemFile& file) { return compiler::sha256(to_yaml(trained_config(file))); }

std::string first_difference(const Node& there, const Node& here) {
  if (there == here) return {};
  if (there.is_map() && here.is_map()) {
    std::vector<std::string> keys = here.keys();
    for (const std::string& key : there.keys()) {
      if (here.find(key) == nullptr) keys.push_back(key);
    }
    for (const std::string& key : keys) {
      const Node *a = there.find(key), *b = here.find(key);
      if (a == nullptr || b == nullptr) return fmt::format("{}: {} there, {} here", key, value_text(a), value_text(b));
      const std::string below = first_difference(*a, *b);
      if (below.empty()) continue;
      return a->is_map() && b->is_map() ? key + "." + below : key + below;
    }
  }
  return fmt::format(": {} there, {} here", value_text(&there), value_text(&here));
}

void write_manifest(const std::filesystem::path& path, const config::ProblemFile& file, const runtime::Engine& engine) {
  Node root = Node::map();
  const auto set = [&](const char* key, const std::string& value, bool quoted = true) {
    root.set(key, Node::scalar(value, quoted));
  };
  set("format", kFormat, false);
  set("version", program_version());
  set("revision", program_revision());
  set("seed", std::to_string(file.seed), false);
  set("device", engine.device().name());
  set("processor", processor_name());
  set("mode", name(engine.mode()));
  set("threads", std::to_string(engine.n_threads()), false);
  set("compiler", __VERSION__);
  root.set("config", config::problem_schema().write(file));
  io::write_file(path, "# What this run was made from; `config` is a problem file of its own.\n" + to_yaml(root));
}

config::ProblemFile read_manifest(const std::filesystem::path& path) {
  const Node root = config::read_yaml_file(path.string());
  const Node* format = root.find("format");
  const Node* problem = root.find("config");
  if (!root.is_map() || format == nullptr || problem == nullptr) {
    throw UserError(fmt::format("'{}' is no manifest of a run", path.string()));
  }
  if (format->text != kFormat) {
    throw UserError(format->where,
                    fmt::format("the manifest has format {}, this program reads {}", format->text, kFormat),
                    "use the version of the program that wrote it");
  }
  return config::read_problem(*problem);
}

}  // namespace eddy::trainer
