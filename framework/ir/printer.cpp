#include "framework/ir/printer.h"

#include <algorithm>
#include <unordered_map>

#include "framework/ir/dialect.h"

namespace eddy::ir {

namespace {

/// Unique names of the values of one function.
class ValueNames {
 public:
  void define(Value value, const std::string& hint) {
    std::string& name = names_[value.impl()];
    if (hint.empty()) {
      name = fmt::format("%{}", n_unnamed_++);
      return;
    }
    name = "%" + symbol_text(hint);
    if (const std::size_t n = n_seen_[hint]++; n > 0) name += fmt::format(".{}", n);
  }
  void define_all(const Operation& op) {
    for (const Value result : op.results()) define(result, result.hint());
    for (std::size_t r = 0; r < op.n_regions(); ++r) {
      for (std::size_t b = 0; b < op.region(r).n_blocks(); ++b) define_all(op.region(r).block(b));
    }
  }
  void define_all(const Block& block) {
    for (const Value argument : block.arguments()) define(argument, argument.hint());
    define_operations(block);
  }
  void define_operations(const Block& block) {
    for (const Operation* op = block.front(); op; op = op->next()) define_all(*op);
  }
  std::string operator[](Value value) const {
    const auto found = names_.find(value.impl());
    return found == names_.end() ? "%<unknown>" : found->second;
  }

 private:
  std::unordered_map<const detail::ValueImpl*, std::string> names_;
  std::unordered_map<std::string, std::size_t> n_seen_;
  std::size_t n_unnamed_ = 0;
};

template <typename Range, typename F>
std::string joined(const Range& range, F&& text_of) {
  std::string text;
  for (const auto& element : range) {
    if (!text.empty()) text += ", ";
    text += text_of(element);
  }
  return text;
}

bool is_string_list(Attribute attribute) {
  return attribute && attribute.kind() == Attribute::Kind::list &&
         std::all_of(attribute.as_list().begin(), attribute.as_list().end(),
                     [](Attribute element) { return element.kind() == Attribute::Kind::string; });
}

// Whether `op` has the parts the short form of a function shows. Unfinished functions are printed as plain operations.
bool is_complete_function(const Operation& op) {
  if (!op.is(kFuncOp) || op.n_operands() != 0 || op.n_results() != 0) return false;
  if (op.n_regions() != 1 || op.region().n_blocks() != 1) return false;
  const Attribute name = op.attribute("name"), arguments = op.attribute("arguments"), results = op.attribute("results");
  if (!name || name.kind() != Attribute::Kind::string || !is_string_list(arguments) || !is_string_list(results)) {
    return false;
  }
  std::vector<std::string> names = arguments.as_strings();
  if (names.size() != op.region().block().n_arguments()) return false;
  std::sort(names.begin(), names.end());
  if (std::adjacent_find(names.begin(), names.end()) != names.end()) return false;
  const Operation* last = op.region().block().terminator();
  return last != nullptr && last->is(kReturnOp) && last->n_operands() == results.as_list().size() &&
         last->n_results() == 0;
}

std::string op_name_text(const std::string& name) {
  std::size_t start = 0, n_parts = 0;
  while (start <= name.size()) {
    const std::size_t end = std::min(name.find('.', start), name.size());
    if (!is_identifier(std::string_view(name).substr(start, end - start))) return quoted(name);
    start = end + 1;
    ++n_parts;
  }
  return n_parts >= 2 ? name : quoted(name);
}

std::string attribute_name_text(const std::string& name) {
  const std::string text = op_name_text(name);
  return text.front() == '"' ? symbol_text(name) : text;
}

class Printer {
 public:
  explicit Printer(const PrintOptions& options) : options_(options) {}

  std::string take() { return std::move(text_); }

  void module(const Operation& op) {
    text_ += fmt::format("module @{} format {}", symbol_text(op.at("name").as_string()), kTextFormat);
    extra_attributes(op, {"name"});
    location(op);
    text_ += " {\n";
    ++depth_;
    // Functions use nothing from outside: each is named on its own.
    ValueNames module_names;
    for (const Operation* inside = op.region().block().front(); inside; inside = inside->next()) {
      if (!is_complete_function(*inside)) module_names.define_all(*inside);
    }
    for (const Operation* inside = op.region().block().front(); inside; inside = inside->next()) {
      if (is_complete_function(*inside)) {
        function(*inside);
      } else {
        names_ = module_names;
        operation(*inside);
      }
    }
    --depth_;
    text_ += "}\n";
  }

  void function(const Operation& op) {
    const Block& body = op.region().block();
    name_function(op);
    const std::vector<std::string> results = op.at("results").as_strings();
    const Operation* last = body.back();
    indent();
    text_ += fmt::format("func @{}(", symbol_text(op.at("name").as_string()));
    text_ += joined(body.arguments(), [&](Value v) { return names_[v] + ": " + v.type().str(); });
    text_ += ") -> (";
    for (std::size_t i = 0; i < results.size(); ++i) {
      text_ += fmt::format("{}{}: {}", i ? ", " : "", symbol_text(results[i]), last->operand(i).type().str());
    }
    text_ += ")";
    extra_attributes(op, {"name", "arguments", "results"});
    location(op);
    text_ += " {\n";
    ++depth_;
    operations(body);
    --depth_;
    indent();
    text_ += "}\n";
  }

  void operation(const Operation& op) {
    indent();
    if (op.is(kReturnOp) && op.attributes().empty() && op.n_regions() == 0 && op.n_results() == 0) {
      text_ += "return";
      if (op.n_operands() != 0) text_ += " " + operands(op);
      location(op);
      text_ += "\n";
      return;
    }
    if (op.n_results() != 0) text_ += joined(op.results(), [&](Value v) { return names_[v]; }) + " = ";
    text_ += op_name_text(op.name()) + "(" + operands(op) + ")";
    if (!op.attributes().empty()) text_ += " " + attributes(op, {});
    if (op.n_results() != 0) text_ += " : " + joined(op.results(), [](Value v) { return v.type().str(); });
    if (op.n_regions() != 0) {
      text_ += " (";
      for (std::size_t r = 0; r < op.n_regions(); ++r) {
        if (r != 0) text_ += ", ";
        region(op.region(r));
      }
      text_ += ")";
    }
    location(op);
    text_ += "\n";
  }

  void name_function(const Operation& op) {
    const Block& body = op.region().block();
    const std::vector<std::string> arguments = op.at("arguments").as_strings();
    names_ = {};
    for (std::size_t i = 0; i < arguments.size(); ++i) names_.define(body.argument(i), arguments[i]);
    names_.define_operations(body);
  }
  void name_all(const Operation& op) {
    names_ = {};
    names_.define_all(op);
  }

 private:
  void indent() { text_.append(2 * static_cast<std::size_t>(depth_), ' '); }

  std::string operands(const Operation& op) {
    return joined(op.operands(), [&](Value v) { return names_[v]; });
  }

  std::string attributes(const Operation& op, std::initializer_list<std::string_view> without) {
    std::string text;
    for (const auto& [name, value] : op.attributes()) {
      if (std::find(without.begin(), without.end(), name) != without.end()) continue;
      text += (text.empty() ? "{" : ", ") + attribute_name_text(name) + " = " + value.str();
    }
    return text.empty() ? text : text + "}";
  }
  void extra_attributes(const Operation& op, std::initializer_list<std::string_view> shown) {
    const std::string text = attributes(op, shown);
    if (!text.empty()) text_ += " with " + text;
  }

  void location(const Operation& op) {
    const SourceLocation& where = op.location();
    if (options_.locations && where.known()) {
      text_ += fmt::format(" loc({}:{}:{})", quoted(*where.file), std::max(where.line, 0), std::max(where.column, 0));
    }
  }

  void operations(const Block& block) {
    for (const Operation* op = block.front(); op; op = op->next()) operation(*op);
  }

  void region(const Region& region) {
    text_ += "{";
    if (!region.empty()) {
      text_ += "\n";
      ++depth_;
      for (std::size_t b = 0; b < region.n_blocks(); ++b) {
        const Block& block = region.block(b);
        // A lone block without arguments needs no header, unless nothing else would show that it is there.
        const bool header = region.n_blocks() > 1 || block.n_arguments() != 0 || block.empty();
        if (header) {
          indent();
          text_ +=
              "^(" + joined(block.arguments(), [&](Value v) { return names_[v] + ": " + v.type().str(); }) + "):\n";
          ++depth_;
        }
        operations(block);
        if (header) --depth_;
      }
      --depth_;
      indent();
    }
    text_ += "}";
  }

  PrintOptions options_;
  std::string text_;
  ValueNames names_;
  int depth_ = 0;
};

}  // namespace

std::string print(const Module& module, const PrintOptions& options) { return print(*module.op(), options); }

std::string print(const Function& function, const PrintOptions& options) { return print(*function.op(), options); }

std::string print(const Operation& op, const PrintOptions& options) {
  Printer printer(options);
  if (op.is(kModuleOp) && op.block() == nullptr) {
    printer.module(op);
    return printer.take();
  }
  if (is_complete_function(op)) {
    printer.function(op);
    return printer.take();
  }
  // The names are those of the whole function around it.
  const Operation* root = &op;
  while (!is_complete_function(*root) && root->parent() && !root->parent()->is(kModuleOp)) root = root->parent();
  if (is_complete_function(*root)) {
    printer.name_function(*root);
  } else {
    printer.name_all(*root);
  }
  printer.operation(op);
  return printer.take();
}

}  // namespace eddy::ir
