#include "framework/core/array.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

using namespace eddy;

TEST_CASE("arrays share memory until cloned") {
  Array a = Array::from<double>({2, 2}, {1, 2, 3, 4});
  Array shared = a;
  Array copy = a.clone();
  a.data<double>()[0] = 9;
  CHECK(shared.at(0) == 9);
  CHECK(copy.at(0) == 1);
  CHECK(a.reshaped({4}).at(3) == 4);
  CHECK(reinterpret_cast<std::uintptr_t>(a.raw()) % 64 == 0);
}

TEST_CASE("arrays of no elements and too many elements") {
  CHECK(Array(DType::f32, {0, 5}).n_elements() == 0);
  CHECK(Array(DType::f32, {0, 5}).identical(Array(DType::f32, {0, 5})));
  CHECK_THROWS_AS(Array(DType::f64, {INT64_C(1) << 40, INT64_C(1) << 40}), RuntimeError);
}

TEST_CASE("casts round to nearest and saturate") {
  const Array a = Array::from<double>({3}, {1.0 + 0x1p-24, -1e30, std::numeric_limits<double>::quiet_NaN()});
  CHECK(a.cast(DType::f32).data<float>()[0] == 1.0f);
  CHECK(a.cast(DType::i64).data<std::int64_t>()[1] == INT64_MIN);
  CHECK(a.cast(DType::i64).data<std::int64_t>()[2] == 0);
  CHECK(Array::scalar(std::complex<double>(3, 4)).cast(DType::f32).item() == 3);
}

TEST_CASE("identical tells zeros apart and equal NaNs together") {
  CHECK_FALSE(Array::scalar(0.0).identical(Array::scalar(-0.0)));
  CHECK(Array::scalar(std::nan("1")).identical(Array::scalar(std::nan("1"))));
}
