#pragma once
/// Things of one kind that the user chooses by name: equations, networks, optimizers. A catalogue is passed in, never
/// global; what fills it is a generated source (cmake/registration.cmake).

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "science/config/schema.h"

namespace eddy::config {

template <typename T>
class Catalogue {
 public:
  /// `what` names one entry in messages: "network type".
  explicit Catalogue(std::string what) : what_(std::move(what)) {}

  /// InternalError when the name is taken.
  void add(const std::string& name, T entry) {
    EDDY_CHECK(entries_.emplace(name, std::move(entry)).second, "two {}s are called {}", what_, name);
  }
  /// Null when there is none.
  const T* find(std::string_view name) const {
    const auto found = entries_.find(name);
    return found == entries_.end() ? nullptr : &found->second;
  }
  /// UserError with the nearest name when there is none.
  const T& at(const Text& name) const {
    if (const T* entry = find(name.text)) return *entry;
    const std::string nearest = nearest_name(name.text, names());
    throw UserError(name.where, fmt::format("there is no {} '{}'", what_, name.text),
                    nearest.empty() ? fmt::format("there are {}", fmt::join(names(), ", "))
                                    : fmt::format("did you mean '{}'?", nearest));
  }
  /// Sorted.
  std::vector<std::string> names() const {
    std::vector<std::string> names;
    for (const auto& entry : entries_) names.push_back(entry.first);
    return names;
  }

 private:
  std::string what_;
  std::map<std::string, T, std::less<>> entries_;
};

}  // namespace eddy::config
