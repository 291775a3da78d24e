#pragma once
/// What the sources of backends share: failures kept for last_error(), and checks of arguments from across the
/// boundary.

#include <cstdint>
#include <fmt/core.h>
#include <limits>
#include <new>
#include <string>

#include "framework/devices/device_api.h"

namespace eddy::devices {

/// The words of the thread's last failure; one object per backend, thread_local.
struct LastError {
  std::string words;

  template <typename... Args>
  EddyStatus fail(EddyStatus status, fmt::format_string<Args...> format, Args&&... args) noexcept {
    try {
      words = fmt::format(format, std::forward<Args>(args)...);
    } catch (const std::bad_alloc&) {
      words.clear();
    }
    return status;
  }
};

/// What is wrong with a gemm's arguments, or null.
inline const char* find_fault(const EddyGemm* gemm) {
  if (gemm == nullptr || !EDDY_HAS_FIELD(EddyGemm, gemm, ldc)) return "gemm: arguments of another version";
  const EddyGemm& g = *gemm;
  if (g.dtype != EDDY_F32 && g.dtype != EDDY_F64) return "gemm: unknown dtype";
  if (g.m < 0 || g.n < 0 || g.k < 0) return "gemm: negative size";
  const std::int64_t columns_a = g.transpose_a ? g.m : g.k, columns_b = g.transpose_b ? g.k : g.n;
  if (g.lda < columns_a || g.ldb < columns_b || g.ldc < g.n) return "gemm: rows overlap (leading dimension too small)";
  const bool reads = g.m > 0 && g.n > 0 && g.k > 0;
  if ((reads && (g.a == nullptr || g.b == nullptr)) || (g.m > 0 && g.n > 0 && g.c == nullptr))
    return "gemm: null matrix";
  return nullptr;
}

/// 2 m n k, in floating point: the product may not fit an integer.
inline double flops(const EddyGemm& gemm) {
  return 2.0 * static_cast<double>(gemm.m) * static_cast<double>(gemm.n) * static_cast<double>(gemm.k);
}

}  // namespace eddy::devices
