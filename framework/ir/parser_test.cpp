#include "framework/ir/parser.h"

#include <catch2/catch.hpp>
#include <cmath>

#include "framework/ir/dialect.h"
#include "framework/ir/printer.h"
#include "framework/ir/test_dialect.h"
#include "framework/ir/verifier.h"

using namespace eddy;
using namespace eddy::ir;
using testing::make_context;
using testing::random_module;

namespace {

// The message of the UserError that `text` gives.
std::string error_of(const std::string& text) {
  static const auto context = make_context();
  try {
    parse_module(*context, text, "p.ir");
  } catch (const UserError& error) {
    return error.what();
  }
  return "no error";
}

// As error_of, for the body of a function with the arguments %x: f64[n], %y: f64[3].
std::string body_error(const std::string& body) {
  return error_of("module @m format 1 {\n  func @f(%x: f64[n], %y: f64[3]) -> () {\n" + body +
                  "\n    return\n  }\n}\n");
}

}  // namespace

TEST_CASE("attributes read back bit by bit") {
  const Dim n = Dim::symbol("n");
  std::vector<Attribute> attributes = {
      Attribute::boolean(true),
      Attribute::integer(INT64_MIN),
      Attribute::integer(INT64_MAX),
      Attribute::floating(-0.0),
      Attribute::floating(INFINITY),
      Attribute::floating(-INFINITY),
      Attribute::floating(std::nan("0x123")),
      Attribute::floating(-std::nan("")),
      Attribute::floating(5e-324),
      Attribute::floating(1.7976931348623157e308),
      Attribute::string(std::string("a\0\"\\\n\xff", 6)),
      Attribute::shape({n, 2 * n + 1, 0}),
      Attribute::shape({}),
      Attribute::type(Type::tensor(DType::c64, {n}, Attribute::list({Attribute::string("x"), Attribute::integer(1)}))),
      Attribute::list({}),
      Attribute::list({Attribute::list({Attribute::integer(1)}), Attribute::boolean(false)}),
  };
  for (int i = 0; i < 6; ++i) {
    for (const std::int64_t size : {0, 1, 64, 65}) {
      Array array(static_cast<DType>(i), {size, 1});
      for (std::size_t b = 0; b < array.n_bytes(); ++b) {
        static_cast<unsigned char*>(array.raw())[b] = static_cast<unsigned char>(i == 0 ? b % 2 : 7 * b + 0xf9);
      }
      attributes.push_back(Attribute::dense(array));
    }
  }
  attributes.push_back(
      Attribute::dense(Array::from<std::complex<float>>({2}, {{-0.0f, std::nanf("7")}, {INFINITY, 1e-45f}})));
  for (const Attribute attribute : attributes) {
    CAPTURE(attribute.str());
    CHECK(Attribute::parse(attribute.str()) == attribute);
  }
  CHECK(Attribute::parse("dense<f32[2]>{1, -0.0}").as_dense().identical(Array::from<float>({2}, {1.0f, -0.0f})));
  CHECK(Type::parse(" f64 [ 2, n*2 ]") == Type::tensor(DType::f64, {2, 2 * n}));
}

TEST_CASE("malformed attributes and types are rejected") {
  for (const char* text : {"",
                           "-",
                           "1x",
                           "1.0.0",
                           "1e999",
                           "99999999999999999999",
                           "nan",
                           "nan:0",
                           "nan:zz",
                           "tru",
                           "\"a",
                           "\"\\q\"",
                           "\"\\x4\"",
                           "[1",
                           "[1,]",
                           "1 2",
                           "f65[2]",
                           "f64",
                           "f64[",
                           "f64[2",
                           "f64[-1]",
                           "f64[2 3]",
                           "f64[n!]",
                           "f64[2]{",
                           "f64[2]{1",
                           "f64[99999999999999999999]",
                           "f64[4294967296, 4294967296]",
                           "f64[4294967296*n, 4294967296*n]",
                           "shape(2)",
                           "dense",
                           "dense<f64[n]>{}",
                           "dense<f64[2]>{1.0}",
                           "dense<f64[2]>{1.0, 2.0, 3.0}",
                           "dense<f64[1000000000000]>{1.0}",
                           "dense<f64[1000000000000]>x\"00\"",
                           "dense<f64[1]>x\"0000\"",
                           "dense<f64[1]>x\"000000000000000g\"",
                           "dense<f64[1]>x\"00",
                           "dense<bool[1]>x\"02\"",
                           "dense<bool[1]>{1}",
                           "dense<i64[1]>{1.5}",
                           "dense<c64[1]>{1.0}",
                           "dense<f32[1]>{1e39}",
                           "dense<f32[1]>{nan:7ff8000000000000}",
                           "dense<f64[1]{1}>{1.0}"}) {
    CAPTURE(text);
    CHECK_THROWS_AS(Attribute::parse(text), UserError);
  }
  std::string product = "f64[a+b";
  for (int i = 0; i < 40; ++i) product += ", a+b";
  CHECK_THROWS_WITH(Type::parse(product + "]"), Catch::Contains("too complex"));
  CHECK_THROWS_WITH(Attribute::parse(std::string(100000, '[')), Catch::Contains("levels deep"));
  std::string nested;
  for (int i = 0; i < 100000; ++i) nested += "f64[1]{";
  CHECK_THROWS_WITH(Attribute::parse(nested), Catch::Contains("levels deep"));
}

TEST_CASE("errors in programs name their position and what was expected") {
  using Catch::StartsWith;
  CHECK(error_of("") == "p.ir:1:1: expected 'module', found the end of the text");
  CHECK(error_of("module @m {}") == "p.ir:1:11: expected 'format', found \"{\"");
  CHECK(error_of("module @m format 2 {}") == "p.ir:1:18: the text has format 2, this program reads format 1");
  CHECK(error_of("module @m format 1 {} x") == "p.ir:1:23: expected the end of the text, found \"x\"");
  CHECK(error_of("module @m format 1 {\nfunc @f() -> () { return }\nfunc @f() -> () { return }}") ==
        "p.ir:3:7: there is a function f already");
  CHECK(error_of("module @m format 1 {\nfunc @f(%x: f64[], %x: f64[]) -> () { return }}") ==
        "p.ir:2:20: there is a value %x in this function already");
  CHECK(error_of("module @m format 1 {\nfunc @f() -> () { }}") ==
        "p.ir:2:19: expected 'return' at the end of the function");
  CHECK(error_of("module @m format 1 {\nfunc @f() -> (a: f64[]) { return }}") ==
        "p.ir:2:27: the function has 1 results, 0 are returned");
  CHECK(error_of("module @m format 1 {\nfunc @f(%x: f64[]) -> (a: f32[]) { return %x }}") ==
        "p.ir:2:27: the result a is declared as f32[], but f64[] is returned");
  CHECK(error_of("module @m format 1 with {name = 1} {}") == "p.ir:1:25: the attribute name is given twice");

  CHECK_THAT(body_error("    %z = test.ad(%x, %x) : f64[n]"),
             StartsWith("p.ir:3:10: unknown operation 'test.ad'\n  did you mean 'test.add'?"));
  CHECK(body_error("    %z = " + std::string(100000, 'a') + "()") ==
        "p.ir:3:10: unknown operation '" + std::string(64, 'a') + "'");
  CHECK_THAT(body_error("    %z = test.neg(%z) : f64[n]"), StartsWith("p.ir:3:19: %z is not defined"));
  CHECK(body_error("    %x = test.neg(%x) : f64[n]") == "p.ir:3:5: there is a value %x in this function already");
  CHECK(body_error("    %z = test.neg(%x) : f64[3]") ==
        "p.ir:3:10: test.neg: the results have types (f64[3]), but the operands (f64[n]) give (f64[n])");
  CHECK_THAT(body_error("    %z = test.add(%x, %y) : f64[n]"),
             StartsWith("p.ir:3:10: test.add: the types of the operands differ"));
  CHECK_THAT(body_error("    test.even() {n = 3}"), StartsWith("p.ir:3:5: test.even: n is odd\n  give an even number"));
  CHECK_THAT(body_error("    test.even() {n = \"a\"}"), StartsWith("p.ir:3:5: test.even does not fit: "));
  CHECK_THAT(body_error("    test.even()"), StartsWith("p.ir:3:5: test.even does not fit: "));
  CHECK(body_error("    %a, %b = test.source() : f64[]") == "p.ir:4:5: expected 2 types, found \"return\"");
  CHECK(body_error("    test.source() {a = 1, a = 2}") == "p.ir:3:27: the attribute a is given twice");
  CHECK(body_error("    return") == "p.ir:4:5: builtin.return ends its block, nothing may follow it");
  CHECK(body_error("    test.yield()") == "p.ir:4:5: test.yield ends its block, nothing may follow it");
  CHECK_THAT(body_error("    builtin.func()"), StartsWith("p.ir:3:5: builtin.func cannot stand here"));
  CHECK_THAT(body_error("    test.isolated() ({ test.source(%x) })"), StartsWith("p.ir:3:36: %x cannot be used here"));
  CHECK_THAT(body_error("    test.region() ({ ^(%a: f64[]): ^(): test.source(%a) })"),
             StartsWith("p.ir:3:53: %a cannot be used here"));
  CHECK_THAT(body_error("    test.region() ({ ^(%a: f64[]): })\n    test.source(%a)"),
             StartsWith("p.ir:4:17: %a cannot be used here"));
  CHECK(body_error("    test.source() loc(\"f\":99999999999:1)") == "p.ir:3:27: this number is too large");
  CHECK(body_error("    %99999999999999999999 = test.source() : f64[]") == "p.ir:3:6: this number is too large");
  CHECK_THAT(body_error("    %\"\" = test.source() : f64[]"), StartsWith("p.ir:3:5: this name is empty"));
  std::string deep = "    ";
  for (int i = 0; i < 10000; ++i) deep += "test.region() ({";
  CHECK_THAT(body_error(deep), Catch::Contains("levels deep"));
}

TEST_CASE("no text crashes the parser") {
  const auto context = make_context();
  const Rng rng(1, "fuzz");
  std::uint64_t counter = 0;
  const std::string pieces[] = {"%",  "{",      "}",    "(", ")", "\"",       "^",      ":", "99999999999999999999",
                                "%x", "dense<", "f64[", "1", "-", "test.add", "return", ",", "\n",
                                "\\", "nan:",   "= "};
  std::size_t n_valid = 0;
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    const std::string text = print(*random_module(*context, Rng(seed, "fuzz"), 6), {.locations = true});
    for (int i = 0; i < 150; ++i) {
      std::string mutated = text;
      for (std::uint64_t k = rng.below(counter++, 3) + 1; k > 0; --k) {
        const std::size_t at = rng.below(counter++, mutated.size());
        const std::size_t n = rng.below(counter++, 3);
        switch (rng.below(counter++, 4)) {
          case 0: mutated.erase(at, n + 1); break;
          case 1: mutated[at] = static_cast<char>(rng.below(counter++, 256)); break;
          case 2: mutated.insert(at, pieces[rng.below(counter++, std::size(pieces))]); break;
          default: mutated.resize(at + 1); break;
        }
      }
      CAPTURE(mutated);
      try {
        const auto module = parse_module(*context, mutated, "p.ir");
        ++n_valid;
        CHECK_NOTHROW(verify(*module));
        const std::string printed = print(*module);
        CHECK(print(*parse_module(*context, printed, "p.ir")) == printed);
      } catch (const UserError& error) {
        CHECK(error.where().line > 0);
      }
    }
  }
  CHECK(n_valid > 0);
}
