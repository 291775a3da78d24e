#include "framework/compiler/gemm_tile.h"

#include <algorithm>
#include <fmt/format.h>
#include <string_view>
#include <utility>
#include <vector>

#include "framework/core/errors.h"

namespace eddy::compiler {
namespace {

using Replacements = std::vector<std::pair<std::string_view, std::string>>;

// Replaces $(key) by its value.
std::string fill(std::string_view text, const Replacements& values) {
  std::string out;
  while (true) {
    const std::size_t at = text.find("$(");
    out += text.substr(0, at);
    if (at == std::string_view::npos) return out;
    const std::size_t end = text.find(')', at);
    const auto key = text.substr(at + 2, end - at - 2);
    const auto value = std::find_if(values.begin(), values.end(), [&](const auto& v) { return v.first == key; });
    EDDY_CHECK(value != values.end(), "no value for '{}'", key);
    out += value->second;
    text.remove_prefix(end + 1);
  }
}

// A register block is `rows` x `vectors` accumulators; beside them the vectors of one row of B and one broadcast
// element of A.
constexpr int most_rows = 12;
int vectors_of_block(VectorTarget target) { return target.registers >= 32 ? 4 : 2; }
int rows_of_block(VectorTarget target, int vectors) {
  return std::min(most_rows, (target.registers - 1 - vectors) / vectors / 2 * 2);
}

constexpr std::string_view block_text = R"(
typedef $(R) eddy_vec_$(T) __attribute__((vector_size($(bytes))));
typedef $(R) eddy_vec_any_$(T) __attribute__((vector_size($(bytes)), aligned($(size)), may_alias));
EDDY_FN eddy_vec_$(T) eddy_vec_set_$(T)($(R) x) { return x - (eddy_vec_$(T)){0}; }
EDDY_FN eddy_vec_$(T) eddy_vec_load_$(T)(const $(R)* p) { return *(const eddy_vec_any_$(T)*)p; }
EDDY_FN void eddy_vec_store_$(T)($(R)* p, eddy_vec_$(T) v) { *(eddy_vec_any_$(T)*)p = v; }
#if !defined(__clang__) && defined($(feature))
EDDY_FN eddy_vec_$(T) eddy_vec_fma_$(T)(eddy_vec_$(T) x, eddy_vec_$(T) y, eddy_vec_$(T) z) { return $(fma); }
#else
EDDY_FN eddy_vec_$(T) eddy_vec_fma_$(T)(eddy_vec_$(T) x, eddy_vec_$(T) y, eddy_vec_$(T) z) {
  for (int i = 0; i < $(W); ++i) z[i] = eddy_fma_$(T)(x[i], y[i], z[i]);
  return z;
}
#endif
/* The first n elements only; the others are zero (load) or untouched (store). */
#if !defined(__clang__) && defined(__AVX512F__) && $(bytes) == 64
EDDY_FN eddy_vec_$(T) eddy_vec_load_part_$(T)(const $(R)* p, int n) { return $(load512); }
EDDY_FN void eddy_vec_store_part_$(T)($(R)* p, eddy_vec_$(T) v, int n) { $(store512); }
#else
EDDY_FN eddy_vec_$(T) eddy_vec_load_part_$(T)(const $(R)* p, int n) {
  eddy_vec_$(T) v = {0};
  __builtin_memcpy(&v, p, (unsigned long)n * $(size));
  return v;
}
EDDY_FN void eddy_vec_store_part_$(T)($(R)* p, eddy_vec_$(T) v, int n) {
  __builtin_memcpy(p, &v, (unsigned long)n * $(size));
}
#endif

/* One register block: rows x vectors sums over `depth`, C = init + A B. Element (i, p) of A stands at a[i a_row + p a_depth], row p of
   B at b + p b_depth. Of the last vector, b_last elements of B and c_last of C exist. Everything but pointers and strides is a constant. */
EDDY_FN void eddy_gemm_block_$(T)(const int rows, const int vectors, const int b_last, const int c_last, long depth,
                                const $(R)* a, long a_row, long a_depth, const $(R)* b, long b_depth,
                                const $(R)* init, long ld_init, $(R)* c, long ldc) {
  eddy_vec_$(T) sum[$(most_rows)][$(most_vectors)], row[$(most_vectors)];
#pragma GCC unroll 16
  for (int i = 0; i < rows; ++i)
#pragma GCC unroll 4
    for (int j = 0; j < vectors; ++j)
      sum[i][j] = init == 0 ? (eddy_vec_$(T)){0}
                  : j + 1 < vectors || c_last == $(W) ? eddy_vec_load_$(T)(init + i * ld_init + j * $(W))
                                                    : eddy_vec_load_part_$(T)(init + i * ld_init + j * $(W), c_last);
  for (long p = 0; p < depth; ++p) {
#pragma GCC unroll 4
    for (int j = 0; j < vectors; ++j)
      row[j] = j + 1 < vectors || b_last == $(W) ? eddy_vec_load_$(T)(b + p * b_depth + j * $(W))
                                               : eddy_vec_load_part_$(T)(b + p * b_depth + j * $(W), b_last);
#pragma GCC unroll 16
    for (int i = 0; i < rows; ++i) {
      const eddy_vec_$(T) x = eddy_vec_set_$(T)(a[i * a_row + p * a_depth]);
#pragma GCC unroll 4
      for (int j = 0; j < vectors; ++j) sum[i][j] = eddy_vec_fma_$(T)(x, row[j], sum[i][j]);
    }
  }
#pragma GCC unroll 16
  for (int i = 0; i < rows; ++i)
#pragma GCC unroll 4
    for (int j = 0; j < vectors; ++j) {
      if (j + 1 < vectors || c_last == $(W)) eddy_vec_store_$(T)(c + i * ldc + j * $(W), sum[i][j]);
      else eddy_vec_store_part_$(T)(c + i * ldc + j * $(W), sum[i][j], c_last);
    }
}

/* A panel of any number of rows: blocks of block_rows, then of 8, 4, 2, 1. */
EDDY_FN void eddy_gemm_panel_$(T)(const int block_rows, const int vectors, const int b_last, const int c_last, long rows, long depth,
                                const $(R)* a, long a_row, long a_depth, const $(R)* b, long b_depth,
                                const $(R)* init, long ld_init, $(R)* c, long ldc) {
#define EDDY_BLOCK(m) eddy_gemm_block_$(T)(m, vectors, b_last, c_last, depth, a + r * a_row, a_row, a_depth, b, b_depth, \
                                         init == 0 ? init : init + r * ld_init, ld_init, c + r * ldc, ldc)
  long r = 0;
  for (; r + block_rows <= rows; r += block_rows) EDDY_BLOCK(block_rows);
  if (block_rows > 8 && r + 8 <= rows) { EDDY_BLOCK(8); r += 8; }
  if (block_rows > 4 && r + 4 <= rows) { EDDY_BLOCK(4); r += 4; }
  if (r + 2 <= rows) { EDDY_BLOCK(2); r += 2; }
  if (r < rows) EDDY_BLOCK(1);
#undef EDDY_BLOCK
}

/* The sums of $(W) vectors' elements, into the elements of s[0]: each of them in halves, s_i + s_(i + half). */
EDDY_FN void eddy_vec_sums_$(T)(eddy_vec_$(T)* s) {
$(sums)}
)";

struct Panel {
  int first;    // first column
  int vectors;  // its width in vectors
  int count;    // columns that exist, at most vectors * W
};

// Columns 0..n in panels of nearly equal width, at most `most` vectors each.
std::vector<Panel> panels_of(int n, int vector_length, int most) {
  const int vectors = (n + vector_length - 1) / vector_length, n_panels = (vectors + most - 1) / most;
  std::vector<Panel> panels;
  for (int i = 0, first = 0; i < n_panels; ++i) {
    const int width = vectors / n_panels + (i < vectors % n_panels ? 1 : 0);
    panels.push_back({first, width, std::min(n - first, width * vector_length)});
    first += width * vector_length;
  }
  return panels;
}

class TilePrinter {
 public:
  explicit TilePrinter(const GemmTile& tile) : tile_(tile) {
    EDDY_CHECK(is_real(tile.dtype), "no matrix product of {} tiles", name(tile.dtype));
    EDDY_CHECK(tile.k >= 1 && tile.n >= 1 && tile.k <= 65536 && tile.n <= 65536, "K = {}, N = {}", tile.k, tile.n);
    EDDY_CHECK((tile.target.bytes == 16 || tile.target.bytes == 32 || tile.target.bytes == 64) &&
                   tile.target.registers >= 8 && tile.target.registers <= 64,
               "vectors of {} bytes, {} registers", tile.target.bytes, tile.target.registers);
    length_ = tile.target.bytes / static_cast<int>(size_of(tile.dtype));
    const bool forward = tile.form == GemmForm::forward;
    result_.name = fmt::format("eddy_gemm_{}{}_{}x{}", forward ? "" : "grad_", name(tile.dtype), tile.k, tile.n);
    values_ = {{"name", result_.name},
               {"R", tile.dtype == DType::f64 ? "double" : "float"},
               {"T", std::string(name(tile.dtype))},
               {"W", std::to_string(length_)},
               {"K", std::to_string(tile.k)},
               {"N", std::to_string(tile.n)}};
  }

  PrintedGemmTile print() {
    if (tile_.form == GemmForm::weight_gradient) {
      print_weight_gradient();
    } else if (tile_.n == 1) {
      print_dot();
    } else {
      print_forward();
    }
    return std::move(result_);
  }

 private:
  int padded(int n) const { return (n + length_ - 1) / length_ * length_; }
  std::vector<Panel> panels(int n) const { return panels_of(n, length_, vectors_of_block(tile_.target)); }
  int last(const Panel& p) const { return p.count - (p.vectors - 1) * length_; }

  // `n` equal panels in a row from `it` on become one loop.
  static std::size_t equal_panels(const std::vector<Panel>& panels, std::size_t i) {
    std::size_t end = i + 1;
    while (end < panels.size() && panels[end].vectors == panels[i].vectors && panels[end].count == panels[i].count)
      ++end;
    return end - i;
  }

  void add(std::string_view text, Replacements more = {}) {
    more.insert(more.end(), values_.begin(), values_.end());
    result_.source += fill(text, more);
  }

  // Padding has loops of its own: of `j < n ? b[j] : 0` GCC 12 makes loads beyond the end of b.
  void print_forward() {
    const auto list = panels(tile_.n);
    // A block of K and the widest panel take half of a first-level cache: 32 KiB.
    const int block = std::min(tile_.k, 32768 / (list.front().vectors * tile_.target.bytes));
    const int width = padded(tile_.n);
    result_.packed_size = static_cast<std::size_t>(tile_.k) * static_cast<std::size_t>(width);
    values_.insert(values_.end(), {{"block", std::to_string(block)},
                                   {"Np", std::to_string(width)},
                                   {"depth", tile_.k > block ? "depth" : std::to_string(tile_.k)}});
    for (const auto* form : {"", "_transposed"}) {
      add(R"(
static __attribute__((unused)) void $(name)_pack$(form)(const $(R)* b, long ldb, $(R)* packed) {
  for (long k0 = 0; k0 < $(K); k0 += $(block)) {
    const long depth = $(K) - k0 < $(block) ? $(K) - k0 : $(block);
)",
          {{"form", form}});
      for (const auto& p : list)
        add(R"(    for (long k = k0; k < k0 + depth; ++k) {
      $(R)* row = packed + k0 * $(Np) + depth * $(first) + (k - k0) * $(width);
      for (long j = 0; j < $(count); ++j) row[j] = b[$(from)];
      for (long j = $(count); j < $(width); ++j) row[j] = 0;
    }
)",
            {{"first", std::to_string(p.first)},
             {"count", std::to_string(p.count)},
             {"width", std::to_string(p.vectors * length_)},
             {"from",
              *form != '\0' ? fmt::format("({} + j) * ldb + k", p.first) : fmt::format("k * ldb + {} + j", p.first)}});
      add("  }\n}\n");
    }
    add(R"(
static __attribute__((unused)) void $(name)(long rows, const $(R)* a, long lda, const $(R)* packed, const $(R)* init, long ld_init,
    $(R)* c, long ldc) {
)");
    if (tile_.k > block)
      add(R"(  for (long k0 = 0; k0 < $(K); k0 += $(block), init = c, ld_init = ldc) {
    const long depth = $(K) - k0 < $(block) ? $(K) - k0 : $(block);
    const $(R)* b = packed + k0 * $(Np);
)");
    else
      add("  {\n    const long k0 = 0;\n    const $(R)* b = packed;\n");
    for (std::size_t i = 0; i < list.size();) {
      const std::size_t n_equal = equal_panels(list, i);
      const Panel& p = list[i];
      const int step = p.vectors * length_;
      add(R"(    for (long j = $(first); j < $(end); j += $(step))
      eddy_gemm_panel_$(T)($(rows), $(vectors), $(W), $(c_last), rows, $(depth), a + k0, lda, 1, b + j * $(depth), $(step),
                         init == 0 ? init : init + j, ld_init, c + j, ldc);
)",
          {{"first", std::to_string(p.first)},
           {"end", std::to_string(p.first + static_cast<int>(n_equal) * step)},
           {"step", std::to_string(step)},
           {"rows", std::to_string(rows_of_block(tile_.target, p.vectors))},
           {"vectors", std::to_string(p.vectors)},
           {"c_last", std::to_string(last(p))}});
      i += n_equal;
    }
    add("  }\n}\n");
  }

  // One column: a dot product per row, vectors along K.
  void print_dot() {
    const int whole = tile_.k / length_ * length_;
    result_.packed_size = static_cast<std::size_t>(padded(tile_.k));
    values_.insert(values_.end(), {{"Kp", std::to_string(padded(tile_.k))},
                                   {"whole", std::to_string(whole)},
                                   {"rest", std::to_string(tile_.k - whole)}});
    for (const auto& [form, stride] : {std::pair{"", "ldb"}, std::pair{"_transposed", "1"}})
      add(R"(
static __attribute__((unused)) void $(name)_pack$(form)(const $(R)* b, long ldb, $(R)* packed) {
  (void)ldb;
  for (long k = 0; k < $(K); ++k) packed[k] = b[k * $(stride)];
  for (long k = $(K); k < $(Kp); ++k) packed[k] = 0;
}
)",
          {{"form", form}, {"stride", stride}});
    add(R"(
static __attribute__((unused)) void $(name)(long rows, const $(R)* a, long lda, const $(R)* packed, const $(R)* init, long ld_init,
    $(R)* c, long ldc) {
  for (long r = 0; r < rows; r += $(W)) {
    /* Beyond the last row, the last one again. */
    const $(R)* row[$(W)];
    eddy_vec_$(T) sum[$(W)];
#pragma GCC unroll 16
    for (int i = 0; i < $(W); ++i) row[i] = a + (r + i < rows ? r + i : rows - 1) * lda;
#pragma GCC unroll 16
    for (int i = 0; i < $(W); ++i) sum[i] = (eddy_vec_$(T)){0};
    for (long k = 0; k < $(whole); k += $(W)) {
      const eddy_vec_$(T) x = eddy_vec_load_$(T)(packed + k);
#pragma GCC unroll 16
      for (int i = 0; i < $(W); ++i) sum[i] = eddy_vec_fma_$(T)(eddy_vec_load_$(T)(row[i] + k), x, sum[i]);
    }
)");
    if (whole < tile_.k)
      add(R"(    const eddy_vec_$(T) x = eddy_vec_load_$(T)(packed + $(whole));
#pragma GCC unroll 16
    for (int i = 0; i < $(W); ++i)
      sum[i] = eddy_vec_fma_$(T)(eddy_vec_load_part_$(T)(row[i] + $(whole), $(rest)), x, sum[i]);
)");
    add(R"(    eddy_vec_sums_$(T)(sum);
    $(R) sums[$(W)];
    eddy_vec_store_$(T)(sums, sum[0]);
    for (long i = r; i < rows && i < r + $(W); ++i) c[i * ldc] = (init == 0 ? 0 : init[i * ld_init]) + sums[i - r];
  }
}
)");
  }

  void print_weight_gradient() {
    // The accumulator is [rows, padded columns]; the transpose where that is smaller.
    const bool transposed = tile_.n * padded(tile_.k) < tile_.k * padded(tile_.n);
    const int rows = transposed ? tile_.n : tile_.k, columns = transposed ? tile_.k : tile_.n;
    result_.packed_size = static_cast<std::size_t>(rows) * static_cast<std::size_t>(padded(columns));
    values_.insert(values_.end(), {{"sum_rows", std::to_string(rows)},
                                   {"Np", std::to_string(padded(columns))},
                                   {"x", transposed ? "g" : "a"},
                                   {"y", transposed ? "a" : "g"},
                                   {"from", transposed ? "j * " + std::to_string(padded(columns)) + " + k"
                                                       : "k * " + std::to_string(padded(columns)) + " + j"}});
    add(R"(
static __attribute__((unused)) void $(name)(long rows, const $(R)* a, long lda, const $(R)* g, long ldg, $(R)* packed) {
)");
    const auto list = panels(columns);
    // Rows of a wide matrix lie so far apart that a panel of them falls into few sets of the cache: copied together
    // first.
    const bool copies = list.size() > 1 && rows >= 64 && columns * static_cast<int>(size_of(tile_.dtype)) >= 1024;
    add(copies ? R"(  for (long r = 0; r < rows; r += 128) {
    const long depth = rows - r < 128 ? rows - r : 128;
)"
               : "  {\n    const long r = 0, depth = rows;\n");
    for (std::size_t i = 0; i < list.size();) {
      const std::size_t n_equal = equal_panels(list, i);
      const Panel& p = list[i];
      const int step = p.vectors * length_;
      add(R"(    for (long j = $(first); j < $(end); j += $(step)) {
)",
          {{"first", std::to_string(p.first)},
           {"end", std::to_string(p.first + static_cast<int>(n_equal) * step)},
           {"step", std::to_string(step)}});
      if (copies)
        add(R"(      $(R) panel[128 * $(step)];
      for (long p = 0; p < depth; ++p) {
        for (long q = 0; q < $(count); ++q) panel[p * $(step) + q] = $(y)[(r + p) * ld$(y) + j + q];
        for (long q = $(count); q < $(step); ++q) panel[p * $(step) + q] = 0;
      }
)",
            {{"step", std::to_string(step)}, {"count", std::to_string(p.count)}});
      add(R"(      eddy_gemm_panel_$(T)($(block_rows), $(vectors), $(last), $(W), $(sum_rows), depth, $(x) + r * ld$(x), 1, ld$(x),
                         $(b), $(b_depth), packed + j, $(Np), packed + j, $(Np));
    }
)",
          {{"block_rows", std::to_string(rows_of_block(tile_.target, p.vectors))},
           {"vectors", std::to_string(p.vectors)},
           {"last", std::to_string(copies ? length_ : last(p))},
           {"b", copies       ? "panel"
                 : transposed ? "a + j"
                              : "g + j"},
           {"b_depth", copies       ? std::to_string(step)
                       : transposed ? "lda"
                                    : "ldg"}});
      i += n_equal;
    }
    add(R"(  }
}
static __attribute__((unused)) void $(name)_unpack(const $(R)* packed, $(R)* c, long ldc) {
  for (long k = 0; k < $(K); ++k)
    for (long j = 0; j < $(N); ++j) c[k * ldc + j] = packed[$(from)];
}
)");
  }

  GemmTile tile_;
  int length_ = 0;  // elements of a vector
  Replacements values_;
  PrintedGemmTile result_;
};

// Vectors s[0..W) to their sums: each step adds halves of the elements of two vectors into one, until s[0] holds all W
// sums in order.
std::string sums_text(int length) {
  std::string out;
  for (int half = length / 2; half > 0; half /= 2) {
    std::string low, high;
    for (int block = 0; block < length; block += 2 * half)
      for (const int source : {0, length})
        for (int i = 0; i < half; ++i) {
          low += fmt::format(", {}", source + block + i);
          high += fmt::format(", {}", source + block + half + i);
        }
    out += fmt::format(
        "#pragma GCC unroll 8\n  for (int i = 0; i < {0}; ++i)\n    s[i] = __builtin_shufflevector(s[i], s[i + "
        "{0}]{1}) + __builtin_shufflevector(s[i], s[i + {0}]{2});\n",
        half, low, high);
  }
  return out;
}

}  // namespace

std::string gemm_tile_builtins(DType dtype, VectorTarget target) {
  const bool f64 = dtype == DType::f64;
  const char letter = f64 ? 'd' : 's';
  const char* feature = target.bytes == 64 ? "__AVX512F__" : "__FMA__";
  const std::string fma =
      target.bytes == 64 ? fmt::format("__builtin_ia32_vfmaddp{}512_mask(x, y, z, -1, 4)", letter)
                         : fmt::format("__builtin_ia32_vfmaddp{}{}(x, y, z)", letter, target.bytes == 32 ? "256" : "");
  const char* mask = f64 ? "(unsigned char)((1u << n) - 1)" : "(unsigned short)((1u << n) - 1)";
  const auto size = size_of(dtype);
  return fill(block_text, {{"R", f64 ? "double" : "float"},
                           {"T", std::string(name(dtype))},
                           {"W", std::to_string(static_cast<std::size_t>(target.bytes) / size)},
                           {"bytes", std::to_string(target.bytes)},
                           {"sums", sums_text(target.bytes / static_cast<int>(size))},
                           {"size", std::to_string(size)},
                           {"feature", feature},
                           {"fma", fma},
                           {"load512", fmt::format("__builtin_ia32_loadup{}512_mask(p, (eddy_vec_{}){{0}}, {})", letter,
                                                   name(dtype), mask)},
                           {"store512", fmt::format("__builtin_ia32_storeup{}512_mask(p, v, {})", letter, mask)},
                           {"most_rows", std::to_string(most_rows)},
                           {"most_vectors", std::to_string(vectors_of_block(target))}});
}

PrintedGemmTile print_gemm_tile(const GemmTile& tile) { return TilePrinter(tile).print(); }

}  // namespace eddy::compiler
