#pragma once
/// What is known about kinds of operations: traits, and rules as interfaces keyed by type.

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <typeindex>
#include <unordered_map>
#include <vector>

#include "framework/core/errors.h"

namespace eddy::ir {

/// Facts that need no code.
enum class Trait : std::uint32_t {
  none = 0,
  pure = 1 << 0,         ///< no effect but its results: may be merged, removed, moved
  terminator = 1 << 1,   ///< ends a block
  elementwise = 1 << 2,  ///< result[i] depends on operand[i] only; all shapes equal
  commutative = 1 << 3,  ///< the two operands may change places
  linear = 1 << 4,    ///< linear in all tensor operands together: lanes pass one by one, a Partial(sum) passes through
  constant = 1 << 5,  ///< no operands, value known at compile time
  zero_derivative = 1 << 6,  ///< piecewise constant, or a source: no derivative flows through
  composite = 1 << 7,        ///< decomposes into primitives
  isolated = 1 << 8,         ///< its regions use nothing defined outside
};
constexpr Trait operator|(Trait a, Trait b) {
  return static_cast<Trait>(static_cast<std::uint32_t>(a) | static_cast<std::uint32_t>(b));
}

/// One kind of operation, for instance "prim.add".
class OpInfo {
 public:
  OpInfo(std::string name, Trait traits) : name_(std::move(name)), traits_(traits) {}

  const std::string& name() const { return name_; }
  bool has_trait(Trait trait) const {
    return (static_cast<std::uint32_t>(traits_) & static_cast<std::uint32_t>(trait)) != 0;
  }

  /// The rule of type `Rule`, or null when this kind of operation has none.
  template <typename Rule>
  const Rule* get() const {
    const auto found = rules_.find(std::type_index(typeid(Rule)));
    return found == rules_.end() ? nullptr : static_cast<const Rule*>(found->second.get());
  }
  template <typename Rule>
  void add(Rule rule) {
    rules_[std::type_index(typeid(Rule))] = std::make_shared<Rule>(std::move(rule));
  }

 private:
  std::string name_;
  Trait traits_;
  std::unordered_map<std::type_index, std::shared_ptr<const void>> rules_;
};

/// The set of known operations. Dialects are the name's part before the dot. Filled once, then shared and read only.
/// Starts with `builtin`: module, func, return.
class Context {
 public:
  Context();
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  /// InternalError when the name is taken.
  OpInfo& register_op(std::string name, Trait traits);
  /// Null when unknown.
  const OpInfo* find(std::string_view name) const;
  /// InternalError when unknown.
  const OpInfo& at(std::string_view name) const;
  std::vector<std::string> op_names() const;

 private:
  std::map<std::string, std::unique_ptr<OpInfo>, std::less<>> ops_;
};

}  // namespace eddy::ir
