/// Evaluation of operations on constants by their reference kernels.

#include <cstring>

#include "framework/ir/dialect.h"
#include "framework/ops/kernel.h"
#include "framework/ops/simplify_patterns.h"

namespace eddy::ops {

namespace {

using ir::Operation;
using ir::PatternRewriter;

/// Elements of operands and results together, up to which constants are computed at compile time.
constexpr std::int64_t kMaxElements = 1 << 14;

bool is_small(ir::Type type) {
  return is_static(type.shape()) && n_elements(evaluate(type.shape(), {})) <= kMaxElements;
}

bool has_static_attributes(const Operation& op) {
  for (const auto& [key, value] : op.attributes()) {
    if (value.kind() == ir::Attribute::Kind::shape && !is_static(value.as_shape())) return false;
  }
  return true;
}

Array evaluate_kernel(const Operation& op, std::span<const Array> operands) {
  std::vector<Array> results = {Array(op.result().dtype(), evaluate(op.result().shape(), {}))};
  const DimBindings no_symbols;
  op.info().get<ReferenceKernel>()->run({op, operands, results, no_symbols});
  return results[0];
}

/// The data of a constant or of a stretched constant, when it is small.
std::optional<Array> constant_data(Value value) {
  if (!is_small(value.type())) return std::nullopt;
  if (const Operation* op = defined_by(value, "prim.constant")) return op->at("value").as_dense();
  const Operation* op = defined_by(value, "prim.broadcast");
  if (!op) return std::nullopt;
  const auto source = constant_data(op->operand(0));
  if (!source) return std::nullopt;
  return evaluate_kernel(*op, std::span(&*source, 1));
}

// Whether all elements have the same bits.
bool is_uniform(const Array& data) {
  const std::size_t size = size_of(data.dtype());
  const auto* bytes = static_cast<const std::byte*>(data.raw());
  for (std::int64_t i = 1; i < data.n_elements(); ++i) {
    if (std::memcmp(bytes, bytes + static_cast<std::size_t>(i) * size, size) != 0) return false;
  }
  return data.n_elements() > 0;
}

// A uniform constant is a stretched number: one form of it is enough for all other patterns.
Value make_constant(Builder& b, const Array& data) {
  if (data.rank() == 0 || !is_uniform(data)) return constant(b, data);
  Array number(data.dtype(), {});
  std::memcpy(number.raw(), data.raw(), size_of(data.dtype()));
  return broadcast(b, constant(b, number), Shape(data.shape().begin(), data.shape().end()), {});
}

bool fold(Operation* op, PatternRewriter& rewriter) {
  if (op->n_operands() == 0 || op->n_results() != 1 || op->n_regions() != 0 || op->is("prim.broadcast") ||
      !op->info().has_trait(ir::Trait::pure) || !op->info().get<ReferenceKernel>() || !is_small(op->result().type()) ||
      !has_static_attributes(*op)) {
    return false;
  }
  std::vector<Array> operands;
  for (const Value operand : op->operands()) {
    auto data = constant_data(operand);
    if (!data) return false;
    operands.push_back(std::move(*data));
  }
  rewriter.replace(op, make_constant(rewriter, evaluate_kernel(*op, operands)));
  return true;
}

bool stretch_uniform(Operation* op, PatternRewriter& rewriter) {
  const Array& data = op->at("value").as_dense();
  if (data.rank() == 0 || !is_uniform(data)) return false;
  rewriter.replace(op, make_constant(rewriter, data));
  return true;
}

}  // namespace

void add_constant_patterns(ir::PatternSet& patterns) {
  patterns.add({"fold constants", "", 2, fold});
  patterns.add({"stretch a uniform constant", "prim.constant", 1, stretch_uniform});
}

}  // namespace eddy::ops
