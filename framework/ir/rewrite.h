#pragma once
/// Local rewrites: patterns, and a driver that applies them until none fits.

#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "framework/ir/builder.h"
#include "framework/ir/module.h"

namespace eddy::ir {

/// Is told what a rewriter does.
class RewriteListener {
 public:
  virtual ~RewriteListener() = default;
  virtual void op_inserted(Operation* op) = 0;
  /// Its operands or attributes changed.
  virtual void op_modified(Operation* op) = 0;
  /// Called before it goes, its operands still in place.
  virtual void op_erased(Operation* op) = 0;
};

/// A builder through which patterns make all their changes. Starts in front of the matched operation, with its
/// location.
class PatternRewriter : public Builder {
 public:
  PatternRewriter(const Context& context, Operation* root, RewriteListener& listener);

  /// Uses of the results of `op` become uses of `values`, which have the same types; then erases it. A value without
  /// hint takes over that of the result.
  void replace(Operation* op, std::span<const Value> values);
  void replace(Operation* op, Value value) { replace(op, std::span(&value, 1)); }
  /// Its results must have no uses.
  void erase(Operation* op);
  void set_operand(Operation* op, std::size_t i, Value value);
  void set_attribute(Operation* op, std::string_view name, Attribute value);

 protected:
  void inserted(Operation* op) override { listener_.op_inserted(op); }

 private:
  RewriteListener& listener_;
};

/// One rewrite. `rewrite` looks at an operation and either changes nothing and returns false, or changes the program
/// through the rewriter and returns true.
struct Pattern {
  std::string name;  ///< for reports
  std::string root;  ///< the operation it looks at, empty for any
  int benefit = 1;   ///< higher ones are tried first; then those added first
  std::function<bool(Operation* op, PatternRewriter& rewriter)> rewrite;
};

class PatternSet {
 public:
  PatternSet& add(Pattern pattern);
  /// In the order in which to try them.
  const std::vector<Pattern>& patterns() const { return patterns_; }

 private:
  std::vector<Pattern> patterns_;
};

struct RewriteResult {
  bool changed = false;
  bool converged = true;       ///< false when it stopped at the bound; the program is valid all the same
  std::size_t n_rewrites = 0;  ///< applied patterns
  std::map<std::string, std::size_t> n_applied;  ///< by pattern name
};

/// Applies patterns to all operations of the module until none fits, and removes pure operations that become unused. At
/// most `max_rewrites` are applied (0: a bound that grows with the program).
[[nodiscard]] RewriteResult apply_patterns(Module& module, const PatternSet& patterns, std::size_t max_rewrites = 0);

/// As above for use as a pass: InternalError naming the busiest pattern when it does not converge. Returns whether the
/// program changed.
bool rewrite_to_fixed_point(Module& module, const PatternSet& patterns);

}  // namespace eddy::ir
