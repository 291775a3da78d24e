#include "science/config/schema.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "science/config/test_support.h"

using namespace eddy;
using namespace eddy::config;

namespace {

enum class Colour { red, green };

struct Inner {
  double size = 1.5;
};

struct Outer {
  std::int64_t count = 0;
  bool flag = false;
  Colour colour = Colour::green;
  Text label = "none";
  std::optional<Expression> formula;
  std::vector<double> sizes = {1, 2};
  NamedList<Inner> inner;
  Inner shorthand;
  SourceLocation where;
};

Schema<Inner> inner_schema() {
  return ObjectSchema<Inner>("inner", "Something inside.")
      .field("size", &Inner::size, number({.min = 0, .unit = "m"}), "its size")
      .schema();
}

Schema<Outer> outer_schema() {
  const Schema<Inner> inner = inner_schema();
  return ObjectSchema<Outer>("outer", "All kinds | of values.")
      .required("count", &Outer::count, integer({.min = 0, .max = 10}), "how many")
      .field("flag", &Outer::flag, boolean(), "a flag")
      .field("colour", &Outer::colour, choice<Colour>({{"red", Colour::red}, {"green", Colour::green}}, {"blue"}),
             "a colour")
      .field("label", &Outer::label, text(), "a label")
      .field("formula", &Outer::formula, expression(), "a formula")
      .field("sizes", &Outer::sizes, one_or_list(number({.above = 0})), "sizes")
      .field("inner", &Outer::inner, map_of(inner, "part", true), "parts")
      .field("shorthand", &Outer::shorthand,
             with_shorthand<Inner, double>(inner, number(), [](double size) { return Inner{size}; }),
             "a part or its size")
      .later({"horizon"})
      .located(&Outer::where)
      .schema();
}

Outer read(const std::string& yaml) { return outer_schema().read(parse_yaml(yaml, "f")); }
std::string read_error(const std::string& yaml) {
  return error_of([&] { read(yaml); });
}

}  // namespace

TEST_CASE("values are read into their members, defaults stay") {
  const Outer o =
      read("count: 3\nsizes: 4\ncolour: red\nformula: 2*x\ninner: {p: {size: 2}, q: {}}\nshorthand: 7\nlabel: 42\n");
  CHECK(o.count == 3);
  CHECK_FALSE(o.flag);
  CHECK(o.colour == Colour::red);
  CHECK(o.label.text == "42");
  CHECK(o.label.where.str() == "f:7:8");
  CHECK(str(*o.formula) == "2*x");
  CHECK(o.sizes == std::vector<double>{4});
  CHECK(names(o.inner) == std::vector<std::string>{"p", "q"});
  CHECK(find(o.inner, "p")->size == 2);
  CHECK(find(o.inner, "q")->size == 1.5);
  CHECK(find(o.inner, "r") == nullptr);
  CHECK(o.inner[1].name.where.str() == "f:5:23");
  CHECK(o.shorthand.size == 7);
  CHECK(o.where.str() == "f:1:1");
  CHECK(read("count: 1e1\n").count == 10);
  CHECK(read("count: 1\nshorthand: {size: 3}\n").shorthand.size == 3);
}

TEST_CASE("the dump holds every default and reads back") {
  const Outer o = read("count: 3\ninner: {p: {}}\n");
  const std::string dump = to_yaml(outer_schema().write(o));
  CHECK(dump ==
        "count: 3\nflag: false\ncolour: green\nlabel: none\nsizes: [1, 2]\ninner:\n  p:\n    size: 1.5\nshorthand:\n  "
        "size: 1.5\n");
  CHECK(to_yaml(outer_schema().write(read(dump))) == dump);
}

TEST_CASE("what is wrong is said where it is") {
  CHECK(read_error("count: 3\ncolor: red\n") == "f:2:1: unknown key 'color' in the outer\n  did you mean 'colour'?");
  CHECK(read_error("count: 3\nzzzzzz: 1\n").find("its keys are count, flag") != std::string::npos);
  CHECK(read_error("count: 3\nhorizon: 1\n").find("f:2:1: 'horizon' is not there yet") == 0);
  CHECK(read_error("flag: true\n") ==
        "f:1:1: the key 'count' is missing in this outer\n  count: an integer from 0 to 10 (how many)");
  CHECK(read_error("count: three\n") == "f:1:8: expected an integer from 0 to 10, found the text \"three\"");
  CHECK(read_error("count: 11\n") == "f:1:8: expected an integer from 0 to 10, found the number 11");
  CHECK(read_error("count: 1.5\n").find("f:1:8: expected an integer") == 0);
  CHECK(read_error("count: \"1\"\n").find("write it without quotes") != std::string::npos);
  CHECK(read_error("count: [1]\n").find("f:1:8: expected an integer from 0 to 10, found a list") == 0);
  CHECK(read_error("count:\n").find("f:1:1: expected an integer from 0 to 10, found nothing") == 0);
  CHECK(read_error("count: 1\nflag: yes\n") == "f:2:7: expected true or false, found the text \"yes\"");
  CHECK(read_error("count: 1\ncolour: gren\n") ==
        "f:2:9: expected one of red, green, found the text \"gren\"\n  did you mean 'green'?");
  CHECK(read_error("count: 1\ncolour: blue\n") == "f:2:9: 'blue' is not there yet\n  use one of red, green");
  CHECK(read_error("count: 1\nsizes: [1, 0]\n") == "f:2:12: expected a number > 0, found the number 0");
  CHECK(read_error("count: 1\nsizes: []\n") == "f:2:8: expected a list of at least 1 numbers, found a list of 0");
  CHECK(read_error("count: 1\nsizes: {a: 1}\n") ==
        "f:2:8: expected a number > 0, or a list of at least 1 numbers, found a map");
  CHECK(read_error("count: 1\nformula: 2*\n").find("f:2:12: expected a value, found the end") == 0);
  CHECK(read_error("count: 1\ninner: {2p: {}}\n").find("f:2:9: '2p' cannot be the name of a part") == 0);
  CHECK(read_error("count: 1\ninner: {p: {sise: 2}}\n")
            .find("f:2:13: unknown key 'sise' in the inner\n  did you mean 'size'?") == 0);
  CHECK(read_error("[1]\n").find("f:1:1: expected a map with the keys count, flag") == 0);
  CHECK(read_error("count: 1\nshorthand: [1]\n")
            .find("f:2:12: expected a number, or a map with the keys size, found a list") == 0);
}

TEST_CASE("one of several kinds has to be there") {
  struct Rate {
    std::optional<double> constant, initial;
  };
  const auto schema = ObjectSchema<Rate>("rate", "")
                          .field("constant", &Rate::constant, number(), "")
                          .field("initial", &Rate::initial, number(), "")
                          .exactly_one({"constant", "initial"})
                          .schema();
  CHECK(schema.read(parse_yaml("constant: 1", "f")).constant == 1.0);
  CHECK(error_of([&] { schema.read(parse_yaml("{}", "f")); }) == "f:1:1: this rate needs one of constant, initial");
  CHECK(error_of([&] {
          schema.read(parse_yaml("{constant: 1, initial: 2}", "f"));
        }).find("f:1:15: 'constant' and 'initial'") == 0);
}

TEST_CASE("options of a module are read later, with its own schema") {
  struct Network {
    Text type;
    Options options;
  };
  struct Mlp {
    std::vector<std::int64_t> hidden;
    Text activation = "tanh";
  };
  const auto network = ObjectSchema<Network>("network", "")
                           .required("type", &Network::type, text(), "")
                           .rest(&Network::options, "options of the type")
                           .schema();
  const auto mlp = ObjectSchema<Mlp>("mlp", "")
                       .required("hidden", &Mlp::hidden, one_or_list(integer({.min = 1})), "")
                       .field("activation", &Mlp::activation, text(), "")
                       .schema();
  const Network n = network.read(parse_yaml("type: mlp\nhidden: [3, 4]\n", "f"));
  CHECK(read_options(mlp, n.options).hidden == std::vector<std::int64_t>{3, 4});
  const auto fails = [&](const std::string& yaml) {
    return error_of([&] { read_options(mlp, network.read(parse_yaml(yaml, "f")).options); });
  };
  CHECK(fails("type: mlp\nhidden: 3\nactivaton: sin\n") ==
        "f:3:1: unknown key 'activaton' in the mlp\n  did you mean 'activation'?");
  CHECK(fails("type: mlp\nhidden: 3\ntypo: sin\n").find("did you mean 'type'?") != std::string::npos);
  CHECK(fails("type: mlp\n").find("f:1:1: the key 'hidden' is missing in this mlp") == 0);
  CHECK(to_yaml(network.write(n)) == "type: mlp\nhidden: [3, 4]\n");
}

TEST_CASE("the JSON Schema and the reference say the same as the reader") {
  const auto json = nlohmann::json::parse(json_schema(*outer_schema().type, "title"));
  CHECK(json["$ref"] == "#/$defs/outer");
  const auto& outer = json["$defs"]["outer"];
  CHECK(outer["required"] == nlohmann::json({"count"}));
  CHECK(outer["additionalProperties"] == false);
  CHECK(outer["properties"]["count"]["maximum"] == 10);
  CHECK(outer["properties"]["colour"]["enum"] == nlohmann::json({"red", "green"}));
  CHECK(outer["properties"]["colour"]["default"] == "green");
  CHECK(outer["properties"]["flag"]["default"] == false);
  CHECK(outer["properties"]["horizon"]["description"] == "not there yet");
  CHECK(outer["properties"]["inner"]["additionalProperties"]["$ref"] == "#/$defs/inner");
  CHECK(json["$defs"]["inner"]["properties"]["size"]["default"] == 1.5);

  const std::string page = reference_sections(*outer_schema().type);
  CHECK(page.find("## outer\n\nAll kinds | of values.\n") == 0);
  CHECK(page.find("| `count` | an integer from 0 to 10 | required | how many |") != std::string::npos);
  CHECK(page.find("| `sizes` | a number > 0; or a list of at least 1 numbers | `[1, 2]` | sizes |") !=
        std::string::npos);
  CHECK(page.find("| `inner` | map: part name -> [inner](#inner) | `{}` | parts |") != std::string::npos);
  CHECK(page.find("Not there yet: `horizon`.") != std::string::npos);
}
