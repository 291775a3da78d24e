#include "framework/core/rng.h"

#include <catch2/catch.hpp>
#include <cmath>

using namespace eddy;

// Known answers of Random123's kat_vectors for philox4x32-10.
TEST_CASE("philox gives the published known answers") {
  CHECK(philox({0, 0, 0, 0}, {0, 0}) == std::array<std::uint32_t, 4>{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8});
  CHECK(philox({0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff}, {0xffffffff, 0xffffffff}) ==
        std::array<std::uint32_t, 4>{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd});
  CHECK(philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}) ==
        std::array<std::uint32_t, 4>{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1});
}

TEST_CASE("moments of uniform and normal numbers") {
  const Rng rng(7, "moments");
  const int n = 200000;
  double u1 = 0, u2 = 0, n1 = 0, n2 = 0, n4 = 0;
  for (int i = 0; i < n; ++i) {
    const double u = rng.uniform(i), z = rng.normal(i);
    u1 += u;
    u2 += u * u;
    n1 += z;
    n2 += z * z;
    n4 += z * z * z * z;
  }
  // Five standard errors: variances of the summands are 1/12, 4/45, 1, 2, 96.
  const double root = 5 / std::sqrt(double(n));
  CHECK(std::abs(u1 / n - 0.5) < root * std::sqrt(1.0 / 12));
  CHECK(std::abs(u2 / n - 1.0 / 3) < root * std::sqrt(4.0 / 45));
  CHECK(std::abs(n1 / n) < root);
  CHECK(std::abs(n2 / n - 1) < root * std::sqrt(2.0));
  CHECK(std::abs(n4 / n - 3) < root * std::sqrt(96.0));
}

TEST_CASE("streams differ and indices are random access") {
  const Rng a(1, "a"), b(1, "b"), c(2, "a");
  CHECK(a.bits(0) != b.bits(0));
  CHECK(a.bits(0) != c.bits(0));
  CHECK(a.bits(17) == Rng(1, "a").bits(17));
  for (int i = 0; i < 1000; ++i) CHECK(a.below(i, 7) < 7);
}
