#include "framework/ir/rewrite.h"

#include <algorithm>
#include <deque>
#include <unordered_map>
#include <unordered_set>

#include "framework/ir/dialect.h"
#include "framework/ir/transforms.h"

namespace eddy::ir {

PatternRewriter::PatternRewriter(const Context& context, Operation* root, RewriteListener& listener)
    : Builder(Builder::before(context, root)), listener_(listener) {
  set_location(root->location());
}

void PatternRewriter::replace(Operation* op, std::span<const Value> values) {
  EDDY_CHECK(values.size() == op->n_results(), "{} values for {} results of {}", values.size(), op->n_results(),
             op->name());
  for (std::size_t i = 0; i < values.size(); ++i) {
    const Value old = op->result(i);
    Value value = values[i];
    EDDY_CHECK(value.type() == old.type(), "{} of type {} is replaced by a value of type {}", op->name(),
               old.type().str(), value.type().str());
    if (value.hint().empty() && !value.is_argument()) value.set_hint(old.hint());
    const std::vector<Operation*> users = old.users();
    old.replace_all_uses_with(value);
    for (Operation* user : users) listener_.op_modified(user);
  }
  erase(op);
}

void PatternRewriter::erase(Operation* op) {
  EDDY_CHECK(op->is_unused(), "{} is erased while its results are used", op->name());
  if (insertion_point() == op) set_insertion_point(*op->block(), op->next());
  listener_.op_erased(op);
  op->erase();
}

void PatternRewriter::set_operand(Operation* op, std::size_t i, Value value) {
  op->set_operand(i, value);
  listener_.op_modified(op);
}

void PatternRewriter::set_attribute(Operation* op, std::string_view name, Attribute value) {
  op->set_attribute(name, value);
  listener_.op_modified(op);
}

PatternSet& PatternSet::add(Pattern pattern) {
  const auto before = std::find_if(patterns_.begin(), patterns_.end(),
                                   [&](const Pattern& other) { return other.benefit < pattern.benefit; });
  patterns_.insert(before, std::move(pattern));
  return *this;
}

namespace {

/// Operations still to look at, first in, first out, each at most once.
class Worklist {
 public:
  void push(Operation* op) {
    if (waiting_.insert(op).second) queue_.push_back(op);
  }
  void remove(Operation* op) { waiting_.erase(op); }
  /// Null when empty.
  Operation* pop() {
    while (!queue_.empty()) {
      Operation* op = queue_.front();
      queue_.pop_front();
      // Removed ones are still in the queue. A new operation may have got the address of a removed one; then it is
      // taken at the earlier of its two places.
      if (waiting_.erase(op) != 0) return op;
    }
    return nullptr;
  }

 private:
  std::deque<Operation*> queue_;
  std::unordered_set<Operation*> waiting_;
};

class GreedyDriver : public RewriteListener {
 public:
  GreedyDriver(Module& module, const PatternSet& patterns, std::size_t max_rewrites)
      : module_(module), patterns_(patterns), max_rewrites_(max_rewrites) {}

  RewriteResult run() {
    // Changes requeue the neighbours; what a pattern sees further away is covered by sweeping until nothing changes.
    std::size_t n_before;
    do {
      n_before = result_.n_rewrites;
      walk(module_.body(), [&](Operation* op) { worklist_.push(op); });
      while (Operation* op = worklist_.pop()) {
        if (!visit(op)) return std::move(result_);
      }
    } while (result_.n_rewrites != n_before);
    return std::move(result_);
  }

  void op_inserted(Operation* op) override {
    walk(op, [&](Operation* inner) { worklist_.push(inner); });
  }
  void op_modified(Operation* op) override {
    worklist_.push(op);
    for (const Value result : op->results()) {
      for (Operation* user : result.users()) worklist_.push(user);
    }
  }
  void op_erased(Operation* op) override {
    walk(op, [&](Operation* inner) {
      worklist_.remove(inner);
      for (const Value operand : inner->operands()) {
        if (Operation* definition = operand.defining_op()) worklist_.push(definition);
      }
    });
    // Those inside may have pushed each other.
    walk(op, [&](Operation* inner) { worklist_.remove(inner); });
  }

 private:
  // False when the bound is reached.
  bool visit(Operation* op) {
    if (is_dead(*op)) {
      op_erased(op);
      op->erase();
      result_.changed = true;
      return true;
    }
    for (const Pattern* pattern : candidates(op->info())) {
      PatternRewriter rewriter(module_.context(), op, *this);
      if (!pattern->rewrite(op, rewriter)) continue;
      result_.changed = true;
      ++result_.n_rewrites;
      ++result_.n_applied[pattern->name];
      if (result_.n_rewrites >= max_rewrites_) return result_.converged = false;
      // `op` may be gone; what is left was queued through the listener.
      return true;
    }
    return true;
  }

  const std::vector<const Pattern*>& candidates(const OpInfo& info) {
    const auto [found, is_new] = candidates_.try_emplace(&info);
    if (is_new) {
      for (const Pattern& pattern : patterns_.patterns()) {
        if (pattern.root.empty() || pattern.root == info.name()) found->second.push_back(&pattern);
      }
    }
    return found->second;
  }

  Module& module_;
  const PatternSet& patterns_;
  std::unordered_map<const OpInfo*, std::vector<const Pattern*>> candidates_;
  std::size_t max_rewrites_;
  RewriteResult result_;
  Worklist worklist_;
};

}  // namespace

RewriteResult apply_patterns(Module& module, const PatternSet& patterns, std::size_t max_rewrites) {
  if (max_rewrites == 0) max_rewrites = 1000 + 100 * n_operations(module);
  return GreedyDriver(module, patterns, max_rewrites).run();
}

bool rewrite_to_fixed_point(Module& module, const PatternSet& patterns) {
  const RewriteResult result = apply_patterns(module, patterns);
  if (!result.converged) {
    const auto busiest = std::max_element(result.n_applied.begin(), result.n_applied.end(),
                                          [](const auto& a, const auto& b) { return a.second < b.second; });
    throw InternalError(fmt::format("rewriting does not end after {} rewrites, {} of them by '{}'", result.n_rewrites,
                                    busiest->second, busiest->first));
  }
  return result.changed;
}

}  // namespace eddy::ir
