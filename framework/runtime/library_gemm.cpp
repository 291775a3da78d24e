#include "framework/runtime/library_gemm.h"

namespace eddy::runtime {

namespace {

/// [m, k] x [k, n], either operand stored the other way round; false for any other contraction.
bool run_gemm(const devices::Device& device, const ops::KernelArgs& args) {
  if (!args.op.is("prim.dot_general")) return false;
  const Array& lhs = args.operands[0];
  const Array& rhs = args.operands[1];
  if (lhs.rank() != 2 || rhs.rank() != 2 || !is_real(lhs.dtype())) return false;
  const std::vector<std::int64_t> contract_lhs = args.op.at("contract_lhs").as_ints();
  const std::vector<std::int64_t> contract_rhs = args.op.at("contract_rhs").as_ints();
  if (!args.op.at("batch_lhs").as_ints().empty() || contract_lhs.size() != 1) return false;
  EddyGemm gemm{};
  gemm.dtype = lhs.dtype() == DType::f32 ? EDDY_F32 : EDDY_F64;
  gemm.transpose_a = contract_lhs[0] == 0;
  gemm.transpose_b = contract_rhs[0] == 1;
  gemm.m = args.results[0].shape()[0];
  gemm.n = args.results[0].shape()[1];
  gemm.k = lhs.shape()[static_cast<std::size_t>(contract_lhs[0])];
  gemm.a = lhs.raw();
  gemm.lda = lhs.shape()[1];
  gemm.b = rhs.raw();
  gemm.ldb = rhs.shape()[1];
  gemm.c = args.results[0].raw();
  gemm.ldc = gemm.n;
  device.gemm(gemm);
  return true;
}

}  // namespace

InterpreterOptions library_contractions(devices::Device device) {
  return {[device = std::move(device)](const ops::KernelArgs& args) { return run_gemm(device, args); }};
}

}  // namespace eddy::runtime
