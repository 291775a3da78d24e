#include "framework/compiler/schedule.h"

#include <algorithm>

#include "framework/compiler/access.h"
#include "framework/ir/dialect.h"
#include "framework/ops/emit.h"

namespace eddy::compiler {

using ir::Operation;
using ir::Value;
using loops::Expr;

namespace {

bool is_symbolic(Dim dim) { return !dim.is_constant(); }

bool is_row_tensor(Value value) { return value.rank() > 0 && is_symbolic(value.type().dim(0)); }

/// Static but for the first dim.
bool has_static_rows(Value value) {
  return std::all_of(value.shape().begin() + 1, value.shape().end(), [](Dim dim) { return dim.is_constant(); });
}

/// Matrices with more rows or columns take plain loops: a tile kernel's accumulators and packed copies would be large.
constexpr std::int64_t kMaxTileExtent = 4096;

bool fits_tile_kernel(Dim extent) { return extent.constant() >= 1 && extent.constant() <= kMaxTileExtent; }

/// The form of tile kernel that computes a contraction, if there is one for it.
std::optional<ContractForm> contract_form(const Operation& op) {
  if (!op.is("prim.dot_general")) return std::nullopt;
  const Value lhs = op.operand(0), rhs = op.operand(1);
  if (lhs.rank() != 2 || rhs.rank() != 2 || !is_real(lhs.dtype())) return std::nullopt;
  if (!op.at("batch_lhs").as_ints().empty()) return std::nullopt;
  const std::vector<std::int64_t> contract_lhs = op.at("contract_lhs").as_ints();
  const std::vector<std::int64_t> contract_rhs = op.at("contract_rhs").as_ints();
  if (contract_lhs.size() != 1 || !is_row_tensor(lhs) || !has_static_rows(lhs) || !has_static_rows(rhs)) {
    return std::nullopt;
  }
  if (!fits_tile_kernel(lhs.type().dim(1)) || !fits_tile_kernel(rhs.type().dim(1))) return std::nullopt;
  if (contract_lhs[0] == 1 && is_static(rhs.shape()) && fits_tile_kernel(rhs.type().dim(0))) {
    return contract_rhs[0] == 0 ? ContractForm::rows : ContractForm::rows_transposed;
  }
  if (contract_lhs[0] == 0 && contract_rhs[0] == 0 && is_row_tensor(rhs)) return ContractForm::gradient;
  return std::nullopt;
}

class Scheduler {
 public:
  explicit Scheduler(ir::Function function) : classes_(function.body()) {
    schedule_.function = function;
    for (const Value argument : function.body().arguments()) schedule_.places[argument].home = Home::argument;
  }

  Schedule run() {
    force_stored();
    for (Operation* op : needed_operations()) assign_section(op);
    order_sections();
    for (std::size_t s = 0; s < schedule_.sections.size(); ++s) form_steps(static_cast<int>(s));
    assign_homes();
    return std::move(schedule_);
  }

 private:
  bool is_computed(const Operation& op) const {
    if (op.is("prim.constant") && op.result().rank() > 0) return false;
    return !is_view(op) || forced_.count(op.result()) != 0;
  }
  bool is_stored(Value value) const { return forced_.count(value) != 0; }

  /// The operations that compute or hold what the results depend on, in program order; notes what each reads. A use is
  /// not always a read: padding around nothing reads nothing.
  std::vector<Operation*> needed_operations() {
    const std::vector<Value> results = schedule_.function.results();
    std::set<Value> needed(results.begin(), results.end());
    std::vector<Operation*> operations;
    for (Operation* op = schedule_.function.body().back(); op; op = op->previous()) {
      if (op == schedule_.function.body().terminator()) continue;
      const std::vector<Value> own = op->results();
      if (std::none_of(own.begin(), own.end(), [&](Value value) { return needed.count(value) != 0; })) continue;
      operations.push_back(op);
      if (!is_computed(*op)) continue;
      std::vector<Access>& reads = accesses_[op] = find_accesses(*op);
      for (const Access& read : reads) needed.insert(read.value);
    }
    std::reverse(operations.begin(), operations.end());
    return operations;
  }

  const std::vector<Access>& accesses(const Operation& op) const { return accesses_.at(&op); }

  std::vector<Access> find_accesses(const Operation& op) const {
    if (op.info().get<loops::NestLowering>()) {
      // Its statements may read anything anywhere: every value behind its operands counts.
      std::vector<Access> all;
      for (const Value operand : op.operands()) collect_bases(operand, all);
      return all;
    }
    return accesses_of(op, [this](Value value) { return is_stored(value); });
  }
  void collect_bases(Value value, std::vector<Access>& all) const {
    Operation* op = value.defining_op();
    if (op && is_view(*op) && !is_stored(value)) {
      for (const Value operand : op->operands()) collect_bases(operand, all);
    } else {
      all.push_back({value, {}, false});
    }
  }

  /// Views that need a place of their own: results, and operands of tile kernels.
  void force_stored() {
    const auto force = [&](Value value) {
      if (value.defining_op() && is_view(*value.defining_op())) forced_.insert(value);
    };
    for (const Value result : schedule_.function.results()) force(result);
    for (const Operation* op : schedule_.function.body().operations()) {
      if (!contract_form(*op)) continue;
      for (const Value operand : op->operands()) force(operand);
    }
  }

  /// The class of rows that an operation can be tiled along, and the loop variable that runs over it.
  struct Rows {
    int row_class = -1;
    Expr variable;
  };
  Rows rows_of(const Operation& op, const std::vector<Access>& reads) const {
    if (op.info().get<loops::NestLowering>() || op.n_results() != 1) return {};
    const Value result = op.result();
    if (is_row_tensor(result)) {
      if (!has_static_rows(result)) return {};
      return {classes_.of(result, 0), loops::variable("i0")};
    }
    if (!op.info().get<loops::ReduceLowering>() || !is_static(result.shape())) return {};
    // A sum over rows: the variable that indexes dim 0 of what it reads, if that is one and the same.
    const std::size_t n_result_dims = loop_domain(result.shape()).size();
    Rows rows;
    for (const Access& access : reads) {
      if (!is_row_tensor(access.value) || !has_static_rows(access.value)) continue;
      const Expr& at = access.index[0];
      if (at.kind() != loops::ExprKind::variable || std::stoul(at->name.substr(1)) < n_result_dims) return {};
      const int row_class = classes_.of(access.value, 0);
      if (rows.row_class >= 0 && (rows.row_class != row_class || !rows.variable.same(at))) return {};
      rows = {row_class, at};
    }
    return rows;
  }

  struct Producer {
    bool is_tiled = false;
    int row_class = -1;
    int level = 0;
    bool keeps_rows = false;  // its result has the section's rows as dim 0
  };

  void assign_section(Operation* op) {
    if (op->is("prim.constant") && op->result().rank() > 0) {
      schedule_.places[op->result()].home = Home::constant;
      return;
    }
    if (!is_computed(*op)) return;
    const std::vector<Access>& reads = accesses(*op);
    if (absorb_sum(op, reads)) return;
    const Rows rows = rows_of(*op, reads);
    Producer own{rows.row_class >= 0, rows.row_class, 0, is_row_tensor(op->result())};
    for (const Access& read : reads) {
      const auto found = producers_.find(representative(read.value));
      if (found == producers_.end()) continue;  // an argument or a constant
      const Producer& producer = found->second;
      int level = producer.level;
      if (producer.is_tiled) {
        const bool is_local = own.is_tiled && producer.row_class == own.row_class && producer.keeps_rows &&
                              !read.index.empty() && read.index[0].same(rows.variable);
        if (!is_local) ++level;
      }
      own.level = std::max(own.level, level);
    }
    producers_[op->result()] = own;
    for (const Value result : op->results()) producers_[result] = own;
    sections_[{own.level, own.is_tiled ? own.row_class : -1}].push_back(op);
  }

  Value representative(Value value) const {
    const auto found = absorbed_.find(value);
    return found == absorbed_.end() ? value : found->second;
  }

  /// add(x, y) of two sums over rows that nothing else reads: y is summed where x is.
  bool absorb_sum(Operation* op, const std::vector<Access>& reads) {
    if (!op->is("prim.add") || reads.size() != 2) return false;
    const Value x = op->operand(0), y = op->operand(1);
    if (x == y || x.n_uses() != 1 || y.n_uses() != 1) return false;
    const auto is_row_sum = [&](Value value) {
      const auto found = producers_.find(representative(value));
      if (found == producers_.end() || !found->second.is_tiled || found->second.keeps_rows) return false;
      return is_sum(*representative(value).defining_op());
    };
    if (!is_row_sum(x) || !is_row_sum(y)) return false;
    const Value target = representative(x), other = representative(y);
    if (producers_.at(target).level != producers_.at(other).level) return false;
    // Tile kernels keep their sums in a layout of their own.
    if (contract_form(*target.defining_op()) != contract_form(*other.defining_op())) return false;
    for (auto& [value, where] : absorbed_) {
      if (where == other) where = target;
    }
    absorbed_[other] = target;
    absorbed_[op->result()] = target;
    if (y != other) absorbed_[y] = target;
    return true;
  }
  static bool is_sum(const Operation& op) { return op.is("prim.reduce_sum") || op.is("prim.dot_general"); }

  void order_sections() {
    // std::map orders by level, plain (-1) before tiled.
    for (auto& [key, ops] : sections_) {
      Section section;
      section.level = key.first;
      section.is_tiled = key.second >= 0;
      section.row_class = key.second;
      if (section.is_tiled) section.rows = classes_.extent(key.second);
      section.ops = std::move(ops);
      for (const Operation* op : section.ops) {
        for (const Value result : op->results()) {
          schedule_.places[result].section = static_cast<int>(schedule_.sections.size());
        }
      }
      schedule_.sections.push_back(std::move(section));
    }
  }

  /// x W + b: the bias is what the tile kernel's sums start from.
  bool join_bias(int s, Section& section, Operation* op) {
    if (!section.is_tiled || !op->is("prim.add")) return false;
    for (const std::size_t side : {0u, 1u}) {
      const Value product = op->operand(side), bias = op->operand(1 - side);
      const auto found = schedule_.places.find(product);
      if (found == schedule_.places.end() || found->second.section != s || found->second.step < 0) continue;
      Step& step = section.steps[static_cast<std::size_t>(found->second.step)];
      if (step.kind != StepKind::contract || step.form == ContractForm::gradient || step.ops.size() != 1) continue;
      if (product.n_uses() != 1 || !bias.defining_op() || !bias.defining_op()->is("prim.broadcast")) continue;
      const Value vector = bias.defining_op()->operand(0);
      if (vector.rank() != 1 || bias.defining_op()->at("dims").as_ints() != std::vector<std::int64_t>{1}) continue;
      if (vector.defining_op() && is_view(*vector.defining_op()) && !is_stored(vector)) continue;
      step.ops.push_back(op);
      schedule_.places[op->result()].step = found->second.step;
      return true;
    }
    return false;
  }

  void form_steps(int s) {
    Section& section = schedule_.sections[static_cast<std::size_t>(s)];
    for (Operation* op : section.ops) {
      if (join_bias(s, section, op)) continue;
      const Shape domain = domain_of(*op);
      const bool is_point = op->info().get<loops::PointLowering>() != nullptr;
      std::size_t earliest = 0;
      for (const Access& read : accesses(*op)) {
        const auto found = schedule_.places.find(read.value);
        if (found == schedule_.places.end() || found->second.section != s || found->second.step < 0) continue;
        const auto at = static_cast<std::size_t>(found->second.step);
        const Step& step = section.steps[at];
        const bool in_register = is_point && read.is_identity && step.kind == StepKind::loops && step.domain == domain;
        earliest = std::max(earliest, in_register ? at : at + 1);
      }
      std::size_t at = section.steps.size();
      if (is_point) {
        for (std::size_t i = earliest; i < section.steps.size(); ++i) {
          if (section.steps[i].kind == StepKind::loops && section.steps[i].domain == domain) {
            at = i;
            break;
          }
        }
      }
      if (at == section.steps.size()) {
        Step step;
        step.domain = domain;
        const auto form = contract_form(*op);
        if (section.is_tiled && form) {
          step.kind = StepKind::contract;
          step.form = *form;
        } else if (op->info().get<loops::NestLowering>()) {
          step.kind = StepKind::nest;
        } else {
          step.kind = is_point ? StepKind::loops : StepKind::reduce;
        }
        section.steps.push_back(std::move(step));
      }
      section.steps[at].ops.push_back(op);
      for (const Value result : op->results()) schedule_.places[result].step = static_cast<int>(at);
    }
  }

  void assign_homes() {
    std::set<Value> results;
    for (const Value result : schedule_.function.results()) results.insert(result);
    for (std::size_t s = 0; s < schedule_.sections.size(); ++s) {
      const Section& section = schedule_.sections[s];
      for (const Operation* op : section.ops) {
        for (const Value result : op->results()) {
          Place& place = schedule_.places[result];
          const bool keeps_rows = is_row_tensor(result);
          if (section.is_tiled && !keeps_rows) {
            place.home = Home::accumulator;
          } else if (!section.is_tiled || results.count(result)) {
            place.home = Home::whole;
          }
        }
      }
    }
    for (const auto& [value, target] : absorbed_) {
      Place& place = schedule_.places[value];
      place.home = Home::accumulator;
      place.accumulator = target;
    }
    // What is read in another step needs memory: within its section by tiles, elsewhere whole.
    for (std::size_t s = 0; s < schedule_.sections.size(); ++s) {
      const Section& section = schedule_.sections[s];
      for (std::size_t t = 0; t < section.steps.size(); ++t) {
        for (const Operation* op : section.steps[t].ops) {
          for (const Access& read : accesses(*op)) {
            Place& place = schedule_.places[read.value];
            if (place.section < 0 || place.home == Home::accumulator || place.home == Home::whole) continue;
            if (place.section != static_cast<int>(s)) {
              place.home = Home::whole;
            } else if (place.step != static_cast<int>(t)) {
              place.home = Home::tile;
            }
          }
        }
      }
    }
    // In a plain section a value that is read in its own step only stays in registers.
    std::set<Value> read_elsewhere = results;
    for (std::size_t s = 0; s < schedule_.sections.size(); ++s) {
      const Section& section = schedule_.sections[s];
      for (std::size_t t = 0; t < section.steps.size(); ++t) {
        for (const Operation* op : section.steps[t].ops) {
          for (const Access& read : accesses(*op)) {
            const Place& place = schedule_.places[read.value];
            if (place.section != static_cast<int>(s) || place.step != static_cast<int>(t)) {
              read_elsewhere.insert(read.value);
            }
          }
        }
      }
    }
    for (auto& [value, place] : schedule_.places) {
      if (place.home != Home::whole || read_elsewhere.count(value)) continue;
      const Section& section = schedule_.sections[static_cast<std::size_t>(place.section)];
      if (section.steps[static_cast<std::size_t>(place.step)].kind == StepKind::loops) place.home = Home::nowhere;
    }
  }

  Schedule schedule_;
  ir::AxisClasses classes_;
  std::set<Value> forced_;
  std::map<const Operation*, std::vector<Access>> accesses_;
  std::map<Value, Producer> producers_;
  std::map<Value, Value> absorbed_;  // sums that are accumulated in another value's place
  std::map<std::pair<int, int>, std::vector<Operation*>> sections_;
};

/// Names what there is no code for.
void require_lowerings(ir::Function function) {
  for (const Operation* op : function.body().operations()) {
    if (op == function.body().terminator()) continue;
    const auto& info = op->info();
    const std::vector<Value> results = op->results(), operands = op->operands();
    const auto has_code = [](Value value) { return !is_complex(value.dtype()); };
    if ((info.get<loops::PointLowering>() || info.get<loops::ReduceLowering>() || info.get<loops::NestLowering>()) &&
        std::all_of(results.begin(), results.end(), has_code) &&
        std::all_of(operands.begin(), operands.end(), has_code)) {
      continue;
    }
    const std::string where = op->location().str();
    throw RuntimeError(fmt::format("{}{}{} of {} cannot be compiled yet", where, where.empty() ? "" : ": ", op->name(),
                                   op->result().type().str()));
  }
}

/// Results need buffers of their own: one that is an argument, a constant or appears twice is copied.
void separate_results(ir::Function function) {
  std::vector<Value> results = function.results();
  std::set<Value> seen;
  ir::Builder b(function.context(), function.body(), function.body().terminator());
  bool changed = false;
  for (Value& result : results) {
    const bool is_constant = result.defining_op() && result.defining_op()->is("prim.constant");
    if (!result.is_argument() && !is_constant && seen.insert(result).second) continue;
    result = b.op("prim.reshape", {result}, {{"shape", ir::Attribute::shape(result.shape())}});
    seen.insert(result);
    changed = true;
  }
  if (changed) function.set_results(function.result_names(), results);
}

}  // namespace

Schedule schedule(ir::Function function) {
  require_lowerings(function);
  separate_results(function);
  return Scheduler(function).run();
}

const Place& Schedule::place(Value value) const {
  static const Place nowhere;
  const auto found = places.find(value);
  return found == places.end() ? nowhere : found->second;
}

bool Schedule::is_stored(Value value) const {
  const Place& at = place(value);
  return at.home != Home::nowhere || at.section >= 0;
}

std::vector<Value> Schedule::accumulators(int level) const {
  std::vector<Value> all;
  for (const Section& section : sections) {
    if (section.level != level || !section.is_tiled) continue;
    for (const Operation* op : section.ops) {
      const Place& at = place(op->result());
      if (at.home == Home::accumulator && !at.accumulator) all.push_back(op->result());
    }
  }
  return all;
}

std::string value_name(const Schedule& schedule, Value value) {
  if (!value.hint().empty()) return "%" + value.hint();
  if (value.is_argument()) return "%arg" + std::to_string(value.index());
  int number = 0;
  for (const Operation* op = schedule.function.body().front(); op && op != value.defining_op(); op = op->next())
    ++number;
  return "%" + std::to_string(number);
}

std::string Schedule::str() const {
  static constexpr const char* kHomes[] = {"register", "argument", "constant", "whole", "tile", "accumulator"};
  std::map<const Operation*, int> numbers;
  for (const Operation* op = function.body().front(); op; op = op->next()) {
    numbers.emplace(op, static_cast<int>(numbers.size()));
  }
  const auto name = [&](Value value) {
    if (!value.hint().empty()) return "%" + value.hint();
    return value.is_argument() ? "%arg" + std::to_string(value.index())
                               : "%" + std::to_string(numbers.at(value.defining_op()));
  };
  std::string text = fmt::format("schedule of @{}\n", function.name());
  for (std::size_t s = 0; s < sections.size(); ++s) {
    const Section& section = sections[s];
    text += section.is_tiled
                ? fmt::format("section {} level {}: tiles of rows of {}\n", s, section.level, section.rows.str())
                : fmt::format("section {} level {}: whole tensors\n", s, section.level);
    for (std::size_t t = 0; t < section.steps.size(); ++t) {
      const Step& step = section.steps[t];
      static constexpr const char* kKinds[] = {"loops", "reduce", "contract", "nest"};
      text += fmt::format("  step {}: {} over {}\n", t, kKinds[static_cast<int>(step.kind)], eddy::str(step.domain));
      for (const Operation* op : step.ops) {
        std::string operands;
        for (const Value operand : op->operands()) operands += (operands.empty() ? "" : ", ") + name(operand);
        text += fmt::format("    {} = {}({}) : {}  in {}\n", name(op->result()), op->name(), operands,
                            op->result().type().str(), kHomes[static_cast<int>(place(op->result()).home)]);
      }
    }
  }
  return text;
}

}  // namespace eddy::compiler
