#include <catch2/catch.hpp>

#include "framework/loops/evaluate.h"
#include "framework/loops/lowering.h"
#include "framework/ops/op_test_util.h"

namespace eddy::ops::testing {

namespace {

void set_element(Array& array, std::int64_t position, const loops::Scalar& value) {
  REQUIRE(value.dtype == array.dtype());
  visit_dtype(array.dtype(), [&](auto zero) {
    using T = decltype(zero);
    if constexpr (std::is_floating_point_v<T>) {
      array.data<T>()[static_cast<std::size_t>(position)] = static_cast<T>(value.floating);
    } else if constexpr (std::is_integral_v<T>) {
      array.data<T>()[static_cast<std::size_t>(position)] = static_cast<T>(value.integer);
    }
  });
}

/// Calls f() with the environment's variables "i0", "i1", ... at each index below `extents`, the last fastest.
template <typename F>
void for_each_index(loops::Environment& environment, const std::vector<std::int64_t>& extents, std::size_t first,
                    F&& f) {
  std::int64_t n = 1;
  for (const std::int64_t extent : extents) n *= extent;
  for (std::int64_t position = 0; position < n; ++position) {
    std::int64_t rest = position;
    for (std::size_t d = extents.size(); d-- > 0;) {
      environment.variables[fmt::format("i{}", first + d)] = {DType::i64, 0, rest % extents[d]};
      rest /= extents[d];
    }
    f(position);
  }
}

std::vector<loops::Expr> index_variables(std::size_t n) {
  std::vector<loops::Expr> index;
  for (std::size_t d = 0; d < n; ++d) index.push_back(loops::variable(fmt::format("i{}", d)));
  return index;
}

/// Runs the lowering of one operation.
std::vector<Array> run_lowering(const ir::Operation& op, const std::vector<Array>& operands, const DimBindings& dims) {
  loops::Environment environment;
  environment.sizes = dims;
  for (std::size_t i = 0; i < operands.size(); ++i) environment.buffers[fmt::format("x{}", i)] = operands[i];
  const auto operand = [&](std::size_t i, std::vector<loops::Expr> index) {
    return loops::load(fmt::format("x{}", i), operands[i].dtype(), std::move(index));
  };
  std::vector<Array> results;
  std::vector<std::string> names;
  for (const Value result : op.results()) {
    results.emplace_back(result.dtype(), eddy::evaluate(result.shape(), dims));
    names.push_back(fmt::format("y{}", names.size()));
    environment.buffers[names.back()] = results.back();
  }
  if (const auto* rule = op.info().get<loops::PointLowering>()) {
    for (std::size_t r = 0; r < results.size(); ++r) {
      const auto index = index_variables(results[r].rank());
      const loops::Expr element = rule->point({op, r, index, operand});
      for_each_index(environment, results[r].shape(), 0, [&](std::int64_t position) {
        set_element(results[r], position, loops::evaluate(element, environment));
      });
    }
  } else if (const auto* rule = op.info().get<loops::ReduceLowering>()) {
    Array& result = results.at(0);
    const auto extents = eddy::evaluate(rule->extents(op), dims);
    const auto index = index_variables(result.rank() + extents.size());
    const loops::Expr summand = rule->point({op, 0, index, operand});
    const loops::Expr total = loops::variable("total", result.dtype());
    const loops::Expr step = rule->combine(total, summand);
    for_each_index(environment, result.shape(), 0, [&](std::int64_t position) {
      environment.variables["total"] = loops::evaluate(rule->identity(result.dtype()), environment);
      for_each_index(environment, extents, result.rank(),
                     [&](std::int64_t) { environment.variables["total"] = loops::evaluate(step, environment); });
      set_element(result, position, environment.variables["total"]);
    });
  } else {
    const auto* nest = op.info().get<loops::NestLowering>();
    REQUIRE(nest != nullptr);
    for (Array& result : results) {  // a lowering must not rely on zeros
      std::fill_n(static_cast<unsigned char*>(result.raw()), result.n_bytes(), 0x7b);
    }
    int n_names = 0;
    loops::execute(nest->nest({op, operand, names, [&] { return fmt::format("v{}", n_names++); }}), environment);
  }
  return results;
}

}  // namespace

void check_lowering(const Build& build, const std::vector<Array>& arguments, double tolerance) {
  check_lowering(build, types_of(arguments), arguments, {}, tolerance);
}

void check_lowering(const Build& build, const std::vector<ir::Type>& types, const std::vector<Array>& arguments,
                    const DimBindings& dims, double tolerance) {
  const Traced program(build, types);
  for (const ir::Operation* op : program.function.body().operations()) {
    if (op->is("prim.constant") && op->result().rank() > 0) continue;  // loaded from a buffer
    std::vector<Array> operands;
    for (const auto& operand : program.evaluate(arguments, op->operands(), dims)) operands.push_back(*operand);
    const std::vector<Array> expected = run_kernel(*op, operands, dims), results = run_lowering(*op, operands, dims);
    INFO("lowering of " << op->name());
    for (std::size_t i = 0; i < results.size(); ++i) require_close(results[i], expected[i], tolerance);
  }
}

void check_linear_jet(const Build& build, const std::vector<Array>& arguments) {
  const ir::IndexSet set = full_set(2, 2);
  std::vector<LaneValues> lanes;
  for (std::size_t a = 0; a < arguments.size(); ++a) {
    lanes.push_back(arguments[a].dtype() == DType::f64 ? random_lanes(set, arguments[a], static_cast<unsigned>(a) + 2)
                                                       : LaneValues(set.size()));
    lanes[a][0] = arguments[a];
    // Some absent lanes: one of every argument's in turn, and the last of all.
    if (arguments.size() > 1) lanes[a][1 + a % (set.size() - 1)].reset();
    lanes[a].back().reset();
  }
  const LaneValues result = jet(build, set, lanes);
  for (std::size_t k = 1; k < set.size(); ++k) {
    bool any = false;
    std::vector<Array> at;
    for (std::size_t a = 0; a < arguments.size(); ++a) {
      const bool is_real = arguments[a].dtype() == DType::f64;
      any |= lanes[a][k].has_value();
      at.push_back(!is_real ? arguments[a] : lanes[a][k] ? *lanes[a][k] : Array(DType::f64, arguments[a].shape()));
    }
    REQUIRE(result[k].has_value() == any);
    // The same operations on the same numbers; sums may skip zeros, which changes no bit but a zero's sign.
    if (any) require_close(*result[k], testing::apply(build, at), 0);
  }
}

}  // namespace eddy::ops::testing
