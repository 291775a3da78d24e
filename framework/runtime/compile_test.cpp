#include "framework/runtime/compile.h"

#include <catch2/catch.hpp>
#include <cmath>

#include "framework/core/rng.h"
#include "framework/ops/dialects.h"
#include "framework/runtime/interpreter.h"

using namespace eddy;
using runtime::Tensor;

namespace {

/// The mean square of a tanh layer's output, and its gradient by the weights.
std::vector<Tensor> layer(const std::vector<Tensor>& a) { return {runtime::tanh(runtime::matmul(a[0], a[1]) + a[2])}; }

std::vector<Tensor> gradient(const std::vector<Tensor>& a) {
  const auto loss = [](const std::vector<Tensor>& b) {
    const Tensor h = layer(b)[0];
    return std::vector<Tensor>{runtime::reduce_sum(h * h, std::vector<std::int64_t>{0, 1})};
  };
  return runtime::grad(loss)(a);
}

Array numbers(DType dtype, std::vector<std::int64_t> shape, std::uint64_t seed) {
  Array array(DType::f64, std::move(shape));
  const Rng rng(seed, "compile_test");
  auto data = array.data<double>();
  for (std::size_t i = 0; i < data.size(); ++i) data[i] = rng.normal(i);
  return array.cast(dtype);
}

}  // namespace

TEST_CASE("one C++ function runs at once, as a traced program and compiled") {
  ThreadPool pool(2);
  const devices::Device device = devices::Device::open("cpu", pool);
  const Dim n = Dim::symbol("n");
  for (const auto& fn : {runtime::TensorFunction(layer), runtime::TensorFunction(gradient)}) {
    for (const DType dtype : {DType::f64, DType::f32}) {
      const std::vector<runtime::ArgumentSpec> specs = {{"x", ir::Type::tensor(dtype, {n, 3})},
                                                        {"w", ir::Type::tensor(dtype, {3, 7})},
                                                        {"b", ir::Type::tensor(dtype, {7})}};
      const auto traced = runtime::trace(ops::default_context(), "layer", specs, fn);
      runtime::Executable compiled = runtime::compile(ops::default_context(), "layer", specs, fn, device, 2);
      for (const std::int64_t rows : {0, 1, 200}) {
        const std::vector<Array> arguments = {numbers(dtype, {rows, 3}, 1), numbers(dtype, {3, 7}, 2),
                                              numbers(dtype, {7}, 3)};
        const std::vector<Tensor> eager = fn({arguments.begin(), arguments.end()});
        const std::vector<Array> interpreted = runtime::interpret(traced->functions().front(), arguments);
        const std::vector<Array> found = compiled.run(arguments);
        REQUIRE(found.size() == eager.size());
        // Sums of at most 200 x 7 terms below 1 in another order, each with a few roundings: n eps sum |x| (Higham).
        const double eps = dtype == DType::f64 ? 0x1p-53 : 0x1p-24;
        const double tolerance = 200.0 * 7 * 16 * eps;
        for (std::size_t r = 0; r < found.size(); ++r) {
          CHECK(eager[r].array().identical(interpreted[r]));
          for (std::int64_t i = 0; i < found[r].n_elements(); ++i) {
            REQUIRE(std::abs(found[r].at(i) - eager[r].array().at(i)) <= tolerance * (1 + std::abs(found[r].at(i))));
          }
        }
      }
    }
  }
}
