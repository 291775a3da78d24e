#pragma once
/// A program: named functions over tensors.

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "framework/ir/operation.h"

namespace eddy::ir {

inline constexpr std::string_view kModuleOp = "builtin.module";
inline constexpr std::string_view kFuncOp = "builtin.func";
inline constexpr std::string_view kReturnOp = "builtin.return";

/// A view of a `builtin.func` operation: one block that ends with `builtin.return`. Argument and result names are part
/// of the program's meaning: callers bind buffers by name.
class Function {
 public:
  Function() = default;
  Function(const Context& context, Operation* op) : context_(&context), op_(op) {}
  explicit operator bool() const { return op_ != nullptr; }

  const Context& context() const { return *context_; }
  Operation* op() const { return op_; }
  const std::string& name() const { return op_->at("name").as_string(); }
  Block& body() const { return op_->region().block(); }
  std::size_t n_arguments() const { return body().n_arguments(); }
  Value argument(std::size_t i) const { return body().argument(i); }
  std::vector<std::string> argument_names() const { return op_->at("arguments").as_strings(); }
  std::vector<std::string> result_names() const { return op_->at("results").as_strings(); }
  /// The returned values.
  std::vector<Value> results() const;
  /// Adds an argument of that name at the end. Names are unique in a function.
  Value add_argument(std::string name, Type type);
  /// Ends the body with a return of `values`. Replaces the return that is there.
  void set_results(const std::vector<std::string>& names, std::span<const Value> values);

 private:
  const Context* context_ = nullptr;
  Operation* op_ = nullptr;
};

/// Owns a program. Functions keep their order.
class Module {
 public:
  explicit Module(const Context& context, std::string name = "main");

  const Context& context() const { return *context_; }
  const std::string& name() const { return op_->at("name").as_string(); }
  Operation* op() const { return op_.get(); }
  Block& body() const { return op_->region().block(); }

  /// An empty function at the end. InternalError when the name is taken.
  Function add_function(std::string name);
  /// A null function when there is none of that name.
  Function find_function(std::string_view name) const;
  /// InternalError when there is none of that name.
  Function function(std::string_view name) const;
  std::vector<Function> functions() const;
  void erase_function(std::string_view name);
  /// A deep copy of function `name` under a new name, at the end.
  Function clone_function(std::string_view name, std::string new_name);
  /// A deep copy of the whole program.
  std::unique_ptr<Module> clone() const;

 private:
  const Context* context_;
  std::unique_ptr<Operation> op_;
};

}  // namespace eddy::ir
