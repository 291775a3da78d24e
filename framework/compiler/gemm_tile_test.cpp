#include "framework/compiler/gemm_tile.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <cstring>
#include <fmt/format.h>
#include <limits>
#include <memory>
#include <random>
#include <span>
#include <sys/mman.h>

#include "framework/compiler/c_math.h"
#include "framework/compiler/c_test_library.h"

namespace eddy::compiler {
namespace {

// An array whose last element stands before a page that must not be touched: reading or writing beyond the end kills
// the test.
template <typename T>
class Guarded {
 public:
  explicit Guarded(std::size_t n) : n_(n) {
    const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    bytes_ = (n * sizeof(T) + page - 1) / page * page + page;
    base_ = static_cast<char*>(mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    EDDY_CHECK(base_ != MAP_FAILED);
    EDDY_CHECK(mprotect(base_ + bytes_ - page, page, PROT_NONE) == 0);
    data_ = reinterpret_cast<T*>(base_ + bytes_ - page - n * sizeof(T));
  }
  Guarded(std::size_t n, std::mt19937_64& random) : Guarded(n) {
    std::uniform_real_distribution<double> unit(-1, 1);
    for (std::size_t i = 0; i < n; ++i) data_[i] = static_cast<T>(unit(random));
  }
  ~Guarded() { munmap(base_, bytes_); }
  Guarded(const Guarded&) = delete;
  Guarded& operator=(const Guarded&) = delete;

  T* data() { return data_; }
  std::size_t size() const { return n_; }
  T& operator[](long i) { return data_[i]; }
  bool same_bits(const Guarded& other) const {
    return n_ == other.n_ && std::memcmp(data_, other.data_, n_ * sizeof(T)) == 0;
  }

 private:
  std::size_t n_, bytes_;
  char* base_;
  T* data_;
};

// One element, odd numbers of vectors, several panels, several blocks of K; first, middle and last layers. The first
// `n_shared` are also printed for other targets.
constexpr std::pair<int, int> shapes[] = {{1, 1},  {2, 50}, {50, 1}, {17, 33}, {70, 270}, {129, 130}, {1, 50},
                                          {3, 20}, {7, 1},  {64, 1}, {50, 2},  {5, 3},    {20, 20},   {50, 50}};
constexpr std::size_t n_shared = 5;
constexpr long row_counts[] = {0, 1, 2, 5, 7, 29, 131};

template <typename T>
struct Forward {
  std::string name;
  std::size_t packed_size;
  void (*run)(long, const T*, long, const T*, const T*, long, T*, long);
  void (*pack)(const T*, long, T*);
  void (*pack_transposed)(const T*, long, T*);
};

template <typename T>
struct Gradient {
  std::size_t packed_size;
  void (*run)(long, const T*, long, const T*, long, T*);
  void (*unpack)(const T*, T*, long);
};

// All shapes printed for one target and compiled.
template <typename T>
class Tiles {
 public:
  Tiles(VectorTarget target, std::size_t n_shapes, const std::vector<std::string>& flags) {
    const DType dtype = dtype_of<T>();
    std::string text = std::string(c_math_builtins()) + gemm_tile_builtins(dtype, target), table;
    for (const auto& [k, n] : std::span(shapes).first(n_shapes))
      for (const auto form : {GemmForm::forward, GemmForm::weight_gradient}) {
        printed_.push_back(print_gemm_tile({dtype, k, n, form, target}));
        text += printed_.back().source;
        for (const auto* function : {"", "_pack", "_pack_transposed", "_unpack"})
          if ((form == GemmForm::forward) == (*function == '\0' || function[1] == 'p') || *function == '\0')
            table += fmt::format("void* const table_{0}{1} = (void*){0}{1};\n", printed_.back().name, function);
      }
    library_ = std::make_unique<CTestLibrary>(text + table, flags);
  }
  Forward<T> forward(std::size_t shape) const {
    const auto& p = printed_[2 * shape];
    Forward<T> f{p.name, p.packed_size, nullptr, nullptr, nullptr};
    load(p.name, f.run), load(p.name + "_pack", f.pack), load(p.name + "_pack_transposed", f.pack_transposed);
    return f;
  }
  Gradient<T> gradient(std::size_t shape) const {
    const auto& p = printed_[2 * shape + 1];
    Gradient<T> g{p.packed_size, nullptr, nullptr};
    load(p.name, g.run), load(p.name + "_unpack", g.unpack);
    return g;
  }

 private:
  template <typename F>
  void load(const std::string& function, F*& pointer) const {
    pointer = *reinterpret_cast<F**>(library_->symbol<void()>("table_" + function));
  }
  std::vector<PrintedGemmTile> printed_;
  std::unique_ptr<CTestLibrary> library_;
};

template <typename T>
const Tiles<T>& native_tiles() {
  auto flags = native_flags();
#ifdef __SANITIZE_ADDRESS__
  flags.front() = "-O1";  // instrumented code at -O3 takes minutes to compile
  flags.push_back("-fsanitize=address");
#endif
  static const Tiles<T> tiles(VectorTarget{64, 32}, std::size(shapes), flags);
  return tiles;
}

// |computed - exact| <= n u / (1 - n u) sum |a b| for n additions and products in any order (Higham, 3.1), u = eps/2.
template <typename T>
long double bound(long n, long double sum_of_magnitudes) {
  const long double nu = static_cast<long double>(n) * std::numeric_limits<T>::epsilon() / 2;
  return nu / (1 - nu) * sum_of_magnitudes;
}

enum class Init { zero, bias, accumulate };

template <typename T>
void check_forward(std::size_t shape, long rows, Init init, bool transposed) {
  const auto [k, n] = shapes[shape];
  const auto tile = native_tiles<T>().forward(shape);
  std::mt19937_64 random(static_cast<unsigned>(rows + 100 * k + 7 * n));
  // Leading dimensions larger than the matrix; the last row ends where the matrix does.
  const long lda = k + 3, ldb = (transposed ? k : n) + 2, ldc = n + 5;
  const auto elements = [](long r, long ld, long c) { return static_cast<std::size_t>(r == 0 ? 0 : (r - 1) * ld + c); };
  Guarded<T> a(elements(rows, lda, k), random), b(transposed ? elements(n, ldb, k) : elements(k, ldb, n), random);
  Guarded<T> bias(static_cast<std::size_t>(n), random), c(elements(rows, ldc, n), random), before(c.size());
  if (c.size() > 0) std::memcpy(before.data(), c.data(), c.size() * sizeof(T));
  Guarded<T> packed(tile.packed_size);
  (transposed ? tile.pack_transposed : tile.pack)(b.data(), ldb, packed.data());
  const auto run = [&](long count, long first, T* out) {
    const T* start = init == Init::zero ? nullptr : init == Init::bias ? bias.data() : out;
    tile.run(count, a.data() + first * lda, lda, packed.data(), start, init == Init::bias ? 0 : ldc, out, ldc);
  };
  run(rows, 0, c.data());
  for (long i = 0; i < rows; ++i) {
    for (long j = 0; j < n; ++j) {
      const long double start = init == Init::zero ? 0 : init == Init::bias ? bias[j] : before[i * ldc + j];
      long double sum = start, magnitude = fabsl(start);
      for (long p = 0; p < k; ++p) {
        const long double product =
            static_cast<long double>(a[i * lda + p]) * (transposed ? b[j * ldb + p] : b[p * ldb + j]);
        sum += product, magnitude += fabsl(product);
      }
      if (!(fabsl(c[i * ldc + j] - sum) <= bound<T>(k + 1, magnitude))) FAIL("element " << i << ", " << j);
    }
    for (long j = n; j < ldc && i * ldc + j < static_cast<long>(c.size()); ++j)
      if (c[i * ldc + j] != before[i * ldc + j]) FAIL("wrote between rows");
    // The same row alone, at another address.
    Guarded<T> alone(static_cast<std::size_t>(n));
    std::memcpy(alone.data(), before.data() + i * ldc, static_cast<std::size_t>(n) * sizeof(T));
    run(1, i, alone.data());
    if (std::memcmp(alone.data(), c.data() + i * ldc, static_cast<std::size_t>(n) * sizeof(T)) != 0)
      FAIL("row " << i << " alone differs");
  }
}

template <typename T>
void check_gradient(std::size_t shape, long rows) {
  const auto [k, n] = shapes[shape];
  const auto tile = native_tiles<T>().gradient(shape);
  std::mt19937_64 random(static_cast<unsigned>(rows + 100 * k + 7 * n));
  const long lda = k + 1, ldg = n + 3, ldc = n + 2;
  const auto elements = [](long r, long ld, long c) { return static_cast<std::size_t>(r == 0 ? 0 : (r - 1) * ld + c); };
  Guarded<T> a(elements(rows, lda, k), random), g(elements(rows, ldg, n), random), sum(tile.packed_size);
  // Two tiles into one accumulator: first a part of the rows, then the rest.
  const long part = rows / 3;
  tile.run(part, a.data(), lda, g.data(), ldg, sum.data());
  tile.run(rows - part, a.data() + part * lda, lda, g.data() + part * ldg, ldg, sum.data());
  Guarded<T> c(elements(k, ldc, n));
  tile.unpack(sum.data(), c.data(), ldc);
  for (long i = 0; i < k; ++i)
    for (long j = 0; j < n; ++j) {
      long double exact = 0, magnitude = 0;
      for (long r = 0; r < rows; ++r) {
        const long double product = static_cast<long double>(a[r * lda + i]) * g[r * ldg + j];
        exact += product, magnitude += fabsl(product);
      }
      if (!(fabsl(c[i * ldc + j] - exact) <= bound<T>(rows + 1, magnitude))) FAIL("element " << i << ", " << j);
    }
}

template <typename T>
void check_all_sizes() {
  for (std::size_t shape = 0; shape < std::size(shapes); ++shape)
    for (const long rows : row_counts) {
      INFO(name(dtype_of<T>()) << " K = " << shapes[shape].first << " N = " << shapes[shape].second
                               << " rows = " << rows);
      for (const auto init : {Init::zero, Init::bias, Init::accumulate}) check_forward<T>(shape, rows, init, false);
      check_forward<T>(shape, rows, Init::bias, true);
      check_gradient<T>(shape, rows);
      SUCCEED();
    }
}

// Other vector widths and plain scalar code: the same sums in the same order, but for the dot products of N = 1.
template <typename T>
void check_other_target(VectorTarget target, const std::vector<std::string>& flags) {
  const Tiles<T> other(target, n_shared, flags);
  std::mt19937_64 random(5);
  for (std::size_t shape = 0; shape < n_shared; ++shape) {
    const auto [k, n] = shapes[shape];
    INFO("K = " << k << " N = " << n << ", " << target.bytes << " bytes");
    const long rows = 13;
    Guarded<T> a(static_cast<std::size_t>(rows * k), random), b(static_cast<std::size_t>(k * n), random);
    Guarded<T> c1(static_cast<std::size_t>(rows * n)), c2(c1.size()), d1(b.size()), d2(b.size());
    const auto forward = [&](const Forward<T>& tile, Guarded<T>& c) {
      Guarded<T> packed(tile.packed_size);
      tile.pack(b.data(), n, packed.data());
      tile.run(rows, a.data(), k, packed.data(), nullptr, 0, c.data(), n);
    };
    const auto gradient = [&](const Gradient<T>& tile, Guarded<T>& d) {
      Guarded<T> sum(tile.packed_size);
      tile.run(rows, a.data(), k, c1.data(), n, sum.data());
      tile.unpack(sum.data(), d.data(), n);
    };
    forward(native_tiles<T>().forward(shape), c1);
    forward(other.forward(shape), c2);
    if (n > 1)
      CHECK(c1.same_bits(c2));
    else
      for (long i = 0; i < rows; ++i) CHECK(std::fabs(c1[i] - c2[i]) <= 2 * bound<T>(k + 1, k));
    gradient(native_tiles<T>().gradient(shape), d1);
    gradient(other.gradient(shape), d2);
    CHECK(d1.same_bits(d2));
  }
}

}  // namespace

TEST_CASE("tiles equal a plain loop and stay within their arrays", "[gemm_tile]") {
  check_all_sizes<float>();
  check_all_sizes<double>();
}

TEST_CASE("tiles for other vector widths give the same bits", "[gemm_tile]") {
  auto narrow = native_flags();
  check_other_target<float>({32, 16}, narrow);
  check_other_target<double>({16, 16}, narrow);
  // No vector instructions beyond the base, no fused multiply-add in hardware: the library's fma, element by element.
  check_other_target<float>({64, 32}, {"-O1", "-ffp-contract=off", "-Wno-psabi"});
}

TEST_CASE("a tile that cannot be printed is refused", "[gemm_tile]") {
  CHECK_THROWS_AS(print_gemm_tile({DType::i64, 4, 4}), InternalError);
  CHECK_THROWS_AS(print_gemm_tile({DType::f32, 0, 4}), InternalError);
  CHECK_THROWS_AS(print_gemm_tile({DType::f32, 4, 4, GemmForm::forward, {48, 32}}), InternalError);
  const auto tile = print_gemm_tile({DType::f32, 50, 50, GemmForm::weight_gradient});
  CHECK(tile.packed_size == 50 * 64);
  CHECK(print_gemm_tile({DType::f32, 50, 1, GemmForm::weight_gradient}).packed_size == 64);  // the transpose is smaller
}

}  // namespace eddy::compiler
