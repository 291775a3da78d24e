#include "framework/ir/dialect.h"

#include "framework/ir/module.h"

namespace eddy::ir {

Context::Context() {
  register_op(std::string(kModuleOp), Trait::isolated);
  register_op(std::string(kFuncOp), Trait::isolated);
  register_op(std::string(kReturnOp), Trait::terminator);
}

OpInfo& Context::register_op(std::string name, Trait traits) {
  auto& slot = ops_[name];
  EDDY_CHECK(slot == nullptr, "the operation '{}' is registered twice", name);
  slot = std::make_unique<OpInfo>(std::move(name), traits);
  return *slot;
}

const OpInfo* Context::find(std::string_view name) const {
  const auto found = ops_.find(name);
  return found == ops_.end() ? nullptr : found->second.get();
}

const OpInfo& Context::at(std::string_view name) const {
  const OpInfo* info = find(name);
  EDDY_CHECK(info != nullptr, "unknown operation '{}'", name);
  return *info;
}

std::vector<std::string> Context::op_names() const {
  std::vector<std::string> names;
  for (const auto& [name, info] : ops_) names.push_back(name);
  return names;
}

}  // namespace eddy::ir
