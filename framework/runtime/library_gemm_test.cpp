#include "framework/runtime/library_gemm.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

#include "framework/core/rng.h"
#include "framework/ops/dialects.h"
#include "framework/ops/emit.h"

using namespace eddy;
using ir::Value;

TEST_CASE("matrix products by the library equal the reference kernel") {
  ThreadPool pool(2);
  const runtime::InterpreterOptions options = runtime::library_contractions(devices::Device::open("cpu", pool));
  for (const DType dtype : {DType::f32, DType::f64}) {
    for (const bool transpose_lhs : {false, true}) {
      for (const bool transpose_rhs : {false, true}) {
        const std::int64_t m = 37, k = 300, n = 19;
        ir::Module module(ops::default_context(), "gemm");
        ir::Function function = module.add_function("gemm");
        const Value a = function.add_argument("a", ir::Type::tensor(dtype, transpose_lhs ? Shape{k, m} : Shape{m, k}));
        const Value b = function.add_argument("b", ir::Type::tensor(dtype, transpose_rhs ? Shape{n, k} : Shape{k, n}));
        ir::Builder builder(module.context(), function.body());
        const Value c = ops::dot_general(builder, a, b, {{}, {}, {transpose_lhs ? 0 : 1}, {transpose_rhs ? 1 : 0}});
        function.set_results({"c"}, std::vector{c});
        std::vector<Array> arguments;
        for (const Value argument : function.body().arguments()) {
          Array array(DType::f64, evaluate(argument.shape(), {}));
          const Rng rng(7, argument.hint());
          auto data = array.data<double>();
          for (std::size_t i = 0; i < data.size(); ++i) data[i] = 2 * rng.uniform(i) - 1;
          arguments.push_back(array.cast(dtype));
        }
        const Array expected = runtime::interpret(function, arguments).front();
        const Array found = runtime::interpret(function, arguments, options).front();
        // Both sum k products of numbers below 1: each is within k^2 eps of the exact sum (Higham, chapter 3).
        const double eps = dtype == DType::f32 ? 0x1p-24 : 0x1p-53;
        for (std::int64_t i = 0; i < expected.n_elements(); ++i) {
          REQUIRE(std::abs(expected.at(i) - found.at(i)) <= 2 * k * k * eps);
        }
      }
    }
  }
}
