#pragma once
/// Numeric variables of MATLAB files, version 5 (also compressed) and 7.3.

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "framework/core/array.h"

namespace eddy::io {

struct MatVariable {
  std::string name;
  std::vector<std::int64_t> shape;
  /// False for text, structures, cells and sparse matrices, which read_mat() does not read.
  bool numeric = true;
};

/// The variables in the order of the file. Errors as read_mat().
std::vector<MatVariable> list_mat(const std::filesystem::path& path);

/// Reads one variable. double becomes f64, single f32, integers i64, logical bool, complex values c64 or c128. The
/// shape is what MATLAB's size() says, so a vector is [n, 1] or [1, n]; element (i, j, ...) stays element (i, j, ...):
/// the order in memory changes from column-major to row-major. UserError with the file, and the variable where there is
/// one, when the file is missing, no MATLAB file, truncated or corrupt, or the variable missing (with the nearest name)
/// or not numeric.
Array read_mat(const std::filesystem::path& path, const std::string& name);

/// All numeric variables.
std::map<std::string, Array> read_mat(const std::filesystem::path& path);

}  // namespace eddy::io
