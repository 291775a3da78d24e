#pragma once
/// SHA-256 (FIPS 180-4): names cached kernels and checks their files.

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace eddy::compiler {

/// The hash of a message that comes in pieces.
class Sha256 {
 public:
  Sha256();
  void update(std::string_view bytes);
  /// The hash as 64 lower-case hexadecimal digits. Ends the message: call it once.
  std::string finish();

 private:
  void compress(const unsigned char* block);

  std::array<std::uint32_t, 8> state_;
  std::array<unsigned char, 64> block_{};  // its first n_bytes_ % 64 bytes wait for the rest
  std::uint64_t n_bytes_ = 0;
};

/// The hash of a whole message.
std::string sha256(std::string_view bytes);

}  // namespace eddy::compiler
