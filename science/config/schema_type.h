#pragma once
/// What a value of a problem file may be: the part of a schema that knows no C++ type, from which references are
/// generated.

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "science/config/document.h"

namespace eddy::config {

struct Type;
using TypePtr = std::shared_ptr<const Type>;

/// A key of an object.
struct Field {
  std::string name;
  std::string doc;
  TypePtr type;
  bool required = false;
  std::optional<Node> default_value;
};

/// What a value may be; the part of a schema that knows no C++ type.
struct Type {
  enum class Kind {
    any,
    boolean,
    integer,
    number,
    constant,
    text,
    choice,
    path,
    expression,
    list,
    map,
    object,
    either
  };

  Kind kind = Kind::any;
  std::string name;                                   ///< of an object: its section of the reference
  std::string doc;                                    ///< of an object; of a map what its keys are
  std::optional<double> min, max;                     ///< of numbers, both included
  std::optional<double> above;                        ///< of numbers, not included
  std::string unit;                                   ///< of numbers
  std::vector<std::string> choices;                   ///< of a choice
  std::vector<std::string> later;                     ///< choices and keys that are planned and not there yet
  TypePtr element;                                    ///< of lists and maps
  std::size_t min_size = 0;                           ///< of lists
  std::optional<std::size_t> max_size;                ///< of lists
  bool names_are_identifiers = false;                 ///< of a map's keys
  std::vector<TypePtr> alternatives;                  ///< of either
  std::vector<Field> fields;                          ///< of an object
  std::vector<std::vector<std::string>> exactly_one;  ///< of an object: groups of keys of which one must be there
  bool open = false;                                  ///< an object with further keys, those of a module
  std::string open_doc;                               ///< what these belong to
};

/// "a number >= 0", "one of f32, f64", "a list of expressions": to follow "expected".
std::string describe(const Type& type);

/// JSON Schema (draft 2020-12) for editors.
std::string json_schema(const Type& root, const std::string& title);
/// Sections of a Markdown page, one per object, each a table of its keys.
std::string reference_sections(const Type& root);

}  // namespace eddy::config
