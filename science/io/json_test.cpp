#include "science/io/json.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <nlohmann/json.hpp>

#include "framework/core/errors.h"

using namespace eddy;
using namespace eddy::io;

TEST_CASE("JSON keeps order, numbers and text") {
  Json errors = Json::object();
  errors.set("rel_l2", 1.0 / 3).set("linf", std::nan(""));
  Json json = Json::object();
  json.set("name", "b\"u\n\xc3\xa9\xff").set("steps", std::int64_t{INT64_MAX}).set("done", true).set("none", Json());
  json.set("u", errors).set("list", Json::array().push(1).push(5e-324).push(-0.0).push("x"));
  const std::string text = json.str();
  CHECK(text.find("name") < text.find("steps"));
  CHECK(text.back() == '\n');
  const auto read = nlohmann::json::parse(text);
  CHECK(read["steps"].get<std::int64_t>() == INT64_MAX);
  CHECK(read["u"]["rel_l2"].get<double>() == 1.0 / 3);
  CHECK(read["u"]["linf"].is_null());
  CHECK(read["list"][1].get<double>() == 5e-324);
  CHECK(std::signbit(read["list"][2].get<double>()));
  CHECK(read["name"].get<std::string>() == "b\"u\n\xc3\xa9\xef\xbf\xbd");
  CHECK(read["none"].is_null());
  CHECK_THROWS_AS(json.set("done", false), InternalError);
  CHECK_THROWS_AS(json.push(1), InternalError);
}
