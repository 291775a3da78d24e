/// Operations that move elements: those that move nothing go, neighbours merge, contractions read transposed operands
/// in place.

#include <algorithm>

#include "framework/ops/simplify_patterns.h"

namespace eddy::ops {

namespace {

using ir::Operation;
using ir::PatternRewriter;
using Ints = std::vector<std::int64_t>;

std::size_t at(std::int64_t i) { return static_cast<std::size_t>(i); }

// Whether a size or a difference of sizes is never negative, as far as its form tells.
bool is_never_negative(Dim value) {
  const auto terms = value.terms();
  return std::all_of(terms.begin(), terms.end(), [](const Dim::Term& term) { return term.coefficient >= 0; });
}

// An operation that keeps the type moves nothing: the bounds of slices and pads leave no other way.
bool drop_identity(Operation* op, PatternRewriter& rewriter) {
  if (op->result().type() != op->operand(0).type()) return false;
  rewriter.replace(op, op->operand(0));
  return true;
}

bool drop_identity_transpose(Operation* op, PatternRewriter& rewriter) {
  const Ints permutation = op->at("permutation").as_ints();
  if (!std::is_sorted(permutation.begin(), permutation.end())) return false;
  rewriter.replace(op, op->operand(0));
  return true;
}

bool drop_single_concat(Operation* op, PatternRewriter& rewriter) {
  if (op->n_operands() != 1) return false;
  rewriter.replace(op, op->operand(0));
  return true;
}

bool merge_reshapes(Operation* op, PatternRewriter& rewriter) {
  const Operation* inner = defined_by(op->operand(0), "prim.reshape");
  if (!inner) return false;
  rewriter.replace(op, reshape(rewriter, inner->operand(0), op->result().shape()));
  return true;
}

bool merge_transposes(Operation* op, PatternRewriter& rewriter) {
  const Operation* inner = defined_by(op->operand(0), "prim.transpose");
  if (!inner) return false;
  const Ints first = inner->at("permutation").as_ints();
  Ints both;
  for (const std::int64_t dim : op->at("permutation").as_ints()) both.push_back(first[at(dim)]);
  rewriter.replace(op, transpose(rewriter, inner->operand(0), both));
  return true;
}

bool merge_broadcasts(Operation* op, PatternRewriter& rewriter) {
  const Operation* inner = defined_by(op->operand(0), "prim.broadcast");
  if (!inner) return false;
  const Ints outer_dims = op->at("dims").as_ints();
  Ints dims;
  for (const std::int64_t dim : inner->at("dims").as_ints()) dims.push_back(outer_dims[at(dim)]);
  rewriter.replace(op, broadcast(rewriter, inner->operand(0), op->result().shape(), dims));
  return true;
}

// dot_general of a transposed operand names the dims of what was transposed, unless free dims would change places.
bool contract_untransposed(Operation* op, PatternRewriter& rewriter) {
  for (const std::size_t side : {0, 1}) {
    const Operation* inner = defined_by(op->operand(side), "prim.transpose");
    if (!inner) continue;
    const Ints permutation = inner->at("permutation").as_ints();
    DotDims dims = dot_dims(*op);
    Ints& batch = side == 0 ? dims.batch_lhs : dims.batch_rhs;
    Ints& contract = side == 0 ? dims.contract_lhs : dims.contract_rhs;
    Ints free;
    for (std::size_t i = 0; i < permutation.size(); ++i) {
      const auto is_i = [&](std::int64_t dim) { return at(dim) == i; };
      if (std::none_of(batch.begin(), batch.end(), is_i) && std::none_of(contract.begin(), contract.end(), is_i)) {
        free.push_back(permutation[i]);
      }
    }
    if (!std::is_sorted(free.begin(), free.end())) continue;
    for (std::int64_t& dim : batch) dim = permutation[at(dim)];
    for (std::int64_t& dim : contract) dim = permutation[at(dim)];
    const Value x = inner->operand(0);
    rewriter.replace(op, dot_general(rewriter, side == 0 ? x : op->operand(0), side == 0 ? op->operand(1) : x, dims));
    return true;
  }
  return false;
}

/// A slice's bounds.
struct Window {
  Shape start, limit;
  Ints stride;

  static Window of(const Operation& op) {
    return {op.at("start").as_shape(), op.at("limit").as_shape(), op.at("stride").as_ints()};
  }
  Value apply(Builder& b, Value x) const { return slice(b, x, start, limit, stride); }
};

bool merge_slices(Operation* op, PatternRewriter& rewriter) {
  const Operation* inner = defined_by(op->operand(0), "prim.slice");
  if (!inner) return false;
  Window window = Window::of(*inner);
  const Window outer = Window::of(*op);
  for (std::size_t i = 0; i < outer.start.size(); ++i) {
    const bool is_whole =
        outer.start[i] == Dim(0) && outer.limit[i] == op->operand(0).shape()[i] && outer.stride[i] == 1;
    if (is_whole) continue;
    if (window.stride[i] != 1) return false;
    window.limit[i] = window.start[i] + outer.limit[i];
    window.start[i] = window.start[i] + outer.start[i];
    window.stride[i] = outer.stride[i];
  }
  rewriter.replace(op, window.apply(rewriter, inner->operand(0)));
  return true;
}

// A slice that lies in one of the joined parts is a slice of that part.
bool slice_part(Operation* op, PatternRewriter& rewriter) {
  const Operation* joined = defined_by(op->operand(0), "prim.concat");
  if (!joined) return false;
  const std::size_t dim = at(joined->at("dim").as_int());
  Window window = Window::of(*op);
  Dim begin = 0;
  for (const Value part : joined->operands()) {
    const Dim end = begin + part.shape()[dim];
    if (is_never_negative(window.start[dim] - begin) && is_never_negative(end - window.limit[dim])) {
      window.start[dim] = window.start[dim] - begin;
      window.limit[dim] = window.limit[dim] - begin;
      rewriter.replace(op, window.apply(rewriter, part));
      return true;
    }
    begin = end;
  }
  return false;
}

// Neighbouring slices of one tensor, joined in order, are one slice.
bool join_slices(Operation* op, PatternRewriter& rewriter) {
  const std::size_t dim = at(op->at("dim").as_int());
  std::vector<Value> parts;
  bool changed = false;
  for (const Value part : op->operands()) {
    const Operation* own = defined_by(part, "prim.slice");
    const Operation* last = parts.empty() ? nullptr : defined_by(parts.back(), "prim.slice");
    if (!own || !last || own->operand(0) != last->operand(0)) {
      parts.push_back(part);
      continue;
    }
    const Window next = Window::of(*own);
    Window window = Window::of(*last);
    // Apart from the joined dim, where they must meet, both must be cut alike.
    Window expected = window;
    expected.start[dim] = window.limit[dim];
    expected.limit[dim] = next.limit[dim];
    if (window.stride[dim] != 1 || next.start != expected.start || next.limit != expected.limit ||
        next.stride != expected.stride) {
      parts.push_back(part);
      continue;
    }
    window.limit[dim] = next.limit[dim];
    parts.back() = window.apply(rewriter, own->operand(0));
    changed = true;
  }
  if (!changed) return false;
  rewriter.replace(op, concat(rewriter, parts, dim));
  return true;
}

}  // namespace

void add_shape_patterns(ir::PatternSet& patterns) {
  for (const char* name : {"prim.broadcast", "prim.reshape", "prim.slice", "prim.pad", "prim.reduce_sum",
                           "prim.reduce_max", "prim.reduce_prod", "prim.cast"}) {
    patterns.add({"drop an identity", name, 2, drop_identity});
  }
  patterns.add({"drop an identity", "prim.transpose", 2, drop_identity_transpose});
  patterns.add({"drop an identity", "prim.concat", 2, drop_single_concat});
  patterns.add({"merge reshapes", "prim.reshape", 1, merge_reshapes});
  patterns.add({"merge transposes", "prim.transpose", 1, merge_transposes});
  patterns.add({"merge broadcasts", "prim.broadcast", 1, merge_broadcasts});
  patterns.add({"contract the untransposed", "prim.dot_general", 1, contract_untransposed});
  patterns.add({"merge slices", "prim.slice", 1, merge_slices});
  patterns.add({"slice of a part", "prim.slice", 1, slice_part});
  patterns.add({"join slices", "prim.concat", 1, join_slices});
}

}  // namespace eddy::ops
