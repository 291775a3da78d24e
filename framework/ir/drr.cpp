#include "framework/ir/drr.h"

#include <algorithm>
#include <bit>
#include <memory>

#include "framework/ir/attribute_parser.h"
#include "framework/ir/dialect.h"
#include "framework/ir/rules.h"

namespace eddy::ir {

namespace {

using detail::TextCursor;

/// A node of either side of a rule.
struct Node {
  enum class Kind { variable, number, operation };
  Kind kind = Kind::variable;
  std::size_t variable = kNone;  ///< what the value is bound to; of an operation maybe none
  double number = 0;
  const OpInfo* info = nullptr;
  std::vector<Node> operands;
  struct NamedAttribute {
    std::string name;
    std::size_t variable = kNone;
    Attribute literal;  ///< when there is no variable
  };
  std::vector<NamedAttribute> attributes;
  bool other_attributes = false;

  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);
};

struct Condition {
  RulePredicate predicate;
  std::vector<std::size_t> arguments;
};

struct Variable {
  std::string name;
  bool is_attribute = false;
};

/// By number of the variable; unbound ones are null.
using Bindings = std::vector<RuleArgument>;

bool same_type(std::span<const RuleArgument> arguments) {
  return std::all_of(arguments.begin(), arguments.end(), [&](const RuleArgument& argument) {
    return argument.value.type() == arguments.front().value.type();
  });
}
bool one_use(std::span<const RuleArgument> arguments) {
  return std::all_of(arguments.begin(), arguments.end(),
                     [](const RuleArgument& argument) { return argument.value.n_uses() == 1; });
}

class Rule {
 public:
  Rule(const Context& context, std::string_view text, const RuleHooks& hooks)
      : text_(text), is_splat_(hooks.is_splat), make_splat_(hooks.make_splat) {
    TextCursor cursor(text_, "rule");
    try {
      parse(context, cursor, hooks);
    } catch (const UserError& error) {
      throw InternalError(fmt::format("malformed rule '{}': {}", text_, error.what()));
    }
  }

  const std::string& text() const { return text_; }
  const std::string& root() const { return source_.info->name(); }

  bool apply(Operation* op, PatternRewriter& rewriter) const {
    if (op->n_results() != 1) return false;
    Bindings bindings(variables_.size());
    if (!match({{&source_, op->result()}}, bindings)) return false;
    const Type type = op->result().type();
    if (type_of(target_, bindings, type) != type) return false;
    rewriter.replace(op, build(target_, bindings, type, rewriter));
    return true;
  }

 private:
  // ---- reading

  void parse(const Context& context, TextCursor& cursor, const RuleHooks& hooks) {
    source_ = node(context, cursor, true);
    if (source_.kind != Node::Kind::operation) cursor.fail_at(0, "the left side is no operation");
    cursor.expect("->");
    const std::size_t target_at = cursor.offset();
    target_ = node(context, cursor, false);
    if (source_.variable != Node::kNone && uses(target_, source_.variable)) {
      cursor.fail_at(target_at, "the right side uses the value that is replaced");
    }
    if (cursor.take_word("where")) {
      do {
        conditions_.push_back(condition(cursor, hooks));
      } while (cursor.take(","));
    }
    if (!cursor.at_end()) cursor.fail_expected("the end of the rule");
  }

  static bool uses(const Node& node, std::size_t variable) {
    return node.variable == variable ||
           std::any_of(node.operands.begin(), node.operands.end(), [&](const Node& n) { return uses(n, variable); });
  }

  // The number of a variable. Only the left side makes new ones.
  std::size_t variable(TextCursor& cursor, bool is_source, bool is_attribute) {
    const std::size_t start = cursor.offset();
    const std::string name(cursor.identifier("the name of a variable"));
    const auto found =
        std::find_if(variables_.begin(), variables_.end(), [&](const Variable& v) { return v.name == name; });
    if (found == variables_.end()) {
      if (!is_source) cursor.fail_at(start, fmt::format("${} is not bound on the left side", name));
      variables_.push_back({name, is_attribute});
      return variables_.size() - 1;
    }
    if (found->is_attribute != is_attribute) {
      cursor.fail_at(start, fmt::format("${} stands for a value and for an attribute", name));
    }
    return static_cast<std::size_t>(found - variables_.begin());
  }

  Node node(const Context& context, TextCursor& cursor, bool is_source) {
    const TextCursor::Nesting nesting(cursor);
    Node result;
    if (cursor.take("$")) {
      result.variable = variable(cursor, is_source, false);
      if (!is_source || !cursor.take("=")) return result;
    } else if (cursor.next_is("-") || cursor.next_is_digit()) {
      const std::size_t start = cursor.offset();
      if (is_source ? !is_splat_ : !make_splat_)
        cursor.fail_at(start, "numbers need the hooks is_splat and make_splat");
      const Attribute number = detail::parse_attribute(cursor);
      result.kind = Node::Kind::number;
      result.number =
          number.kind() == Attribute::Kind::integer ? static_cast<double>(number.as_int()) : number.as_float();
      return result;
    }
    operation(context, cursor, is_source, result);
    return result;
  }

  void operation(const Context& context, TextCursor& cursor, bool is_source, Node& result) {
    const std::size_t start = cursor.offset();
    const std::string name(cursor.dotted_identifier("an operation, a $variable or a number"));
    result.kind = Node::Kind::operation;
    result.info = context.find(name);
    if (result.info == nullptr) cursor.fail_at(start, fmt::format("unknown operation '{}'", name));
    if (!is_source && result.info->get<ShapeRule>() == nullptr) {
      cursor.fail_at(start, fmt::format("{} has no shape rule, a rule cannot create it", name));
    }
    cursor.expect("(");
    if (!cursor.take(")")) {
      do {
        result.operands.push_back(node(context, cursor, is_source));
      } while (cursor.take(","));
      cursor.expect(")");
    }
    if (!cursor.take("{")) return;
    while (!cursor.take("}")) {
      if (!result.attributes.empty()) cursor.expect(",");
      if (is_source && cursor.take("...")) {
        result.other_attributes = true;
        cursor.expect("}");
        return;
      }
      Node::NamedAttribute attribute;
      attribute.name = cursor.dotted_identifier("the name of an attribute");
      cursor.expect("=");
      if (cursor.take("$")) {
        attribute.variable = variable(cursor, is_source, true);
      } else {
        attribute.literal = detail::parse_attribute(cursor);
      }
      result.attributes.push_back(std::move(attribute));
    }
  }

  Condition condition(TextCursor& cursor, const RuleHooks& hooks) {
    Condition result;
    const std::size_t start = cursor.offset();
    const std::string name(cursor.identifier("the name of a predicate"));
    const bool is_generic = name == "same_type" || name == "one_use";
    if (is_generic) {
      result.predicate = name == "same_type" ? same_type : one_use;
    } else if (const auto found = hooks.predicates.find(name); found != hooks.predicates.end()) {
      result.predicate = found->second;
    } else {
      cursor.fail_at(start, fmt::format("unknown predicate '{}'", name));
    }
    cursor.expect("(");
    do {
      cursor.expect("$");
      const std::size_t at = cursor.offset();
      const std::string variable(cursor.identifier("the name of a variable"));
      const auto found =
          std::find_if(variables_.begin(), variables_.end(), [&](const Variable& v) { return v.name == variable; });
      if (found == variables_.end()) cursor.fail_at(at, fmt::format("${} is not bound on the left side", variable));
      if (is_generic && found->is_attribute) cursor.fail_at(at, fmt::format("{} asks about values", name));
      result.arguments.push_back(static_cast<std::size_t>(found - variables_.begin()));
    } while (cursor.take(","));
    cursor.expect(")");
    return result;
  }

  // ---- matching

  struct Goal {
    const Node* node;
    Value value;
  };

  // Depth first with backtracking: the two orders of a commutative operation's operands are alternatives, and so is
  // whether the conditions hold under them.
  bool match(std::vector<Goal> goals, Bindings& bindings) const {
    if (goals.empty()) return conditions_hold(bindings);
    const auto [node, value] = goals.back();
    goals.pop_back();
    if (node->kind == Node::Kind::number) {
      const std::optional<double> number = is_splat_(value);
      return number && std::bit_cast<std::uint64_t>(*number) == std::bit_cast<std::uint64_t>(node->number) &&
             match(std::move(goals), bindings);
    }
    if (node->variable != Node::kNone) {
      Value& bound = bindings[node->variable].value;
      if (bound && bound != value) return false;
      bound = value;
    }
    if (node->kind == Node::Kind::variable) return match(std::move(goals), bindings);
    const Operation* op = value.defining_op();
    if (op == nullptr || &op->info() != node->info || op->n_operands() != node->operands.size() ||
        op->n_results() != 1 || op->n_regions() != 0 || !match_attributes(*node, *op, bindings)) {
      return false;
    }
    const auto with_operands = [&](bool swapped) {
      std::vector<Goal> next = goals;
      const std::size_t n = node->operands.size();
      // The last goal is looked at first: operands are matched from left to right.
      for (std::size_t i = n; i-- > 0;) next.push_back({&node->operands[i], op->operand(swapped ? n - 1 - i : i)});
      return next;
    };
    if (node->operands.size() != 2 || !node->info->has_trait(Trait::commutative)) {
      return match(with_operands(false), bindings);
    }
    const Bindings before = bindings;
    if (match(with_operands(false), bindings)) return true;
    bindings = before;
    return match(with_operands(true), bindings);
  }

  bool match_attributes(const Node& node, const Operation& op, Bindings& bindings) const {
    for (const Node::NamedAttribute& expected : node.attributes) {
      const Attribute found = op.attribute(expected.name);
      if (!found) return false;
      if (expected.variable == Node::kNone) {
        if (found != expected.literal) return false;
        continue;
      }
      Attribute& bound = bindings[expected.variable].attribute;
      if (bound && bound != found) return false;
      bound = found;
    }
    if (node.other_attributes) return true;
    return std::all_of(op.attributes().begin(), op.attributes().end(), [&](const AttributeMap::Entry& entry) {
      return std::any_of(node.attributes.begin(), node.attributes.end(),
                         [&](const Node::NamedAttribute& expected) { return expected.name == entry.first; });
    });
  }

  bool conditions_hold(const Bindings& bindings) const {
    return std::all_of(conditions_.begin(), conditions_.end(), [&](const Condition& condition) {
      std::vector<RuleArgument> arguments;
      for (const std::size_t i : condition.arguments) arguments.push_back(bindings[i]);
      return condition.predicate(arguments);
    });
  }

  // ---- building

  AttributeMap attributes_of(const Node& node, const Bindings& bindings) const {
    AttributeMap map;
    for (const Node::NamedAttribute& attribute : node.attributes) {
      map.set(attribute.name,
              attribute.variable == Node::kNone ? attribute.literal : bindings[attribute.variable].attribute);
    }
    return map;
  }

  // The type that build() would give, found without creating anything.
  Type type_of(const Node& node, const Bindings& bindings, Type root_type) const {
    if (node.kind == Node::Kind::variable) return bindings[node.variable].value.type();
    if (node.kind == Node::Kind::number) return root_type;
    std::vector<Type> operands;
    for (const Node& operand : node.operands) operands.push_back(type_of(operand, bindings, root_type));
    try {
      const AttributeMap attributes = attributes_of(node, bindings);
      const std::vector<Type> types = node.info->get<ShapeRule>()->infer({*node.info, operands, attributes, {}});
      EDDY_CHECK(types.size() == 1, "rule '{}': {} has {} results", text_, node.info->name(), types.size());
      return types.front();
    } catch (const UserError& error) {
      throw InternalError(fmt::format("rule '{}' creates an invalid operation: {}", text_, error.what()));
    }
  }

  Value build(const Node& node, const Bindings& bindings, Type root_type, Builder& builder) const {
    if (node.kind == Node::Kind::variable) return bindings[node.variable].value;
    if (node.kind == Node::Kind::number) return make_splat_(builder, node.number, root_type);
    std::vector<Value> operands;
    for (const Node& operand : node.operands) operands.push_back(build(operand, bindings, root_type, builder));
    return builder.op(node.info->name(), operands, attributes_of(node, bindings));
  }

  std::string text_;
  std::function<std::optional<double>(Value)> is_splat_;
  std::function<Value(Builder&, double, Type)> make_splat_;
  std::vector<Variable> variables_;
  Node source_, target_;
  std::vector<Condition> conditions_;
};

}  // namespace

Pattern make_rule(const Context& context, std::string_view text, const RuleHooks& hooks, int benefit) {
  const auto rule = std::make_shared<const Rule>(context, text, hooks);
  return {rule->text(), rule->root(), benefit,
          [rule](Operation* op, PatternRewriter& rewriter) { return rule->apply(op, rewriter); }};
}

}  // namespace eddy::ir
