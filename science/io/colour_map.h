#pragma once
/// Colours for values.

#include <array>

#include "science/io/png.h"

namespace eddy::io {

/// 256 colours from dark violet over blue and green to yellow. Computed in the Oklab space (B. Ottosson, 2020):
/// lightness grows evenly, so that equal steps of the value look equally large, and the order survives printing in
/// grey.
const std::array<Colour, 256>& colour_map();

/// The colour of `value` in [low, high]; outside values get the end colours, NaN grey.
Colour colour_of(double value, double low, double high);

}  // namespace eddy::io
