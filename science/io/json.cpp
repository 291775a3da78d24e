#include "science/io/json.h"

#include <nlohmann/json.hpp>

#include "framework/core/errors.h"

namespace eddy::io {

Json Json::object() {
  Json result;
  result.value_ = Object();
  return result;
}

Json Json::array() {
  Json result;
  result.value_ = Array();
  return result;
}

Json& Json::set(const std::string& key, Json value) {
  auto* const object = std::get_if<Object>(&value_);
  EDDY_CHECK(object, "'{}' set on a value that is no object", key);
  for (const auto& entry : *object) EDDY_CHECK(entry.first != key, "key '{}' is there already", key);
  object->emplace_back(key, std::move(value));
  return *this;
}

Json& Json::push(Json value) {
  auto* const array = std::get_if<Array>(&value_);
  EDDY_CHECK(array, "push on a value that is no array");
  array->push_back(std::move(value));
  return *this;
}

struct JsonPrinter {
  static nlohmann::ordered_json convert(const Json& json) {
    return std::visit(
        [](const auto& value) -> nlohmann::ordered_json {
          using T = std::decay_t<decltype(value)>;
          if constexpr (std::is_same_v<T, Json::Array>) {
            auto result = nlohmann::ordered_json::array();
            for (const Json& element : value) result.push_back(convert(element));
            return result;
          } else if constexpr (std::is_same_v<T, Json::Object>) {
            auto result = nlohmann::ordered_json::object();
            for (const auto& [key, element] : value) result[key] = convert(element);
            return result;
          } else {
            return value;
          }
        },
        json.value_);
  }
};

std::string Json::str() const {
  return JsonPrinter::convert(*this).dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace eddy::io
