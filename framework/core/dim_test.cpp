#include "framework/core/dim.h"

#include <catch2/catch.hpp>

#include "framework/core/errors.h"

using namespace eddy;

TEST_CASE("sizes are canonical polynomials") {
  const Dim n = Dim::symbol("n"), m = Dim::symbol("m");
  CHECK((n + 1) * 2 == n + n + 2);
  CHECK(n * m == m * n);
  CHECK(n - n == Dim(0));
  CHECK((n + 1 - 1) == n);
  CHECK((2 * n + 1).str() == "2*n + 1");
  CHECK((m * n - 3 * n).str() == "m*n - 3*n");
  for (const Dim dim : {n, 2 * n + 1, m * n - 3 * n, Dim(7), Dim(-2) * n, n * n * 4 - 1}) {
    CHECK(Dim::parse(dim.str()) == dim);
  }
  CHECK_THROWS_AS(Dim::parse("2*"), UserError);
  CHECK_THROWS_AS(Dim::parse("n n"), UserError);
}

TEST_CASE("sizes divide exactly or not at all") {
  const Dim n = Dim::symbol("n"), m = Dim::symbol("m");
  CHECK((6 * n).divide_exactly(3) == std::optional<Dim>(2 * n));
  CHECK((n * m + n).divide_exactly(n) == std::optional<Dim>(m + 1));
  CHECK((n * n - 1).divide_exactly(n + 1) == std::optional<Dim>(n - 1));
  CHECK_FALSE((n + 1).divide_exactly(2).has_value());
  CHECK_FALSE(Dim(7).divide_exactly(2).has_value());
  CHECK_FALSE(n.divide_exactly(0).has_value());
  CHECK_FALSE(n.divide_exactly(m).has_value());
}

TEST_CASE("binding a size checks it") {
  const Dim n = Dim::symbol("n");
  CHECK((3 * n + 1).evaluate({{"n", 4}}) == 13);
  CHECK((3 * n).evaluate({{"n", 0}}) == 0);
  CHECK_THROWS_AS(n.evaluate({}), RuntimeError);
  CHECK_THROWS_AS((n - 3).evaluate({{"n", 1}}), RuntimeError);
  CHECK_THROWS_AS((n * n).evaluate({{"n", INT64_C(1) << 40}}), RuntimeError);
}
