#include "framework/ir/printer.h"

#include <catch2/catch.hpp>

#include "framework/ir/dialect.h"
#include "framework/ir/parser.h"
#include "framework/ir/test_dialect.h"
#include "framework/ir/verifier.h"

using namespace eddy;
using namespace eddy::ir;
using testing::make_context;
using testing::random_module;

TEST_CASE("random programs print, parse and print to the same text") {
  const auto context = make_context();
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    CAPTURE(seed);
    const auto module = random_module(*context, Rng(seed, "text"), 12);
    CHECK_NOTHROW(verify(*module));
    for (const bool locations : {false, true}) {
      const std::string text = print(*module, {locations});
      std::unique_ptr<Module> parsed;
      REQUIRE_NOTHROW(parsed = parse_module(*context, text, "text"));
      REQUIRE_NOTHROW(verify(*parsed));
      CHECK(print(*parsed, {locations}) == text);
      CHECK(print(*module->clone(), {locations}) == text);
    }
  }
}

namespace {
const char* const kProgram = R"(module @main format 1 {
  func @step(%x: f64[n, 2], %w: f64[n, 2]) -> (loss: f64[n, 2], x: f64[n, 2]) {
    %h = test.add(%x, %w) : f64[n, 2]
    %h.1 = test.neg(%h) : f64[n, 2]
    %0, %"a b" = test.source(%h.1) {a = 1.0, b = [1, true, "t"]} : f32[], bool[3]
    %1 = test.region(%0) : f32[] ({
      ^(%a: f64[], %h.2: i64[0]):
        %2 = test.neg(%a) : f64[]
        test.yield(%2, %0)
    }, {}, {
      ^():
      ^():
        test.even() {n = 2}
    })
    return %h.1, %x
  }
}
)";
}  // namespace

TEST_CASE("the text of a program is as documented") {
  const auto context = make_context();
  const auto module = parse_module(*context, kProgram, "p");
  verify(*module);
  CHECK(print(*module) == kProgram);
  const Function step = module->function("step");
  CHECK(step.argument_names() == std::vector<std::string>{"x", "w"});
  CHECK(step.result_names() == std::vector<std::string>{"loss", "x"});
  CHECK(print(*step.body().operations()[1]) == "%h.1 = test.neg(%h) : f64[n, 2]\n");
  // Blanks and comments are free.
  CHECK(print(*parse_module(*context, "module@m format 1{// none\n}", "p")) == "module @m format 1 {\n}\n");
}
