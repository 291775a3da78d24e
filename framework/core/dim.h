#pragma once
/// Sizes that may be symbolic: one program serves every batch size.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace eddy {

namespace detail {
struct DimPolynomial;
}

/// Values of the symbols a program's sizes are made of.
using DimBindings = std::map<std::string, std::int64_t>;

/// A size: a polynomial with integer coefficients over named symbols, for instance `3`, `n` or `2*n + 1`. Canonical and
/// interned, so that equality is a comparison of pointers. Sizes are never negative once they are bound.
class Dim {
 public:
  Dim() = default;
  Dim(std::int64_t constant) : constant_(constant) {}  // NOLINT: sizes are written as plain numbers everywhere
  /// `name` is an identifier: a letter or underscore, then letters, digits and underscores.
  static Dim symbol(std::string_view name);
  /// Reads what str() prints. Throws UserError on anything else.
  static Dim parse(std::string_view text);

  bool is_constant() const { return polynomial_ == nullptr; }
  /// The value of a constant size; InternalError when it is symbolic.
  std::int64_t constant() const;
  /// The value under `bindings`. Throws RuntimeError when a symbol is unbound, or a value negative or too large
  /// for 63 bits.
  std::int64_t evaluate(const DimBindings& bindings) const;
  /// As evaluate(), of a difference of sizes, which may be negative.
  std::int64_t evaluate_signed(const DimBindings& bindings) const;
  /// Names of the symbols in it, sorted.
  std::vector<std::string> symbols() const;
  std::string str() const;

  /// *this / other when the division leaves no remainder for all values of the symbols.
  std::optional<Dim> divide_exactly(Dim other) const;

  /// One summand: coefficient times the product of `symbols` (sorted, a symbol may repeat; empty for the constant).
  struct Term {
    std::vector<std::string> symbols;
    std::int64_t coefficient = 0;
    bool operator==(const Term&) const = default;
  };
  std::vector<Term> terms() const;

  friend Dim operator+(Dim a, Dim b);
  friend Dim operator-(Dim a, Dim b);
  friend Dim operator*(Dim a, Dim b);
  friend bool operator==(Dim a, Dim b) { return a.polynomial_ == b.polynomial_ && a.constant_ == b.constant_; }
  friend bool operator!=(Dim a, Dim b) { return !(a == b); }
  std::size_t hash() const;

 private:
  static Dim from_terms(std::vector<Term> terms);

  std::int64_t constant_ = 0;                          // the value when polynomial_ is null, else 0
  const detail::DimPolynomial* polynomial_ = nullptr;  // interned for the life of the process
};

/// The dims of a tensor, slowest first (row-major).
using Shape = std::vector<Dim>;

Dim n_elements(const Shape& shape);
std::vector<std::int64_t> evaluate(const Shape& shape, const DimBindings& bindings);
bool is_static(const Shape& shape);
/// "[n, 3]"
std::string str(const Shape& shape);

/// a*b and a+b of non-negative sizes; RuntimeError on overflow of 63 bits.
std::int64_t checked_multiply(std::int64_t a, std::int64_t b);
std::int64_t checked_add(std::int64_t a, std::int64_t b);
/// Product of all sizes, checked.
std::int64_t n_elements(const std::vector<std::int64_t>& shape);

}  // namespace eddy
