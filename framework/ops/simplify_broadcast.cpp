/// Computing before stretching: an operation is applied to the small tensors that its stretched operands come from, and
/// its result is stretched instead. This keeps lanes that are constant over the rows (seeds, the first layer's) small.

#include <algorithm>
#include <cmath>

#include "framework/ir/dialect.h"
#include "framework/ir/rules.h"
#include "framework/ops/simplify_patterns.h"

namespace eddy::ops {

namespace {

using ir::Operation;
using ir::PatternRewriter;
using Ints = std::vector<std::int64_t>;
/// One entry per dim of a tensor.
using Flags = std::vector<char>;

std::size_t at(std::int64_t i) { return static_cast<std::size_t>(i); }

bool any(const Flags& flags) {
  return std::any_of(flags.begin(), flags.end(), [](char flag) { return flag != 0; });
}

// The dims along which a tensor is constant because a broadcast made them.
Flags stretched_dims(Value value) {
  const Operation* op = defined_by(value, "prim.broadcast");
  Flags flags(value.rank(), op != nullptr);
  if (op) {
    for (const std::int64_t dim : op->at("dims").as_ints()) flags[at(dim)] = 0;
  }
  return flags;
}

template <typename T>
std::vector<T> without(const std::vector<T>& list, const Flags& dropped) {
  std::vector<T> kept;
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (!dropped[i]) kept.push_back(list[i]);
  }
  return kept;
}

// The numbers of dims after others were dropped; those that were dropped are left out.
Ints renumbered(const Ints& dims, const Flags& dropped) {
  Ints result;
  for (const std::int64_t dim : dims) {
    if (!dropped[at(dim)])
      result.push_back(dim - std::count_if(dropped.begin(), dropped.begin() + dim, [](char f) { return f; }));
  }
  return result;
}

// The dims that stay.
Ints kept_dims(const Flags& dropped) {
  Ints dims;
  for (std::size_t i = 0; i < dropped.size(); ++i) {
    if (!dropped[i]) dims.push_back(static_cast<std::int64_t>(i));
  }
  return dims;
}

// A tensor without dims along which it is stretched.
Value unstretched(Builder& b, Value value, const Flags& dropped) {
  if (!any(dropped)) return value;
  const Operation* op = value.defining_op();
  return broadcast(b, op->operand(0), without(value.shape(), dropped), renumbered(op->at("dims").as_ints(), dropped));
}

DotDims renumbered(const DotDims& dims, const Flags& of_lhs, const Flags& of_rhs) {
  return {renumbered(dims.batch_lhs, of_lhs), renumbered(dims.batch_rhs, of_rhs), renumbered(dims.contract_lhs, of_lhs),
          renumbered(dims.contract_rhs, of_rhs)};
}

/// Dims to drop from an operation's operands and result.
struct Dropped {
  std::vector<Flags> operands;
  Flags result;
};

// The axes of the result along which all that the operation reads is stretched.
std::optional<Dropped> droppable(const Operation& op) {
  std::vector<Flags> stretched;
  bool any_stretched = false;
  for (const Value operand : op.operands()) {
    stretched.push_back(stretched_dims(operand));
    any_stretched |= any(stretched.back());
  }
  const auto* rule = op.info().get<ir::AxesRule>();
  if (!any_stretched || !rule) return std::nullopt;
  const ir::AxesMap axes = rule->axes(op);
  Dropped dropped;
  for (const Flags& flags : stretched) dropped.operands.emplace_back(flags.size(), 0);
  dropped.result.assign(op.result().rank(), 0);
  for (std::size_t r = 0; r < dropped.result.size(); ++r) {
    const int label = axes.results[0][r];
    if (label == ir::AxesMap::kOpaque) continue;
    bool is_read = false, is_constant = true;
    const auto for_each_dim = [&](const auto& visit) {
      for (std::size_t i = 0; i < stretched.size(); ++i) {
        for (std::size_t j = 0; j < stretched[i].size(); ++j) {
          if (axes.operands[i][j] == label) visit(i, j);
        }
      }
    };
    for_each_dim([&](std::size_t i, std::size_t j) {
      is_read = true;
      is_constant &= stretched[i][j] != 0;
    });
    if (!is_read || !is_constant) continue;
    dropped.result[r] = 1;
    for_each_dim([&](std::size_t i, std::size_t j) { dropped.operands[i][j] = 1; });
  }
  if (!any(dropped.result)) return std::nullopt;
  return dropped;
}

// The operation's attributes when dims are dropped; nothing for kinds of operations that are not looked at.
std::optional<ir::AttributeMap> attributes_without(const Operation& op, const Dropped& dropped) {
  ir::AttributeMap map = op.attributes();
  if (op.info().has_trait(ir::Trait::elementwise)) return map;
  const Flags& first = dropped.operands[0];
  const auto renumber = [&](const char* key) {
    map.set(key, ir::Attribute::ints(renumbered(op.at(key).as_ints(), first)));
  };
  if (op.is("prim.concat") || op.is("prim.cumsum")) {
    map.set("dim", ir::Attribute::integer(renumbered({op.at("dim").as_int()}, first)[0]));
  } else if (op.is("prim.transpose")) {
    renumber("permutation");
  } else if (op.is("prim.reverse") || op.is("prim.reduce_sum") || op.is("prim.reduce_max") ||
             op.is("prim.reduce_prod")) {
    renumber("dims");
  } else if (op.is("prim.reshape")) {
    map.set("shape", ir::Attribute::shape(without(op.result().shape(), dropped.result)));
  } else if (op.is("prim.slice")) {
    for (const char* key : {"start", "limit"}) {
      map.set(key, ir::Attribute::shape(without(op.at(key).as_shape(), first)));
    }
    map.set("stride", ir::Attribute::ints(without(op.at("stride").as_ints(), first)));
  } else if (op.is("prim.dot_general")) {
    const DotDims dims = renumbered(dot_dims(op), first, dropped.operands[1]);
    map.set("batch_lhs", ir::Attribute::ints(dims.batch_lhs));
    map.set("batch_rhs", ir::Attribute::ints(dims.batch_rhs));
    map.set("contract_lhs", ir::Attribute::ints(dims.contract_lhs));
    map.set("contract_rhs", ir::Attribute::ints(dims.contract_rhs));
  } else {
    return std::nullopt;
  }
  return map;
}

// f(stretched x) = stretched f(x).
bool compute_before_stretching(Operation* op, PatternRewriter& rewriter) {
  if (op->n_results() != 1 || op->n_regions() != 0 || !op->info().has_trait(ir::Trait::pure) ||
      op->is("prim.broadcast")) {
    return false;
  }
  const auto dropped = droppable(*op);
  if (!dropped) return false;
  const auto attributes = attributes_without(*op, *dropped);
  if (!attributes) return false;
  std::vector<Value> operands;
  for (std::size_t i = 0; i < op->n_operands(); ++i) {
    operands.push_back(unstretched(rewriter, op->operand(i), dropped->operands[i]));
  }
  const Value small = rewriter.op(op->name(), operands, *attributes);
  rewriter.replace(op, broadcast(rewriter, small, op->result().shape(), kept_dims(dropped->result)));
  return true;
}

// sum over k of x y_k = x (sum over k of y_k): a contraction over dims along which one side is stretched.
bool contract_constant_dims(Operation* op, PatternRewriter& rewriter) {
  const DotDims dims = dot_dims(*op);
  for (const std::size_t side : {0, 1}) {
    const Flags stretched = stretched_dims(op->operand(side));
    const Ints& own = side == 0 ? dims.contract_lhs : dims.contract_rhs;
    const Ints& theirs = side == 0 ? dims.contract_rhs : dims.contract_lhs;
    Flags drop_own(stretched.size(), 0), drop_other(op->operand(1 - side).rank(), 0);
    Ints summed;
    for (std::size_t k = 0; k < own.size(); ++k) {
      if (!stretched[at(own[k])]) continue;
      drop_own[at(own[k])] = 1;
      drop_other[at(theirs[k])] = 1;
      summed.push_back(theirs[k]);
    }
    if (summed.empty()) continue;
    std::sort(summed.begin(), summed.end());
    const Value small = unstretched(rewriter, op->operand(side), drop_own);
    const Value sums = reduce_sum(rewriter, op->operand(1 - side), summed);
    rewriter.replace(op, side == 0 ? dot_general(rewriter, small, sums, renumbered(dims, drop_own, drop_other))
                                   : dot_general(rewriter, sums, small, renumbered(dims, drop_other, drop_own)));
    return true;
  }
  return false;
}

// Without a contracted dim it is a product of stretched operands.
bool multiply_outer(Operation* op, PatternRewriter& rewriter) {
  const DotDims dims = dot_dims(*op);
  if (!dims.contract_lhs.empty()) return false;
  const auto is_leading = [](const Ints& batch) {
    for (std::size_t i = 0; i < batch.size(); ++i) {
      if (at(batch[i]) != i) return false;
    }
    return true;
  };
  if (!is_leading(dims.batch_lhs) || !is_leading(dims.batch_rhs)) return false;
  const Value lhs = op->operand(0), rhs = op->operand(1);
  Ints of_lhs, of_rhs;
  for (std::size_t i = 0; i < lhs.rank(); ++i) of_lhs.push_back(static_cast<std::int64_t>(i));
  for (std::size_t i = 0; i < rhs.rank(); ++i) {
    of_rhs.push_back(static_cast<std::int64_t>(i < dims.batch_rhs.size() ? i : i + lhs.rank() - dims.batch_rhs.size()));
  }
  const Shape shape = op->result().shape();
  rewriter.replace(op, mul(rewriter, broadcast(rewriter, lhs, shape, of_lhs), broadcast(rewriter, rhs, shape, of_rhs)));
  return true;
}

// A sum of n equal numbers is n times the number, where n is known.
bool sum_constant_dims(Operation* op, PatternRewriter& rewriter) {
  const Value x = op->operand(0);
  Flags dropped(x.rank(), 0);
  const Flags stretched = stretched_dims(x);
  double n = 1;
  Ints left;
  for (const std::int64_t dim : op->at("dims").as_ints()) {
    const Dim size = x.shape()[at(dim)];
    // No elements have the sum 0, whatever the number is.
    if (!stretched[at(dim)] || !size.is_constant() || size.constant() == 0) {
      left.push_back(dim);
      continue;
    }
    dropped[at(dim)] = 1;
    n *= static_cast<double>(size.constant());
  }
  if (!any(dropped)) return false;
  const Value rest = reduce_sum(rewriter, unstretched(rewriter, x, dropped), renumbered(left, dropped));
  rewriter.replace(op, scale(rewriter, rest, n));
  return true;
}

}  // namespace

void add_broadcast_patterns(ir::PatternSet& patterns) {
  patterns.add({"compute before stretching", "", 1, compute_before_stretching});
  patterns.add({"contract constant dims", "prim.dot_general", 1, contract_constant_dims});
  patterns.add({"multiply outer", "prim.dot_general", 1, multiply_outer});
  patterns.add({"sum constant dims", "prim.reduce_sum", 1, sum_constant_dims});
}

}  // namespace eddy::ops
