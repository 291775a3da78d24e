/// dot_general: sums of products over named dims of two tensors.

#include <algorithm>

#include "framework/ops/dialects.h"
#include "framework/ops/emit.h"
#include "framework/ops/lanes.h"
#include "framework/ops/registration.h"

namespace eddy::ops {

namespace {

bool contains(const std::vector<std::int64_t>& list, std::size_t value) {
  return std::find(list.begin(), list.end(), static_cast<std::int64_t>(value)) != list.end();
}

/// Dims of one operand that are neither batch nor contracted, ascending.
std::vector<std::int64_t> free_dims(std::size_t rank, const std::vector<std::int64_t>& batch,
                                    const std::vector<std::int64_t>& contract) {
  std::vector<std::int64_t> dims;
  for (std::size_t i = 0; i < rank; ++i) {
    if (!contains(batch, i) && !contains(contract, i)) dims.push_back(static_cast<std::int64_t>(i));
  }
  return dims;
}

/// The dims of both operands and the result as labels 0..: batch, free of lhs, free of rhs, contracted.
struct Labels {
  std::vector<int> lhs, rhs, result;
  int n_result = 0, n_contracted = 0;
};

Labels labels_of(const ir::Operation& op) {
  const DotDims dims = dot_dims(op);
  Labels labels;
  labels.lhs.resize(op.operand(0).rank());
  labels.rhs.resize(op.operand(1).rank());
  int next = 0;
  for (std::size_t i = 0; i < dims.batch_lhs.size(); ++i, ++next) {
    labels.lhs[static_cast<std::size_t>(dims.batch_lhs[i])] = next;
    labels.rhs[static_cast<std::size_t>(dims.batch_rhs[i])] = next;
  }
  for (const std::int64_t dim : free_dims(labels.lhs.size(), dims.batch_lhs, dims.contract_lhs)) {
    labels.lhs[static_cast<std::size_t>(dim)] = next++;
  }
  for (const std::int64_t dim : free_dims(labels.rhs.size(), dims.batch_rhs, dims.contract_rhs)) {
    labels.rhs[static_cast<std::size_t>(dim)] = next++;
  }
  labels.n_result = next;
  for (int i = 0; i < next; ++i) labels.result.push_back(i);
  for (std::size_t i = 0; i < dims.contract_lhs.size(); ++i, ++next) {
    labels.lhs[static_cast<std::size_t>(dims.contract_lhs[i])] = next;
    labels.rhs[static_cast<std::size_t>(dims.contract_rhs[i])] = next;
  }
  labels.n_contracted = next - labels.n_result;
  return labels;
}

struct DotGeneral {
  static constexpr std::string_view name = "prim.dot_general";
  static constexpr ir::Trait traits = ir::Trait::pure;

  static std::vector<ir::Type> infer(const ir::InferArgs& args) {
    args.expect_operands(2);
    const ir::Type lhs = args.operands[0], rhs = args.operands[1];
    if (lhs.dtype() != rhs.dtype() || !is_inexact(lhs.dtype())) {
      args.fail("the operands must be floating-point tensors of one dtype");
    }
    DotDims dims;
    for (auto& [list, key] :
         {std::pair(&dims.batch_lhs, "batch_lhs"), std::pair(&dims.batch_rhs, "batch_rhs"),
          std::pair(&dims.contract_lhs, "contract_lhs"), std::pair(&dims.contract_rhs, "contract_rhs")}) {
      *list = args.at(key).as_ints();
    }
    check_side(args, "lhs", lhs.rank(), dims.batch_lhs, dims.contract_lhs);
    check_side(args, "rhs", rhs.rank(), dims.batch_rhs, dims.contract_rhs);
    Shape shape;
    const auto pair_up = [&](const std::vector<std::int64_t>& left, const std::vector<std::int64_t>& right, bool keep) {
      if (left.size() != right.size()) args.fail("as many dims of one operand as of the other must be paired");
      for (std::size_t i = 0; i < left.size(); ++i) {
        const Dim a = lhs.dim(static_cast<std::size_t>(left[i])), b = rhs.dim(static_cast<std::size_t>(right[i]));
        if (a != b) args.fail(fmt::format("paired dims have sizes {} and {}", a.str(), b.str()));
        if (keep) shape.push_back(a);
      }
    };
    pair_up(dims.batch_lhs, dims.batch_rhs, true);
    pair_up(dims.contract_lhs, dims.contract_rhs, false);
    for (const auto dim : free_dims(lhs.rank(), dims.batch_lhs, dims.contract_lhs))
      shape.push_back(lhs.dim(static_cast<std::size_t>(dim)));
    for (const auto dim : free_dims(rhs.rank(), dims.batch_rhs, dims.contract_rhs))
      shape.push_back(rhs.dim(static_cast<std::size_t>(dim)));
    return {ir::Type::tensor(lhs.dtype(), std::move(shape))};
  }

  static ir::AxesMap axes(const ir::Operation& op) {
    Labels labels = labels_of(op);
    return {{std::move(labels.lhs), std::move(labels.rhs)}, {std::move(labels.result)}};
  }

  static std::vector<Value> vjp(const ir::VjpArgs& args) {
    Builder& b = args.builder;
    const Value lhs = args.op.operand(0), rhs = args.op.operand(1), g = args.cotangents[0];
    return {args.needed[0] ? operand_cotangent(b, args.op, g, conj(b, rhs), 0) : Value(),
            args.needed[1] ? operand_cotangent(b, args.op, g, conj(b, lhs), 1) : Value()};
  }

  static std::vector<Lanes> jet(const ir::JetArgs& args) {
    const DotDims dims = dot_dims(args.op);
    Lanes v(args.set.size());
    v[0] = args.op.result();
    for (std::size_t k = 1; k < v.size(); ++k) {
      std::vector<Value> terms;
      for (const auto& [i, j] : args.set.splits(k)) {
        const Value x = args.operands[0][i], y = args.operands[1][j];
        if (x && y) terms.push_back(dot_general(args.builder, x, y, dims));
      }
      v[k] = sum(args.builder, terms);
    }
    return {v};
  }

  static Shape extents(const ir::Operation& op) {
    Shape shape;
    for (const std::int64_t dim : dot_dims(op).contract_lhs) {
      shape.push_back(op.operand(0).type().dim(static_cast<std::size_t>(dim)));
    }
    return shape;
  }
  static loops::Expr point(const loops::PointArgs& args) {
    const Labels labels = labels_of(args.op);
    const auto pick = [&](const std::vector<int>& of) {
      std::vector<loops::Expr> index;
      for (const int label : of) index.push_back(args.index[static_cast<std::size_t>(label)]);
      return index;
    };
    return args.operand(0, pick(labels.lhs)) * args.operand(1, pick(labels.rhs));
  }
  static loops::Expr identity(DType dtype) { return loops::constant(dtype, 0); }
  static loops::Expr combine(loops::Expr a, loops::Expr b) { return a + b; }

  static void run(const KernelArgs& args) {
    const Labels labels = labels_of(args.op);
    const int n_labels = labels.n_result + labels.n_contracted;
    std::vector<std::int64_t> extent(static_cast<std::size_t>(n_labels)), lhs_stride(extent.size()),
        rhs_stride(extent.size());
    fill_strides(args.operands[0].shape(), labels.lhs, extent, lhs_stride);
    fill_strides(args.operands[1].shape(), labels.rhs, extent, rhs_stride);
    std::int64_t n_summands = 1;
    for (int i = labels.n_result; i < n_labels; ++i) n_summands *= extent[static_cast<std::size_t>(i)];
    visit_dtype(args.results[0].dtype(), [&](auto zero) {
      using T = decltype(zero);
      if constexpr (!std::is_integral_v<T>) {
        const T* x = args.operands[0].data<T>().data();
        const T* y = args.operands[1].data<T>().data();
        auto out = args.results[0].data<T>();
        // A linear counter over (result, contracted) labels, the last fastest.
        std::vector<std::int64_t> counter(extent.size(), 0);
        std::int64_t at_x = 0, at_y = 0;
        const auto advance = [&] {
          for (int i = n_labels - 1; i >= 0; --i) {
            const auto l = static_cast<std::size_t>(i);
            at_x += lhs_stride[l];
            at_y += rhs_stride[l];
            if (++counter[l] < extent[l]) return;
            at_x -= lhs_stride[l] * extent[l];
            at_y -= rhs_stride[l] * extent[l];
            counter[l] = 0;
          }
        };
        for (T& element : out) {
          T total{};
          for (std::int64_t s = 0; s < n_summands; ++s) {
            total += x[at_x] * y[at_y];
            advance();
          }
          element = total;
        }
      }
    });
  }

 private:
  static void check_side(const ir::InferArgs& args, const char* side, std::size_t rank,
                         const std::vector<std::int64_t>& batch, const std::vector<std::int64_t>& contract) {
    std::vector<char> seen(rank, 0);
    for (const auto* list : {&batch, &contract}) {
      for (const std::int64_t dim : *list) {
        if (dim < 0 || dim >= static_cast<std::int64_t>(rank)) args.fail(fmt::format("{} has no dim {}", side, dim));
        if (seen[static_cast<std::size_t>(dim)]++) args.fail(fmt::format("dim {} of {} is named twice", dim, side));
      }
    }
  }

  /// The cotangent of operand `which`: g contracted with the other operand over that one's free dims, then brought into
  /// the operand's order of dims.
  static Value operand_cotangent(Builder& b, const ir::Operation& op, Value g, Value other, int which) {
    const Labels labels = labels_of(op);
    const std::vector<int>& own = which == 0 ? labels.lhs : labels.rhs;
    const std::vector<int>& theirs = which == 0 ? labels.rhs : labels.lhs;
    const auto find = [](const std::vector<int>& list, int label) {
      return std::find(list.begin(), list.end(), label) - list.begin();
    };
    const auto has = [&](const std::vector<int>& list, int label) { return find(list, label) != std::ssize(list); };
    DotDims dims;
    std::vector<int> shared, of_g, of_other;  // labels of the contraction's result
    for (std::size_t i = 0; i < labels.result.size(); ++i) {
      const int label = labels.result[i];
      if (!has(theirs, label)) {
        of_g.push_back(label);
        continue;
      }
      auto& g_list = has(own, label) ? dims.batch_lhs : dims.contract_lhs;
      auto& other_list = has(own, label) ? dims.batch_rhs : dims.contract_rhs;
      g_list.push_back(static_cast<std::int64_t>(i));
      other_list.push_back(find(theirs, label));
      if (has(own, label)) shared.push_back(label);
    }
    for (const int label : theirs) {
      if (!has(labels.result, label)) of_other.push_back(label);
    }
    // Of the two orders of the operands the one that gives the dims as they are wanted, where there is one.
    const auto joined = [&](const std::vector<int>& first, const std::vector<int>& second) {
      std::vector<int> all = shared;
      all.insert(all.end(), first.begin(), first.end());
      all.insert(all.end(), second.begin(), second.end());
      return all;
    };
    if (joined(of_other, of_g) == own) {
      return dot_general(b, other, g, {dims.batch_rhs, dims.batch_lhs, dims.contract_rhs, dims.contract_lhs});
    }
    const std::vector<int> result = joined(of_g, of_other);
    const Value contracted = dot_general(b, g, other, dims);
    if (result == own) return contracted;
    std::vector<std::int64_t> permutation;
    for (const int label : own) permutation.push_back(find(result, label));
    return transpose(b, contracted, permutation);
  }

  static void fill_strides(const std::vector<std::int64_t>& shape, const std::vector<int>& labels,
                           std::vector<std::int64_t>& extent, std::vector<std::int64_t>& stride) {
    std::int64_t step = 1;
    for (std::size_t i = shape.size(); i-- > 0;) {
      const auto label = static_cast<std::size_t>(labels[i]);
      extent[label] = shape[i];
      stride[label] = step;
      step *= shape[i];
    }
  }
};

}  // namespace

void register_contraction(ir::Context& context) { register_op<DotGeneral>(context); }

DotDims dot_dims(const ir::Operation& op) {
  return {op.at("batch_lhs").as_ints(), op.at("batch_rhs").as_ints(), op.at("contract_lhs").as_ints(),
          op.at("contract_rhs").as_ints()};
}

Value dot_general(Builder& b, Value lhs, Value rhs, const DotDims& dims) {
  return b.op(DotGeneral::name, {lhs, rhs},
              {{"batch_lhs", ir::Attribute::ints(dims.batch_lhs)},
               {"batch_rhs", ir::Attribute::ints(dims.batch_rhs)},
               {"contract_lhs", ir::Attribute::ints(dims.contract_lhs)},
               {"contract_rhs", ir::Attribute::ints(dims.contract_rhs)}});
}

Value matmul(Builder& b, Value x, Value y) { return dot_general(b, x, y, {{}, {}, {1}, {0}}); }

}  // namespace eddy::ops
