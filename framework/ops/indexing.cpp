/// gather, scatter_add, dynamic_slice, dynamic_update_slice: places known at run time only. An index outside its dim
/// means the nearest one inside, in every implementation; a slice is moved inwards as a whole.

#include <algorithm>
#include <cstring>

#include "framework/ops/dialects.h"
#include "framework/ops/linear.h"
#include "framework/ops/strided.h"

namespace eddy::ops {

namespace {

ir::Attribute dim_attribute(std::size_t dim) { return ir::Attribute::integer(static_cast<std::int64_t>(dim)); }

std::size_t indexed_dim(const ir::Operation& op) { return static_cast<std::size_t>(op.at("dim").as_int()); }

/// Of a table [before..., n, after...] and its entries [before..., indices..., after...].
struct TableLayout {
  TableLayout(const Array& table, const Array& indices, std::size_t dim) : n(table.shape()[dim]), index(indices) {
    for (std::size_t i = 0; i < table.rank(); ++i) {
      if (i < dim) n_before *= table.shape()[i];
      if (i > dim) n_after *= table.shape()[i];
    }
  }
  /// Calls f(entry, row) with the positions of entries' and rows' first elements, in the order of the entries.
  template <typename F>
  void for_each_row(F&& f) const {
    const auto at = index.data<std::int64_t>();
    std::int64_t entry = 0;
    for (std::int64_t before = 0; before < n_before; ++before) {
      for (const std::int64_t row : at) {
        f(entry * n_after, (before * n + std::clamp<std::int64_t>(row, 0, n - 1)) * n_after);
        ++entry;
      }
    }
  }
  std::int64_t n_before = 1, n, n_after = 1;
  const Array& index;
};

ir::SizeCondition holds_a_row(Dim size) {
  return {size - Dim(1), "the indexed dim is empty: no index means an element"};
}

/// Labels of a table and its entries.
std::pair<std::vector<int>, std::vector<int>> table_axes(std::size_t table_rank, std::size_t index_rank,
                                                         std::size_t dim) {
  std::vector<int> table, entries;
  for (std::size_t i = 0; i < table_rank; ++i) {
    table.push_back(i == dim ? ir::AxesMap::kOpaque : static_cast<int>(i));
    if (i != dim) entries.push_back(table.back());
    for (std::size_t j = 0; i == dim && j < index_rank; ++j) entries.push_back(static_cast<int>(table_rank + j));
  }
  return {table, entries};
}

std::vector<int> index_axes(std::size_t table_rank, std::size_t index_rank) {
  std::vector<int> labels;
  for (std::size_t j = 0; j < index_rank; ++j) labels.push_back(static_cast<int>(table_rank + j));
  return labels;
}

/// result[before..., i..., after...] = data[before..., indices[i...], after...].
struct Gather {
  static constexpr std::string_view name = "prim.gather";
  static constexpr ir::Trait traits = ir::Trait::pure;

  static std::vector<ir::SizeCondition> conditions(std::span<const ir::Type> operands,
                                                   const ir::AttributeMap& attributes) {
    return {holds_a_row(operands[0].dim(static_cast<std::size_t>(attributes.at("dim").as_int())))};
  }
  static std::vector<ir::Type> infer(const ir::InferArgs& args) {
    args.expect_operands(2);
    const ir::Type data = args.operands[0], indices = args.operands[1];
    if (indices.dtype() != DType::i64) args.fail("the indices must be i64");
    const std::size_t dim = dim_of(args, args.at("dim").as_int(), data.rank());
    check_sizes(args, conditions(args.operands, args.attributes));
    Shape shape = data.shape();
    const auto at = shape.erase(shape.begin() + static_cast<std::ptrdiff_t>(dim));
    shape.insert(at, indices.shape().begin(), indices.shape().end());
    return {ir::Type::tensor(data.dtype(), std::move(shape))};
  }
  static ir::AxesMap axes(const ir::Operation& op) {
    const std::size_t rank = op.operand(0).rank(), index_rank = op.operand(1).rank();
    auto [table, entries] = table_axes(rank, index_rank, indexed_dim(op));
    return {{std::move(table), index_axes(rank, index_rank)}, {std::move(entries)}};
  }
  static std::vector<Value> vjp(const ir::VjpArgs& args) {
    if (!args.needed[0]) return {{}, {}};
    const std::size_t dim = indexed_dim(args.op);
    return {scatter_add(args.builder, args.op.operand(1), args.cotangents[0], dim, args.op.operand(0).type().dim(dim)),
            {}};
  }
  static std::vector<Lanes> jet(const ir::JetArgs& args) {
    return {map_linear(args.set, args.operands[0], args.op.result(), [&](Value lane) {
      return gather(args.builder, lane, args.op.operand(1), indexed_dim(args.op));
    })};
  }
  static loops::Expr point(const loops::PointArgs& args) {
    const std::size_t dim = indexed_dim(args.op), index_rank = args.op.operand(1).rank();
    const auto begin = args.index.begin() + static_cast<std::ptrdiff_t>(dim);
    const auto end = begin + static_cast<std::ptrdiff_t>(index_rank);
    std::vector<loops::Expr> index(args.index.begin(), begin);
    index.push_back(clamp(args.operand(1, {begin, end}), 0, loops::size(args.op.operand(0).type().dim(dim)) - 1));
    index.insert(index.end(), end, args.index.end());
    return args.operand(0, std::move(index));
  }
  static void run(const KernelArgs& args) {
    const TableLayout layout(args.operands[0], args.operands[1], indexed_dim(args.op));
    const std::size_t size = size_of(args.operands[0].dtype());
    const auto* data = static_cast<const unsigned char*>(args.operands[0].raw());
    auto* out = static_cast<unsigned char*>(args.results[0].raw());
    layout.for_each_row([&](std::int64_t entry, std::int64_t row) {
      std::memcpy(out + static_cast<std::size_t>(entry) * size, data + static_cast<std::size_t>(row) * size,
                  static_cast<std::size_t>(layout.n_after) * size);
    });
  }
};

/// The adjoint of gather: zeros [before..., size, after...] plus updates [before..., indices..., after...] added where
/// `indices` says, in their order.
struct ScatterAdd {
  static constexpr std::string_view name = "prim.scatter_add";
  static constexpr ir::Trait traits = ir::Trait::pure;

  static std::vector<ir::SizeCondition> conditions(std::span<const ir::Type>, const ir::AttributeMap& attributes) {
    return {holds_a_row(attributes.at("size").as_shape()[0])};
  }
  static std::vector<ir::Type> infer(const ir::InferArgs& args) {
    args.expect_operands(2);
    const ir::Type indices = args.operands[0], updates = args.operands[1];
    if (indices.dtype() != DType::i64) args.fail("the indices must be i64");
    if (updates.dtype() == DType::boolean) args.fail("the updates must be numbers");
    if (indices.rank() > updates.rank()) args.fail("the updates must have the dims of the indices among theirs");
    const std::size_t dim = dim_of(args, args.at("dim").as_int(), updates.rank() - indices.rank() + 1);
    const Shape& size = args.at("size").as_shape();
    if (size.size() != 1) args.fail("'size' must have one entry");
    check_sizes(args, conditions(args.operands, args.attributes));
    Shape shape = updates.shape();
    for (std::size_t i = 0; i < indices.rank(); ++i) {
      if (shape[dim + i] != indices.dim(i)) {
        args.fail(fmt::format("dim {} of the indices is {}, dim {} of the updates {}", i, indices.dim(i).str(), dim + i,
                              shape[dim + i].str()));
      }
    }
    const auto begin = shape.begin() + static_cast<std::ptrdiff_t>(dim);
    shape.insert(shape.erase(begin, begin + static_cast<std::ptrdiff_t>(indices.rank())), size[0]);
    return {ir::Type::tensor(updates.dtype(), std::move(shape))};
  }
  static ir::AxesMap axes(const ir::Operation& op) {
    const std::size_t rank = op.result().rank(), index_rank = op.operand(0).rank();
    auto [table, entries] = table_axes(rank, index_rank, indexed_dim(op));
    return {{index_axes(rank, index_rank), std::move(entries)}, {std::move(table)}};
  }
  static std::vector<Value> vjp(const ir::VjpArgs& args) {
    if (!args.needed[1]) return {{}, {}};
    return {{}, gather(args.builder, args.cotangents[0], args.op.operand(0), indexed_dim(args.op))};
  }
  static std::vector<Lanes> jet(const ir::JetArgs& args) {
    return {map_linear(args.set, args.operands[1], args.op.result(), [&](Value lane) {
      return args.builder.op(name, {args.op.operand(0), lane}, args.op.attributes());
    })};
  }
  static loops::Stmt nest(const loops::NestArgs& args) {
    const std::size_t dim = indexed_dim(args.op), index_rank = args.op.operand(0).rank();
    const Shape& shape = args.op.result().shape();
    const DType dtype = args.op.result().dtype();
    const auto loops_over = [&](const Shape& extents, const auto& body) {
      std::vector<std::string> names;
      std::vector<loops::Expr> index;
      for (std::size_t i = 0; i < extents.size(); ++i) {
        names.push_back(args.fresh());
        index.push_back(loops::variable(names.back()));
      }
      loops::Stmt stmt = body(index);
      for (std::size_t i = extents.size(); i-- > 0;) stmt = loops::loop(names[i], loops::size(extents[i]), stmt);
      return stmt;
    };
    const loops::Stmt clear = loops_over(shape, [&](const std::vector<loops::Expr>& index) {
      return loops::store(args.results[0], index, loops::constant(dtype, 0));
    });
    const loops::Stmt add_up = loops_over(args.op.operand(1).shape(), [&](const std::vector<loops::Expr>& index) {
      const auto begin = index.begin() + static_cast<std::ptrdiff_t>(dim);
      const auto end = begin + static_cast<std::ptrdiff_t>(index_rank);
      std::vector<loops::Expr> to(index.begin(), begin);
      to.push_back(clamp(args.operand(0, {begin, end}), 0, loops::size(shape[dim]) - 1));
      to.insert(to.end(), end, index.end());
      return loops::store(args.results[0], to, loops::load(args.results[0], dtype, to) + args.operand(1, index));
    });
    return loops::block({clear, add_up});
  }
  static void run(const KernelArgs& args) {
    const TableLayout layout(args.results[0], args.operands[0], indexed_dim(args.op));
    visit_dtype(args.results[0].dtype(), [&](auto zero) {
      using T = decltype(zero);
      // Integers wrap.
      using Sum = std::conditional_t<std::is_same_v<T, std::int64_t>, std::uint64_t, T>;
      const auto updates = args.operands[1].data<T>();
      auto out = args.results[0].data<T>();
      layout.for_each_row([&](std::int64_t entry, std::int64_t row) {
        for (std::int64_t i = 0; i < layout.n_after; ++i) {
          T& total = out[static_cast<std::size_t>(row + i)];
          total =
              static_cast<T>(static_cast<Sum>(total) + static_cast<Sum>(updates[static_cast<std::size_t>(entry + i)]));
        }
      });
    });
  }
};

/// Checks that `starts` is i64[rank].
void check_starts(const ir::InferArgs& args, ir::Type starts, std::size_t rank) {
  const Dim expected = static_cast<std::int64_t>(rank);
  if (starts != ir::Type::tensor(DType::i64, {expected})) {
    args.fail(fmt::format("the starts must be i64[{}], one per dim", rank));
  }
}

std::vector<ir::SizeCondition> window_fits(const Shape& shape, const Shape& window) {
  std::vector<ir::SizeCondition> conditions;
  for (std::size_t i = 0; i < window.size(); ++i) {
    conditions.push_back({shape[i] - window[i], fmt::format("a window of {} does not fit in dim {} of size {}",
                                                            window[i].str(), i, shape[i].str())});
    conditions.push_back({window[i], fmt::format("the window's size {} of dim {} is negative", window[i].str(), i)});
  }
  return conditions;
}

/// A dim that the window spans is the same axis.
std::vector<int> window_axes(const Shape& shape, const Shape& window) {
  std::vector<int> labels;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    labels.push_back(shape[i] == window[i] ? static_cast<int>(i) : ir::AxesMap::kOpaque);
  }
  return labels;
}

/// Where the window begins in dim i, as an expression: moved inwards when it would reach over an end.
loops::Expr window_start(const loops::PointArgs& args, std::size_t starts_operand, std::size_t i, Dim size,
                         Dim window) {
  return clamp(args.operand(starts_operand, {loops::Expr(static_cast<std::int64_t>(i))}), 0,
               loops::size(size - window));
}

/// The layout of `shape` that begins at the window's first element.
Strided window_layout(const std::vector<std::int64_t>& shape, const std::vector<std::int64_t>& window,
                      const Array& starts) {
  Strided layout = row_major(shape);
  const auto start = starts.data<std::int64_t>();
  for (std::size_t i = 0; i < shape.size(); ++i) {
    layout.offset += std::clamp<std::int64_t>(start[i], 0, shape[i] - window[i]) * layout.strides[i];
  }
  return layout;
}

/// A window {sizes} of x that begins at starts i64[rank].
struct DynamicSlice {
  static constexpr std::string_view name = "prim.dynamic_slice";
  static constexpr ir::Trait traits = ir::Trait::pure;

  static std::vector<ir::SizeCondition> conditions(std::span<const ir::Type> operands,
                                                   const ir::AttributeMap& attributes) {
    return window_fits(operands[0].shape(), attributes.at("sizes").as_shape());
  }
  static std::vector<ir::Type> infer(const ir::InferArgs& args) {
    args.expect_operands(2);
    const ir::Type x = args.operands[0];
    check_starts(args, args.operands[1], x.rank());
    const Shape& sizes = args.at("sizes").as_shape();
    if (sizes.size() != x.rank()) args.fail("'sizes' must have one entry per dim");
    check_sizes(args, conditions(args.operands, args.attributes));
    return {ir::Type::tensor(x.dtype(), sizes)};
  }
  static ir::AxesMap axes(const ir::Operation& op) {
    const std::vector<int> labels = window_axes(op.operand(0).shape(), op.result().shape());
    return {{labels, {ir::AxesMap::kOpaque}}, {labels}};
  }
  static std::vector<Value> vjp(const ir::VjpArgs& args) {
    if (!args.needed[0]) return {{}, {}};
    Builder& b = args.builder;
    return {dynamic_update_slice(b, full_like(b, args.op.operand(0), 0), args.cotangents[0], args.op.operand(1)), {}};
  }
  static std::vector<Lanes> jet(const ir::JetArgs& args) {
    return {map_linear(args.set, args.operands[0], args.op.result(), [&](Value lane) {
      return dynamic_slice(args.builder, lane, args.op.operand(1), args.op.result().shape());
    })};
  }
  static loops::Expr point(const loops::PointArgs& args) {
    const Shape& shape = args.op.operand(0).shape();
    const Shape& window = args.op.result().shape();
    std::vector<loops::Expr> index;
    for (std::size_t i = 0; i < shape.size(); ++i) {
      index.push_back(window_start(args, 1, i, shape[i], window[i]) + args.index[i]);
    }
    return args.operand(0, std::move(index));
  }
  static void run(const KernelArgs& args) {
    const std::vector<std::int64_t>& window = args.results[0].shape();
    copy(window, args.operands[0], window_layout(args.operands[0].shape(), window, args.operands[1]), args.results[0],
         row_major(window));
  }
};

/// x with a window that begins at starts i64[rank] replaced by `update`.
struct DynamicUpdateSlice {
  static constexpr std::string_view name = "prim.dynamic_update_slice";
  static constexpr ir::Trait traits = ir::Trait::pure;

  static std::vector<ir::SizeCondition> conditions(std::span<const ir::Type> operands, const ir::AttributeMap&) {
    return window_fits(operands[0].shape(), operands[1].shape());
  }
  static std::vector<ir::Type> infer(const ir::InferArgs& args) {
    args.expect_operands(3);
    const ir::Type x = args.operands[0], update = args.operands[1];
    if (x.dtype() != update.dtype() || x.rank() != update.rank()) {
      args.fail("the update must have the operand's dtype and rank");
    }
    check_starts(args, args.operands[2], x.rank());
    check_sizes(args, conditions(args.operands, args.attributes));
    return {ir::Type::tensor(x.dtype(), x.shape())};
  }
  static ir::AxesMap axes(const ir::Operation& op) {
    const std::vector<int> labels = window_axes(op.operand(0).shape(), op.operand(1).shape());
    return {{labels, labels, {ir::AxesMap::kOpaque}}, {labels}};
  }
  static std::vector<Value> vjp(const ir::VjpArgs& args) {
    Builder& b = args.builder;
    const Value g = args.cotangents[0], update = args.op.operand(1), starts = args.op.operand(2);
    return {args.needed[0] ? dynamic_update_slice(b, g, full_like(b, update, 0), starts) : Value(),
            args.needed[1] ? dynamic_slice(b, g, starts, update.shape()) : Value(),
            {}};
  }
  static std::vector<Lanes> jet(const ir::JetArgs& args) {
    Builder& b = args.builder;
    Lanes v(args.set.size());
    v[0] = args.op.result();
    for (std::size_t k = 1; k < v.size(); ++k) {
      const Value x = args.operands[0][k], update = args.operands[1][k];
      if (!x && !update) continue;
      v[k] = dynamic_update_slice(b, x ? x : full_like(b, args.op.operand(0), 0),
                                  update ? update : full_like(b, args.op.operand(1), 0), args.op.operand(2));
    }
    return {v};
  }
  static loops::Expr point(const loops::PointArgs& args) {
    const Shape& shape = args.op.operand(0).shape();
    const Shape& window = args.op.operand(1).shape();
    const loops::Expr x = args.operand(0, {args.index.begin(), args.index.end()});
    loops::Expr inside = loops::constant(DType::boolean, 1);
    std::vector<loops::Expr> index;
    for (std::size_t i = 0; i < shape.size(); ++i) {
      if (window[i] == Dim(0)) return x;
      if (window[i] == shape[i]) {
        index.push_back(args.index[i]);
        continue;
      }
      const loops::Expr own = args.index[i] - window_start(args, 2, i, shape[i], window[i]);
      inside = loops::logical_and(inside, in_range(own, 0, loops::size(window[i])));
      index.push_back(clamp(own, 0, loops::size(window[i]) - 1));
    }
    return loops::select(inside, args.operand(1, std::move(index)), x);
  }
  static void run(const KernelArgs& args) {
    const std::vector<std::int64_t>& shape = args.results[0].shape();
    const std::vector<std::int64_t>& window = args.operands[1].shape();
    copy(shape, args.operands[0], row_major(shape), args.results[0], row_major(shape));
    copy(window, args.operands[1], row_major(window), args.results[0], window_layout(shape, window, args.operands[2]));
  }
};

}  // namespace

void register_indexing(ir::Context& context) {
  register_op<Gather>(context);
  register_op<ScatterAdd>(context);
  register_op<DynamicSlice>(context);
  register_op<DynamicUpdateSlice>(context);
}

Value gather(Builder& b, Value data, Value indices, std::size_t dim) {
  return b.op(Gather::name, {data, indices}, {{"dim", dim_attribute(dim)}});
}

Value scatter_add(Builder& b, Value indices, Value updates, std::size_t dim, Dim size) {
  return b.op(ScatterAdd::name, {indices, updates},
              {{"dim", dim_attribute(dim)}, {"size", ir::Attribute::shape({size})}});
}

Value dynamic_slice(Builder& b, Value x, Value starts, Shape sizes) {
  return b.op(DynamicSlice::name, {x, starts}, {{"sizes", ir::Attribute::shape(std::move(sizes))}});
}

Value dynamic_update_slice(Builder& b, Value x, Value update, Value starts) {
  return b.op(DynamicUpdateSlice::name, {x, update, starts});
}

}  // namespace eddy::ops
