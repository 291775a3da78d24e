#include "science/trainer/trainer.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <filesystem>

#include "science/problem/test_problem.h"
#include "science/trainer/manifest.h"
#include "science/trainer/progress.h"

using namespace eddy;
namespace fs = std::filesystem;

namespace {

constexpr const char* kProblem = R"yaml(
name: small
precision: f32
seed: 3
equation:
  unknowns: [u]
  coordinates: [x]
  parameters: {k: {trainable: 0.5}}
  residuals: {ode: "u_x - k"}
geometry:
  shapes: {line: {interval: {min: 0, max: 1}}}
  domain: line
networks:
  net: {type: mlp, inputs: [x], outputs: [u], hidden: [6], activation: tanh}
constraints:
  interior: {at: line, residuals: all, points: 32}
  ends: {at: line.boundary, equals: {u: "2*x"}, points: 2}
training:
  stages:
    warm: {optimizer: adam, steps: 30, lr: 1e-2}
    polish: {optimizer: lbfgs, steps: 200}
)yaml";

struct Setup {
  explicit Setup(const std::string& text = kProblem)
      : engine({"cpu", runtime::Mode::eager, 1}),
        registry(problem::test_registry()),
        problem(config::read_problem(config::parse_yaml(text, "small.yaml")), registry) {}

  runtime::Engine engine;
  problem::Registry registry;
  problem::Problem problem;
};

std::string with(const std::string& from, const std::string& to) {
  std::string text = kProblem;
  const std::size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

/// Notes what it is told.
struct Recorder : trainer::Callback {
  struct Step {
    std::int64_t step;
    std::string stage;
    double loss;
    DType dtype;
  };
  explicit Recorder(std::vector<Step>& steps) : steps(steps) {}
  void on_step(const trainer::Trainer& t, const trainer::StepReport& report) override {
    double sum = 0;
    for (const double term : report.terms) sum += term;
    CHECK(sum == Approx(report.loss).epsilon(1e-6));
    steps.push_back({t.step(), t.stage().name.text, report.loss, t.dtype()});
  }
  std::vector<Step>& steps;
};

}  // namespace

TEST_CASE("stages follow each other, each in its precision, and find solution and parameter") {
  Setup setup;
  trainer::Trainer trainer(setup.problem, setup.registry, setup.engine);
  CHECK(trainer.n_steps() == 230);
  std::vector<Recorder::Step> steps;
  trainer.add(std::make_unique<Recorder>(steps));
  CHECK(trainer.run() == trainer::Ending::finished);
  REQUIRE(steps.size() > 31);
  CHECK(steps[0].step == 1);
  CHECK(steps[29].stage == "warm");
  CHECK(steps[29].dtype == DType::f32);
  CHECK(steps[30].stage == "polish");
  CHECK(steps[30].dtype == DType::f64);
  CHECK(steps[30].loss < steps[29].loss);
  for (std::size_t i = 31; i < steps.size(); ++i) CHECK(steps[i].loss <= steps[i - 1].loss);
  // u = 2 x and k = 2 are the only solution; the loss is a squared distance from it.
  CHECK(trainer.loss() < 1e-5);
  for (const io::NamedArray& array : trainer.state()) {
    if (array.name == "eq.k") CHECK(array.values.item() == Approx(2).margin(10 * std::sqrt(trainer.loss())));
  }
}

TEST_CASE("stop criteria") {
  const auto run = [](const std::string& stop) {
    Setup setup(std::string(kProblem) + stop);
    trainer::Trainer trainer(setup.problem, setup.registry, setup.engine);
    const trainer::Ending ending = trainer.run();
    return std::pair(ending, trainer.loss());
  };
  const auto [ending, loss] = run("  stop: {loss: 1e-2}\n");
  CHECK(ending == trainer::Ending::loss);
  CHECK(loss < 1e-2);
  CHECK(run("  stop: {minutes: 1e-9}\n").first == trainer::Ending::minutes);

  Setup setup;
  trainer::Trainer trainer(setup.problem, setup.registry, setup.engine);
  trainer.limit_steps(7);
  CHECK(trainer.n_steps() == 7);
  CHECK(trainer.run() == trainer::Ending::steps);
  CHECK(trainer.step() == 7);
}

TEST_CASE("a checkpoint keeps every bit, and of a first-order stage the verified state is one step older") {
  Setup setup;
  const fs::path path = fs::temp_directory_path() / "eddy_trainer_test.h5";
  for (const std::int64_t n_steps : {12, 41}) {
    trainer::Trainer trainer(setup.problem, setup.registry, setup.engine);
    trainer.limit_steps(n_steps);
    struct Keep : trainer::Callback {
      explicit Keep(fs::path path) : path(std::move(path)) {}
      void on_stage_end(const trainer::Trainer& t) override {
        trainer::write_checkpoint(path, t.checkpoint());
        verified_steps_ago = t.step() - t.verified_checkpoint().step;
      }
      fs::path path;
      std::int64_t verified_steps_ago = -1;
    };
    auto keep = std::make_unique<Keep>(path);
    const Keep& kept = *keep;
    trainer.add(std::move(keep));
    trainer.run();
    CHECK(kept.verified_steps_ago == (n_steps == 12 ? 1 : 0));

    const trainer::Checkpoint checkpoint = trainer::read_checkpoint(path);
    CHECK(checkpoint.step == n_steps);
    CHECK(checkpoint.stage == (n_steps == 12 ? "warm" : "polish"));
    CHECK(checkpoint.config == trainer::config_hash(setup.problem.file()));
    for (const io::NamedArray& array : trainer.state()) {
      for (const io::NamedArray& stored : checkpoint.state) {
        if (stored.name == array.name) CHECK(stored.values.identical(array.values));
      }
    }
  }
  fs::remove(path);
}

TEST_CASE("keys that do not go with an optimizer are errors before anything runs") {
  for (const char* key : {"lr: 1e-3", "clip: 1", "resample: 10", "precision: f32"}) {
    Setup setup(with("optimizer: lbfgs,", std::string("optimizer: lbfgs, ") + key + ","));
    CHECK_THROWS_AS(trainer::Trainer(setup.problem, setup.registry, setup.engine), UserError);
  }
}

TEST_CASE("a loss that is not finite ends the training with step and term") {
  Setup setup(with("u_x - k", "u_x - k*log(-1 - u^2)"));
  trainer::Trainer trainer(setup.problem, setup.registry, setup.engine);
  CHECK_THROWS_WITH(trainer.run(), Catch::Contains("step 1") && Catch::Contains("'interior.ode' is nan"));
}

TEST_CASE("what a training depends on is told from what it does not") {
  const auto file = [](const std::string& text) {
    return config::read_problem(config::parse_yaml(text, "small.yaml"));
  };
  const config::ProblemFile base = file(kProblem);
  const auto hash = [&](const std::string& from, const std::string& to) {
    return trainer::config_hash(file(with(from, to)));
  };
  CHECK(hash("seed: 3", "seed: 4") != trainer::config_hash(base));
  CHECK(hash("points: 32", "points: 33") != trainer::config_hash(base));
  CHECK(hash("name: small", "about: other\nname: small") == trainer::config_hash(base));
  CHECK(hash("training:", "outputs: {fields: {u: {at: line, grid: 3, values: {u: u}}}}\ntraining:") ==
        trainer::config_hash(base));
  CHECK(hash("training:", "training:\n  stop: {minutes: 3}") == trainer::config_hash(base));
  CHECK(trainer::first_difference(trainer::trained_config(base), trainer::trained_config(base)).empty());
  CHECK(trainer::first_difference(trainer::trained_config(base),
                                  trainer::trained_config(file(with("steps: 200", "steps: 300")))) ==
        "training.stages.polish.steps: the number 200 there, the number 300 here");
}

TEST_CASE("a manifest gives the problem back") {
  Setup setup;
  const fs::path path = fs::temp_directory_path() / "eddy_manifest_test.yaml";
  trainer::write_manifest(path, setup.problem.file(), setup.engine);
  CHECK(resolved_yaml(trainer::read_manifest(path)) == resolved_yaml(setup.problem.file()));
  fs::remove(path);
}

TEST_CASE("durations as people say them") {
  CHECK(trainer::duration_text(0.2) == "1 s");
  CHECK(trainer::duration_text(59) == "59 s");
  CHECK(trainer::duration_text(200) == "3 min 20 s");
  CHECK(trainer::duration_text(7500) == "2 h 5 min");
}
