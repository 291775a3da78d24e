#include "framework/runtime/tensor.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <random>

#include "framework/ops/dialects.h"
#include "framework/runtime/interpreter.h"

using namespace eddy;
using eddy::runtime::Tensor;
using eddy::runtime::TensorFunction;
namespace rt = eddy::runtime;

namespace {

Array random_array(std::vector<std::int64_t> shape, unsigned seed) {
  std::mt19937_64 generator(seed);
  std::uniform_real_distribution<double> uniform(-1, 1);
  Array array(DType::f64, std::move(shape));
  for (double& x : array.data<double>()) x = uniform(generator);
  return array;
}

std::unique_ptr<ir::Module> traced(const TensorFunction& fn, const std::vector<ir::Type>& types) {
  std::vector<rt::ArgumentSpec> specs;
  for (const ir::Type type : types) specs.push_back({fmt::format("a{}", specs.size()), type});
  return rt::trace(ops::default_context(), "f", specs, fn);
}

ir::Type f64(Shape shape) { return ir::Type::tensor(DType::f64, std::move(shape)); }

std::string error_of(const std::function<void()>& f) {
  try {
    f();
  } catch (const UserError& error) {
    return error.what();
  }
  return "no error";
}

/// Two layers with a bias: x [n, 2], w [2, 4], c [4], v [4, 1].
std::vector<Tensor> network(const std::vector<Tensor>& a) {
  const Tensor hidden = rt::tanh(rt::matmul(a[0], a[1]) + a[2]);
  return {rt::matmul(hidden, a[3]) / 3.0};
}

}  // namespace

TEST_CASE("A function gives the same bits eagerly and traced", "[tensor]") {
  const Array w = random_array({2, 4}, 1), c = random_array({4}, 2), v = random_array({4, 1}, 3);
  const Dim n = Dim::symbol("n");
  const std::vector<ir::Type> types = {f64({n, 2}), f64({2, 4}), f64({4}), f64({4, 1})};
  const TensorFunction mixed = [](const std::vector<Tensor>& a) -> std::vector<Tensor> {
    const Tensor y = network(a)[0];
    const Tensor s = 1.0 - rt::square(y) * 2.0 + y / (rt::abs(y) + 1.0);
    return {rt::reduce_sum(s, {0}), rt::concat({s, -y, y - 0.5}, 1), rt::transpose(1.0 / (y + 4.0), {1, 0}),
            rt::select(rt::compare(y, s, "lt"), y, s), rt::softmax(rt::gelu(s + y), 1)};
  };
  for (const TensorFunction& fn : {TensorFunction(network), mixed}) {
    const auto module = traced(fn, types);
    for (const std::int64_t rows : {0, 1, 6}) {
      const std::vector<Array> arrays = {random_array({rows, 2}, 4), w, c, v};
      const std::vector<Tensor> eager = fn({arrays.begin(), arrays.end()});
      const std::vector<Array> compiled = rt::interpret(module->function("f"), arrays);
      REQUIRE(eager.size() == compiled.size());
      for (std::size_t i = 0; i < eager.size(); ++i) REQUIRE(eager[i].array().identical(compiled[i]));
    }
  }
}

TEST_CASE("Operators stretch like NumPy, numbers take the tensor's dtype", "[tensor]") {
  const Tensor x = random_array({2, 1, 3}, 1), y = random_array({4, 1}, 2);
  const Tensor z = x * y;
  REQUIRE(z.array().shape() == std::vector<std::int64_t>{2, 4, 3});
  REQUIRE(z.array().at(1 * 12 + 2 * 3 + 1) == x.array().at(3 + 1) * y.array().at(2));
  CHECK_THAT(error_of([&] { x + random_array({2}, 3); }), Catch::Contains("do not broadcast"));
  const Tensor single = Array::scalar(2.0f);
  CHECK((single * 1.5).dtype() == DType::f32);
  CHECK((1.0 - single).item() == -1);
  CHECK((3.0 / single).item() == 1.5);
  CHECK_THROWS_AS(single + x, UserError);  // f32 and f64: no silent conversion
}

TEST_CASE("What a trace does not know", "[tensor]") {
  const std::vector<ir::Type> types = {f64({})};
  CHECK_THAT(error_of([&] {
               traced([](const auto& a) { return std::vector<Tensor>{a[0].item() > 0 ? a[0] : -a[0]}; }, types);
             }),
             Catch::Contains("not known while 'f' is traced"));
  CHECK_THAT(error_of([&] {
               traced([](const auto& a) { return a[0] ? std::vector<Tensor>{a[0]} : std::vector<Tensor>{}; }, types);
             }),
             Catch::Contains("not known while 'f' is traced"));
  Tensor escaped;
  traced([&](const auto& a) { return std::vector<Tensor>{escaped = a[0]}; }, types);
  CHECK_THAT(error_of([&] { escaped + 1.0; }), Catch::Contains("after its trace has ended"));
  CHECK_THAT(error_of([&] {
               traced(
                   [&](const std::vector<Tensor>& outer) {
                     traced([&](const std::vector<Tensor>& inner) { return std::vector<Tensor>{outer[0] + inner[0]}; },
                            types);
                     return outer;
                   },
                   types);
             }),
             Catch::Contains("tensors of two traces"));
  CHECK_THAT(error_of([&] {
               rt::derivative(random_array({2, 1}, 1), {random_array({2, 1}, 1)}, {{{1}, 1}});
             }),
             Catch::Contains("derivative() of data"));
}

TEST_CASE("Data that a traced function uses become constants", "[tensor]") {
  const Tensor offset = random_array({3}, 7);
  const auto module = traced(
      [&](const std::vector<Tensor>& a) {
        return std::vector<Tensor>{a[0] + offset, offset};
      },
      {f64({3})});
  const Array x = random_array({3}, 8);
  const std::vector<Array> results = rt::interpret(module->function("f"), std::vector{x});
  for (std::int64_t i = 0; i < 3; ++i) CHECK(results[0].at(i) == x.at(i) + offset.array().at(i));
  CHECK(results[1].identical(offset.array()));
}

TEST_CASE("grad: gradients, of gradients also, eagerly and traced", "[tensor]") {
  const TensorFunction loss = [](const std::vector<Tensor>& a) {
    return std::vector<Tensor>{rt::reduce_sum(rt::exp(a[0] * a[1]), {0})};
  };
  const Array x = random_array({4}, 1), y = random_array({4}, 2);
  const std::vector<Tensor> g = rt::grad(loss)({x, y});
  for (std::int64_t i = 0; i < 4; ++i) {
    // d/dx exp(x y) = y exp(x y): the same products, in some order.
    CHECK(g[0].array().at(i) == Approx(y.at(i) * std::exp(x.at(i) * y.at(i))).epsilon(8 * 0x1p-52));
    CHECK(g[1].array().at(i) == Approx(x.at(i) * std::exp(x.at(i) * y.at(i))).epsilon(8 * 0x1p-52));
  }
  const TensorFunction second = rt::grad(
      [&](const std::vector<Tensor>& a) { return std::vector<Tensor>{rt::reduce_sum(rt::grad(loss)(a)[0], {0})}; });
  const std::vector<Tensor> h = second({x, y});
  const auto module = traced(second, {f64({4}), f64({4})});
  const std::vector<Array> compiled = rt::interpret(module->function("f"), std::vector{x, y});
  for (std::int64_t i = 0; i < 4; ++i) {
    const double e = std::exp(x.at(i) * y.at(i));
    CHECK(h[0].array().at(i) == Approx(y.at(i) * y.at(i) * e).epsilon(16 * 0x1p-52));
    CHECK(h[1].array().at(i) == Approx((1 + x.at(i) * y.at(i)) * e).epsilon(16 * 0x1p-52).margin(16 * 0x1p-52));
  }
  for (std::size_t i = 0; i < 2; ++i) CHECK(compiled[i].identical(h[i].array()));
  CHECK_THAT(error_of([&] {
               rt::grad(network)(
                   {random_array({2, 2}, 1), random_array({2, 4}, 1), random_array({4}, 1), random_array({4, 1}, 1)});
             }),
             Catch::Contains("one floating-point scalar"));
}

TEST_CASE("grad of a function with a request for derivatives", "[tensor]") {
  // loss = sum over rows of d^2/dx^2 sin(k x) = -k^2 sum sin(k x); its gradient by k is known.
  const TensorFunction loss = [](const std::vector<Tensor>& a) {
    const Tensor u = rt::sin(a[0] * a[1]);
    return std::vector<Tensor>{rt::reduce_sum(rt::derivative(u, {a[0]}, {{{2}, 1}}), {0, 1})};
  };
  const Array x = random_array({5, 1}, 1);
  const double k = 1.25;
  const Tensor g = rt::grad(loss)({x, Array::scalar(k)})[1];
  double expected = 0, size = 0;
  for (std::int64_t i = 0; i < 5; ++i) {
    const double s = std::sin(k * x.at(i)), c = std::cos(k * x.at(i));
    expected -= 2 * k * s + k * k * x.at(i) * c;
    size += std::abs(2 * k * s) + std::abs(k * k * x.at(i) * c);
  }
  CHECK(std::abs(g.item() - expected) <= 16 * 0x1p-52 * size);
}
