#include "framework/parallel/placement.h"

#include <array>
#include <charconv>
#include <optional>

#include "framework/core/errors.h"

namespace eddy::parallel {

namespace {

constexpr std::array<std::string_view, 3> kReductions{"sum", "mean", "max"};

[[noreturn]] void refuse(std::string_view text) {
  throw UserError(fmt::format("'{}' is no placement", text),
                  "write replicate, shard(DIM), partial(sum), partial(mean) or partial(max)");
}

std::string_view trim(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

/// What stands between "name(" and ")".
std::optional<std::string_view> argument_of(std::string_view text, std::string_view name) {
  if (text.size() < name.size() + 2 || text.substr(0, name.size()) != name || text[name.size()] != '(' ||
      text.back() != ')') {
    return std::nullopt;
  }
  return text.substr(name.size() + 1, text.size() - name.size() - 2);
}

}  // namespace

Placement Placement::shard(int dim) {
  EDDY_CHECK(dim >= 0);
  return {Kind::shard, dim, Reduction::sum};
}

std::string Placement::str() const {
  switch (kind) {
    case Kind::replicate: return "replicate";
    case Kind::shard: return fmt::format("shard({})", dim);
    case Kind::partial: return fmt::format("partial({})", kReductions[static_cast<std::size_t>(reduction)]);
  }
  throw InternalError("unknown placement");
}

Placement Placement::parse(std::string_view text) {
  if (text == "replicate") return replicate();
  if (const auto argument = argument_of(text, "shard")) {
    int dim = -1;
    const auto [end, error] = std::from_chars(argument->data(), argument->data() + argument->size(), dim);
    if (error == std::errc{} && end == argument->data() + argument->size() && dim >= 0) return shard(dim);
  }
  if (const auto argument = argument_of(text, "partial")) {
    for (std::size_t i = 0; i < kReductions.size(); ++i) {
      if (*argument == kReductions[i]) return partial(static_cast<Reduction>(i));
    }
  }
  refuse(text);
}

std::string str(const Placements& placements) {
  std::string text = "[";
  for (const Placement& placement : placements) text += (text.size() > 1 ? ", " : "") + placement.str();
  return text + "]";
}

Placements parse_placements(std::string_view text) {
  if (text.size() < 2 || text.front() != '[' || text.back() != ']') refuse(text);
  std::string_view rest = text.substr(1, text.size() - 2);
  Placements placements;
  if (trim(rest).empty()) return placements;
  while (true) {
    const std::size_t comma = rest.find(',');
    placements.push_back(Placement::parse(trim(rest.substr(0, comma))));
    if (comma == std::string_view::npos) return placements;
    rest.remove_prefix(comma + 1);
  }
}

}  // namespace eddy::parallel
