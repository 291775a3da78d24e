#pragma once
/// Internal to science/io: a font of dots for the labels in pictures.

#include <cstdint>

namespace eddy::io {

constexpr int kGlyphWidth = 5, kGlyphHeight = 7;

/// Whether dot (x, y), counted from the upper left corner, of a character is set. Characters outside ASCII show as `?`.
bool glyph_dot(char c, int x, int y);

}  // namespace eddy::io
