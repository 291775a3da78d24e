#include "framework/ir/operation.h"

#include "framework/ir/dialect.h"

namespace eddy::ir {

// ---- Value and Use

detail::ValueImpl::~ValueImpl() {
  while (Use* use = first_use) {
    use->unlink();
    use->value_ = {};
  }
}

Block* Value::block() const { return impl_->defining_op ? impl_->defining_op->block() : impl_->block; }

std::vector<Use*> Value::uses() const {
  std::vector<Use*> all;
  for (Use* use = impl_->first_use; use; use = use->next_) all.push_back(use);
  return all;
}

std::size_t Value::n_uses() const { return uses().size(); }

std::vector<Operation*> Value::users() const {
  std::vector<Operation*> all;
  for (const Use* use = impl_->first_use; use; use = use->next_) all.push_back(use->owner_);
  return all;
}

void Value::replace_all_uses_with(Value other) const {
  EDDY_CHECK(other && other != *this);
  while (impl_->first_use) impl_->first_use->set(other);
}

void Use::unlink() {
  if (previous_link_) {
    *previous_link_ = next_;
    if (next_) next_->previous_link_ = previous_link_;
  }
  next_ = nullptr;
  previous_link_ = nullptr;
}

void Use::set(Value value) {
  EDDY_CHECK(static_cast<bool>(value), "null operand of {}", owner_->name());
  unlink();
  value_ = value;
  next_ = value.impl()->first_use;
  if (next_) next_->previous_link_ = &next_;
  previous_link_ = &value.impl()->first_use;
  value.impl()->first_use = this;
}

// ---- Operation

std::unique_ptr<Operation> Operation::create(const OpInfo& info, std::span<const Value> operands,
                                             std::span<const Type> result_types, AttributeMap attributes,
                                             std::size_t n_regions, SourceLocation location) {
  std::unique_ptr<Operation> op(new Operation());
  op->info_ = &info;
  op->attributes_ = std::move(attributes);
  op->location_ = std::move(location);
  op->set_operands(operands);
  for (std::size_t i = 0; i < result_types.size(); ++i) {
    auto result = std::make_unique<detail::ValueImpl>();
    result->type = result_types[i];
    result->defining_op = op.get();
    result->index = i;
    op->results_.push_back(std::move(result));
  }
  for (std::size_t i = 0; i < n_regions; ++i) op->add_region();
  return op;
}

Region& Operation::add_region() {
  regions_.push_back(std::make_unique<Region>(this));
  return *regions_.back();
}

Operation::~Operation() {
  // Operands and regions go first: what they hold may use results defined further out, never the reverse.
  regions_.clear();
  operands_.clear();
}

const std::string& Operation::name() const { return info_->name(); }
bool Operation::is(std::string_view name) const { return info_->name() == name; }

std::vector<Value> Operation::operands() const {
  std::vector<Value> values;
  values.reserve(operands_.size());
  for (const auto& use : operands_) values.push_back(use->get());
  return values;
}

void Operation::set_operands(std::span<const Value> values) {
  operands_.clear();
  for (std::size_t i = 0; i < values.size(); ++i) {
    std::unique_ptr<Use> use(new Use());
    use->owner_ = this;
    use->index_ = i;
    use->set(values[i]);
    operands_.push_back(std::move(use));
  }
}

std::vector<Value> Operation::results() const {
  std::vector<Value> values;
  values.reserve(results_.size());
  for (const auto& result : results_) values.emplace_back(result.get());
  return values;
}

bool Operation::is_unused() const {
  for (const auto& result : results_) {
    if (result->first_use) return false;
  }
  return true;
}

Attribute Operation::at(std::string_view name) const {
  const Attribute value = attributes_.get(name);
  EDDY_CHECK(static_cast<bool>(value), "{} has no attribute '{}'", this->name(), name);
  return value;
}

Operation* Operation::parent() const { return block_ && block_->region() ? block_->region()->parent() : nullptr; }

void Operation::erase() {
  EDDY_CHECK(is_unused(), "{} is erased while its results are used", name());
  EDDY_CHECK(block_ != nullptr);
  block_->remove(this);
}

void Operation::move_before(Operation* other) {
  EDDY_CHECK(other->block_ != nullptr && other != this);
  Block* target = other->block_;
  target->insert(block_->remove(this), other);
}

// ---- Block and Region

Block::~Block() {
  // From the last to the first, so that users go before what they use.
  while (last_) remove(last_);
}

std::vector<Value> Block::arguments() const {
  std::vector<Value> values;
  for (const auto& argument : arguments_) values.emplace_back(argument.get());
  return values;
}

Value Block::add_argument(Type type, std::string hint) {
  auto argument = std::make_unique<detail::ValueImpl>();
  argument->type = type;
  argument->hint = std::move(hint);
  argument->block = this;
  argument->index = arguments_.size();
  arguments_.push_back(std::move(argument));
  return Value(arguments_.back().get());
}

void Block::erase_argument(std::size_t i) {
  EDDY_CHECK(!argument(i).has_uses());
  arguments_.erase(arguments_.begin() + static_cast<std::ptrdiff_t>(i));
  for (std::size_t j = i; j < arguments_.size(); ++j) arguments_[j]->index = j;
}

std::vector<Operation*> Block::operations() const {
  std::vector<Operation*> all;
  for (Operation* op = first_; op; op = op->next_) all.push_back(op);
  return all;
}

Operation* Block::terminator() const { return last_ && last_->info().has_trait(Trait::terminator) ? last_ : nullptr; }

Operation* Block::insert(std::unique_ptr<Operation> owned, Operation* before) {
  Operation* op = owned.release();
  EDDY_CHECK(op->block_ == nullptr);
  EDDY_CHECK(before == nullptr || before->block_ == this);
  op->block_ = this;
  op->next_ = before;
  op->previous_ = before ? before->previous_ : last_;
  (op->previous_ ? op->previous_->next_ : first_) = op;
  (before ? before->previous_ : last_) = op;
  return op;
}

std::unique_ptr<Operation> Block::remove(Operation* op) {
  EDDY_CHECK(op->block_ == this);
  (op->previous_ ? op->previous_->next_ : first_) = op->next_;
  (op->next_ ? op->next_->previous_ : last_) = op->previous_;
  op->block_ = nullptr;
  op->next_ = op->previous_ = nullptr;
  return std::unique_ptr<Operation>(op);
}

Block& Region::add_block() {
  blocks_.push_back(std::make_unique<Block>());
  blocks_.back()->region_ = this;
  return *blocks_.back();
}

}  // namespace eddy::ir
