#include "framework/ir/rules.h"

namespace eddy::ir {

void InferArgs::fail(const std::string& message) const {
  std::string types;
  for (const Type type : operands) types += (types.empty() ? "" : ", ") + type.str();
  throw UserError(location, fmt::format("{}: {}", info.name(), message), fmt::format("its operands: ({})", types));
}

void InferArgs::expect_operands(std::size_t n) const {
  if (operands.size() != n) fail(fmt::format("expected {} operands, found {}", n, operands.size()));
}

Attribute InferArgs::at(std::string_view name) const {
  const Attribute value = attributes.get(name);
  if (!value) fail(fmt::format("the attribute '{}' is missing", name));
  return value;
}

}  // namespace eddy::ir
