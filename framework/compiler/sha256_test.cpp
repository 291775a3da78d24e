#include "framework/compiler/sha256.h"

#include <catch2/catch.hpp>

using eddy::compiler::Sha256;
using eddy::compiler::sha256;

// Messages and digests of NIST's "SHA-256" example values and the byte-oriented long example of FIPS 180-2.
TEST_CASE("sha256: NIST's examples", "[sha256]") {
  CHECK(sha256("") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  CHECK(sha256("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  CHECK(sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq") ==
        "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  CHECK(sha256(std::string(1000000, 'a')) == "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST_CASE("sha256: pieces hash as the whole, around every border of a block", "[sha256]") {
  std::string message;
  for (int i = 0; i < 200; ++i) message += static_cast<char>(7 * i);
  for (std::size_t n = 0; n <= message.size(); ++n) {
    const auto whole = sha256(message.substr(0, n));
    for (const std::size_t cut : {std::size_t{0}, n / 3, n / 2, n}) {
      Sha256 hash;
      hash.update(std::string_view(message).substr(0, cut));
      hash.update(std::string_view(message).substr(cut, n - cut));
      REQUIRE(hash.finish() == whole);
    }
  }
}
