#include "science/config/layers.h"

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

#include "science/config/schema.h"
#include "science/config/test_support.h"

using namespace eddy;
using namespace eddy::config;

namespace {

/// A folder of files that goes away.
class Folder {
 public:
  Folder() : path_(std::filesystem::temp_directory_path() / "eddy_layers_test") {
    std::filesystem::remove_all(path_);
    std::filesystem::create_directories(path_ / "sub");
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(path_ / name) << text;
    return at(name);
  }
  std::string at(const std::string& name) const { return (path_ / name).string(); }

 private:
  std::filesystem::path path_;
};

Node with_set(const std::string& yaml, const std::string& assignment) {
  Node root = parse_yaml(yaml, "f");
  apply_set(root, assignment);
  return root;
}

}  // namespace

TEST_CASE("later layers win, and every node keeps its origin") {
  const Folder folder;
  folder.write("base.yaml", "a: {x: 1, y: 2, z: 3}\nlist: [1, 2, 3]\nonly_base: yes\n");
  const std::string path = folder.write("sub/top.yaml",
                                        "extends: ../base.yaml\na: {y: 20}\nlist: [9]\n"
                                        "profiles:\n  quick: {a.z: 300, new.deep.key: [1]}\n  nested: {a: {x: 7}}\n");
  const Node root = read_layers(path, {"quick", {"a.x=1000"}});
  CHECK(root.find("extends") == nullptr);
  CHECK(to_yaml(*root.find("a")) == "x: 1000\ny: 20\nz: 300\n");
  CHECK(to_yaml(*root.find("list")) == "[9]\n");
  CHECK(root.find("only_base")->where.str() == folder.at("base.yaml") + ":3:12");
  CHECK(root.find("a")->find("y")->where.str() == path + ":2:8");
  CHECK(root.find("a")->find("z")->where.str() == path + ":5:16");
  CHECK(root.find("a")->find("x")->where.str() == "--set a.x=1000");
  CHECK(root.find("new")->find("deep")->find("key")->items.size() == 1);
  CHECK(to_yaml(*read_layers(path, {"nested", {}}).find("a")) == "x: 7\ny: 20\nz: 3\n");
}

TEST_CASE("extends is relative to its file, and circles are errors") {
  const Folder folder;
  folder.write("sub/c.yaml", "c: 1\n");
  folder.write("sub/b.yaml", "extends: c.yaml\nb: 1\n");
  const std::string a = folder.write("a.yaml", "extends: sub/b.yaml\na: 1\n");
  CHECK(read_layers(a, {}).keys() == std::vector<std::string>{"c", "b", "a"});

  folder.write("y.yaml", "extends: x.yaml\n");
  const std::string x = folder.write("x.yaml", "extends: ./y.yaml\n");
  CHECK(error_of([&] { read_layers(x, {}); }).find("y.yaml:1:10: '") != std::string::npos);
  CHECK(error_of([&] { read_layers(x, {}); }).find("extends itself in a circle") != std::string::npos);
  const std::string lost = folder.write("lost.yaml", "extends: nowhere.yaml\n");
  CHECK(error_of([&] { read_layers(lost, {}); }).find(lost + ":1:10: there is no file '") == 0);
  const std::string list = folder.write("list.yaml", "extends: [a.yaml]\n");
  CHECK(error_of([&] { read_layers(list, {}); }) ==
        list + ":1:10: expected the name of a file to extend, found a list");
  const std::string text = folder.write("text.yaml", "just text\n");
  CHECK(error_of([&] { read_layers(text, {}); }).find("expected a map of keys, found the text") != std::string::npos);
}

TEST_CASE("a profile that does not exist is named with the nearest one") {
  const Folder folder;
  const std::string path = folder.write("a.yaml", "a: 1\nprofiles: {quick: {a: 2}, slow: {a.b: 3}}\n");
  CHECK(error_of([&] {
          read_layers(path, {"quik", {}});
        }) == "--profile quik: there is no profile 'quik'\n  did you mean 'quick'?");
  CHECK(error_of([&] {
          read_layers(path, {"slow", {}});
        }) == path + ":2:34: cannot set 'a.b': 'a' is the number 1, not a map");
  const std::string none = folder.write("b.yaml", "a: 1\n");
  CHECK(error_of([&] { read_layers(none, {"quick", {}}); }).find("the file has no profiles") != std::string::npos);
}

TEST_CASE("--set reads its value as YAML") {
  const std::string yaml = "a: {b: 1, c: [1, 2]}\n";
  CHECK(to_yaml(with_set(yaml, "a.b=[3, 4]")) == "a:\n  b: [3, 4]\n  c: [1, 2]\n");
  CHECK(to_yaml(with_set(yaml, "a.b=u_t = 0")) == "a:\n  b: u_t = 0\n  c: [1, 2]\n");
  CHECK(to_yaml(with_set(yaml, "a={d: 1}")) == "a:\n  b: 1\n  c: [1, 2]\n  d: 1\n");
  CHECK(to_yaml(with_set(yaml, "a.b=null")) == "a:\n  c: [1, 2]\n");
  CHECK(to_yaml(with_set(yaml, "a.b=")) == "a:\n  c: [1, 2]\n");
  CHECK(with_set(yaml, "a.b=\"1\"").find("a")->find("b")->quoted);
  CHECK(with_set(yaml, "x.y.z=1").find("x")->find("y")->where.str() == "--set x.y.z=1");
  CHECK(error_of([&] { with_set(yaml, "a.b"); }).find("--set a.b: expected key=value") == 0);
  CHECK(error_of([&] { with_set(yaml, "a..b=1"); }).find("--set a..b=1: 'a..b' is no path of keys") == 0);
  CHECK(error_of([&] { with_set(yaml, "=1"); }).find("'' is no path of keys") != std::string::npos);
  CHECK(error_of([&] { with_set(yaml, "a.c.d=1"); }) ==
        "--set a.c.d=1: cannot set 'a.c.d': 'a.c' is a list, not a map");
  CHECK(error_of([&] { with_set(yaml, "a.b=[1"); }).find("--set a.b=[1: this is no valid YAML") == 0);
}

TEST_CASE("with a schema, a path through a name that does not exist is an error") {
  struct Stage {
    std::int64_t steps = 0;
  };
  struct Root {
    NamedList<Stage> stages;
    std::optional<Stage> stop;
  };
  const auto stage = ObjectSchema<Stage>("stage", "").field("steps", &Stage::steps, integer(), "").schema();
  const auto root_schema = ObjectSchema<Root>("root", "")
                               .field("stages", &Root::stages, map_of(stage, "stage"), "")
                               .field("stop", &Root::stop, stage, "")
                               .schema();
  Node root = parse_yaml("stages: {warm: {steps: 1}, polish: {steps: 2}}\n", "f");
  const Type* type = root_schema.type.get();
  CHECK(error_of([&] { apply_set(root, "stages.polsh.steps=3", type); }) ==
        "--set stages.polsh.steps=3: cannot set 'stages.polsh.steps': there is no 'polsh'\n  did you mean 'polish'?");
  apply_set(root, "stages.polish.steps=3", type);
  apply_set(root, "stages.third={steps: 4}", type);
  apply_set(root, "stop.steps=5", type);
  const Root value = root_schema.read(root);
  CHECK(find(value.stages, "polish")->steps == 3);
  CHECK(find(value.stages, "third")->steps == 4);
  CHECK(value.stop->steps == 5);
}

TEST_CASE("null removes a key only from what it overrides") {
  Node base = parse_yaml("a: {b: 1, c: 2}\nd: 3\n", "f");
  merge(base, parse_yaml("a: {b: ~}\nd: ~\ne: {f: ~, g: 1}\n", "g"));
  CHECK(to_yaml(base) == "a:\n  c: 2\ne:\n  g: 1\n");
}
