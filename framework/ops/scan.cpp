/// cumsum, argmax: one pass along a dim.

#include "framework/ops/dialects.h"
#include "framework/ops/linear.h"
#include "framework/ops/strided.h"

namespace eddy::ops {

namespace {

std::size_t scanned_dim(const ir::Operation& op) { return static_cast<std::size_t>(op.at("dim").as_int()); }

/// All other dims are axes of their own; the result of argmax does not have the scanned one.
ir::AxesMap scan_axes(const ir::Operation& op, bool keeps_dim) {
  std::vector<int> operand, result;
  for (std::size_t i = 0; i < op.operand(0).rank(); ++i) {
    const bool scanned = i == scanned_dim(op);
    operand.push_back(scanned ? ir::AxesMap::kOpaque : static_cast<int>(i));
    if (!scanned || keeps_dim) result.push_back(operand.back());
  }
  return {{operand}, {result}};
}

/// Layouts of the operand (and of a result that drops the dim) to walk over all other dims, and the step along it.
struct ScanLayout {
  ScanLayout(const Array& x, std::size_t dim) : extents(x.shape()), operand(row_major(x.shape())) {
    extent = extents[dim];
    step = operand.strides[dim];
    extents.erase(extents.begin() + static_cast<std::ptrdiff_t>(dim));
    operand.strides.erase(operand.strides.begin() + static_cast<std::ptrdiff_t>(dim));
    dropped = row_major(extents);
  }
  std::vector<std::int64_t> extents;
  Strided operand, dropped;
  std::int64_t extent, step;
};

/// before; for (i along the dim) body(i); after -- within loops over all other dims. `make` gets the operand's index.
struct ScanNest {
  loops::Stmt before, body, after;
};
template <typename F>
loops::Stmt scan_nest(const loops::NestArgs& args, F&& make) {
  const Shape& shape = args.op.operand(0).shape();
  const std::size_t dim = scanned_dim(args.op);
  std::vector<std::string> variables;
  std::vector<loops::Expr> index;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    variables.push_back(args.fresh());
    index.push_back(loops::variable(variables.back()));
  }
  ScanNest nest = make(index);
  loops::Stmt result = loops::block(
      {nest.before, loops::loop(variables[dim], loops::size(shape[dim]), std::move(nest.body)), nest.after});
  for (std::size_t i = shape.size(); i-- > 0;) {
    if (i != dim) result = loops::loop(variables[i], loops::size(shape[i]), std::move(result));
  }
  return result;
}

/// Sums of all elements up to and with each one along `dim`.
struct Cumsum : LinearMap {
  static constexpr std::string_view name = "prim.cumsum";

  static std::vector<ir::Type> infer(const ir::InferArgs& args) {
    args.expect_operands(1);
    const ir::Type x = args.operands[0];
    if (x.dtype() == DType::boolean) args.fail("the operand must hold numbers");
    dim_of(args, args.at("dim").as_int(), x.rank());
    return {ir::Type::tensor(x.dtype(), x.shape())};
  }
  static ir::AxesMap axes(const ir::Operation& op) { return scan_axes(op, true); }
  static std::vector<Value> vjp(const ir::VjpArgs& args) {
    Builder& b = args.builder;
    const std::vector<std::int64_t> dims = {args.op.at("dim").as_int()};
    return {reverse(b, cumsum(b, reverse(b, args.cotangents[0], dims), scanned_dim(args.op)), dims)};
  }
  static loops::Stmt nest(const loops::NestArgs& args) {
    const DType dtype = args.op.result().dtype();
    const std::string name = args.fresh();
    const loops::Expr total = loops::variable(name, dtype);
    return scan_nest(args, [&](const std::vector<loops::Expr>& index) {
      return ScanNest{loops::let(name, loops::constant(dtype, 0), true),
                      loops::block({loops::assign(name, total + args.operand(0, index)),
                                    loops::store(args.results[0], index, total)}),
                      {}};
    });
  }
  static void run(const KernelArgs& args) {
    const Array& x = args.operands[0];
    const ScanLayout layout(x, scanned_dim(args.op));
    visit_dtype(x.dtype(), [&](auto zero) {
      using T = decltype(zero);
      // Integers wrap.
      using Sum = std::conditional_t<std::is_same_v<T, std::int64_t>, std::uint64_t, T>;
      const auto in = x.data<T>();
      auto out = args.results[0].data<T>();
      walk(layout.extents, layout.operand, layout.operand, [&](std::int64_t first, std::int64_t) {
        Sum total{};
        for (std::int64_t i = 0; i < layout.extent; ++i) {
          const auto at = static_cast<std::size_t>(first + i * layout.step);
          total = static_cast<Sum>(total + static_cast<Sum>(in[at]));
          out[at] = static_cast<T>(total);
        }
      });
    });
  }
};

/// Where along `dim`, which the result drops, the first greatest element is; the first NaN when there is one.
struct ArgMax {
  static constexpr std::string_view name = "prim.argmax";
  static constexpr ir::Trait traits = ir::Trait::pure | ir::Trait::zero_derivative;

  static std::vector<ir::SizeCondition> conditions(std::span<const ir::Type> operands,
                                                   const ir::AttributeMap& attributes) {
    const std::int64_t dim = attributes.at("dim").as_int();
    return {{operands[0].dim(static_cast<std::size_t>(dim)) - Dim(1),
             fmt::format("dim {} is empty: it has no greatest element", dim)}};
  }
  static std::vector<ir::Type> infer(const ir::InferArgs& args) {
    args.expect_operands(1);
    const ir::Type x = args.operands[0];
    if (x.dtype() == DType::boolean || is_complex(x.dtype())) args.fail("the operand must hold real numbers");
    const std::size_t dim = dim_of(args, args.at("dim").as_int(), x.rank());
    check_sizes(args, conditions(args.operands, args.attributes));
    Shape shape = x.shape();
    shape.erase(shape.begin() + static_cast<std::ptrdiff_t>(dim));
    return {ir::Type::tensor(DType::i64, std::move(shape))};
  }
  static ir::AxesMap axes(const ir::Operation& op) { return scan_axes(op, false); }
  static loops::Stmt nest(const loops::NestArgs& args) {
    const DType dtype = args.op.operand(0).dtype();
    const std::size_t dim = scanned_dim(args.op);
    const std::string best_name = args.fresh(), where_name = args.fresh();
    const loops::Expr best = loops::variable(best_name, dtype), where = loops::variable(where_name);
    return scan_nest(args, [&](const std::vector<loops::Expr>& index) {
      std::vector<loops::Expr> first = index, kept = index;
      first[dim] = 0;
      kept.erase(kept.begin() + static_cast<std::ptrdiff_t>(dim));
      const loops::Expr x = args.operand(0, index);
      const loops::Expr is_better =
          loops::logical_or(loops::compare(loops::ExprKind::lt, best, x),
                            loops::logical_and(loops::compare(loops::ExprKind::ne, x, x),
                                               loops::compare(loops::ExprKind::eq, best, best)));
      return ScanNest{
          loops::block({loops::let(best_name, args.operand(0, first), true), loops::let(where_name, 0, true)}),
          loops::branch(is_better, loops::block({loops::assign(best_name, x), loops::assign(where_name, index[dim])})),
          loops::store(args.results[0], kept, where)};
    });
  }
  static void run(const KernelArgs& args) {
    const Array& x = args.operands[0];
    const ScanLayout layout(x, scanned_dim(args.op));
    auto out = args.results[0].data<std::int64_t>();
    visit_dtype(x.dtype(), [&](auto zero) {
      using T = decltype(zero);
      if constexpr (std::is_arithmetic_v<T>) {
        const auto in = x.data<T>();
        walk(layout.extents, layout.operand, layout.dropped, [&](std::int64_t first, std::int64_t to) {
          const auto at = [&](std::int64_t i) { return in[static_cast<std::size_t>(first + i * layout.step)]; };
          std::int64_t best = 0;
          for (std::int64_t i = 1; i < layout.extent; ++i) {
            if (at(best) < at(i) || (at(i) != at(i) && at(best) == at(best))) best = i;
          }
          out[static_cast<std::size_t>(to)] = best;
        });
      }
    });
  }
};

}  // namespace

void register_scan(ir::Context& context) {
  register_op<Cumsum>(context);
  register_op<ArgMax>(context);
}

Value cumsum(Builder& b, Value x, std::size_t dim) {
  return b.op(Cumsum::name, {x}, {{"dim", ir::Attribute::integer(static_cast<std::int64_t>(dim))}});
}

Value argmax(Builder& b, Value x, std::size_t dim) {
  return b.op(ArgMax::name, {x}, {{"dim", ir::Attribute::integer(static_cast<std::int64_t>(dim))}});
}

}  // namespace eddy::ops
