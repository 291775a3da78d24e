#pragma once
/// One tree from several layers: the file that `extends` names, then the file itself, a profile, and --set.
///
/// Maps are merged key by key; anything else replaces what was there, lists as a whole. A null in a later layer removes
/// the key. Every node keeps the place it comes from, for --set the argument's text.

#include <string>
#include <vector>

#include "science/config/document.h"

namespace eddy::config {

struct Type;

/// What the command line adds to a file.
struct Overrides {
  std::string profile;            ///< name of one of the file's profiles, or empty
  std::vector<std::string> sets;  ///< "a.b.c=value" each; the value is YAML
};

/// Reads `path` with everything it extends and applies `overrides`. UserError for cycles, unknown profiles, paths that
/// lead through something that is no map and, when the file's `schema` is given, through names that do not exist (a
/// whole new entry of a map of named things may be added). The keys `extends` are gone from the result.
Node read_layers(const std::string& path, const Overrides& overrides, const Type* schema = nullptr);

/// Merges `over` into `base`.
void merge(Node& base, const Node& over);

/// Applies one "a.b.c=value".
void apply_set(Node& root, const std::string& assignment, const Type* schema = nullptr);

}  // namespace eddy::config
