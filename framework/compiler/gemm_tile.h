#pragma once
/// Matrix products of one tile of rows as printed C: single-threaded, without packing of activations, for the narrow
/// layers where a library call costs more than it saves (docs/decisions/0002-gemm-tiles.md).
///
/// All matrices are row-major; K and N are constants of the text, the number of rows is an argument, 0 and 1 included.
/// Sums run over the contracted index in its natural order, one fused multiply-add each, starting from `init`; for N =
/// 1 in as many interleaved partial sums as a vector has elements, added pairwise. So a result's bits depend neither on
/// the number of rows nor on the row's place in the tile, nor on K's blocking. Vectors are GCC's vector extensions;
/// their width comes from VectorTarget.

#include <cstddef>
#include <string>

#include "framework/core/dtype.h"

namespace eddy::compiler {

/// The vector registers that the text is written for. A processor without registers of that size still gets right
/// results with the same bits, slowly. {64, 32} is AVX-512, {32, 16} AVX2, {16, 32} NEON.
struct VectorTarget {
  int bytes = 64;
  int registers = 32;
};

enum class GemmForm {
  /// C[rows, N] = init + A[rows, K] B[K, N]:
  ///     void name(long rows, const T* a, long lda, const T* packed, const T* init, long ld_init, T* c, long ldc)
  ///     void name_pack(const T* b, long ldb, T* packed)              from B[K, N]
  ///     void name_pack_transposed(const T* bt, long ldb, T* packed)  from its transpose [N, K], for dX = G W^T
  /// Row r of `init` begins at init + r ld_init: a bias with ld_init = 0, C itself with ld_init = ldc to accumulate,
  /// NULL for zero.
  /// `packed` holds `packed_size` elements, padding included: blocks of K; in each, panels of columns; in each, rows of
  /// the panel.
  forward,
  /// packed += A[rows, K]^T G[rows, N], and C[K, N] = packed once all tiles are in:
  ///     void name(long rows, const T* a, long lda, const T* g, long ldg, T* packed)
  ///     void name_unpack(const T* packed, T* c, long ldc)
  /// The accumulator has `packed_size` elements, is cleared to zero by its owner and may be added to another one
  /// elementwise (padding stays zero). Its layout is C's or its transpose's, whichever wastes less, with rows padded
  /// to whole vectors.
  weight_gradient,
};

struct GemmTile {
  DType dtype = DType::f32;
  int k = 0, n = 0;
  GemmForm form = GemmForm::forward;
  VectorTarget target = {};
};

/// Text of the functions of GemmForm, and how large `packed` is. All are `static`; within one target, equal names mean
/// equal texts.
struct PrintedGemmTile {
  std::string name, source;
  std::size_t packed_size = 0;  ///< elements
};

/// What all tiles of one dtype and target share; printed once, after c_math_builtins() and before the tiles.
std::string gemm_tile_builtins(DType dtype, VectorTarget target);

/// InternalError for a dtype other than f32 and f64, for K or N outside 1..65536 and for a target that is none.
PrintedGemmTile print_gemm_tile(const GemmTile& tile);

}  // namespace eddy::compiler
