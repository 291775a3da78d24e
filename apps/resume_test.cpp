/// The same seed gives the same bits: twice, with any number of threads, and after any end.
#include <catch2/catch.hpp>
#include <csignal>

#include "apps/program_test.h"

using namespace eddy;
using apps::Outcome;
using apps::TestFolder;

namespace {

// Both phases, new points every 7 steps, mini-batches out of a pool, f32 before f64.
constexpr const char* kProblem = R"yaml(name: small
precision: f32
equation: {use: burgers, parameters: {nu: 0.05}}
geometry:
  shapes: {line: {interval: {min: -1, max: 1}}}
  domain: line
  time: [0, 1]
networks:
  net: {type: mlp, inputs: [t, x], outputs: [u], hidden: [12, 12], activation: tanh}
constraints:
  interior: {at: line, residuals: all, points: 300, pool: 900, sampler: sobol, resample: 7}
  initial: {at: line, time: 0, equals: {u: "-sin(pi*x)"}, points: 40}
  ends: {at: line.boundary, equals: {u: 0}, points: 20}
training:
  stages:
    warm: {optimizer: adam, steps: 120, lr: {exponential: {start: 5e-3, rate: 0.9, every: 20}}, clip: 1}
    polish: {optimizer: lbfgs, steps: 120, memory: 10}
  log_every: 1
  checkpoint_every: 5
)yaml";

struct Setup : TestFolder {
  Setup() {
    write("problem.yaml", kProblem);
    const Outcome outcome = eddy("solve problem.yaml --out whole --threads 2");
    INFO(outcome.err);
    REQUIRE(outcome.code == 0);
  }
  /// Goes on with the run in `cut` to its end and compares with the run that was never interrupted.
  void resume_and_compare(const std::string& message) const {
    const Outcome outcome = eddy("solve problem.yaml --out cut --resume");
    INFO(outcome.err);
    CHECK(outcome.code == 0);
    CHECK(outcome.err.find(message) != std::string::npos);
    CHECK(read("cut/history.csv") == read("whole/history.csv"));
  }
};

}  // namespace

TEST_CASE_METHOD(Setup, "the number of threads does not change the history") {
  REQUIRE(eddy("solve problem.yaml --out one --threads 1").code == 0);
  CHECK(read("one/history.csv") == read("whole/history.csv"));
  REQUIRE(eddy("solve problem.yaml --out other --threads 1 --set seed=1").code == 0);
  CHECK(read("other/history.csv") != read("whole/history.csv"));
}

TEST_CASE_METHOD(Setup, "a killed run goes on with the same bits") {
  const auto kill_at = [&](const std::string& line) {
    CHECK(interrupt({"solve", "problem.yaml", "--out", "cut"}, line, SIGKILL).code == 128 + SIGKILL);
  };
  SECTION("in the first-order phase") {
    kill_at("step 26 ");
    resume_and_compare("going on from step");
  }
  SECTION("in the quasi-Newton phase") {
    kill_at("step 143 ");
    resume_and_compare("(stage 'polish')");
  }
  SECTION("before its first checkpoint") {
    kill_at("step 1 ");
    std::filesystem::remove(path("cut/checkpoint.h5"));  // it may have come that far
    resume_and_compare("starting at step 0");
  }
  SECTION("while a checkpoint was being written") {
    kill_at("step 60 ");
    write("cut/.checkpoint.h5.abc123.tmp", read("cut/checkpoint.h5").substr(0, 3000));
    resume_and_compare("going on from step");
    CHECK_FALSE(has("cut/.checkpoint.h5.abc123.tmp"));
  }
}

TEST_CASE_METHOD(Setup, "a run that is asked to end writes a checkpoint and says how to go on") {
  for (const int signal : {SIGINT, SIGTERM}) {
    std::filesystem::remove_all(path("cut"));
    const Outcome outcome = interrupt({"solve", "problem.yaml", "--out", "cut"}, "step 40 ", signal);
    CHECK(outcome.code == 3);
    CHECK(outcome.out.find("--resume") != std::string::npos);
    CHECK(has("cut/checkpoint.h5"));
    resume_and_compare("going on from step");
  }
}

TEST_CASE_METHOD(Setup, "--steps stops in the middle, twice") {
  for (const char* steps : {"33", "131"}) {
    REQUIRE(eddy(std::string("solve problem.yaml --out cut --resume --steps ") + steps).code == 0);
  }
  resume_and_compare("going on from step 131");
}

TEST_CASE_METHOD(Setup, "a problem with the equation written out gives the history of the module") {
  std::string text = kProblem;
  const std::string use = "{use: burgers, parameters: {nu: 0.05}}";
  text.replace(text.find(use), use.size(),
               "{unknowns: [u], coordinates: [t, x], parameters: {nu: 0.05}, "
               "residuals: {burgers: \"u_t + u*u_x - nu*u_xx\"}}");
  write("written.yaml", text);
  REQUIRE(eddy("solve written.yaml --out written").code == 0);
  CHECK(read("written/history.csv") == read("whole/history.csv"));
}
