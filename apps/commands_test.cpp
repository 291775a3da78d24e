/// The commands that look at problems without training them, by the program itself.
#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <fmt/format.h>

#include "apps/program_test.h"

using namespace eddy;
using apps::Outcome;
using apps::TestFolder;
namespace fs = std::filesystem;

namespace {

/// Every problem file of the source tree.
std::vector<std::string> configs() {
  std::vector<std::string> paths;
  for (const auto& entry : fs::recursive_directory_iterator(fs::current_path() / "configs")) {
    if (entry.path().extension() == ".yaml") paths.push_back(entry.path().string());
  }
  std::sort(paths.begin(), paths.end());
  REQUIRE(paths.size() >= 5);
  return paths;
}

std::string config(const std::string& name) { return (fs::current_path() / "configs" / name).string(); }

/// What a command prints that must succeed without a message.
std::string output(const TestFolder& folder, const std::string& arguments, const std::string& prefix = {}) {
  const Outcome outcome = folder.eddy(arguments, prefix);
  INFO("eddy " << arguments << "\n" << outcome.err);
  CHECK(outcome.code == 0);
  CHECK(outcome.err.empty());
  return outcome.out;
}

void has(const std::string& text, const std::string& part) {
  INFO(text);
  CHECK(text.find(part) != std::string::npos);
}

void refuses(const TestFolder& folder, const std::string& arguments, const std::string& part) {
  const Outcome outcome = folder.eddy(arguments);
  CHECK(outcome.code == 2);
  CHECK(outcome.out.empty());
  has(outcome.err, part);
}

}  // namespace

TEST_CASE("check prints every problem with all defaults, and what it prints is the same problem") {
  const TestFolder folder;
  for (const std::string& path : configs()) {
    INFO(path);
    const std::string text = output(folder, "check " + path);
    has(text, "# unknowns: u\n");
    has(text, "    weight_norm: false\n");  // a default of the network's type
    has(text, "lanes\n");
    folder.write("printed.yaml", text);
    CHECK(output(folder, "check printed.yaml") == text);
    output(folder, "check --profile quick " + path);
  }
  const std::string burgers = output(folder, "check --set seed=7 " + config("burgers/burgers.yaml"));
  has(burgers, "seed: 7\n");
  has(burgers, "# coordinates: t, x\n");
  has(burgers, "# network net: 2241 parameters\n");  // 2*32 + 32 + 2*(32*32 + 32) + 32 + 1
  has(burgers, "# constraint interior: 5000 points over a measure of 2\n");
  has(burgers, "#   term initial.u: u = -sin(pi*x)\n");
  has(burgers, "3 requests, 4 lanes\n");
  refuses(folder, "check --preview " + config("burgers/burgers.yaml"), "--preview is not there yet");
  refuses(folder, "check nothing.yaml", "nothing.yaml");
}

TEST_CASE("inspect prints every stage of every problem") {
  const TestFolder folder;
  for (const std::string& path : configs()) {
    INFO(path);
    const std::string command = "inspect " + path + " --stage ";
    has(output(folder, command + "ir"), "ad.derivative");
    has(output(folder, command + "plan"), "Taylor jet");
    has(output(folder, command + "fused"), "tiles of rows of n_interior");
    has(output(folder, command + "loops"), "contraction");
    has(output(folder, command + "c"), "prim.tanh");  // the operation that the code came from
    has(output(folder, command + "memory"), "n_interior = ");
  }
}

TEST_CASE("inspect takes functions, stages of training and precisions") {
  const TestFolder folder;
  const std::string command = "inspect " + config("burgers/burgers.yaml");
  for (const char* function : {"terms", "loss_and_grad", "update", "step", "fields"}) {
    for (const char* stage : {"ir", "plan", "fused", "loops", "c", "memory"}) {
      CHECK_FALSE(output(folder, fmt::format("{} --stage {} --function {}", command, stage, function)).empty());
    }
  }
  has(output(folder, command + " --function step"), "func @step(");
  has(output(folder, command + " --stage fused --training polish"), "schedule of @loss_and_grad");
  has(output(folder, command + " --precision f32"), "f32[n_interior, 32]");
  // 5000 points of two coordinates in f64.
  has(output(folder, command + " --stage memory"), "80000 bytes  f64 [n_interior, 2]");
  refuses(folder, command + " --stage lops", "there is no stage 'lops'");
  refuses(folder, command + " --stage cuda", "'cuda' is not there yet");
  refuses(folder, command + " --function steps", "no function 'steps'");
  refuses(folder, command + " --training warmer", "no training stage 'warmer'");
  refuses(folder, command + " --precision f16", "no precision 'f16'");
  refuses(folder, command + " --stage update --training polish", "there is no stage 'update'");
}

TEST_CASE("A reader that stops reading ends the program quietly") {
  const TestFolder folder;
  const Outcome outcome =
      folder.eddy("inspect " + config("burgers/burgers.yaml") + " --stage c 2>messages | head -n 1");
  CHECK(outcome.out == "/* @step */\n");
  CHECK(folder.read("messages").empty());
}

TEST_CASE("Burgers' equation written out is the module's: the same program, the same history") {
  const TestFolder folder;
  const std::string module = config("burgers/burgers.yaml"), written = config("burgers/burgers_yaml_only.yaml");
  CHECK(output(folder, "inspect " + module) == output(folder, "inspect " + written));
  const std::string options =
      " --mode eager --threads 2 --set training.stages.warm.steps=3 --set training.stages.polish.steps=2 --set "
      "training.log_every=1 --set constraints.interior.points=50 --set outputs.fields=null --set validation=null "
      "--out ";
  CHECK(folder.eddy("solve " + module + options + "module").code == 0);
  CHECK(folder.eddy("solve " + written + options + "written").code == 0);
  const std::string history = folder.read("module/history.csv");
  CHECK(std::count(history.begin(), history.end(), '\n') >= 5);
  CHECK(history == folder.read("written/history.csv"));
}

TEST_CASE("list names everything, describe explains everything that list names") {
  const TestFolder folder;
  const std::string all = output(folder, "list");
  for (const char* group : {"equations", "networks", "optimizers", "geometries", "devices"}) {
    has(all, std::string(group) + "\n");
    const std::string names = output(folder, std::string("list ") + group);
    CHECK_FALSE(names.empty());
    for (std::size_t begin = 0; begin < names.size(); begin = names.find('\n', begin) + 1) {
      const std::string name = names.substr(begin, names.find_first_of(" \n", begin) - begin);
      has(output(folder, "describe " + name), " " + name + ": ");
    }
  }
  refuses(folder, "list equation", "did you mean 'equations'?");
}

TEST_CASE("describe gives formula, units, parameters, options and keys") {
  const TestFolder folder;
  const std::string heat = output(folder, "describe heat");
  for (const char* part : {"u_t - alpha lap(u) = 0", "residual: K/s", "alpha [m^2/s]: diffusivity; required",
                           "dim: an integer", "default 1", "residuals:\n    heat: \"u_t - alpha*lap(u)\""}) {
    has(heat, part);
  }
  has(output(folder, "describe mlp"), "hidden: a list");
  has(output(folder, "describe rectangle"), "min: ");
  has(output(folder, "describe training.stages"), "optimizer: ");
  has(output(folder, "describe training.stages.lr"), "cosine: ");
  refuses(folder, "describe burgrs", "did you mean 'burgers'?");
  refuses(folder, "describe training.stagess", "there is nothing called");
}

TEST_CASE("cache shows and clears the folder of compiled programs") {
  const TestFolder folder;
  const std::string prefix = fmt::format("EDDY_CACHE_DIR='{}'", folder.path("cache").string());
  has(output(folder, "cache", prefix), "0 programs, 0.0 of 512 MiB");
  folder.write("cache/note.txt", "not the cache's");
  has(output(folder, "cache clear", prefix), folder.path("cache").string() + ": 0 programs");
  CHECK(folder.has("cache/note.txt"));
  refuses(folder, "cache empty", "the cache knows no 'empty'");
}

TEST_CASE("Every command has help with examples; none is an error that says where to look") {
  const TestFolder folder;
  has(output(folder, "--help"), "Examples:");
  for (const char* command : {"solve", "check", "validate", "predict", "inspect", "list", "describe", "cache"}) {
    const std::string help = output(folder, std::string(command) + " --help");
    has(help, "Examples:");
    has(help, std::string("  eddy ") + command);
  }
  has(output(folder, "--version"), "eddy ");
  refuses(folder, "", "see eddy --help");
  refuses(folder, "slove", "did you mean 'solve'?");
}
