#pragma once
/// Reads the textual form of programs (see printer.h). The text may come from anywhere: whatever it holds, the result
/// is a program that passes verify(), or a UserError with file:line:column that says what was expected.

#include <memory>
#include <string>
#include <string_view>

#include "framework/ir/module.h"

namespace eddy::ir {

/// `file_name` is what errors call the text. Operations must be known to `context`, which must outlive the module.
std::unique_ptr<Module> parse_module(const Context& context, std::string_view text, std::string file_name);

}  // namespace eddy::ir
