#pragma once
/// Loop IR as C text.

#include <map>
#include <string>
#include <vector>

#include "framework/compiler/c_math.h"
#include "framework/loops/stmt.h"

namespace eddy::compiler {

/// How the loop IR's buffers appear in the text: a C pointer of the element type and the tensor's sizes, row-major.
struct CBuffer {
  DType dtype;
  Shape shape;
};
using CBuffers = std::map<std::string, CBuffer>;

/// "float", "double", "long", "_Bool".
std::string c_type(DType dtype);
/// A number as a C literal that has exactly its bits.
std::string c_literal(DType dtype, double value);
/// A size over the C variables "d_<symbol>".
std::string c_size(Dim dim);

class CPrinter {
 public:
  explicit CPrinter(const CBuffers& buffers) : buffers_(buffers) {}

  std::string print(const loops::Stmt& stmt, int indent);
  std::string print(const loops::Expr& e);
  /// The mathematical functions that were printed so far.
  const std::vector<MathUse>& math_uses() const { return math_uses_; }
  /// Names of the buffers that were printed so far, and whether they were stored to.
  const std::map<std::string, bool>& used_buffers() const { return used_; }

 private:
  std::string linear_index(const std::string& buffer, const std::vector<loops::Expr>& indices);
  std::string math_call(std::string_view function, const loops::Expr& e);

  const CBuffers& buffers_;
  std::vector<MathUse> math_uses_;
  std::map<std::string, bool> used_;
};

}  // namespace eddy::compiler
