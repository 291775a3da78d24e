#include "framework/ir/parser.h"

#include <algorithm>
#include <set>
#include <unordered_map>
#include <utility>

#include "framework/ir/attribute_parser.h"
#include "framework/ir/dialect.h"
#include "framework/ir/printer.h"
#include "framework/ir/verifier.h"

namespace eddy::ir {

namespace {

using detail::TextCursor;

struct Name {
  std::size_t offset = 0;
  std::string text;  ///< as printed, unique in a function: `%h.1`
  std::string hint;  ///< `h`; empty for numbers
};

/// The values of one function by name. Names are unique in the whole function, visible in their block and in what is
/// nested in it, up to regions that are isolated.
class Scope {
 public:
  struct Entry {
    Value value;
    std::size_t order = 0;
    bool visible = true;
  };

  Entry* find(const std::string& name) {
    const auto found = entries_.find(name);
    return found == entries_.end() ? nullptr : &found->second;
  }
  bool is_visible(const Entry& entry) const { return entry.visible && entry.order >= floor_; }
  /// False when the name is taken.
  bool define(const std::string& name, Value value) {
    const auto [at, added] = entries_.try_emplace(name, Entry{value, log_.size(), true});
    if (added) log_.push_back(&at->second);
    return added;
  }

  std::size_t mark() const { return log_.size(); }
  /// Hides what was defined since `mark`.
  void leave(std::size_t mark) {
    for (std::size_t i = mark; i < log_.size(); ++i) log_[i]->visible = false;
  }
  /// Hides what is older than now; returns what to give to restore_floor().
  std::size_t isolate() { return std::exchange(floor_, log_.size()); }
  void restore_floor(std::size_t floor) { floor_ = floor; }

 private:
  std::unordered_map<std::string, Entry> entries_;  // its nodes do not move
  std::vector<Entry*> log_;
  std::size_t floor_ = 0;
};

class Parser {
 public:
  Parser(const Context& context, std::string_view text, std::string file_name)
      : context_(context), cursor_(text, std::move(file_name)) {}

  std::unique_ptr<Module> parse() {
    cursor_.expect_word("module");
    cursor_.expect("@");
    auto module = std::make_unique<Module>(context_, cursor_.symbol("the name of the module"));
    cursor_.expect_word("format");
    const std::size_t format_at = cursor_.offset();
    if (const std::int64_t format = cursor_.natural("a format version"); format != kTextFormat) {
      cursor_.fail_at(format_at,
                      fmt::format("the text has format {}, this program reads format {}", format, kTextFormat));
    }
    extra_attributes(*module->op());
    location(*module->op());
    cursor_.expect("{");
    while (!cursor_.take("}")) {
      if (cursor_.take_word("func")) {
        function(*module);
      } else {
        operation(module->body());
      }
    }
    if (!cursor_.at_end()) cursor_.fail_expected("the end of the text");
    return module;
  }

 private:
  void function(Module& module) {
    Scope outside = std::exchange(scope_, Scope());
    cursor_.expect("@");
    const std::size_t start = cursor_.offset();
    std::string name = cursor_.symbol("the name of the function");
    if (!functions_.insert(name).second) {
      cursor_.fail_at(start, fmt::format("there is a function {} already", symbol_text(name)));
    }
    Operation& op = *module.body().insert(
        Operation::create(context_.at(kFuncOp), {}, {}, {{"name", Attribute::string(std::move(name))}}, 1));
    Block& body = op.region().add_block();

    std::vector<std::string> arguments;
    cursor_.expect("(");
    block_arguments(body, ")");
    for (const Value argument : body.arguments()) arguments.push_back(argument.hint());
    op.set_attribute("arguments", Attribute::strings(arguments));

    std::vector<std::string> results;
    std::vector<std::pair<Type, std::size_t>> result_types;
    cursor_.expect("->");
    cursor_.expect("(");
    if (!cursor_.take(")")) {
      do {
        results.push_back(cursor_.symbol("the name of a result"));
        cursor_.expect(":");
        const std::size_t type_at = cursor_.offset();
        result_types.emplace_back(detail::parse_type(cursor_), type_at);
      } while (cursor_.take(","));
      cursor_.expect(")");
    }
    op.set_attribute("results", Attribute::strings(results));
    extra_attributes(op);
    location(op);

    cursor_.expect("{");
    operations(body);
    const std::size_t end = cursor_.offset();
    cursor_.expect("}");
    const Operation* last = body.terminator();
    if (last == nullptr || !last->is(kReturnOp)) cursor_.fail_at(end, "expected 'return' at the end of the function");
    if (last->n_operands() != results.size()) {
      cursor_.fail_at(return_at_,
                      fmt::format("the function has {} results, {} are returned", results.size(), last->n_operands()));
    }
    for (std::size_t i = 0; i < results.size(); ++i) {
      if (last->operand(i).type() != result_types[i].first) {
        cursor_.fail_at(result_types[i].second,
                        fmt::format("the result {} is declared as {}, but {} is returned", symbol_text(results[i]),
                                    result_types[i].first.str(), last->operand(i).type().str()));
      }
    }
    scope_ = std::move(outside);
  }

  // "with {a = 1}" of modules and functions, whose own attributes stand elsewhere.
  void extra_attributes(Operation& op) {
    if (!cursor_.take_word("with")) return;
    const std::size_t start = cursor_.offset();
    for (const auto& [name, value] : detail::parse_attribute_map(cursor_)) {
      if (op.attribute(name)) cursor_.fail_at(start, fmt::format("the attribute {} is given twice", symbol_text(name)));
      op.set_attribute(name, value);
    }
  }

  void location(Operation& op) {
    if (!cursor_.take_word("loc")) return;
    cursor_.expect("(");
    SourceLocation where;
    std::string file = cursor_.quoted_string("the name of a file");
    if (file_ == nullptr || *file_ != file) file_ = std::make_shared<const std::string>(std::move(file));
    where.file = file_;
    for (int* part : {&where.line, &where.column}) {
      cursor_.expect(":");
      const std::size_t start = cursor_.offset();
      const std::int64_t value = cursor_.natural("a line or column");
      if (value > INT32_MAX) cursor_.fail_at(start, "this number is too large");
      *part = static_cast<int>(value);
    }
    cursor_.expect(")");
    op.set_location(std::move(where));
  }

  Name value_name() {
    Name name;
    name.offset = cursor_.offset();
    cursor_.expect("%");
    if (cursor_.peek() >= '0' && cursor_.peek() <= '9') {
      name.text = fmt::format("%{}", cursor_.natural("a number"));
      return name;
    }
    name.hint = cursor_.symbol("the name of a value");
    if (name.hint.empty()) cursor_.fail_at(name.offset, "this name is empty");
    name.text = "%" + symbol_text(name.hint);
    if (cursor_.peek() == '.') {
      cursor_.expect(".");
      name.text += fmt::format(".{}", cursor_.natural("a number"));
    }
    return name;
  }

  void define(const Name& name, Value value) {
    value.set_hint(name.hint);
    if (!scope_.define(name.text, value)) {
      cursor_.fail_at(name.offset, fmt::format("there is a value {} in this function already", name.text));
    }
  }

  Value use() {
    const Name name = value_name();
    const Scope::Entry* entry = scope_.find(name.text);
    if (entry == nullptr) {
      cursor_.fail_at(name.offset, fmt::format("{} is not defined", name.text),
                      "values are defined before they are used, in the same function");
    }
    if (!scope_.is_visible(*entry)) {
      cursor_.fail_at(
          name.offset, fmt::format("{} cannot be used here", name.text),
          "it is defined in another block, or outside of an operation whose regions use nothing from outside");
    }
    return entry->value;
  }

  void block_arguments(Block& block, std::string_view close) {
    if (cursor_.take(close)) return;
    do {
      const Name name = value_name();
      cursor_.expect(":");
      const Value argument = block.add_argument(detail::parse_type(cursor_));
      define(name, argument);
    } while (cursor_.take(","));
    cursor_.expect(close);
  }

  void region(Region& region) {
    cursor_.expect("{");
    if (cursor_.take("}")) return;
    do {
      Block& block = region.add_block();
      const std::size_t mark = scope_.mark();
      if (cursor_.take("^")) {
        cursor_.expect("(");
        block_arguments(block, ")");
        cursor_.expect(":");
      }
      operations(block);
      scope_.leave(mark);
    } while (cursor_.next_is("^"));
    cursor_.expect("}");
  }

  // Up to a '}' or '^'.
  void operations(Block& block) {
    while (!cursor_.next_is("}") && !cursor_.next_is("^")) {
      if (const Operation* last = block.terminator()) {
        cursor_.fail_at(cursor_.offset(), fmt::format("{} ends its block, nothing may follow it", last->name()));
      }
      operation(block);
    }
  }

  void operation(Block& block) {
    const TextCursor::Nesting nesting(cursor_);
    const std::size_t start = cursor_.offset();
    if (cursor_.take_word("return")) {
      if (!cursor_.next_is("(")) return return_values(block, start);
      cursor_.rewind(start);
    }
    std::vector<Name> names;
    if (cursor_.next_is("%")) {
      do {
        names.push_back(value_name());
      } while (cursor_.take(","));
      cursor_.expect("=");
    }
    const std::size_t op_at = cursor_.offset();
    const OpInfo& info = op_info();

    std::vector<Value> operands;
    cursor_.expect("(");
    if (!cursor_.take(")")) {
      do {
        operands.push_back(use());
      } while (cursor_.take(","));
      cursor_.expect(")");
    }
    AttributeMap attributes;
    if (cursor_.next_is("{")) attributes = detail::parse_attribute_map(cursor_);
    std::vector<Type> types;
    if (!names.empty()) {
      cursor_.expect(":");
      do {
        types.push_back(detail::parse_type(cursor_));
      } while (types.size() < names.size() && cursor_.take(","));
      if (types.size() != names.size()) cursor_.fail_expected(fmt::format("{} types", names.size()));
    }
    Operation& op = *block.insert(Operation::create(info, operands, types, std::move(attributes)));
    if (cursor_.take("(")) {
      const std::size_t floor = info.has_trait(Trait::isolated) ? scope_.isolate() : 0;
      do {
        region(op.add_region());
      } while (cursor_.take(","));
      cursor_.expect(")");
      if (info.has_trait(Trait::isolated)) scope_.restore_floor(floor);
    }
    location(op);
    check(op, op_at);
    for (std::size_t i = 0; i < names.size(); ++i) define(names[i], op.result(i));
  }

  void return_values(Block& block, std::size_t start) {
    std::vector<Value> values;
    if (cursor_.next_is("%")) {
      do {
        values.push_back(use());
      } while (cursor_.take(","));
    }
    Operation& op = *block.insert(Operation::create(context_.at(kReturnOp), values, {}));
    location(op);
    check(op, start);
  }

  const OpInfo& op_info() {
    const std::size_t start = cursor_.offset();
    const std::string name = cursor_.next_is("\"") ? cursor_.quoted_string("an operation")
                                                   : std::string(cursor_.dotted_identifier("an operation"));
    if (name == kModuleOp || name == kFuncOp) {
      cursor_.fail_at(start, fmt::format("{} cannot stand here", name),
                      "functions are written 'func @name(...) -> (...)'");
    }
    const OpInfo* info = context_.find(name);
    if (info == nullptr) {
      constexpr std::size_t kLongestName = 64;  // of a slip worth a search
      const std::string nearest = name.size() <= kLongestName ? nearest_name(name, context_.op_names()) : std::string();
      cursor_.fail_at(start, fmt::format("unknown operation '{}'", name.substr(0, kLongestName)),
                      nearest.empty() ? std::string() : fmt::format("did you mean '{}'?", nearest));
    }
    return *info;
  }

  // Rules check what they read with EDDY_CHECK, too; here it is the text that is wrong.
  void check(const Operation& op, std::size_t start) {
    if (op.is(kReturnOp)) return_at_ = start;
    try {
      verify_operation(op);
    } catch (const UserError& error) {
      cursor_.fail_at(start, error.message(), error.hint());
    } catch (const std::exception& error) {
      cursor_.fail_at(start, fmt::format("{} does not fit: {}", op.name(), error.what()));
    }
  }

  const Context& context_;
  TextCursor cursor_;
  Scope scope_;
  std::set<std::string> functions_;
  std::shared_ptr<const std::string> file_;  // of the last location, shared by those that follow
  std::size_t return_at_ = 0;                // where the last return stands
};

}  // namespace

std::unique_ptr<Module> parse_module(const Context& context, std::string_view text, std::string file_name) {
  return Parser(context, text, std::move(file_name)).parse();
}

}  // namespace eddy::ir
