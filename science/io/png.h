#pragma once
/// Pixels and PNG files.

#include <array>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace eddy::io {

using Colour = std::array<std::uint8_t, 3>;

/// 8-bit RGB pixels, row by row from the top.
class Raster {
 public:
  Raster(int width, int height, Colour background);

  int width() const { return width_; }
  int height() const { return height_; }
  const std::vector<Colour>& pixels() const { return pixels_; }
  /// Ignored outside the raster.
  void set(int x, int y, Colour colour);
  void fill(int x, int y, int width, int height, Colour colour);

 private:
  int width_, height_;
  std::vector<Colour> pixels_;
};

/// The bytes of a PNG file (ISO/IEC 15948).
std::string encode_png(const Raster& raster);

}  // namespace eddy::io
