#include "science/io/colour_map.h"

#include <algorithm>
#include <cmath>

#include "framework/core/errors.h"

namespace eddy::io {

namespace {

/// Linear sRGB from Oklab's lightness, chroma and hue (radians); components outside [0, 1] cannot be displayed.
std::array<double, 3> linear_rgb(double lightness, double chroma, double hue) {
  const double a = chroma * std::cos(hue), b = chroma * std::sin(hue);
  const double l = std::pow(lightness + 0.3963377774 * a + 0.2158037573 * b, 3);
  const double m = std::pow(lightness - 0.1055613458 * a - 0.0638541728 * b, 3);
  const double s = std::pow(lightness - 0.0894841775 * a - 1.2914855480 * b, 3);
  return {4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
          -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
          -0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s};
}

/// The transfer function of IEC 61966-2-1, to 8 bits.
std::uint8_t encode(double linear) {
  const double c = linear <= 0.0031308 ? 12.92 * linear : 1.055 * std::pow(linear, 1 / 2.4) - 0.055;
  return static_cast<std::uint8_t>(std::lround(255 * std::clamp(c, 0.0, 1.0)));
}

std::array<Colour, 256> compute() {
  constexpr double kDegree = 0.017453292519943295;
  std::array<Colour, 256> table{};
  for (std::size_t i = 0; i < table.size(); ++i) {
    const double s = static_cast<double>(i) / 255;
    const double lightness = 0.26 + 0.66 * s, hue = (312 - 204 * s) * kDegree;
    // About as colourful as a display can show at this lightness and hue, which is least in the middle (blue-green) and
    // less at the violet than at the yellow end.
    const double end = 2 * s - 1;
    const double chroma = 0.095 + (end < 0 ? 0.033 : 0.065) * end * end;
    const std::array<double, 3> rgb = linear_rgb(lightness, chroma, hue);
    EDDY_CHECK(std::all_of(rgb.begin(), rgb.end(), [](double c) { return c >= 0 && c <= 1; }), "colour {}", i);
    table[i] = {encode(rgb[0]), encode(rgb[1]), encode(rgb[2])};
  }
  return table;
}

}  // namespace

const std::array<Colour, 256>& colour_map() {
  static const std::array<Colour, 256> table = compute();
  return table;
}

Colour colour_of(double value, double low, double high) {
  if (std::isnan(value)) return {160, 160, 160};
  const double s = high > low ? (value - low) / (high - low) : 0.5;
  return colour_map()[static_cast<std::size_t>(std::lround(255 * std::clamp(s, 0.0, 1.0)))];
}

}  // namespace eddy::io
