#pragma once
/// Programs in SSA form: a Region holds Blocks, a Block holds Operations, an Operation uses and defines Values.

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "framework/core/errors.h"
#include "framework/ir/attribute.h"
#include "framework/ir/type.h"

namespace eddy::ir {

class Block;
class Context;
class OpInfo;
class Operation;
class Region;
class Use;

namespace detail {
struct ValueImpl {
  ValueImpl() = default;
  ValueImpl(const ValueImpl&) = delete;
  ValueImpl& operator=(const ValueImpl&) = delete;
  ~ValueImpl();  // operands that still use it become null: an invalid program can be destroyed, too

  Type type;
  std::string hint;
  Operation* defining_op = nullptr;  // null for a block argument
  Block* block = nullptr;            // of a block argument
  std::size_t index = 0;             // among the results or arguments
  Use* first_use = nullptr;
};
}  // namespace detail

/// A handle to what an operation defines or a block receives. Null when default-constructed. Valid as long as its
/// definition exists.
class Value {
 public:
  Value() = default;
  explicit Value(detail::ValueImpl* impl) : impl_(impl) {}
  explicit operator bool() const { return impl_ != nullptr; }

  Type type() const { return impl_->type; }
  void set_type(Type type) { impl_->type = type; }
  DType dtype() const { return impl_->type.dtype(); }
  const Shape& shape() const { return impl_->type.shape(); }
  std::size_t rank() const { return impl_->type.rank(); }

  /// The operation that defines it, or null for a block argument.
  Operation* defining_op() const { return impl_->defining_op; }
  bool is_argument() const { return impl_->defining_op == nullptr; }
  /// The block that holds its definition.
  Block* block() const;
  /// Its number among the results of its operation or the arguments of its block.
  std::size_t index() const { return impl_->index; }

  /// A name for readers of the printed program; need not be unique.
  const std::string& hint() const { return impl_->hint; }
  void set_hint(std::string hint) { impl_->hint = std::move(hint); }

  bool has_uses() const { return impl_->first_use != nullptr; }
  std::size_t n_uses() const;
  std::vector<Use*> uses() const;
  std::vector<Operation*> users() const;
  void replace_all_uses_with(Value other) const;

  detail::ValueImpl* impl() const { return impl_; }
  friend bool operator==(Value a, Value b) { return a.impl_ == b.impl_; }
  friend bool operator!=(Value a, Value b) { return !(a == b); }
  friend bool operator<(Value a, Value b) { return std::less<>()(a.impl_, b.impl_); }

 private:
  detail::ValueImpl* impl_ = nullptr;
};

/// One operand of one operation: a link of the use-def chain.
class Use {
 public:
  Use(const Use&) = delete;
  Use& operator=(const Use&) = delete;
  ~Use() { unlink(); }

  Value get() const { return value_; }
  void set(Value value);
  Operation* owner() const { return owner_; }
  std::size_t index() const { return index_; }

 private:
  friend class Operation;
  friend class Value;
  friend struct detail::ValueImpl;
  Use() = default;
  void unlink();

  Value value_;
  Operation* owner_ = nullptr;
  std::size_t index_ = 0;
  Use* next_ = nullptr;
  Use** previous_link_ = nullptr;
};

/// An operation. Owned by its block once inserted.
class Operation {
 public:
  /// Creates a detached operation. Builder::create is the usual way.
  static std::unique_ptr<Operation> create(const OpInfo& info, std::span<const Value> operands,
                                           std::span<const Type> result_types, AttributeMap attributes = {},
                                           std::size_t n_regions = 0, SourceLocation location = {});
  ~Operation();
  Operation(const Operation&) = delete;
  Operation& operator=(const Operation&) = delete;

  const OpInfo& info() const { return *info_; }
  /// "prim.add"
  const std::string& name() const;
  bool is(std::string_view name) const;

  std::size_t n_operands() const { return operands_.size(); }
  Value operand(std::size_t i) const { return operands_.at(i)->get(); }
  std::vector<Value> operands() const;
  Use& use(std::size_t i) { return *operands_.at(i); }
  void set_operand(std::size_t i, Value value) { operands_.at(i)->set(value); }
  void set_operands(std::span<const Value> values);

  std::size_t n_results() const { return results_.size(); }
  Value result(std::size_t i = 0) const { return Value(results_.at(i).get()); }
  std::vector<Value> results() const;
  /// True when no result has a use.
  bool is_unused() const;

  const AttributeMap& attributes() const { return attributes_; }
  Attribute attribute(std::string_view name) const { return attributes_.get(name); }
  /// InternalError when there is none of that name.
  Attribute at(std::string_view name) const;
  void set_attribute(std::string_view name, Attribute value) { attributes_.set(name, value); }
  void erase_attribute(std::string_view name) { attributes_.erase(name); }

  std::size_t n_regions() const { return regions_.size(); }
  Region& region(std::size_t i = 0) const { return *regions_.at(i); }
  /// An empty region behind those that are there.
  Region& add_region();

  Block* block() const { return block_; }
  Operation* next() const { return next_; }
  Operation* previous() const { return previous_; }
  /// The operation whose region holds this one, or null.
  Operation* parent() const;
  /// Removes it from its block and destroys it. Its results must have no uses.
  void erase();
  /// Moves it within or between blocks, before `other`.
  void move_before(Operation* other);

  /// Where in the user's text it comes from.
  const SourceLocation& location() const { return location_; }
  void set_location(SourceLocation location) { location_ = std::move(location); }

 private:
  friend class Block;
  Operation() = default;

  const OpInfo* info_ = nullptr;
  std::vector<std::unique_ptr<Use>> operands_;
  std::vector<std::unique_ptr<detail::ValueImpl>> results_;
  AttributeMap attributes_;
  std::vector<std::unique_ptr<Region>> regions_;
  SourceLocation location_;
  Block* block_ = nullptr;
  Operation* next_ = nullptr;
  Operation* previous_ = nullptr;
};

/// A list of operations with arguments. Owns its operations.
class Block {
 public:
  Block() = default;
  ~Block();
  Block(const Block&) = delete;
  Block& operator=(const Block&) = delete;

  std::size_t n_arguments() const { return arguments_.size(); }
  Value argument(std::size_t i) const { return Value(arguments_.at(i).get()); }
  std::vector<Value> arguments() const;
  Value add_argument(Type type, std::string hint = {});
  /// The argument must have no uses; later ones move up.
  void erase_argument(std::size_t i);

  Operation* front() const { return first_; }
  Operation* back() const { return last_; }
  bool empty() const { return first_ == nullptr; }
  /// A copy of the list, safe to walk while operations are inserted or erased (not those still to come).
  std::vector<Operation*> operations() const;
  std::size_t n_operations() const { return operations().size(); }
  /// The last operation when it is a terminator, else null.
  Operation* terminator() const;

  /// Takes ownership; inserts before `before`, at the end when null.
  Operation* insert(std::unique_ptr<Operation> op, Operation* before = nullptr);
  /// Gives up ownership.
  std::unique_ptr<Operation> remove(Operation* op);

  Region* region() const { return region_; }

 private:
  friend class Region;
  std::vector<std::unique_ptr<detail::ValueImpl>> arguments_;
  Operation* first_ = nullptr;
  Operation* last_ = nullptr;
  Region* region_ = nullptr;
};

/// A list of blocks; most regions hold one.
class Region {
 public:
  explicit Region(Operation* parent) : parent_(parent) {}
  Region(const Region&) = delete;
  Region& operator=(const Region&) = delete;

  Operation* parent() const { return parent_; }
  Block& add_block();
  std::size_t n_blocks() const { return blocks_.size(); }
  bool empty() const { return blocks_.empty(); }
  Block& block(std::size_t i = 0) const { return *blocks_.at(i); }

 private:
  Operation* parent_;
  std::vector<std::unique_ptr<Block>> blocks_;
};

/// Calls `visit` for `root` and every operation inside it, outer before inner. `visit` may erase the visited operation.
template <typename F>
void walk(Operation* root, F&& visit);
template <typename F>
void walk(Block& block, F&& visit) {
  for (Operation* op : block.operations()) walk(op, visit);
}
template <typename F>
void walk(Operation* root, F&& visit) {
  std::vector<Block*> blocks;
  for (std::size_t i = 0; i < root->n_regions(); ++i) {
    for (std::size_t j = 0; j < root->region(i).n_blocks(); ++j) blocks.push_back(&root->region(i).block(j));
  }
  visit(root);
  for (Block* block : blocks) walk(*block, visit);
}

}  // namespace eddy::ir
