#pragma once
/// An array and its name, in lists whose order matters.

#include <string>

#include "framework/core/array.h"

namespace eddy::io {

struct NamedArray {
  std::string name;
  Array values;
};

}  // namespace eddy::io
