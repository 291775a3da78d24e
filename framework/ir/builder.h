#pragma once
/// Creates operations at an insertion point.

#include <map>
#include <span>
#include <string_view>
#include <vector>

#include "framework/ir/dialect.h"
#include "framework/ir/operation.h"

namespace eddy::ir {

/// Old value -> new value, for copying code.
using ValueMap = std::map<Value, Value>;

class Builder {
 public:
  /// Inserts at the end of `block`, or before its operation `before`.
  Builder(const Context& context, Block& block, Operation* before = nullptr)
      : context_(&context), block_(&block), before_(before) {}
  virtual ~Builder() = default;
  static Builder before(const Context& context, Operation* op) { return Builder(context, *op->block(), op); }
  static Builder after(const Context& context, Operation* op) { return Builder(context, *op->block(), op->next()); }

  const Context& context() const { return *context_; }
  Block& block() const { return *block_; }
  Operation* insertion_point() const { return before_; }
  void set_insertion_point(Block& block, Operation* before = nullptr) {
    block_ = &block;
    before_ = before;
  }

  /// Given to all operations created from here on.
  void set_location(SourceLocation location) { location_ = std::move(location); }
  const SourceLocation& location() const { return location_; }

  /// Creates an operation whose result types follow from its ShapeRule. UserError at the current location when the
  /// operands do not fit.
  Operation* create(std::string_view name, std::span<const Value> operands, AttributeMap attributes = {},
                    std::size_t n_regions = 0);
  Operation* create(std::string_view name, std::initializer_list<Value> operands, AttributeMap attributes = {},
                    std::size_t n_regions = 0) {
    return create(name, std::span(operands.begin(), operands.size()), std::move(attributes), n_regions);
  }
  /// As create(), for the usual operation with one result.
  Value op(std::string_view name, std::span<const Value> operands, AttributeMap attributes = {}) {
    return create(name, operands, std::move(attributes))->result();
  }
  Value op(std::string_view name, std::initializer_list<Value> operands, AttributeMap attributes = {}) {
    return create(name, operands, std::move(attributes))->result();
  }
  /// Creates an operation whose result types are given.
  Operation* create_typed(std::string_view name, std::span<const Value> operands, std::span<const Type> result_types,
                          AttributeMap attributes = {}, std::size_t n_regions = 0);

  /// Copies `op` with its regions; operands are looked up in `map` (themselves when absent), results are entered in it.
  Operation* clone(const Operation& op, ValueMap& map);
  /// Copies all operations of `source` but its terminator; returns what the terminator's operands became.
  std::vector<Value> inline_block(const Block& source, ValueMap& map);

 protected:
  /// Told of each operation after it was created or cloned, its regions with it.
  virtual void inserted(Operation*) {}

 private:
  const Context* context_;
  Block* block_;
  Operation* before_;
  SourceLocation location_;
};

}  // namespace eddy::ir
