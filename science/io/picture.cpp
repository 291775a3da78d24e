#include "science/io/picture.h"

#include <algorithm>
#include <cmath>

#include "science/io/colour_map.h"
#include "science/io/glyphs.h"

namespace eddy::io {

namespace {

constexpr Colour kWhite{255, 255, 255}, kBlack{20, 20, 20};
constexpr int kDot = 2;                             // pixels of one dot of the font
constexpr int kAdvance = (kGlyphWidth + 1) * kDot;  // from one character to the next
constexpr int kTextHeight = kGlyphHeight * kDot;
constexpr int kTickLength = 6, kGap = 6, kBarWidth = 18;
constexpr int kNumberWidth = 7 * kAdvance;  // room for the labels of ticks

int width_of(const std::string& text) { return static_cast<int>(text.size()) * kAdvance - kDot; }

/// From the upper left corner to the right.
void draw_text(Raster& raster, int x, int y, const std::string& text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    for (int v = 0; v < kGlyphHeight; ++v) {
      for (int u = 0; u < kGlyphWidth; ++u) {
        if (!glyph_dot(text[i], u, v)) continue;
        raster.fill(x + static_cast<int>(i) * kAdvance + u * kDot, y + v * kDot, kDot, kDot, kBlack);
      }
    }
  }
}

/// From the lower left corner upwards.
void draw_text_up(Raster& raster, int x, int y, const std::string& text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    for (int v = 0; v < kGlyphHeight; ++v) {
      for (int u = 0; u < kGlyphWidth; ++u) {
        if (!glyph_dot(text[i], u, v)) continue;
        raster.fill(x + v * kDot, y - static_cast<int>(i) * kAdvance - (u + 1) * kDot, kDot, kDot, kBlack);
      }
    }
  }
}

/// As many digits as tell neighbouring ticks apart.
std::string tick_label(double value, double step) {
  const double size = std::max(std::abs(value), step);
  if (size >= 1e5 || step < 1e-4) {
    const int digits = std::clamp(static_cast<int>(std::ceil(std::log10(size / step) - 1e-9)), 0, 3);
    return value == 0 ? "0" : fmt::format("{:.{}e}", value, digits);
  }
  const int decimals = std::max(0, static_cast<int>(-std::floor(std::log10(step) + 1e-9)));
  return fmt::format("{:.{}f}", value, decimals);
}

struct Rectangle {
  int x, y, width, height;
};

void draw_frame(Raster& raster, const Rectangle& r) {
  raster.fill(r.x - 1, r.y - 1, r.width + 2, 1, kBlack);
  raster.fill(r.x - 1, r.y + r.height, r.width + 2, 1, kBlack);
  raster.fill(r.x - 1, r.y - 1, 1, r.height + 2, kBlack);
  raster.fill(r.x + r.width, r.y - 1, 1, r.height + 2, kBlack);
}

double tick_step(const std::vector<double>& ticks) { return ticks.size() > 1 ? ticks[1] - ticks[0] : 1; }

/// Position of `value` along `length` pixels, the ends at the centres of the first and the last pixel.
int position(double value, const std::array<double, 2>& range, int length) {
  return static_cast<int>(std::lround((value - range[0]) / (range[1] - range[0]) * (length - 1)));
}

/// Bilinear, (s, t) in [0, 1]^2.
double interpolate(const Array& values, double s, double t) {
  const std::int64_t nx = values.shape()[0], ny = values.shape()[1];
  const double x = s * static_cast<double>(nx - 1), y = t * static_cast<double>(ny - 1);
  const auto i = std::min(static_cast<std::int64_t>(x), std::max<std::int64_t>(nx - 2, 0));
  const auto j = std::min(static_cast<std::int64_t>(y), std::max<std::int64_t>(ny - 2, 0));
  const double a = x - static_cast<double>(i), b = y - static_cast<double>(j);
  double sum = 0;
  for (const auto& [di, wx] : {std::pair{0, 1 - a}, std::pair{1, a}}) {
    for (const auto& [dj, wy] : {std::pair{0, 1 - b}, std::pair{1, b}}) {
      if (wx * wy != 0) sum += wx * wy * values.at((i + di) * ny + j + dj);
    }
  }
  return sum;
}

std::array<double, 2> finite_range(const Array& values) {
  std::array<double, 2> range{INFINITY, -INFINITY};
  for (std::int64_t i = 0; i < values.n_elements(); ++i) {
    const double value = values.at(i);
    if (!std::isfinite(value)) continue;
    range = {std::min(range[0], value), std::max(range[1], value)};
  }
  if (range[0] > range[1]) return {0, 1};
  if (range[0] < range[1]) return range;
  const double margin = std::max(std::abs(range[0]) * 0.1, 1e-12);
  return {range[0] - margin, range[1] + margin};
}

void draw_colour_bar(Raster& raster, const Rectangle& bar, const std::array<double, 2>& range) {
  for (int v = 0; v < bar.height; ++v) {
    const double s = bar.height > 1 ? 1 - static_cast<double>(v) / (bar.height - 1) : 0;
    raster.fill(bar.x, bar.y + v, bar.width, 1, colour_of(s, 0, 1));
  }
  draw_frame(raster, bar);
  const std::vector<double> ticks = nice_ticks(range[0], range[1], 6);
  for (const double tick : ticks) {
    const int y = bar.y + bar.height - 1 - position(tick, range, bar.height);
    raster.fill(bar.x + bar.width, y, kTickLength, 1, kBlack);
    draw_text(raster, bar.x + bar.width + kTickLength + 4, y - kTextHeight / 2, tick_label(tick, tick_step(ticks)));
  }
}

void draw_axes(Raster& raster, const Rectangle& plot, const FieldPicture& field) {
  const std::vector<double> x_ticks = nice_ticks(field.x_range[0], field.x_range[1], plot.width / 70);
  for (const double tick : x_ticks) {
    const int x = plot.x + position(tick, field.x_range, plot.width);
    raster.fill(x, plot.y + plot.height, 1, kTickLength, kBlack);
    const std::string label = tick_label(tick, tick_step(x_ticks));
    draw_text(raster, x - width_of(label) / 2, plot.y + plot.height + kTickLength + 4, label);
  }
  int label_width = 0;
  const std::vector<double> y_ticks = nice_ticks(field.y_range[0], field.y_range[1], plot.height / 50);
  for (const double tick : y_ticks) {
    const int y = plot.y + plot.height - 1 - position(tick, field.y_range, plot.height);
    raster.fill(plot.x - kTickLength, y, kTickLength, 1, kBlack);
    const std::string label = tick_label(tick, tick_step(y_ticks));
    label_width = std::max(label_width, width_of(label));
    draw_text(raster, plot.x - kTickLength - 4 - width_of(label), y - kTextHeight / 2, label);
  }
  const int x_label = plot.x + (plot.width - width_of(field.x_label)) / 2;
  draw_text(raster, x_label, plot.y + plot.height + kTickLength + 4 + kTextHeight + kGap, field.x_label);
  const int y_label = plot.y + (plot.height + width_of(field.y_label)) / 2;
  draw_text_up(raster, plot.x - kTickLength - 4 - label_width - kGap - kTextHeight, y_label, field.y_label);
  draw_text(raster, plot.x + (plot.width - width_of(field.title)) / 2, plot.y - 2 * kTextHeight, field.title);
}

void draw_panel(Raster& raster, const Rectangle& panel, const FieldPicture& field) {
  EDDY_CHECK(field.values.rank() == 2 && field.values.n_elements() > 0 && is_real(field.values.dtype()),
             "a picture needs real values [nx, ny]");
  EDDY_CHECK(field.x_range[0] < field.x_range[1] && field.y_range[0] < field.y_range[1]);
  const int left = kGap + kTextHeight + kNumberWidth + kTickLength + 4;
  const int right = 2 * kGap + kBarWidth + kTickLength + 4 + kNumberWidth;
  const int top = 2 * kTextHeight + kGap, bottom = kTickLength + 2 * kTextHeight + 2 * kGap + 8;
  Rectangle plot{panel.x + left, panel.y + top, panel.width - left - right, panel.height - top - bottom};
  EDDY_CHECK(plot.width >= 32 && plot.height >= 32, "a panel of {} x {} pixels is too small", panel.width,
             panel.height);
  if (field.equal_axes) {
    const double x_unit = plot.width / (field.x_range[1] - field.x_range[0]);
    const double y_unit = plot.height / (field.y_range[1] - field.y_range[0]);
    const double unit = std::min(x_unit, y_unit);
    const int width = std::max(2, static_cast<int>(unit * (field.x_range[1] - field.x_range[0])));
    const int height = std::max(2, static_cast<int>(unit * (field.y_range[1] - field.y_range[0])));
    plot = {plot.x + (plot.width - width) / 2, plot.y + (plot.height - height) / 2, width, height};
  }

  const std::array<double, 2> range = field.value_range ? *field.value_range : finite_range(field.values);
  EDDY_CHECK(range[0] < range[1], "value range [{}, {}]", range[0], range[1]);
  for (int v = 0; v < plot.height; ++v) {
    for (int u = 0; u < plot.width; ++u) {
      const double s = static_cast<double>(u) / (plot.width - 1), t = 1 - static_cast<double>(v) / (plot.height - 1);
      raster.set(plot.x + u, plot.y + v, colour_of(interpolate(field.values, s, t), range[0], range[1]));
    }
  }
  draw_frame(raster, plot);
  draw_axes(raster, plot, field);
  draw_colour_bar(raster, {plot.x + plot.width + 2 * kGap, plot.y, kBarWidth, plot.height}, range);
}

}  // namespace

std::vector<double> nice_ticks(double low, double high, int count) {
  EDDY_CHECK(low < high && std::isfinite(high - low), "ticks in [{}, {}]", low, high);
  const double rough = (high - low) / std::max(count, 1);
  const double power = std::pow(10, std::floor(std::log10(rough)));
  double step = 10 * power;
  for (const double factor : {5, 2, 1}) {
    if (factor * power >= rough * (1 - 1e-9)) step = factor * power;
  }
  // A tick at the end of the range belongs there, although rounding may have put it just outside.
  const double slack = 1e-9 * (high - low);
  std::vector<double> ticks;
  for (double i = std::ceil((low - slack) / step); i * step <= high + slack; ++i) {
    ticks.push_back(std::clamp(i * step + 0.0, low, high));  // + 0.0 makes -0 positive
  }
  return ticks;
}

Raster draw_fields(const std::vector<FieldPicture>& fields, const PictureSize& panel) {
  EDDY_CHECK(!fields.empty());
  Raster raster(panel.width * static_cast<int>(fields.size()), panel.height, kWhite);
  int x = 0;
  for (const FieldPicture& field : fields) {
    draw_panel(raster, {x, 0, panel.width, panel.height}, field);
    x += panel.width;
  }
  return raster;
}

}  // namespace eddy::io
