#include "framework/ir/rewrite.h"

#include <catch2/catch.hpp>

#include "framework/ir/dialect.h"
#include "framework/ir/drr.h"
#include "framework/ir/parser.h"
#include "framework/ir/printer.h"
#include "framework/ir/test_dialect.h"
#include "framework/ir/verifier.h"

using namespace eddy;
using namespace eddy::ir;
using testing::make_context;

namespace {

const RuleHooks& hooks() {
  static const RuleHooks all = {
      [](Value value) -> std::optional<double> {
        const Operation* op = value.defining_op();
        if (op == nullptr || !op->is("test.splat")) return std::nullopt;
        return op->at("value").as_float();
      },
      [](Builder& builder, double number, Type type) {
        return builder.op("test.splat", {}, {{"value", Attribute::floating(number)}, {"type", Attribute::type(type)}});
      },
      {{"differ",
        [](std::span<const RuleArgument> arguments) { return arguments[0].attribute != arguments[1].attribute; }}}};
  return all;
}

std::string in_function(const std::string& body) {
  return "module @m format 1 {\n  func @f(%x: f64[n], %y: f64[n]) -> (r: f64[n]) {\n" + body + "  }\n}\n";
}

// The body of the function after the rules were applied to it.
std::string rewritten(const std::vector<std::string>& rules, const std::string& body, bool expect_change = true) {
  const auto context = make_context();
  PatternSet patterns;
  for (const std::string& rule : rules) patterns.add(make_rule(*context, rule, hooks()));
  const auto module = parse_module(*context, in_function(body), "p.ir");
  CHECK(rewrite_to_fixed_point(*module, patterns) == expect_change);
  verify(*module);
  return print(*module);
}

void check_rule(const std::string& rule, const std::string& before, const std::string& after) {
  CAPTURE(rule, before);
  CHECK(rewritten({rule}, before, before != after) == in_function(after));
}

}  // namespace

TEST_CASE("a rule replaces what it matches") {
  check_rule("test.add($x, test.neg($y)) -> test.sub($x, $y)",
             "    %a = test.neg(%y) : f64[n]\n    %b = test.add(%x, %a) : f64[n]\n    return %b\n",
             "    %b = test.sub(%x, %y) : f64[n]\n    return %b\n");
  // Commutative operands in the other order, with backtracking into a nested commutative match.
  check_rule("test.add($x, test.neg($y)) -> test.sub($x, $y)",
             "    %a = test.neg(%y) : f64[n]\n    %b = test.add(%a, %x) : f64[n]\n    return %b\n",
             "    %b = test.sub(%x, %y) : f64[n]\n    return %b\n");
  check_rule("test.add(test.mul($a, $b), test.mul($a, $c)) -> test.mul($a, test.add($b, $c))",
             "    %z = test.exp(%x) : f64[n]\n    %p = test.mul(%x, %y) : f64[n]\n    %q = test.mul(%z, %y) : f64[n]\n"
             "    %s = test.add(%p, %q) : f64[n]\n    return %s\n",
             "    %z = test.exp(%x) : f64[n]\n    %0 = test.add(%x, %z) : f64[n]\n    %s = test.mul(%y, %0) : f64[n]\n"
             "    return %s\n");
  // A variable used twice means the same value.
  const std::string differ = "    %b = test.sub(%x, %y) : f64[n]\n    return %b\n";
  check_rule("test.sub($x, $x) -> 0.0", differ, differ);
  check_rule("test.sub($x, $x) -> 0.0", "    %b = test.sub(%x, %x) : f64[n]\n    return %b\n",
             "    %b = test.splat() {type = f64[n], value = 0.0} : f64[n]\n    return %b\n");
  // A chain is followed to its end, and what becomes unused goes.
  check_rule("test.neg(test.neg($x)) -> $x",
             "    %a = test.neg(%x) : f64[n]\n    %b = test.neg(%a) : f64[n]\n    %c = test.neg(%b) : f64[n]\n"
             "    %d = test.neg(%c) : f64[n]\n    return %d\n",
             "    return %x\n");
}

TEST_CASE("numbers match bit by bit") {
  const auto with = [](const std::string& number) {
    return "    %c = test.splat() {type = f64[n], value = " + number +
           "} : f64[n]\n    %b = test.add(%c, %x) : f64[n]\n    return %b\n";
  };
  check_rule("test.add($x, 0.0) -> $x", with("0.0"), "    return %x\n");
  check_rule("test.add($x, 0) -> $x", with("0.0"), "    return %x\n");
  check_rule("test.add($x, 0.0) -> $x", with("-0.0"), with("-0.0"));
  check_rule("test.add($x, -0.0) -> $x", with("-0.0"), "    return %x\n");
}

TEST_CASE("attributes are compared, bound and copied; conditions decide") {
  const auto with = [](const std::string& a, const std::string& b) {
    return "    %a = test.exp(%x) {k = " + a + "} : f64[n]\n    %b = test.exp(%a) {k = " + b +
           "} : f64[n]\n    return %b\n";
  };
  check_rule("test.exp(test.exp($x) {k = $k}) {k = $k} -> test.neg($x) {m = $k, n = \"t\"}", with("1", "1"),
             "    %b = test.neg(%x) {m = 1, n = \"t\"} : f64[n]\n    return %b\n");
  check_rule("test.exp(test.exp($x) {k = $k}) {k = $k} -> $x", with("1", "2"), with("1", "2"));
  check_rule("test.exp(test.exp($x) {k = $k}) {k = 2} -> $x", with("1", "2"), "    return %x\n");
  check_rule("test.exp(test.exp($x)) -> $x", with("1", "2"), with("1", "2"));
  check_rule("test.exp(test.exp($x) {...}) {k = 2, ...} -> $x", with("1", "2"), "    return %x\n");
  const std::string rule = "test.exp(test.exp($x) {k = $k}) {k = $l} -> $x where differ($k, $l)";
  check_rule(rule, with("1", "1"), with("1", "1"));
  check_rule(rule, with("1", "2"), "    return %x\n");
  const std::string shared =
      "    %a = test.neg(%x) : f64[n]\n    %b = test.exp(%a) : f64[n]\n    %c = test.sub(%a, %b) : f64[n]\n    return "
      "%c\n";
  check_rule("test.exp($a = test.neg($x)) -> $x where one_use($a), same_type($a, $x)", shared, shared);
}

TEST_CASE("malformed rules are defects that name their place") {
  const auto context = make_context();
  const std::pair<const char*, const char*> cases[] = {
      {"test.add($x, $y)", "rule:1:17: expected '->'"},
      {"$x -> $x", "rule:1:1: the left side is no operation"},
      {"test.ad($x) -> $x", "rule:1:1: unknown operation 'test.ad'"},
      {"test.neg($x) -> $y", "rule:1:18: $y is not bound"},
      {"test.neg($x) -> test.source($x)", "rule:1:17: test.source has no shape rule"},
      {"test.neg($x) {a = $x} -> $x", "rule:1:20: $x stands for a value and for an attribute"},
      {"test.neg($x) -> $x where odd($x)", "rule:1:26: unknown predicate 'odd'"},
      {"test.neg($x) -> $x where one_use($y)", "rule:1:35: $y is not bound"},
      {"$r = test.neg($x) -> test.exp($r)", "rule:1:22: the right side uses the value that is replaced"},
      {"test.neg($x -> $x", "rule:1:13: expected ')'"},
      {"test.neg($x) -> $x $x", "rule:1:20: expected the end of the rule"},
  };
  for (const auto& [rule, message] : cases) {
    CAPTURE(rule);
    CHECK_THROWS_AS(make_rule(*context, rule, hooks()), InternalError);
    CHECK_THROWS_WITH(make_rule(*context, rule, hooks()), Catch::Contains(message));
  }
  CHECK_THROWS_WITH(make_rule(*context, "test.neg(1.0) -> 1.0", {}),
                    Catch::Contains("rule:1:10: numbers need the hooks"));
}

TEST_CASE("the driver is bounded, prefers benefit, and tells its listener of everything") {
  const auto context = make_context();
  const std::string body = "    %a = test.neg(%x) : f64[n]\n    return %a\n";
  SECTION("no fixed point") {
    PatternSet patterns;
    patterns.add(make_rule(*context, "test.neg($x) -> test.exp($x)", hooks()));
    patterns.add(make_rule(*context, "test.exp($x) -> test.neg($x)", hooks()));
    const auto module = parse_module(*context, in_function(body), "p.ir");
    const RewriteResult result = apply_patterns(*module, patterns, 10);
    CHECK_FALSE(result.converged);
    CHECK(result.n_rewrites == 10);
    CHECK(result.n_applied.size() == 2);
    CHECK_NOTHROW(verify(*module));
    CHECK_THROWS_WITH(rewrite_to_fixed_point(*module, patterns), Catch::Contains("rewriting does not end"));
  }
  SECTION("benefit") {
    PatternSet patterns;
    patterns.add(make_rule(*context, "test.neg($x) -> $x", hooks(), 1));
    patterns.add(make_rule(*context, "test.neg($x) -> test.exp($x)", hooks(), 2));
    const auto module = parse_module(*context, in_function(body), "p.ir");
    CHECK(rewrite_to_fixed_point(*module, patterns));
    CHECK(print(*module) == in_function("    %a = test.exp(%x) : f64[n]\n    return %a\n"));
  }
  SECTION("patterns in C++, for any root, that change in place and keep locations") {
    PatternSet patterns;
    patterns.add({"mark", "", 1, [](Operation* op, PatternRewriter& rewriter) {
                    if (!op->is("test.neg") || op->attribute("seen")) return false;
                    rewriter.set_attribute(op, "seen", Attribute::boolean(true));
                    return true;
                  }});
    patterns.add({"expand", "test.neg", 1, [](Operation* op, PatternRewriter& rewriter) {
                    if (!op->attribute("seen")) return false;
                    rewriter.replace(op, rewriter.op("test.exp", {op->operand(0)}));
                    return true;
                  }});
    const auto module = parse_module(
        *context, in_function("    %a = test.neg(%x) : f64[n] loc(\"c.yaml\":3:4)\n    return %a\n"), "p.ir");
    const RewriteResult result = apply_patterns(*module, patterns);
    CHECK(result.changed);
    CHECK(result.converged);
    CHECK(result.n_applied == std::map<std::string, std::size_t>{{"mark", 1}, {"expand", 1}});
    CHECK(print(*module, {.locations = true}) ==
          in_function("    %a = test.exp(%x) : f64[n] loc(\"c.yaml\":3:4)\n    return %a\n"));
  }
  SECTION("a pattern that sees two steps back") {
    // The inner change happens after the outer operation was looked at.
    PatternSet patterns;
    patterns.add(make_rule(*context, "test.exp(test.exp(test.exp($x))) -> $x", hooks()));
    patterns.add(make_rule(*context, "test.neg($x) -> test.exp($x)", hooks()));
    const auto module = parse_module(*context,
                                     in_function("    %a = test.neg(%x) : f64[n]\n    %b = test.exp(%a) : f64[n]\n"
                                                 "    %c = test.exp(%b) : f64[n]\n    return %c\n"),
                                     "p.ir");
    CHECK(rewrite_to_fixed_point(*module, patterns));
    CHECK(print(*module) == in_function("    return %x\n"));
  }
}
