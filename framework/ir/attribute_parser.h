#pragma once
/// Reads types and attributes from program text. Internal; others use Type::parse, Attribute::parse, parse_module.

#include "framework/ir/attribute.h"
#include "framework/ir/text_cursor.h"
#include "framework/ir/type.h"

namespace eddy::ir::detail {

Type parse_type(TextCursor& cursor);
Attribute parse_attribute(TextCursor& cursor);
/// "{a = 1, b = 2.0}"; names are dotted identifiers or quoted, each once.
AttributeMap parse_attribute_map(TextCursor& cursor);

}  // namespace eddy::ir::detail
