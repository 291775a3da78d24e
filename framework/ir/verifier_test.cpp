#include "framework/ir/verifier.h"

#include <catch2/catch.hpp>

#include "framework/ir/dialect.h"
#include "framework/ir/parser.h"
#include "framework/ir/printer.h"
#include "framework/ir/test_dialect.h"

using namespace eddy;
using namespace eddy::ir;
using testing::make_context;

namespace {

struct Program {
  std::unique_ptr<Context> context = make_context();
  std::unique_ptr<Module> module = parse_module(*context, R"(module @m format 1 {
    func @f(%x: f64[3]) -> (y: f64[3]) {
      %a = test.neg(%x) : f64[3]
      %b = test.exp(%a) : f64[3]
      test.isolated() ({ ^(%c: f64[3]): test.source(%c) })
      return %b
    }
    func @g(%x: f64[3]) -> () { return }
  })",
                                                "p.ir");
  Function f = module->function("f");
  Operation* op(std::size_t i) { return f.body().operations()[i]; }
  void expect(const std::string& message) { CHECK_THROWS_WITH(verify(*module), Catch::Contains(message)); }
};

}  // namespace

TEST_CASE("the verifier accepts what is valid") { CHECK_NOTHROW(verify(*Program().module)); }

TEST_CASE("the verifier finds broken structure and names function and operation") {
  Program p;
  SECTION("use before definition") {
    p.op(1)->move_before(p.op(0));
    p.expect("in function f: test.exp: operand 0 is defined after it");
    CHECK_THROWS_AS(verify(*p.module), InternalError);
    CHECK(print(*p.op(0)) == "%b = test.exp(%a) : f64[3]\n");
  }
  SECTION("a value of another function") {
    p.op(0)->set_operand(0, p.module->function("g").argument(0));
    p.expect("in function f: test.neg: operand 0");
  }
  SECTION("isolation") {
    p.op(2)->region().block().front()->set_operand(0, p.f.argument(0));
    p.expect("in function f: test.source: operand 0 is defined outside of an isolated operation");
  }
  SECTION("a block that ended") {
    const Value inner = p.op(2)->region().block().argument(0);
    p.op(3)->set_operand(0, inner);
    p.expect("in function f: builtin.return: operand 0 is defined in a block that ended");
  }
  SECTION("terminators") {
    Builder(*p.context, p.f.body(), p.op(0)).create_typed("test.yield", {}, {});
    p.expect("in function f: test.yield: operations follow this terminator");
  }
  SECTION("no return") {
    p.op(3)->erase();
    p.expect("in function f: builtin.func: the function does not end with a return");
  }
  SECTION("results without names") {
    p.f.op()->set_attribute("results", Attribute::strings({"y", "z"}));
    p.expect("in function f: builtin.return: the function has 2 results, 1 are returned");
  }
  SECTION("arguments without names") {
    p.f.body().add_argument(Type::tensor(DType::f64));
    p.expect("in function f: builtin.func: 1 names for 2 arguments");
  }
  SECTION("names used twice") {
    p.module->function("g").op()->set_attribute("name", Attribute::string("f"));
    p.expect("another function has the same name");
  }
  SECTION("a user outside of the program") {
    const Value x = p.f.argument(0);
    const auto stray = Operation::create(p.context->at("test.source"), std::span(&x, 1), {});
    p.expect("used outside of the program");
  }
  SECTION("types") {
    p.op(1)->result().set_type(Type::tensor(DType::f32));
    p.expect("in function f: test.exp: the results have types (f32[]), but the operands (f64[3]) give (f64[3])");
    CHECK_THROWS_AS(verify(*p.module), UserError);
  }
  SECTION("rules of operations") {
    Builder(*p.context, p.f.body(), p.op(0)).create_typed("test.even", {}, {}, {{"n", Attribute::integer(1)}});
    p.expect("in function f: test.even: n is odd");
  }
}
