#include "science/io/picture.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <cstdlib>
#include <zlib.h>

#include "science/io/atomic_file.h"
#include "science/io/colour_map.h"
#include "science/io/data_file.h"

using namespace eddy;
using namespace eddy::io;

namespace {

std::uint32_t u32(const std::string& bytes, std::size_t at) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < 4; ++i) value = value << 8 | static_cast<unsigned char>(bytes[at + i]);
  return value;
}

/// Reads back what encode_png() writes: checks the chunks and their checksums, inflates, undoes the filter.
Raster decode(const std::string& bytes) {
  REQUIRE(bytes.substr(0, 8) == "\x89PNG\r\n\x1a\n");
  std::string types, data;
  std::uint32_t width = 0, height = 0;
  for (std::size_t at = 8; at < bytes.size();) {
    const std::uint32_t size = u32(bytes, at);
    const std::string type = bytes.substr(at + 4, 4);
    const auto* body = reinterpret_cast<const Bytef*>(bytes.data()) + at + 4;
    REQUIRE(u32(bytes, at + 8 + size) == crc32(0, body, size + 4));
    if (type == "IHDR") {
      width = u32(bytes, at + 8);
      height = u32(bytes, at + 12);
    }
    if (type == "IDAT") data = bytes.substr(at + 8, size);
    types += type;
    at += 12 + size;
  }
  REQUIRE(types == "IHDRIDATIEND");
  uLongf n = height * (1 + 3 * width);
  std::string rows(n, '\0');
  REQUIRE(uncompress(reinterpret_cast<Bytef*>(rows.data()), &n, reinterpret_cast<const Bytef*>(data.data()),
                     static_cast<uLong>(data.size())) == Z_OK);
  REQUIRE(n == rows.size());
  Raster raster(static_cast<int>(width), static_cast<int>(height), {0, 0, 0});
  for (std::uint32_t y = 0; y < height; ++y) {
    const std::size_t row = y * (1 + 3 * std::size_t{width});
    REQUIRE(rows[row] == 1);
    Colour colour{0, 0, 0};
    for (std::uint32_t x = 0; x < width; ++x) {
      for (std::size_t c = 0; c < 3; ++c) {
        colour[c] = static_cast<std::uint8_t>(colour[c] + static_cast<std::uint8_t>(rows[row + 1 + 3 * x + c]));
      }
      raster.set(static_cast<int>(x), static_cast<int>(y), colour);
    }
  }
  return raster;
}

/// Relative luminance of IEC 61966-2-1.
double luminance(const Colour& colour) {
  const auto linear = [](double c) { return c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4); };
  return 0.2126 * linear(colour[0] / 255.0) + 0.7152 * linear(colour[1] / 255.0) + 0.0722 * linear(colour[2] / 255.0);
}

}  // namespace

TEST_CASE("a PNG holds the pixels that were drawn") {
  Raster raster(7, 3, {255, 255, 255});
  for (int x = 0; x < 7; ++x)
    raster.set(x, x % 3, {static_cast<std::uint8_t>(37 * x), 200, static_cast<std::uint8_t>(x)});
  raster.set(-1, 0, {0, 0, 0});
  raster.set(0, 3, {0, 0, 0});
  const Raster read = decode(encode_png(raster));
  CHECK(read.width() == 7);
  CHECK(read.height() == 3);
  CHECK(read.pixels() == raster.pixels());
}

TEST_CASE("the colour map grows lighter with the value") {
  // Luminance is about the cube of Oklab's lightness L, which grows by 0.66/255 an entry. Rounding two colours to 8
  // bits shifts the difference of their luminances by at most 1/255 times the slope of the transfer function (0.3 at L
  // = 0.3, 0.9 at 0.5, 2.3 at 1): less than 8 entries give, 8 * 3 L^2 * 0.66/255.
  for (std::size_t i = 8; i < 256; ++i) {
    INFO(i);
    CHECK(luminance(colour_map()[i]) > luminance(colour_map()[i - 8]));
  }
  CHECK(luminance(colour_map()[0]) < 0.05);
  CHECK(luminance(colour_map()[255]) > 0.7);
  CHECK(colour_of(-5, 0, 1) == colour_map()[0]);
  CHECK(colour_of(7, 0, 1) == colour_map()[255]);
  CHECK(colour_of(NAN, 0, 1) == Colour{160, 160, 160});
}

TEST_CASE("ticks are round numbers inside the range") {
  const auto equal = [](const std::vector<double>& a, const std::vector<double>& b) {
    if (a.size() != b.size()) return false;
    for (std::size_t i = 0; i < a.size(); ++i) {
      if (std::abs(a[i] - b[i]) > 1e-12 * (1 + std::abs(b[i]))) return false;
    }
    return true;
  };
  CHECK(equal(nice_ticks(-1, 1, 4), {-1, -0.5, 0, 0.5, 1}));
  CHECK(equal(nice_ticks(0, 0.99, 5), {0, 0.2, 0.4, 0.6, 0.8}));
  CHECK(equal(nice_ticks(3e-6, 1.1e-5, 4), {4e-6, 6e-6, 8e-6, 1e-5}));
  CHECK(equal(nice_ticks(99, 101, 2), {99, 100, 101}));
}

TEST_CASE("a picture shows the field's values where they belong") {
  // A plane rising to the right: the leftmost and rightmost columns of the plot have the end colours.
  FieldPicture picture;
  picture.values = Array::from<double>({2, 2}, {0, 0, 1, 1});
  picture.title = "u";
  const Raster raster = draw_fields({picture, picture}, {400, 300});
  CHECK(raster.width() == 800);
  const auto row = [&](int x) { return raster.pixels()[static_cast<std::size_t>(150 * 800 + x)]; };
  int first = -1, last = -1;
  for (int x = 0; x < 400; ++x) {
    if (first < 0 && row(x) == colour_map()[0]) first = x;
    if (row(x) == colour_map()[255]) last = x;
  }
  REQUIRE(first >= 0);
  REQUIRE(last > first + 32);
  CHECK(row((first + last) / 2) == colour_of((first + (last - first) / 2 - first) / double(last - first), 0, 1));
  CHECK(row(first + 400) == row(first));  // the second panel is the same
}

TEST_CASE("odd fields can be drawn") {
  FieldPicture picture;
  picture.values = Array::from<float>({1, 3}, {NAN, NAN, NAN});
  CHECK_NOTHROW(draw_fields({picture}));
  picture.values = Array::from<float>({3, 1}, {2, 2, 2});
  picture.equal_axes = true;
  picture.x_range = {0, 1e-7};
  picture.y_range = {-1e9, 1e9};
  picture.x_label = "x \xc3\xa9";
  CHECK_NOTHROW(draw_fields({picture}));
}

TEST_CASE("a picture of the Burgers reference") {
  const GridData grid = read_grid("data/burgers/burgers_shock.mat", {{"t", "t"}, {"x", "x"}}, {{"u", "usol"}});
  FieldPicture picture;
  picture.values = grid.fields[0].values;
  picture.x_range = {0, 0.99};
  picture.y_range = {-1, 1};
  picture.title = "u(t, x), nu = 0.01/pi";
  picture.x_label = "t";
  picture.y_label = "x";
  FieldPicture square = picture;
  square.equal_axes = true;
  const std::string png = encode_png(draw_fields({picture, square}));
  CHECK(decode(png).width() == 1280);
  if (const char* path = std::getenv("EDDY_TEST_PICTURE")) write_file(path, png);  // to look at it
}
