#pragma once
/// A problem as programs.
///
/// Arguments and results of all functions go by names:
///     net.w0, eq.nu          state (Model::state())                         of the program's dtype
///     param.nu, weight.T     scalars (Problem::scalars()), T a term         of the program's dtype, rank 0
///     C.points, ...          batches (Constraint::inputs())                 [n_C, n_columns]
///     lr, clip, step         learning rate and largest gradient norm (infinity: no limit); step is i64, from 1
///     loss, C.T              the sum of all terms, each term                rank 0
///     grad.net.w0            gradient of the loss by a trainable tensor
///     net.w0.m               optimizer state (FirstOrder::state())          shape of net.w0
///     grad_norm              of all gradients together, before clipping
///
/// A term is weight * mean(r^2) over its constraint's points, where a weight that varies in space stands inside the
/// mean. `sum` is without the division by the number of points, `integral` is sum(area * r^2). Without points a term is
/// 0.

#include <memory>

#include "framework/autodiff/planner.h"
#include "framework/ir/module.h"
#include "science/problem/problem.h"

namespace eddy::problem {

/// The problem as it was stated: function `terms` (state, scalars, batches) -> (terms), with requests for derivatives
/// and composite operations in it.
std::unique_ptr<ir::Module> build_terms(const Problem& problem, DType dtype);

struct TrainingProgram {
  std::unique_ptr<ir::Module> module;
  std::vector<autodiff::DerivativePlan> plans;
};

/// Everything training needs, in primitives and composites with derivative rules, derivatives expanded:
///     terms          as build_terms()
///     loss_and_grad  (state, scalars, batches) -> (loss, terms, gradients)
/// and with an optimizer:
///     update         (trainable state, gradients, optimizer state, lr, step, clip) -> (both states, grad_norm)
///     step           (trainable state, optimizer state, fixed state, scalars, batches, lr, step, clip)
///                    -> (both states, loss, terms, grad_norm): loss_and_grad, then update
TrainingProgram build_training(const Problem& problem, DType dtype, const optimizers::FirstOrder* optimizer = nullptr);

/// Function `fields` (state, the equation's scalars, points [n, n_coordinates], and where they are used normals
/// [n, n_space] and sdf [n, 1]) -> the values by name, [n, 1] each: for outputs, validation and prediction. Requests
/// for derivatives are in it. `values` are resolved here; UserError at the expression.
std::unique_ptr<ir::Module> build_fields(const Model& model, DType dtype,
                                         const config::NamedList<config::Expression>& values);

}  // namespace eddy::problem
