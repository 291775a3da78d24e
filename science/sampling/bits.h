#pragma once
/// Small steps from random bits to numbers, shared by the samplers.

#include <cstdint>

namespace eddy::sampling {

/// The middle of the cell of width 2^-52 that the upper 52 bits name: uniform in (0, 1), never 0 or 1, exact.
inline double open_unit(std::uint64_t bits) { return (static_cast<double>(bits >> 12) + 0.5) * 0x1p-52; }

/// A bijection of 64 bits without visible structure: the finalizer of SplitMix64 (Steele, Lea, Flood, "Fast splittable
/// pseudorandom number generators", OOPSLA 2014).
inline std::uint64_t mix(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

}  // namespace eddy::sampling
