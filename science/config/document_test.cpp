#include "science/config/document.h"

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

#include "framework/core/rng.h"
#include "science/config/test_support.h"

using namespace eddy;
using namespace eddy::config;

TEST_CASE("every node and key keeps its position") {
  const Node root = parse_yaml("name: burgers\ngeometry:\n  time: [0, 1]\n  domain: \"line\"\n", "a.yaml");
  REQUIRE(root.is_map());
  CHECK(root.entries[0].key.where.str() == "a.yaml:1:1");
  CHECK(root.find("name")->where.str() == "a.yaml:1:7");
  CHECK(root.entries[1].key.where.str() == "a.yaml:2:1");
  const Node& geometry = *root.find("geometry");
  CHECK(geometry.where.str() == "a.yaml:3:3");
  CHECK(geometry.entries[0].key.where.str() == "a.yaml:3:3");
  CHECK(geometry.find("time")->where.str() == "a.yaml:3:9");
  CHECK(geometry.find("time")->items[1].where.str() == "a.yaml:3:13");
  CHECK(geometry.find("domain")->where.str() == "a.yaml:4:11");
  CHECK(geometry.find("domain")->quoted);
  CHECK_FALSE(root.find("name")->quoted);
}

TEST_CASE("scalars stay the text they were") {
  const Node root = parse_yaml("y: on\nn: no\n1: 0x10\nyes: 1e-3\nempty:\ntilde: ~\n'null': 'null'\n", "a.yaml");
  CHECK(root.keys() == std::vector<std::string>{"y", "n", "1", "yes", "empty", "tilde", "null"});
  CHECK(root.find("y")->text == "on");
  CHECK(root.find("n")->text == "no");
  CHECK(root.find("1")->text == "0x10");
  CHECK(root.find("yes")->text == "1e-3");
  CHECK(root.find("empty")->is_null());
  CHECK(root.find("empty")->where.str() == "a.yaml:5:1");
  CHECK(root.find("tilde")->is_null());
  CHECK(root.find("tilde")->where.str() == "a.yaml:6:8");
  CHECK(root.find("null")->is_scalar());
}

TEST_CASE("a character of a scalar has a position, whatever the style") {
  const std::string text =
      "plain: u_t + u\n"
      "double: \"u_t + u\"\n"
      "single: 'u_t + u'\n"
      "anchored: &a u_t + u\n"
      "literal: |\n"
      "  u_t\n"
      "    + u\n"
      "folded: >-\n"
      "  u_t\n"
      "  + u\n"
      "long: u_t\n"
      "  + u\n"
      "escaped: \"\\\"\\t+ u\"\n"
      "doubled: '''+ u'\n";
  const Node root = parse_yaml(text, "f");
  const auto at = [&](const char* key, char what) {
    const Node& node = *root.find(key);
    return node.where_at(node.text.find(what)).str();
  };
  CHECK(at("plain", '+') == "f:1:12");
  CHECK(at("double", '+') == "f:2:14");
  CHECK(at("single", '+') == "f:3:14");
  CHECK(at("anchored", '+') == "f:4:18");
  CHECK(at("literal", 'u') == "f:6:3");
  CHECK(at("literal", '+') == "f:7:5");
  CHECK(at("folded", '+') == "f:10:3");
  CHECK(at("long", '+') == "f:12:3");
  CHECK(at("escaped", '+') == "f:13:15");
  CHECK(at("doubled", '+') == "f:14:13");
  // The end, and a blank, stand just behind what precedes them.
  CHECK(root.find("plain")->where_at(7).str() == "f:1:15");
  CHECK(root.find("double")->where_at(7).str() == "f:2:17");
  CHECK(root.find("plain")->where_at(3).str() == "f:1:11");
  CHECK(root.find("plain")->where_at(1000).str() == "f:1:15");
}

TEST_CASE("errors of a document have positions and say what to do") {
  const auto fails = [](const std::string& text) { return error_of([&] { parse_yaml(text, "f"); }); };
  CHECK(fails("a: 1\nb: 2\na: 3\n").find("f:3:1: the key 'a' appears twice\n  it is first given at f:1:1") == 0);
  CHECK(fails("") == "f:1:1: the document is empty");
  CHECK(fails("# nothing\n") == "f:1:1: the document is empty");
  CHECK(fails("a: [1, 2\nb: 3\n").find("f:2:") == 0);
  CHECK(fails("a: 1\n\tb: 2\n").find("f:2:1: ") == 0);
  CHECK(fails("a: b: c\n").find("put quotes around") != std::string::npos);
  CHECK(fails("a: !!int 3\n").find("f:1:4: the tag") == 0);
  CHECK(fails("a: 1\n---\nb: 2\n").find("f:3:1: a file holds one YAML document") == 0);
  CHECK(fails("? [1, 2]\n: 3\n").find("f:1:3: a key must be text") == 0);
  CHECK(fails("a: &x [*x]\n").find("f:1:8: an alias refers to the node that contains it") == 0);
  CHECK(fails("a: *nowhere\n").find("f:1:4: ") == 0);
  CHECK(fails("a: &x {b: 1}\nc:\n  <<: *x\n").find("f:3:3: merge keys") == 0);
  CHECK(fails(std::string("a: 1\nb: \0\n", 10)).find("f:2:4: this is no text in UTF-8") == 0);
  CHECK(fails("a: \xff\xfe\n").find("f:1:4: this is no text in UTF-8") == 0);
  CHECK(fails(": 1\n").find("a key is missing") != std::string::npos);
}

TEST_CASE("size, depth and aliases are bounded") {
  const std::string deep = std::string(65, '[').append(65, ']');
  CHECK(error_of([&] { parse_yaml(deep, "f"); }) == "f:1:65: the document is nested more than 64 levels deep");

  // Nine levels of ten aliases each would be a billion nodes.
  std::string laughs = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 9; ++i) {
    laughs += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [";
    for (int j = 0; j < 10; ++j) laughs += std::string(j > 0 ? ", " : "") + "*a" + std::to_string(i - 1);
    laughs += "]\n";
  }
  CHECK(error_of([&] { parse_yaml(laughs, "f"); }).find("more than 1000000 nodes") != std::string::npos);
  CHECK(error_of([&] { parse_yaml(std::string((8u << 20) + 1, '#'), "f"); }).find("larger than 8 MiB") !=
        std::string::npos);

  const Node root = parse_yaml("a: &x {b: [1, 2]}\nc: *x\n", "f");
  CHECK(*root.find("a") == *root.find("c"));
  CHECK(root.find("c")->find("b")->where.str() == "f:1:11");
}

TEST_CASE("files that cannot be read are reported with their path") {
  CHECK(error_of([] { read_yaml_file("/nowhere/a.yaml"); }) ==
        "/nowhere/a.yaml: cannot read the file: No such file or directory");
  CHECK(error_of([] { read_yaml_file("/"); }).find("/: this is a folder") == 0);
  const std::string path = (std::filesystem::temp_directory_path() / "eddy_document_test.yaml").string();
  std::ofstream(path) << "\xEF\xBB\xBF"
                      << "a: 1\r\nb: 2\r\n";
  const Node root = read_yaml_file(path);
  std::filesystem::remove(path);
  CHECK(root.find("a")->text == "1");
  CHECK(root.find("b")->where.str() == path + ":2:4");
}

TEST_CASE("what is written reads back as the same tree") {
  const std::string text =
      "name: burgers\nempty: {}\nnone: []\nnothing: null\nquoted: [\"1\", '~', \"true\", 1, -1, -x, \"a: b\", \"a "
      "#b\", ':']\n"
      "'odd: key': {x: \"line\\nbreak \\\"q\\\" \\\\ \\t\"}\nlist: [{a: 1, b: [1, 2]}, [{c: 2}], text, [], {}]\n"
      "umlaut: \xC3\xBC\nlong: [" +
      std::string(70, 'a') + ", " + std::string(70, 'b') +
      "]\n"
      "nested: [[0, 0], [1, 1]]\nblock: |\n  two\n  lines\n'': ''\n' lead': ' trail '\n";
  const Node root = parse_yaml(text, "f");
  const std::string written = to_yaml(root);
  INFO(written);
  const Node again = parse_yaml(written, "g");
  CHECK(again == root);
  CHECK(to_yaml(again) == written);
  for (const char* scalar : {"null\n", "text\n", "[1, 2]\n", "{}\n"}) CHECK(to_yaml(parse_yaml(scalar, "f")) == scalar);
}

namespace {
Node random_node(const Rng& rng, std::uint64_t& index, int depth) {
  const std::uint64_t kind = rng.below(index++, depth > 4 ? 2 : 4);
  if (kind == 0) return Node();
  if (kind == 1) {
    std::string text;
    const std::string alphabet = "ab1-:# ,[]{}\"'\\\n\t~|>&*!%@`?=.eE+/_\xC3\xA4";
    for (std::uint64_t n = rng.below(index++, 8); n > 0; --n) {
      const char c = alphabet[rng.below(index++, alphabet.size())];
      if (static_cast<unsigned char>(c) < 0x80)
        text += c;
      else
        text += "\xC3\xA4";
    }
    return Node::scalar(text, true);
  }
  Node node = kind == 2 ? Node::sequence() : Node::map();
  for (std::uint64_t n = rng.below(index++, 5); n > 0; --n) {
    Node child = random_node(rng, index, depth + 1);
    if (kind == 2) {
      node.items.push_back(std::move(child));
    } else {
      const Node key = random_node(rng, index, 5);
      node.set(key.text == "<<" ? "k" : key.text, std::move(child));
    }
  }
  return node;
}
}  // namespace

TEST_CASE("any tree can be written and read back", "[property]") {
  const Rng rng(1, "document_test");
  std::uint64_t index = 0;
  for (int i = 0; i < 500; ++i) {
    const Node node = random_node(rng, index, 0);
    const std::string written = to_yaml(node);
    INFO(written);
    REQUIRE(parse_yaml(written, "f") == node);
  }
}

TEST_CASE("numbers are decimal and read back exactly") {
  CHECK(number_from_text("-1e-3") == -1e-3);
  CHECK(number_from_text("+.5") == 0.5);
  CHECK(number_from_text("7.") == 7.0);
  for (const char* text : {"", "-", ".", "0x10", "inf", ".inf", "nan", "1e999", "1 2", "1_000", "--1", "+-1", "1/3"}) {
    CHECK_FALSE(number_from_text(text).has_value());
  }
  const Rng rng(2, "numbers");
  for (std::uint64_t i = 0; i < 1000; ++i) {
    const double value = std::ldexp(rng.normal(i), static_cast<int>(rng.below(i + 5000, 600)) - 300);
    REQUIRE(number_from_text(text_from_number(value)) == value);
  }
}
