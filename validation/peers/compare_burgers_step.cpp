/// Times one training step of configs/burgers/burgers_5x50.yaml against PyTorch's eager nested autograd
/// (burgers_step.py), in alternating rounds, after loss and gradients were found equal.
///
///     validation/peers/setup.sh
///     build/release/bin/eddy_compare_burgers_step validation/peers/.venv/bin/python
///     build/release/bin/eddy_compare_burgers_step PYTHON CONFIG ROUNDS STEPS_PER_ROUND THREADS
///
/// Gradients of both sides are compared with ours in f64: relative error per tensor, ||g - g64|| / ||g64||. Ours must
/// be within max(1e-5, twice the peer's), else no time is printed.

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fmt/core.h>
#include <limits>
#include <map>
#include <sys/wait.h>
#include <unistd.h>

#include "equations/registry.h"
#include "framework/compiler/pipeline.h"
#include "framework/core/log.h"
#include "framework/runtime/executable.h"
#include "science/io/hdf5_file.h"
#include "science/problem/program.h"

namespace {

using namespace eddy;

/// Named arrays that a compiled function is called with.
using Arrays = std::map<std::string, Array>;

/// A function of the training program with its buffers; state goes round in pairs of buffers.
class Step {
 public:
  Step(ir::Function function, const devices::Device& device, int n_threads, const Arrays& values)
      : executable_(compiler::prepare(function).function(), device, n_threads) {
    for (const std::string& name : executable_.argument_names()) arguments_.push_back(values.at(name).clone());
    results_ = executable_.run(arguments_);
    for (std::size_t r = 0; r < results_.size(); ++r) {
      const auto& names = executable_.argument_names();
      const auto found = std::find(names.begin(), names.end(), executable_.result_names()[r]);
      if (found != names.end()) state_.emplace_back(r, static_cast<std::size_t>(found - names.begin()));
    }
  }

  /// One call; what it returns as state is its argument next time.
  void run() {
    executable_.run(arguments_, results_);
    for (const auto& [result, argument] : state_) std::swap(results_[result], arguments_[argument]);
  }
  void set(const std::string& name, const Array& value) {
    const auto& names = executable_.argument_names();
    arguments_[static_cast<std::size_t>(std::find(names.begin(), names.end(), name) - names.begin())] = value;
  }
  Array result(const std::string& name) const {
    const auto& names = executable_.result_names();
    const auto found = std::find(names.begin(), names.end(), name);
    EDDY_CHECK(found != names.end(), "no result '{}'", name);
    return results_[static_cast<std::size_t>(found - names.begin())];
  }

 private:
  runtime::Executable executable_;
  std::vector<Array> arguments_, results_;
  std::vector<std::pair<std::size_t, std::size_t>> state_;
};

/// Initial values of everything the programs take, in one dtype.
Arrays initial_values(problem::Problem& problem, const problem::TrainingProgram& program, DType dtype) {
  Arrays values;
  for (const problem::StateTensor& tensor : problem.model().state()) {
    // Both dtypes start from the same numbers.
    values[tensor.name] = problem.model().initial_value(tensor).cast(DType::f32).cast(dtype);
  }
  for (const problem::RuntimeScalar& scalar : problem.scalars()) {
    values[scalar.name] = Array::scalar(static_cast<double>(static_cast<float>(scalar.value))).cast(dtype);
  }
  for (problem::Constraint& constraint : problem.constraints()) {
    const std::vector<Array> batch = constraint.batch(0, DType::f32);
    for (std::size_t i = 0; i < batch.size(); ++i) values[constraint.inputs()[i].name] = batch[i].cast(dtype);
  }
  const double infinity = std::numeric_limits<double>::infinity();
  values["lr"] = Array::scalar(1e-3).cast(dtype);
  values["clip"] = Array::scalar(infinity).cast(dtype);
  values["step"] = Array::scalar<std::int64_t>(1);
  const ir::Function step = program.module->function("step");
  const std::vector<std::string> names = step.argument_names();
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (values.count(names[i])) continue;
    values[names[i]] = Array(step.argument(i).dtype(), evaluate(step.argument(i).shape(), {}));  // optimizer state
  }
  return values;
}

/// ||a - b|| / ||b||.
double relative_error(const Array& a, const Array& b) {
  double difference = 0, norm = 0;
  for (std::int64_t i = 0; i < b.n_elements(); ++i) {
    difference += (a.at(i) - b.at(i)) * (a.at(i) - b.at(i));
    norm += b.at(i) * b.at(i);
  }
  return std::sqrt(difference / norm);
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

void write_case(const std::string& path, const Arrays& values, int n_threads) {
  io::Hdf5Content content;
  content.attributes["dtype"] = std::string("float32");
  content.attributes["threads"] = std::int64_t{n_threads};
  content.attributes["nu"] = values.at("param.nu").item();
  content.attributes["learning_rate"] = 1e-3;
  for (const char* weight : {"weight_residual", "weight_initial", "weight_boundary"}) content.attributes[weight] = 1.0;
  for (const auto& [name, array] : values) {
    const bool is_weight = name.rfind("net.", 0) == 0 && std::count(name.begin(), name.end(), '.') == 1;
    if (is_weight) content.arrays["params/net/" + name.substr(4)] = array;
  }
  const Array& initial = values.at("initial.points");
  Array targets(DType::f32, {initial.shape()[0], 1});
  for (std::int64_t i = 0; i < initial.shape()[0]; ++i) {
    targets.data<float>()[static_cast<std::size_t>(i)] = static_cast<float>(-std::sin(M_PI * initial.at(2 * i + 1)));
  }
  content.arrays["interior"] = values.at("interior.points");
  content.arrays["initial"] = initial;
  content.arrays["initial_targets"] = targets;
  content.arrays["boundary"] = values.at("boundary.points");
  io::write_hdf5(path, content);
}

/// The peer that serves rounds over a pair of pipes.
class Peer {
 public:
  explicit Peer(const std::string& python, const std::string& case_file) {
    int to_peer[2], from_peer[2];
    if (pipe(to_peer) != 0 || pipe(from_peer) != 0) throw RuntimeError("cannot create a pipe");
    process_ = fork();
    if (process_ == 0) {
      dup2(to_peer[0], 0);
      dup2(from_peer[1], 1);
      for (const int fd : {to_peer[0], to_peer[1], from_peer[0], from_peer[1]}) close(fd);
      execl(python.c_str(), python.c_str(), "validation/peers/burgers_step.py", case_file.c_str(), "--serve", nullptr);
      _exit(127);
    }
    close(to_peer[0]);
    close(from_peer[1]);
    out_ = fdopen(to_peer[1], "w");
    in_ = fdopen(from_peer[0], "r");
    const std::string answer = line();
    if (answer != "ready") throw RuntimeError("the peer did not start: " + answer);
  }
  ~Peer() {
    std::fputs("quit\n", out_);
    std::fclose(out_);
    std::fclose(in_);
    waitpid(process_, nullptr, 0);
  }
  /// Median milliseconds of a step.
  double round(int n_steps) {
    std::fputs(fmt::format("round {}\n", n_steps).c_str(), out_);
    std::fflush(out_);
    const std::string answer = line();
    int n = 0;
    double milliseconds = 0;
    if (std::sscanf(answer.c_str(), "round %d %lf", &n, &milliseconds) != 2) throw RuntimeError("the peer: " + answer);
    return milliseconds;
  }

 private:
  std::string line() {
    char buffer[256] = "";
    if (!std::fgets(buffer, sizeof buffer, in_)) return "end of its output";
    std::string text = buffer;
    while (!text.empty() && text.back() == '\n') text.pop_back();
    return text;
  }
  pid_t process_ = -1;
  FILE* out_ = nullptr;
  FILE* in_ = nullptr;
};

void run(const std::string& python, const std::string& config, int n_rounds, int n_steps, int n_threads) {
  problem::Registry registry = equations::built_in();
  ThreadPool pool(n_threads);
  problem::Problem problem(config::read_problem(config), registry, &pool);
  const devices::Device device = devices::Device::open("cpu", pool);
  const auto adam = registry.optimizers.at("adam").make({});
  const auto& first_order = dynamic_cast<const optimizers::FirstOrder&>(*adam);
  const problem::TrainingProgram single = problem::build_training(problem, DType::f32, &first_order);
  const problem::TrainingProgram twice = problem::build_training(problem, DType::f64, &first_order);
  const Arrays values = initial_values(problem, single, DType::f32);

  const std::filesystem::path folder = std::filesystem::temp_directory_path() / fmt::format("eddy_peer_{}", getpid());
  std::filesystem::create_directory(folder);
  const std::string case_file = folder / "case.h5", result_file = folder / "result.h5";
  write_case(case_file, values, n_threads);

  const Step ours(single.module->function("loss_and_grad"), device, n_threads, values);
  const Step exact(twice.module->function("loss_and_grad"), device, n_threads,
                   initial_values(problem, twice, DType::f64));
  const std::string command =
      fmt::format("'{}' validation/peers/burgers_step.py '{}' --out '{}' > /dev/null", python, case_file, result_file);
  if (std::system(command.c_str()) != 0) throw RuntimeError("the peer failed: " + command);
  const io::Hdf5File peer(result_file);
  bool agree = true;
  const auto compare = [&](const std::string& name, const Array& own, const Array& theirs, const Array& reference) {
    const double own_error = relative_error(own, reference), their_error = relative_error(theirs, reference);
    agree &= own_error <= std::max(1e-5, 2 * their_error) && their_error <= 1e-3;
    fmt::print("{:12} relative error in f32: ours {:.2e}, PyTorch {:.2e}\n", name, own_error, their_error);
  };
  compare("loss", ours.result("loss"), peer.read("loss"), exact.result("loss"));
  for (const problem::StateTensor& tensor : problem.model().state()) {
    compare(tensor.name, ours.result("grad." + tensor.name), peer.read("gradients/net/" + tensor.name.substr(4)),
            exact.result("grad." + tensor.name));
  }
  if (!agree) throw RuntimeError("loss or gradients differ: no times");

  Step step(single.module->function("step"), device, n_threads, values);
  Peer torch(python, case_file);
  std::vector<double> our_rounds, their_rounds, ratios;
  std::int64_t count = 1;
  for (int round = 0; round < n_rounds; ++round) {
    std::vector<double> times;
    for (int i = 0; i < n_steps; ++i) {
      const auto begin = std::chrono::steady_clock::now();
      step.set("step", Array::scalar<std::int64_t>(++count));
      step.run();
      times.push_back(std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count());
    }
    our_rounds.push_back(median(times));
    their_rounds.push_back(torch.round(n_steps));
    ratios.push_back(their_rounds.back() / our_rounds.back());
  }
  std::filesystem::remove_all(folder);
  fmt::print(
      "{} rounds of {} steps, {} threads: Eddyline {:.2f} ms, PyTorch eager {:.2f} ms, ratio {:.2f} ({:.2f} to "
      "{:.2f})\n",
      n_rounds, n_steps, n_threads, median(our_rounds), median(their_rounds), median(ratios),
      *std::min_element(ratios.begin(), ratios.end()), *std::max_element(ratios.begin(), ratios.end()));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    fmt::print(stderr, "usage: {} PYTHON [CONFIG [ROUNDS [STEPS [THREADS]]]]\n", argv[0]);
    return 2;
  }
  try {
    run(argv[1], argc > 2 ? argv[2] : "configs/burgers/burgers_5x50.yaml", argc > 3 ? std::stoi(argv[3]) : 11,
        argc > 4 ? std::stoi(argv[4]) : 10, argc > 5 ? std::stoi(argv[5]) : eddy::n_available_processors());
  } catch (const std::exception& error) {
    eddy::log::error(error.what());
    return 1;
  }
  return 0;
}
