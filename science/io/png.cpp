#include "science/io/png.h"

#include <zlib.h>

#include "framework/core/errors.h"

namespace eddy::io {

Raster::Raster(int width, int height, Colour background) : width_(width), height_(height) {
  EDDY_CHECK(width > 0 && height > 0 && width <= 32768 && height <= 32768, "a raster of {} x {} pixels", width, height);
  pixels_.assign(static_cast<std::size_t>(width) * static_cast<std::size_t>(height), background);
}

void Raster::set(int x, int y, Colour colour) {
  if (x < 0 || y < 0 || x >= width_ || y >= height_) return;
  pixels_[static_cast<std::size_t>(y) * static_cast<std::size_t>(width_) + static_cast<std::size_t>(x)] = colour;
}

void Raster::fill(int x, int y, int width, int height, Colour colour) {
  for (int j = y; j < y + height; ++j) {
    for (int i = x; i < x + width; ++i) set(i, j, colour);
  }
}

namespace {

void append_u32(std::string& bytes, std::uint32_t value) {
  for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(value >> shift & 0xff);
}

/// Length, type, data, checksum of type and data.
void append_chunk(std::string& bytes, const std::string& type, const std::string& data) {
  append_u32(bytes, static_cast<std::uint32_t>(data.size()));
  const std::string body = type + data;
  bytes += body;
  append_u32(bytes, static_cast<std::uint32_t>(
                        crc32(0, reinterpret_cast<const Bytef*>(body.data()), static_cast<uInt>(body.size()))));
}

}  // namespace

std::string encode_png(const Raster& raster) {
  // Each row begins with the number of its filter: 1 stores differences from the pixel on the left, which for smooth
  // fields are small.
  std::string rows;
  const auto width = static_cast<std::size_t>(raster.width());
  for (int y = 0; y < raster.height(); ++y) {
    rows += '\1';
    const Colour* row = raster.pixels().data() + static_cast<std::size_t>(y) * width;
    for (std::size_t x = 0; x < width; ++x) {
      for (std::size_t c = 0; c < 3; ++c) rows += static_cast<char>(row[x][c] - (x == 0 ? 0 : row[x - 1][c]));
    }
  }
  uLongf size = compressBound(static_cast<uLong>(rows.size()));
  std::string compressed(size, '\0');
  const int status = compress2(reinterpret_cast<Bytef*>(compressed.data()), &size,
                               reinterpret_cast<const Bytef*>(rows.data()), static_cast<uLong>(rows.size()), 9);
  if (status != Z_OK) throw RuntimeError("cannot compress a picture: out of memory");
  compressed.resize(size);

  std::string header;
  append_u32(header, static_cast<std::uint32_t>(raster.width()));
  append_u32(header, static_cast<std::uint32_t>(raster.height()));
  header += std::string("\x08\x02\x00\x00\x00", 5);  // 8 bits, RGB, deflate, adaptive filters, not interlaced

  std::string bytes = "\x89PNG\r\n\x1a\n";
  append_chunk(bytes, "IHDR", header);
  append_chunk(bytes, "IDAT", compressed);
  append_chunk(bytes, "IEND", "");
  return bytes;
}

}  // namespace eddy::io
