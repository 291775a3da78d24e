#pragma once
/// Algebraic simplification and constant folding of primitives.

#include "framework/ir/module.h"

namespace eddy::ops {

/// Rewrites until nothing fits any more and removes what becomes unused. Returns whether the program changed. Merging
/// equal operations is left to ir::eliminate_common_subexpressions, which finds more afterwards, and may expose more.
///
/// Legal where the program's results alone matter: values in between may be bypassed. Requests for derivatives by such
/// values (the columns of a tensor of points) must have been expanded: InternalError when there is one. A vjp may
/// follow when its inputs are arguments.
///
/// Results keep their bits, except that
/// - zeros may change their sign: x + 0, 0 - x, -(x - y) and sums of one summand become x, -x, y - x and that summand;
/// - the sign and the payload of a NaN are not kept;
/// - (x c) y becomes (x y) c where c is a power of two, and (x c) d becomes x (c d) where one of the numbers c and d
/// is:
///   equal unless an intermediate result over- or underflows;
/// - an elementwise function of constants has the value of its reference kernel;
/// - sums over an axis along which a factor is constant are rounded in another order: the factor goes in front of the
/// sum
///   of the rest, and a sum of n equal numbers becomes their product with n.
/// x*0 stays: it is not 0 where x is not finite.
bool simplify(ir::Module& module);

}  // namespace eddy::ops
