#pragma once
/// Helpers of this folder's tests.

#include <string>

#include "framework/core/errors.h"
#include "framework/core/rng.h"

namespace eddy::config {

/// The message of the UserError that `action` throws, or "no error". Anything else it throws goes through.
template <typename Action>
std::string error_of(Action action) {
  try {
    action();
  } catch (const UserError& error) {
    return error.what();
  }
  return "no error";
}

/// `text` after a few random edits: characters dropped, doubled, swapped or replaced, pieces cut or copied elsewhere.
inline std::string mutate(std::string text, const std::string& alphabet, const Rng& rng, std::uint64_t& index) {
  for (std::uint64_t n = 1 + rng.below(index++, 4); n > 0; --n) {
    if (text.empty()) text = "x";
    const std::size_t at = rng.below(index++, text.size());
    const std::size_t length = rng.below(index++, 12);
    const char c = alphabet[rng.below(index++, alphabet.size())];
    switch (rng.below(index++, 6)) {
      case 0: text.erase(at, 1); break;
      case 1: text.insert(at, 1, c); break;
      case 2: text[at] = c; break;
      case 3: text.erase(at, length); break;
      case 4: text.insert(rng.below(index++, text.size()), text.substr(at, length)); break;
      default: text[at] = static_cast<char>(rng.below(index++, 256));
    }
  }
  return text;
}

}  // namespace eddy::config
