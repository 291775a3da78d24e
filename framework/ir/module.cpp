#include "framework/ir/module.h"

#include <algorithm>

#include "framework/ir/builder.h"
#include "framework/ir/dialect.h"

namespace eddy::ir {

std::vector<Value> Function::results() const {
  const Operation* terminator = body().terminator();
  EDDY_CHECK(terminator != nullptr, "the function '{}' does not return", name());
  return terminator->operands();
}

Value Function::add_argument(std::string name, Type type) {
  std::vector<std::string> names = argument_names();
  EDDY_CHECK(std::find(names.begin(), names.end(), name) == names.end(), "two arguments '{}'", name);
  names.push_back(name);
  op_->set_attribute("arguments", Attribute::strings(names));
  return body().add_argument(type, std::move(name));
}

void Function::set_results(const std::vector<std::string>& names, std::span<const Value> values) {
  EDDY_CHECK(names.size() == values.size());
  if (Operation* terminator = body().terminator()) terminator->erase();
  body().insert(Operation::create(context_->at(kReturnOp), values, {}));
  op_->set_attribute("results", Attribute::strings(names));
}

Module::Module(const Context& context, std::string name)
    : context_(&context),
      op_(Operation::create(context.at(kModuleOp), {}, {}, {{"name", Attribute::string(std::move(name))}}, 1)) {
  op_->region().add_block();
}

Function Module::add_function(std::string name) {
  EDDY_CHECK(!find_function(name), "two functions '{}'", name);
  Operation* op = body().insert(Operation::create(context_->at(kFuncOp), {}, {},
                                                  {{"name", Attribute::string(std::move(name))},
                                                   {"arguments", Attribute::list({})},
                                                   {"results", Attribute::list({})}},
                                                  1));
  op->region().add_block();
  return Function(*context_, op);
}

Function Module::find_function(std::string_view name) const {
  for (const Function function : functions()) {
    if (function.name() == name) return function;
  }
  return {};
}

Function Module::function(std::string_view name) const {
  const Function found = find_function(name);
  EDDY_CHECK(static_cast<bool>(found), "no function '{}'", name);
  return found;
}

std::vector<Function> Module::functions() const {
  std::vector<Function> all;
  for (Operation* op : body().operations()) {
    if (op->is(kFuncOp)) all.emplace_back(*context_, op);
  }
  return all;
}

void Module::erase_function(std::string_view name) { function(name).op()->erase(); }

Function Module::clone_function(std::string_view name, std::string new_name) {
  EDDY_CHECK(!find_function(new_name), "two functions '{}'", new_name);
  ValueMap map;
  Operation* copy = Builder(*context_, body()).clone(*function(name).op(), map);
  copy->set_attribute("name", Attribute::string(std::move(new_name)));
  return Function(*context_, copy);
}

std::unique_ptr<Module> Module::clone() const {
  auto copy = std::make_unique<Module>(*context_, name());
  for (const auto& [name, value] : op_->attributes()) copy->op()->set_attribute(name, value);
  Builder builder(*context_, copy->body());
  ValueMap map;
  for (const Operation* op : body().operations()) builder.clone(*op, map);
  return copy;
}

}  // namespace eddy::ir
