#include "framework/compiler/lower.h"

#include <algorithm>

#include "framework/compiler/access.h"
#include "framework/ir/dialect.h"

namespace eddy::compiler {

using ir::Operation;
using ir::Value;
using loops::Expr;
using loops::Stmt;

namespace {

/// The row of the whole tensor that a tiled loop stands at. It becomes row0 + i once it is known not to be needed as
/// such.
const char* const kRow = "row";

class StepLowering {
 public:
  StepLowering(const Schedule& schedule, const Section& section, const Step& step, const StepNames& names)
      : schedule_(schedule), section_(section), step_(step), names_(names) {}

  Stmt run() {
    switch (step_.kind) {
      case StepKind::loops: return lower_loops();
      case StepKind::reduce: return lower_reduce(*step_.ops.front());
      case StepKind::nest: return lower_nest(*step_.ops.front());
      case StepKind::contract: break;
    }
    throw InternalError("contractions are calls of tile kernels");
  }

 private:
  Expr row_variable() const { return loops::variable(row_loop_); }

  /// Whether rows of `value` may be those of the tile: then a tile of it is one block of memory.
  bool has_tile_rows(Value value) const {
    return section_.is_tiled && value.rank() > 0 && value.type().dim(0) == section_.rows &&
           is_static({value.shape().begin() + 1, value.shape().end()});
  }

  /// The canonical index of an operation's domain with the tile's row at its row dim.
  std::vector<Expr> domain_index(const Operation& op) {
    std::vector<Expr> index = canonical_index(full_domain(op));
    if (!section_.is_tiled) return index;
    row_loop_ = "i0";
    const Value result = op.result();
    if (result.rank() == 0 || result.type().dim(0) != section_.rows) row_loop_ = reduced_row_variable(op);
    for (Expr& entry : index) {
      if (entry.kind() == loops::ExprKind::variable && entry->name == row_loop_) entry = loops::variable(kRow);
    }
    return index;
  }

  /// For a sum over rows: the loop variable of the row dim.
  std::string reduced_row_variable(const Operation& op) const {
    for (const Access& access : accesses_of(op, [&](Value v) { return schedule_.is_stored(v); })) {
      if (has_tile_rows(access.value) && access.index[0].kind() == loops::ExprKind::variable) {
        return access.index[0]->name;
      }
    }
    throw InternalError(fmt::format("{} does not read rows", op.name()));
  }

  Expr read(Value value, const std::vector<Expr>& index) {
    const auto bound = registers_.find(value);
    if (bound != registers_.end() && is_canonical(value, index)) return bound->second;
    if (value.defining_op() && is_view(*value.defining_op()) && !schedule_.is_stored(value)) return {};
    const Place& place = schedule_.place(value);
    EDDY_CHECK(place.home != Home::nowhere, "{} has no memory", value_name(schedule_, value));
    std::vector<Expr> at = index;
    const bool is_local = has_tile_rows(value) && at[0].same(loops::variable(kRow));
    if (is_local) at[0] = row_variable();
    const std::string name = is_local ? names_.local(value) : names_.global(value);
    shapes_[name] = value.shape();
    return loops::load(name, value.dtype(), std::move(at));
  }

  bool is_canonical(Value value, const std::vector<Expr>& index) const {
    std::vector<Expr> canonical = canonical_index(value.shape());
    if (has_tile_rows(value)) canonical[0] = loops::variable(kRow);
    return std::equal(canonical.begin(), canonical.end(), index.begin(), index.end(),
                      [](const Expr& a, const Expr& b) { return a.same(b); });
  }

  /// Gives `row` its meaning where it is left.
  Expr finish(const Expr& e) const {
    if (!section_.is_tiled) return e;
    return loops::substitute(e, [&](const loops::ExprNode& node) {
      return node.name == kRow ? loops::variable(kFirstRow) + row_variable() : Expr();
    });
  }

  static std::string loop_variable(std::size_t i) { return "i" + std::to_string(i); }
  /// How far the loop over variable "i<number>", along `dim`, runs.
  Expr extent(std::size_t number, Dim dim) const {
    return section_.is_tiled && loop_variable(number) == row_loop_ ? loops::variable(kTileRows) : loops::size(dim);
  }

  ReadElement reader() {
    return [this](Value value, const std::vector<Expr>& index) { return read(value, index); };
  }

  /// A load from the branches of a select becomes one before it where it is inside of its buffer in any case: vector
  /// code loads and selects then, without masks.
  Expr load_early(const Expr& e, bool is_branch, std::vector<Stmt>& body) {
    if (e.operands().empty()) return e;
    loops::ExprNode node = e.node();
    for (std::size_t i = 0; i < node.operands.size(); ++i) {
      const bool in_branch = is_branch || (e.kind() == loops::ExprKind::select && i > 0);
      node.operands[i] = load_early(node.operands[i], in_branch, body);
    }
    const Expr same(std::make_shared<const loops::ExprNode>(std::move(node)));
    if (!is_branch || e.kind() != loops::ExprKind::load || !is_always_inside(same)) return same;
    const std::string name = "y" + std::to_string(n_loads_++);
    body.push_back(loops::let(name, same));
    return loops::variable(name, e.dtype());
  }

  /// An index is inside of its dim; one that had to be clamped, if the dim is not empty.
  bool is_always_inside(const Expr& load) const {
    const Shape& shape = shapes_.at(load->name);
    for (std::size_t i = 0; i < shape.size(); ++i) {
      bool is_clamped = false;
      loops::visit(load.operands()[i], [&](const Expr& e) {
        is_clamped |= e.kind() == loops::ExprKind::min || e.kind() == loops::ExprKind::max;
      });
      if (is_clamped && (!shape[i].is_constant() || shape[i] == Dim(0))) return false;
    }
    return true;
  }

  Stmt lower_loops() {
    std::vector<Stmt> body;
    int next = 0;
    for (const Operation* op : step_.ops) {
      const Value result = op->result();
      const Expr value = load_early(finish(element_of_operation(*op, domain_index(*op), reader())), false, body);
      const std::string name = "x" + std::to_string(next++);
      body.push_back(loops::let(name, value));
      registers_[result] = loops::variable(name, result.dtype());
      if (schedule_.place(result).home != Home::nowhere) {
        shapes_[names_.local(result)] = result.shape();
        body.push_back(loops::store(names_.local(result), canonical_index(result.shape()), registers_[result]));
      }
    }
    const Shape& domain = step_.domain;
    if (const auto flat = flattened(body)) {
      Expr total = 1;
      for (std::size_t i = 0; i < domain.size(); ++i) total = total * extent(i, domain[i]);
      return domain.empty() ? loops::block(*flat)
                            : loops::loop("i", total, loops::block(*flat), loops::LoopKind::vector);
    }
    Stmt nest = loops::block(std::move(body));
    for (std::size_t i = domain.size(); i-- > 0;) {
      nest = loops::loop(loop_variable(i), extent(i, domain[i]), nest,
                         i + 1 == domain.size() ? loops::LoopKind::vector : loops::LoopKind::serial);
    }
    return nest;
  }

  /// The body over one linear index "i", when every access visits its buffer element by element in the loop nest's
  /// order or does not move at all.
  std::optional<std::vector<Stmt>> flattened(const std::vector<Stmt>& body) const {
    bool ok = true;
    const std::size_t n_dims = step_.domain.size();
    // A part of a buffer, such as one column, has the loop nest's indices but not its extents.
    const auto is_linear = [&](const std::string& buffer, const std::vector<Expr>& indices) {
      const Shape& shape = shapes_.at(buffer);
      std::size_t next = 0;
      for (std::size_t i = 0; i < indices.size(); ++i) {
        if (shape[i] == Dim(1)) continue;
        if (next == n_dims || shape[i] != step_.domain[next]) return false;
        if (!indices[i].same(loops::variable(loop_variable(next)))) return false;
        ++next;
      }
      return next == n_dims;
    };
    const auto is_fixed = [&](const std::vector<Expr>& indices) {
      return std::all_of(indices.begin(), indices.end(), [](const Expr& e) { return e.as_integer().has_value(); });
    };
    const std::function<Expr(const Expr&)> flatten = [&](const Expr& e) -> Expr {
      if (e.kind() == loops::ExprKind::variable && e.dtype() == DType::i64 && e->name[0] == 'i') ok = false;
      if (e.kind() == loops::ExprKind::load) {
        if (is_linear(e->name, e.operands()) && n_dims > 0)
          return loops::load(e->name, e.dtype(), {loops::variable("i")});
        if (!is_fixed(e.operands())) ok = false;
        return e;
      }
      if (e.operands().empty()) return e;
      loops::ExprNode node = e.node();
      for (Expr& operand : node.operands) operand = flatten(operand);
      return Expr(std::make_shared<const loops::ExprNode>(std::move(node)));
    };
    std::vector<Stmt> flat;
    for (const Stmt& stmt : body) {
      if (stmt->kind == loops::StmtKind::let) {
        flat.push_back(loops::let(stmt->name, flatten(stmt->value)));
      } else {
        if (!is_linear(stmt->name, stmt->indices)) return std::nullopt;
        std::vector<Expr> at;
        if (n_dims > 0)
          at.push_back(loops::variable("i"));
        else
          at = stmt->indices;
        flat.push_back(loops::store(stmt->name, std::move(at), stmt->value));
      }
      if (!ok) return std::nullopt;
    }
    return flat;
  }

  Stmt lower_reduce(const Operation& op) {
    const auto* rule = op.info().get<loops::ReduceLowering>();
    EDDY_CHECK(rule != nullptr, "{} has no lowering", op.name());
    const Value result = op.result();
    const std::vector<Expr> index = domain_index(op);
    const Expr value = finish(element_of_operation(op, index, reader()));
    const std::vector<Expr> target = canonical_index(result.shape());
    const Shape domain = domain_of(op);
    const std::size_t n_result = loop_domain(result.shape()).size();
    const auto nest = [&](std::size_t from, std::size_t to, Stmt body, bool vector) {
      for (std::size_t i = to; i-- > from;) {
        body = loops::loop(loop_variable(i), extent(i, domain[i]), body,
                           vector && i + 1 == to ? loops::LoopKind::vector : loops::LoopKind::serial);
      }
      return body;
    };
    const bool is_accumulator = schedule_.place(result).home == Home::accumulator;
    if (is_accumulator && n_result > 0) {
      // Row after row onto the whole result: the inner loop runs along it.
      const Expr current = loops::load(names_.local(result), result.dtype(), target);
      const Stmt update = loops::store(names_.local(result), target, rule->combine(current, value));
      return nest(n_result, domain.size(), nest(0, n_result, update, true), false);
    }
    const Expr start =
        is_accumulator ? loops::load(names_.local(result), result.dtype(), target) : rule->identity(result.dtype());
    const Expr total = loops::variable("total", result.dtype());
    const Stmt fold = nest(n_result, domain.size(), loops::assign("total", rule->combine(total, value)), false);
    const Stmt body =
        loops::block({loops::let("total", start, true), fold, loops::store(names_.local(result), target, total)});
    return nest(0, n_result, body, false);
  }

  Stmt lower_nest(const Operation& op) {
    const auto* rule = op.info().get<loops::NestLowering>();
    std::vector<std::string> results;
    for (const Value result : op.results()) results.push_back(names_.local(result));
    int next = 0;
    const loops::NestArgs args{op,
                               [&](std::size_t operand, std::vector<Expr> index) {
                                 return finish(element(op.operand(operand), index, reader()));
                               },
                               results, [&] { return "j" + std::to_string(next++); }};
    return rule->nest(args);
  }

  const Schedule& schedule_;
  const Section& section_;
  const Step& step_;
  const StepNames& names_;
  std::map<std::string, Shape> shapes_;  // of the buffers that are read or written
  std::string row_loop_ = "i0";
  std::map<Value, Expr> registers_;
  int n_loads_ = 0;
};

}  // namespace

Stmt lower_step(const Schedule& schedule, const Section& section, const Step& step, const StepNames& names) {
  return StepLowering(schedule, section, step, names).run();
}

}  // namespace eddy::compiler
