#pragma once
/// One struct per operation carries all that is known about it. register_op<Op>() enters what the struct has:
///
///   static constexpr std::string_view name;  static constexpr ir::Trait traits;          required
///   static std::vector<ir::Type> infer(const ir::InferArgs&);                            required
///   static std::vector<ir::SizeCondition> conditions(                                    where sizes must fit
///       std::span<const ir::Type>, const ir::AttributeMap&);
///   static ir::AxesMap axes(const ir::Operation&);                                       required of primitives
///   static std::vector<ir::Value> vjp(const ir::VjpArgs&);                               unless zero_derivative
///   static std::vector<ir::Lanes> jet(const ir::JetArgs&);                               unless zero_derivative
///   static loops::Expr point(const loops::PointArgs&);                                   one of the lowering forms:
///     ... with extents, identity and combine for a ReduceLowering; or
///   static loops::Stmt nest(const loops::NestArgs&);
///   static void run(const KernelArgs&);                                                  required of primitives
///   static std::vector<ir::Value> decompose(ir::Builder&, const ir::Operation&);         required of composites

#include <string>

#include "framework/ir/dialect.h"
#include "framework/ir/rules.h"
#include "framework/loops/lowering.h"
#include "framework/ops/kernel.h"

namespace eddy::ops {

template <typename Op>
void register_op(ir::Context& context) {
  ir::OpInfo& info = context.register_op(std::string(Op::name), Op::traits);
  info.add(ir::ShapeRule{&Op::infer});
  if constexpr (requires { &Op::conditions; }) info.add(ir::SizeRule{&Op::conditions});
  if constexpr (requires { &Op::axes; }) info.add(ir::AxesRule{&Op::axes});
  if constexpr (requires { &Op::vjp; }) info.add(ir::VjpRule{&Op::vjp});
  if constexpr (requires { &Op::jet; }) info.add(ir::JetRule{&Op::jet});
  if constexpr (requires { &Op::decompose; }) info.add(ir::DecomposeRule{&Op::decompose});
  if constexpr (requires { &Op::combine; }) {
    info.add(loops::ReduceLowering{&Op::extents, &Op::point, &Op::identity, &Op::combine});
  } else if constexpr (requires { &Op::point; }) {
    info.add(loops::PointLowering{&Op::point});
  }
  if constexpr (requires { &Op::nest; }) info.add(loops::NestLowering{&Op::nest});
  if constexpr (requires { &Op::run; }) info.add(ReferenceKernel{&Op::run});
}

}  // namespace eddy::ops
