#pragma once
/// Pictures of fields for reports, without any graphics library.

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "framework/core/array.h"
#include "science/io/png.h"

namespace eddy::io {

/// A scalar field on a regular two-dimensional grid, drawn with axes and a colour bar.
struct FieldPicture {
  /// [nx, ny], real; the first axis runs to the right, the second upwards. Values between the points are interpolated;
  /// NaN is grey.
  Array values;
  /// Coordinates of the first and the last point on each axis.
  std::array<double, 2> x_range{0, 1}, y_range{0, 1};
  std::string title, x_label, y_label;
  /// The values at the ends of the colour bar; by default the smallest and the largest finite value.
  std::optional<std::array<double, 2>> value_range;
  /// One unit is as long on both axes.
  bool equal_axes = false;
};

/// Pixels of one panel.
struct PictureSize {
  int width = 640, height = 420;
};

/// Draws the fields side by side. Text is ASCII.
Raster draw_fields(const std::vector<FieldPicture>& fields, const PictureSize& panel = {});

/// Round numbers in [low, high], at most `count` + 1 of them, for the ticks of an axis.
std::vector<double> nice_ticks(double low, double high, int count);

}  // namespace eddy::io
