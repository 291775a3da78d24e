#pragma once
/// Runs loop IR as it is written, one node after another: the meaning that printers are compared with in tests.

#include <map>
#include <string>

#include "framework/core/array.h"
#include "framework/loops/stmt.h"

namespace eddy::loops {

/// A number of a real dtype (`floating`; an f32 value is a double too), or of i64 or bool (`integer`).
struct Scalar {
  DType dtype = DType::i64;
  double floating = 0;
  std::int64_t integer = 0;
};

/// What the names in expressions and statements stand for.
struct Environment {
  std::map<std::string, Array> buffers;  ///< loaded from and stored to in place
  std::map<std::string, Scalar> variables;
  DimBindings sizes;
};

/// The value of `e`, every operation rounded to its dtype. Both branches of a select are evaluated. InternalError where
/// the program is wrong: an unknown name, an index outside its buffer, dtypes that do not fit, division by zero of
/// integers.
Scalar evaluate(const Expr& e, const Environment& environment);

/// Runs `stmt`. Calls of kernels are not known here: InternalError.
void execute(const Stmt& stmt, Environment& environment);

}  // namespace eddy::loops
