#include "framework/ir/transforms.h"

#include <catch2/catch.hpp>

#include "framework/ir/dialect.h"
#include "framework/ir/parser.h"
#include "framework/ir/pass.h"
#include "framework/ir/printer.h"
#include "framework/ir/test_dialect.h"
#include "framework/ir/verifier.h"

using namespace eddy;
using namespace eddy::ir;
using testing::make_context;
using testing::random_module;

namespace {

std::string in_function(const std::string& body) {
  return "module @m format 1 {\n  func @f(%x: f64[n], %y: f64[n]) -> (r: f64[n]) {\n" + body + "  }\n}\n";
}

}  // namespace

TEST_CASE("dead code goes, effects stay") {
  const auto context = make_context();
  const auto module = parse_module(*context, in_function(R"(
    %a = test.neg(%x) : f64[n]
    %b = test.exp(%a) : f64[n]
    %c = test.neg(%y) : f64[n]
    test.source(%c)
    %d = test.neg(%y) : f64[n]
    %e = test.region() : f64[] ({ test.yield(%d) })
    test.isolated() ({ ^(%f: f64[]): %g = test.neg(%f) : f64[] })
    return %x
)"),
                                   "p.ir");
  CHECK(eliminate_dead_code(*module));
  CHECK(print(*module) == in_function("    %c = test.neg(%y) : f64[n]\n    test.source(%c)\n"
                                      "    test.isolated() ({\n      ^(%f: f64[]):\n    })\n    return %x\n"));
  CHECK_FALSE(eliminate_dead_code(*module));
}

TEST_CASE("equal expressions are computed once") {
  const auto context = make_context();
  const auto module = parse_module(*context, in_function(R"(
    %0 = test.add(%x, %y) : f64[n]
    %a = test.add(%y, %x) : f64[n]
    %b = test.sub(%0, %a) : f64[n]
    %c = test.sub(%a, %0) : f64[n]
    %d = test.sub(%y, %0) : f64[n]
    %e = test.neg(%x) {k = 1} : f64[n]
    %f = test.neg(%x) {k = 2} : f64[n]
    %s = test.source() : f64[n]
    %t = test.source() : f64[n]
    test.region() ({
      %g = test.neg(%x) {k = 1} : f64[n]
      %h = test.exp(%x) : f64[n]
      test.yield(%g, %h)
    }, {
      %i = test.exp(%x) : f64[n]
      test.yield(%i)
    })
    test.isolated() ({
      ^(%p: f64[]):
        %q = test.neg(%p) : f64[]
        %r = test.neg(%p) : f64[]
        test.yield(%q, %r)
    })
    test.source(%b, %c, %d, %e, %f, %s, %t)
    return %x
)"),
                                   "p.ir");
  CHECK(eliminate_common_subexpressions(*module));
  verify(*module);
  CHECK(print(*module) == in_function(R"(    %a = test.add(%x, %y) : f64[n]
    %b = test.sub(%a, %a) : f64[n]
    %d = test.sub(%y, %a) : f64[n]
    %e = test.neg(%x) {k = 1} : f64[n]
    %f = test.neg(%x) {k = 2} : f64[n]
    %s = test.source() : f64[n]
    %t = test.source() : f64[n]
    test.region() ({
      %h = test.exp(%x) : f64[n]
      test.yield(%e, %h)
    }, {
      %i = test.exp(%x) : f64[n]
      test.yield(%i)
    })
    test.isolated() ({
      ^(%p: f64[]):
        %q = test.neg(%p) : f64[]
        test.yield(%q, %q)
    })
    test.source(%b, %b, %d, %e, %f, %s, %t)
    return %x
)"));
  CHECK_FALSE(eliminate_common_subexpressions(*module));
}

TEST_CASE("slices follow values through regions") {
  const auto context = make_context();
  const auto module = parse_module(*context, in_function(R"(
    %a = test.neg(%x) : f64[n]
    %b = test.neg(%y) : f64[n]
    %c = test.region() : f64[n] ({
      %d = test.neg(%a) : f64[n]
      test.yield(%d, %a)
    })
    %e = test.exp(%c) : f64[n]
    %f = test.exp(%b) : f64[n]
    return %e
)"),
                                   "p.ir");
  const Function f = module->function("f");
  const std::vector<Operation*> ops = f.body().operations();
  CHECK(captured_values(*ops[2]) == std::vector<Value>{ops[0]->result()});
  CHECK(backward_slice(f.body(), f.results()) == std::vector<Operation*>{ops[0], ops[2], ops[3]});
  const std::vector<Value> x = {f.argument(0)}, y = {f.argument(1)};
  CHECK(forward_slice(f.body(), x) == std::vector<Operation*>{ops[0], ops[2], ops[3], ops[5]});
  CHECK(forward_slice(f.body(), y) == std::vector<Operation*>{ops[1], ops[4]});
  CHECK(is_topologically_sorted(f.body()));
  ops[2]->move_before(ops[0]);
  CHECK_FALSE(is_topologically_sorted(f.body()));
}

TEST_CASE("generic passes keep random programs valid and end") {
  const auto context = make_context();
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    CAPTURE(seed);
    const auto module = random_module(*context, Rng(seed, "transforms"), 20);
    PassManager passes;
    passes.add("cse", eliminate_common_subexpressions).add("dce", eliminate_dead_code);
    CHECK_NOTHROW(passes.run(*module));
    CHECK_FALSE(passes.run(*module));
  }
}

TEST_CASE("the pass manager runs, verifies, times and dumps each pass") {
  const auto context = make_context();
  const auto module = parse_module(*context, in_function("    %a = test.neg(%x) : f64[n]\n    return %x\n"), "p.ir");
  PassManager passes;
  passes.add("nothing", [](Module&) { return false; }).add("dce", eliminate_dead_code);
  CHECK(passes.pass_names() == std::vector<std::string>{"nothing", "dce"});
  std::vector<std::pair<std::string, std::size_t>> stages;
  passes.set_dump([&](const std::string& stage, const Module& m) { stages.emplace_back(stage, n_operations(m)); });
  CHECK(passes.run(*module));
  CHECK(stages == std::vector<std::pair<std::string, std::size_t>>{{"input", 3}, {"nothing", 3}, {"dce", 2}});
  REQUIRE(passes.statistics().size() == 2);
  CHECK_FALSE(passes.statistics()[0].changed);
  CHECK(passes.statistics()[1].changed);
  CHECK(passes.statistics()[1].n_ops_before == 3);
  CHECK(passes.statistics()[1].n_ops_after == 2);
  CHECK_THAT(passes.table(), Catch::Contains("nothing") && Catch::Contains("(unchanged)") && Catch::Contains("dce"));

  PassManager broken;
  broken.add("breaks", [](Module& m) {
    m.function("f").body().back()->erase();
    return true;
  });
  CHECK_THROWS_WITH(broken.run(*module), Catch::Contains("the pass 'breaks' left an invalid program"));
}
