#include "framework/ir/verifier.h"

#include <set>
#include <unordered_map>
#include <unordered_set>

#include "framework/ir/dialect.h"
#include "framework/ir/printer.h"
#include "framework/ir/rules.h"

namespace eddy::ir {

namespace {

std::string text_of(std::span<const Type> types) {
  std::string text;
  for (const Type type : types) text += (text.empty() ? "" : ", ") + type.str();
  return "(" + text + ")";
}

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

class Verifier {
 public:
  explicit Verifier(const Module& module) : module_(module) {}

  void run() {
    const Operation& root = *module_.op();
    check(root.n_regions() == 1 && root.region().n_blocks() == 1, root, "a module holds one block");
    n_operands_ = 0;
    std::set<std::string> names;
    for (const Operation* op = module_.body().front(); op; op = op->next()) {
      function_.clear();
      if (op->is(kFuncOp)) {
        function_ = op->at("name").as_string();
        check(names.insert(function_).second, *op, "another function has the same name");
      }
      operation(*op);
      if (op->is(kFuncOp)) check_function(*op);
    }
    check_uses();
  }

 private:
  struct Definition {
    std::size_t order = 0;
    bool visible = true;
  };

  void check(bool condition, const Operation& op, const std::string& message) const {
    if (condition) return;
    throw InternalError(fmt::format("{}{}: {}\n  {}", place(), op.name(), message, first_line(print(op))));
  }

  std::string place() const { return function_.empty() ? "" : fmt::format("in function {}: ", symbol_text(function_)); }

  void check_function(const Operation& op) const {
    check(op.n_operands() == 0 && op.n_results() == 0, op, "a function has no operands and no results of its own");
    check(op.n_regions() == 1 && op.region().n_blocks() == 1, op, "a function holds one block");
    const Function function(module_.context(), const_cast<Operation*>(&op));
    const std::vector<std::string> arguments = function.argument_names();
    check(arguments.size() == function.n_arguments(), op,
          fmt::format("{} names for {} arguments", arguments.size(), function.n_arguments()));
    check(std::set(arguments.begin(), arguments.end()).size() == arguments.size(), op, "two arguments of one name");
    const Operation* last = function.body().terminator();
    check(last != nullptr && last->is(kReturnOp), op, "the function does not end with a return");
    check(last->n_operands() == function.result_names().size(), *last,
          fmt::format("the function has {} results, {} are returned", function.result_names().size(),
                      last->n_operands()));
  }

  void block(const Block& block) {
    std::vector<const detail::ValueImpl*> defined;
    for (const Value argument : block.arguments()) {
      define(argument);
      defined.push_back(argument.impl());
    }
    for (const Operation* op = block.front(); op; op = op->next()) {
      check(op->block() == &block, *op, "it does not know the block it is in");
      check(op->next() == nullptr || !op->info().has_trait(Trait::terminator), *op,
            "operations follow this terminator");
      operation(*op);
      for (const Value result : op->results()) defined.push_back(result.impl());
    }
    for (const detail::ValueImpl* value : defined) definitions_[value].visible = false;
  }

  void operation(const Operation& op) {
    operations_.insert(&op);
    for (std::size_t i = 0; i < op.n_operands(); ++i) {
      const auto found = definitions_.find(op.operand(i).impl());
      check(found != definitions_.end(), op, fmt::format("operand {} is defined after it, or in another function", i));
      check(found->second.visible, op, fmt::format("operand {} is defined in a block that ended", i));
      check(found->second.order >= floor_, op,
            fmt::format("operand {} is defined outside of an isolated operation", i));
      ++n_operands_;
    }
    const std::size_t floor = floor_;
    if (op.info().has_trait(Trait::isolated)) floor_ = definitions_.size();
    for (std::size_t r = 0; r < op.n_regions(); ++r) {
      for (std::size_t b = 0; b < op.region(r).n_blocks(); ++b) block(op.region(r).block(b));
    }
    floor_ = floor;
    try {
      verify_operation(op);
    } catch (const UserError& error) {
      throw UserError(op.location(), place() + error.message(),
                      error.hint() + (error.hint().empty() ? "" : "\n  ") + first_line(print(op)));
    }
    for (const Value result : op.results()) {
      check(result.defining_op() == &op, op, "a result does not know its operation");
      define(result);
    }
  }

  void define(Value value) { definitions_.emplace(value.impl(), Definition{definitions_.size(), true}); }

  // Every link of every chain leads to an operand of this program that is that value; as many links as operands then
  // means that none is missing.
  void check_uses() const {
    std::size_t n_links = 0;
    for (const auto& [impl, definition] : definitions_) {
      const Value value(const_cast<detail::ValueImpl*>(impl));
      for (const Use* use : value.uses()) {
        const Operation* owner = use->owner();
        if (operations_.count(owner) == 0) {
          throw InternalError(fmt::format("a value of type {} is used outside of the program", value.type().str()));
        }
        check(use->index() < owner->n_operands() && owner->operand(use->index()) == value, *owner,
              "it is in the use-def chain of a value that it does not use");
        ++n_links;
      }
    }
    EDDY_CHECK(n_links == n_operands_, "{} links in use-def chains for {} operands", n_links, n_operands_);
  }

  const Module& module_;
  std::string function_;
  std::unordered_map<const detail::ValueImpl*, Definition> definitions_;
  std::unordered_set<const Operation*> operations_;
  std::size_t floor_ = 0;  // definitions of lower order are hidden by an isolated operation
  std::size_t n_operands_ = 0;
};

}  // namespace

void verify(const Module& module) { Verifier(module).run(); }

void verify_operation(const Operation& op) {
  if (const auto* rule = op.info().get<ShapeRule>()) {
    std::vector<Type> operands, results;
    for (const Value operand : op.operands()) operands.push_back(operand.type());
    for (const Value result : op.results()) results.push_back(result.type());
    const std::vector<Type> inferred = rule->infer({op.info(), operands, op.attributes(), op.location()});
    if (inferred != results) {
      throw UserError(op.location(), fmt::format("{}: the results have types {}, but the operands {} give {}",
                                                 op.name(), text_of(results), text_of(operands), text_of(inferred)));
    }
  }
  if (const auto* rule = op.info().get<VerifyRule>()) rule->verify(op);
}

}  // namespace eddy::ir
