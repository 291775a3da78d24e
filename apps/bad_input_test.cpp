/// What the program says to wrong input: one test for each kind, by the program itself.
#include <catch2/catch.hpp>
#include <fmt/format.h>

#include "apps/program_test.h"

using namespace eddy;
using apps::Outcome;
using apps::TestFolder;

namespace {

constexpr const char* kProblem = R"yaml(name: small
precision: f64
equation:
  unknowns: [u]
  coordinates: [t, x]
  parameters: {nu: 0.1}
  residuals: {burgers: "u_t + u*u_x - nu*u_xx"}
geometry:
  shapes: {line: {interval: {min: -1, max: 1}}}
  domain: line
  time: [0, 1]
networks:
  net: {type: mlp, inputs: [t, x], outputs: [u], hidden: [8, 8], activation: tanh}
constraints:
  interior: {at: line, residuals: all, points: 64, sampler: sobol}
  initial: {at: line, time: 0, equals: {u: "-sin(pi*x)"}, points: 16}
training:
  stages:
    warm: {optimizer: adam, steps: 20, lr: 1e-3}
  log_every: 5
  checkpoint_every: 5
data:
  table: {file: table.csv, columns: {t: t, x: x, u: u}}
validation:
  table: {data: table, fields: [u]}
)yaml";

/// The problem with one text replaced, which must be there.
std::string with(const std::string& from, const std::string& to) {
  std::string text = kProblem;
  const std::size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

struct Setup : TestFolder {
  Setup() { write("table.csv", "t,x,u\n0,0,0\n0.5,0.5,-0.1\n"); }

  Outcome solve(const std::string& problem, const std::string& arguments = {}) const {
    write("problem.yaml", problem);
    return eddy("solve problem.yaml --mode eager --threads 1 " + arguments);
  }
  /// Exit code 2, all of `texts` in the message, and nothing written.
  void refuses(const std::string& problem, const std::vector<std::string>& texts) const {
    const Outcome outcome = solve(problem);
    INFO(outcome.err);
    CHECK(outcome.code == 2);
    for (const std::string& text : texts) {
      INFO(text);
      CHECK(outcome.err.find(text) != std::string::npos);
    }
    CHECK_FALSE(has("runs"));
  }
};

}  // namespace

TEST_CASE_METHOD(Setup, "the problem of these tests is good") {
  const Outcome outcome = solve(kProblem);
  INFO(outcome.err);
  CHECK(outcome.code == 0);
  CHECK(has("runs/small/summary.json"));
  CHECK(has("runs/small/manifest.yaml"));
}

TEST_CASE_METHOD(Setup, "configurations: file, line, column and what to write instead") {
  SECTION("unknown key") { refuses(with("constraints:", "constrants:"), {"problem.yaml:14:1", "constraints"}); }
  SECTION("misspelt value") { refuses(with("activation: tanh", "activation: tanhh"), {"problem.yaml:13:", "'tanh'"}); }
  SECTION("misspelt optimizer") { refuses(with("optimizer: adam", "optimizer: adm"), {"problem.yaml:19:", "'adam'"}); }
  SECTION("wrong type") { refuses(with("points: 64", "points: many"), {"problem.yaml:15:", "integer"}); }
  SECTION("wrong shape") { refuses(with("time: [0, 1]", "time: [0]"), {"problem.yaml:11:"}); }
  SECTION("unknown symbol") { refuses(with("-sin(pi*x)", "-sin(pi*z)"), {"problem.yaml:16:", "'z'"}); }
  SECTION("syntax error") { refuses(with("u_t + u*u_x", "u_t + *u_x"), {"problem.yaml:7:31"}); }
  SECTION("derivative by a coordinate that is no input") {
    refuses(with("inputs: [t, x]", "inputs: [x]"), {"problem.yaml:7:", "'t'"});
  }
  SECTION("region without points") {
    refuses(with("points: 64", "where: \"x > 2\", points: 64"), {"problem.yaml:15:"});
  }
  SECTION("options of the stage that do not fit") {
    refuses(with("optimizer: adam", "optimizer: lbfgs"), {"problem.yaml:19:", "'lr'"});
  }
  SECTION("not YAML") { refuses("name: [", {"problem.yaml:"}); }
}

TEST_CASE_METHOD(Setup, "data: file, data set and index") {
  SECTION("missing") { refuses(with("table.csv", "tabel.csv"), {"tabel.csv", "No such file"}); }
  SECTION("NaN") {
    write("table.csv", "t,x,u\n0,0,0\n0.5,0.5,nan\n");
    refuses(kProblem, {"table.csv", "u", "1"});
  }
  SECTION("missing column") { refuses(with("u: u}}", "u: w}}"), {"table.csv", "w"}); }
  SECTION("truncated MAT file") {
    write("short.mat", read("data/burgers/burgers_shock.mat").substr(0, 20000));
    refuses(with("{file: table.csv, columns: {t: t, x: x, u: u}}",
                 "{file: short.mat, axes: {t: t, x: x}, fields: {u: usol}}"),
            {"short.mat"});
  }
  SECTION("truncated HDF5 file") {
    REQUIRE(solve(kProblem).code == 0);
    write("short.h5", read("runs/small/checkpoint.h5").substr(0, 1000));
    std::filesystem::remove_all(path("runs"));
    refuses(with("table.csv", "short.h5"), {"short.h5"});
  }
}

TEST_CASE_METHOD(Setup, "the command line") {
  write("problem.yaml", kProblem);
  const auto check = [&](const std::string& arguments, const std::string& text) {
    const Outcome outcome = eddy(arguments);
    INFO(arguments << "\n" << outcome.err);
    CHECK(outcome.code == 2);
    CHECK(outcome.err.find(text) != std::string::npos);
  };
  check("", "subcommand");
  check("slove problem.yaml", "'solve'");
  check("solve nothing.yaml", "nothing.yaml");
  check("solve problem.yaml --set trainig.log_every=1", "training");
  check("solve problem.yaml --profile quick", "quick");
  check("solve problem.yaml --device cuda", "not there yet");
  check("solve problem.yaml --mode fast", "eager");
  check("solve problem.yaml --resume --force", "--force");
  check("check problem.yaml --preview", "not there yet");
  check("list equatoins", "equations");
  check("describe bergers", "burgers");
  check("inspect problem.yaml --stage loop", "loops");
  check("predict runs/none --grid 3 -o out.csv", "runs/none");
}

TEST_CASE_METHOD(Setup, "output folders") {
  REQUIRE(solve(kProblem).code == 0);
  const std::string history = read("runs/small/history.csv"), checkpoint = read("runs/small/checkpoint.h5");

  Outcome outcome = solve(kProblem);
  CHECK(outcome.code == 2);
  CHECK(outcome.err.find("--resume") != std::string::npos);
  CHECK(outcome.err.find("--force") != std::string::npos);

  outcome = solve(with("lr: 1e-3", "lr: 2e-3"), "--resume");
  CHECK(outcome.code == 2);
  CHECK(outcome.err.find("training.stages.warm.lr") != std::string::npos);

  // A wrong file does no harm to what is there, not even with --force.
  outcome = solve(with("-sin(pi*x)", "-sin(pi*z)"), "--force");
  CHECK(outcome.code == 2);
  CHECK(read("runs/small/history.csv") == history);
  CHECK(read("runs/small/checkpoint.h5") == checkpoint);

  // Nor is a folder replaced that is no run.
  write("thesis/chapter1.txt", "text");
  outcome = solve(kProblem, "--out thesis --force");
  CHECK(outcome.code == 2);
  CHECK(read("thesis/chapter1.txt") == "text");

  // A folder where none can be, also for root.
  write("file", "text");
  outcome = solve(kProblem, "--out file/run");
  CHECK(outcome.code == 3);
  CHECK(outcome.err.find("file/run") != std::string::npos);
  CHECK(outcome.err.find("Not a directory") != std::string::npos);

  outcome = solve(kProblem, "--force");
  CHECK(outcome.code == 0);
  CHECK(read("runs/small/history.csv") == history);
}

TEST_CASE_METHOD(Setup, "a damaged checkpoint is refused, and stays") {
  REQUIRE(solve(kProblem).code == 0);
  const std::string damaged = read("runs/small/checkpoint.h5").substr(0, 2000);
  write("runs/small/checkpoint.h5", damaged);
  const Outcome outcome = solve(kProblem, "--resume");
  CHECK(outcome.code == 2);
  CHECK(outcome.err.find("checkpoint.h5") != std::string::npos);
  CHECK(read("runs/small/checkpoint.h5") == damaged);
}

TEST_CASE_METHOD(Setup, "a full disk while a checkpoint is written leaves the one before") {
  // Compiled programs go through memory files, which the limit of file sizes holds for, too: hence --mode eager.
  REQUIRE(solve(kProblem, "--steps 10").code == 0);
  const std::string checkpoint = read("runs/small/checkpoint.h5");
  REQUIRE(checkpoint.size() > 8192);
  // Blocks of 512 bytes: 4 kB are enough for the history, not for the checkpoint.
  const Outcome outcome = eddy("solve problem.yaml --mode eager --threads 1 --resume", "ulimit -f 8;");
  INFO(outcome.err);
  CHECK(outcome.code == 3);
  CHECK(outcome.err.find("checkpoint.h5") != std::string::npos);
  CHECK(outcome.err.find("File too large") != std::string::npos);
  CHECK(read("runs/small/checkpoint.h5") == checkpoint);
  // With room again, it goes on.
  CHECK(solve(kProblem, "--resume").code == 0);
}

TEST_CASE_METHOD(Setup, "a training that diverges names step and term and keeps the last good checkpoint") {
  // exp(u^2) overflows once an absurd rate has driven the network's output to large values; the first checkpoint, of
  // step 5, comes from a stage with a sound rate.
  std::string problem =
      with("warm: {optimizer: adam, steps: 20, lr: 1e-3}",
           "good: {optimizer: adam, steps: 5, lr: 1e-3}\n    bad: {optimizer: adam, steps: 20, lr: 1e9}");
  problem.replace(problem.find("u_t + u*u_x"), 11, "u_t + exp(u^2)");
  const Outcome outcome = solve(problem);
  INFO(outcome.err);
  CHECK(outcome.code == 3);
  CHECK(outcome.err.find("diverged in step") != std::string::npos);
  CHECK(outcome.err.find("stage 'bad'") != std::string::npos);
  CHECK(outcome.err.find("interior.burgers") != std::string::npos);
  CHECK(outcome.err.find("of step 5") != std::string::npos);
  CHECK(has("runs/small/checkpoint.h5"));
}
