#include "framework/core/rng.h"

#include <cmath>
#include <numbers>

namespace eddy {

std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> counter, std::array<std::uint32_t, 2> key) {
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t a = std::uint64_t{0xD2511F53u} * counter[0];
    const std::uint64_t b = std::uint64_t{0xCD9E8D57u} * counter[2];
    counter = {static_cast<std::uint32_t>(b >> 32) ^ counter[1] ^ key[0], static_cast<std::uint32_t>(b),
               static_cast<std::uint32_t>(a >> 32) ^ counter[3] ^ key[1], static_cast<std::uint32_t>(a)};
    key[0] += 0x9E3779B9u;
    key[1] += 0xBB67AE85u;
  }
  return counter;
}

std::uint64_t stream_id(std::string_view text, std::uint64_t seed) {
  std::uint64_t hash = 0xcbf29ce484222325u ^ seed;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  hash ^= hash >> 33;
  hash *= 0xff51afd7ed558ccdu;
  hash ^= hash >> 33;
  return hash;
}

namespace {
std::array<std::uint32_t, 4> block(std::uint64_t seed, std::uint64_t stream, std::uint64_t index) {
  return philox({static_cast<std::uint32_t>(index), static_cast<std::uint32_t>(index >> 32),
                 static_cast<std::uint32_t>(stream), static_cast<std::uint32_t>(stream >> 32)},
                {static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)});
}
double unit(std::uint32_t high, std::uint32_t low) {
  return static_cast<double>(((std::uint64_t{high} << 32) | low) >> 11) * 0x1p-53;
}
}  // namespace

std::uint64_t Rng::bits(std::uint64_t index) const {
  const auto words = block(seed_, stream_, index);
  return (std::uint64_t{words[0]} << 32) | words[1];
}

double Rng::uniform(std::uint64_t index) const {
  const auto words = block(seed_, stream_, index);
  return unit(words[0], words[1]);
}

double Rng::normal(std::uint64_t index) const {
  const auto words = block(seed_, stream_, index);
  const double radius = std::sqrt(-2.0 * std::log1p(-unit(words[0], words[1])));
  return radius * std::cos(2.0 * std::numbers::pi * unit(words[2], words[3]));
}

std::uint64_t Rng::below(std::uint64_t index, std::uint64_t bound) const {
  // The high half of a 128-bit product: the bias is below bound / 2^64.
  __extension__ using Wide = unsigned __int128;
  return static_cast<std::uint64_t>((static_cast<Wide>(bits(index)) * bound) >> 64);
}

}  // namespace eddy
