#include "framework/core/dim.h"

#include <algorithm>
#include <cctype>
#include <deque>
#include <mutex>
#include <set>
#include <unordered_map>

#include "framework/core/errors.h"

namespace eddy {

struct detail::DimPolynomial {
  std::vector<Dim::Term> terms;
  std::string text;  // canonical, the interning key
};

namespace {

// Descending degree, then alphabetical: "n*m + 2*n + 1".
bool term_before(const Dim::Term& a, const Dim::Term& b) {
  if (a.symbols.size() != b.symbols.size()) return a.symbols.size() > b.symbols.size();
  return a.symbols < b.symbols;
}

std::string text_of(const std::vector<Dim::Term>& terms) {
  std::string text;
  for (const Dim::Term& term : terms) {
    const bool negative = term.coefficient < 0;
    const std::uint64_t magnitude =
        negative ? 0 - static_cast<std::uint64_t>(term.coefficient) : static_cast<std::uint64_t>(term.coefficient);
    if (!text.empty()) {
      text += negative ? " - " : " + ";
    } else if (negative) {
      text += "-";
    }
    std::string factors;
    if (magnitude != 1 || term.symbols.empty()) factors = std::to_string(magnitude);
    for (const std::string& symbol : term.symbols) factors += (factors.empty() ? "" : "*") + symbol;
    text += factors;
  }
  return text;
}

const detail::DimPolynomial* intern(std::vector<Dim::Term> terms) {
  static std::mutex mutex;
  static std::deque<detail::DimPolynomial> storage;
  static std::unordered_map<std::string, const detail::DimPolynomial*> known;
  std::string text = text_of(terms);
  const std::lock_guard lock(mutex);
  const auto found = known.find(text);
  if (found != known.end()) return found->second;
  storage.push_back({std::move(terms), text});
  known.emplace(std::move(text), &storage.back());
  return &storage.back();
}

std::int64_t multiply_signed(std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  if (__builtin_mul_overflow(a, b, &result)) throw RuntimeError(fmt::format("size too large: {} * {}", a, b));
  return result;
}

std::int64_t add_signed(std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  if (__builtin_add_overflow(a, b, &result)) throw RuntimeError(fmt::format("size too large: {} + {}", a, b));
  return result;
}

// Recursive descent over `sum := product (('+'|'-') product)*`, `product := factor ('*' factor)*`.
class DimParser {
 public:
  explicit DimParser(std::string_view text) : text_(text) {}

  Dim parse() {
    Dim value = sum();
    skip();
    if (at_ != text_.size()) fail();
    return value;
  }

 private:
  [[noreturn]] void fail() const {
    throw UserError(fmt::format("'{}' is no size: expected numbers and names joined by +, - and *", text_));
  }
  void skip() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }
  bool take(char c) {
    skip();
    if (at_ < text_.size() && text_[at_] == c) return ++at_, true;
    return false;
  }
  Dim sum() {
    Dim value = take('-') ? Dim(0) - product() : product();
    while (true) {
      if (take('+')) {
        value = value + product();
      } else if (take('-')) {
        value = value - product();
      } else {
        return value;
      }
    }
  }
  Dim product() {
    Dim value = factor();
    while (take('*')) value = value * factor();
    return value;
  }
  Dim factor() {
    skip();
    const std::size_t start = at_;
    const auto peek = [&] { return at_ < text_.size() ? static_cast<unsigned char>(text_[at_]) : 0; };
    if (std::isdigit(peek())) {
      std::int64_t value = 0;
      while (std::isdigit(peek())) value = add_signed(multiply_signed(value, 10), text_[at_++] - '0');
      return value;
    }
    while (std::isalnum(peek()) || peek() == '_') ++at_;
    if (at_ == start) fail();
    return Dim::symbol(text_.substr(start, at_ - start));
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace

Dim Dim::symbol(std::string_view name) {
  EDDY_CHECK(!name.empty() && !std::isdigit(static_cast<unsigned char>(name.front())), "bad size symbol '{}'", name);
  for (const char c : name) {
    EDDY_CHECK(std::isalnum(static_cast<unsigned char>(c)) || c == '_', "bad size symbol '{}'", name);
  }
  return from_terms({{{std::string(name)}, 1}});
}

Dim Dim::parse(std::string_view text) { return DimParser(text).parse(); }

Dim Dim::from_terms(std::vector<Term> terms) {
  std::sort(terms.begin(), terms.end(), term_before);
  std::vector<Term> merged;
  for (Term& term : terms) {
    if (!merged.empty() && merged.back().symbols == term.symbols) {
      merged.back().coefficient = add_signed(merged.back().coefficient, term.coefficient);
    } else {
      merged.push_back(std::move(term));
    }
  }
  std::erase_if(merged, [](const Term& term) { return term.coefficient == 0; });
  if (merged.empty()) return 0;
  if (merged.size() == 1 && merged.front().symbols.empty()) return merged.front().coefficient;
  Dim result;
  result.polynomial_ = intern(std::move(merged));
  return result;
}

std::vector<Dim::Term> Dim::terms() const {
  if (polynomial_) return polynomial_->terms;
  if (constant_ == 0) return {};
  return {{{}, constant_}};
}

std::int64_t Dim::constant() const {
  EDDY_CHECK(is_constant(), "the size '{}' is symbolic", str());
  return constant_;
}

std::int64_t Dim::evaluate(const DimBindings& bindings) const {
  const std::int64_t size = evaluate_signed(bindings);
  if (size < 0) throw RuntimeError(fmt::format("the size '{}' is negative: {}", str(), size));
  return size;
}

std::int64_t Dim::evaluate_signed(const DimBindings& bindings) const {
  std::int64_t sum = 0;
  for (const Term& term : terms()) {
    std::int64_t product = term.coefficient;
    for (const std::string& symbol : term.symbols) {
      const auto found = bindings.find(symbol);
      if (found == bindings.end()) throw RuntimeError(fmt::format("the size '{}' is not bound", symbol));
      product = multiply_signed(product, found->second);
    }
    sum = add_signed(sum, product);
  }
  return sum;
}

std::vector<std::string> Dim::symbols() const {
  std::set<std::string> names;
  for (const Term& term : terms()) names.insert(term.symbols.begin(), term.symbols.end());
  return {names.begin(), names.end()};
}

std::string Dim::str() const { return polynomial_ ? polynomial_->text : std::to_string(constant_); }

std::size_t Dim::hash() const {
  return polynomial_ ? std::hash<const void*>()(polynomial_) : std::hash<std::int64_t>()(constant_);
}

std::optional<Dim> Dim::divide_exactly(Dim other) const {
  if (other == Dim(0)) return std::nullopt;
  if (*this == other) return Dim(1);
  const std::vector<Term> divisor = other.terms();
  // Long division by the leading term of the divisor; exact when the remainder vanishes.
  Dim quotient = 0;
  Dim rest = *this;
  while (rest != Dim(0)) {
    const Term leading = rest.terms().front();
    const Term& by = divisor.front();
    if (leading.coefficient % by.coefficient != 0) return std::nullopt;
    Term factor{leading.symbols, leading.coefficient / by.coefficient};
    for (const std::string& symbol : by.symbols) {
      const auto found = std::find(factor.symbols.begin(), factor.symbols.end(), symbol);
      if (found == factor.symbols.end()) return std::nullopt;
      factor.symbols.erase(found);
    }
    const Dim step = from_terms({factor});
    quotient = quotient + step;
    rest = rest - step * other;
    if (rest != Dim(0) && term_before(rest.terms().front(), leading)) return std::nullopt;
  }
  return quotient;
}

Dim operator+(Dim a, Dim b) {
  if (a.is_constant() && b.is_constant()) return add_signed(a.constant_, b.constant_);
  std::vector<Dim::Term> terms = a.terms();
  for (Dim::Term& term : b.terms()) terms.push_back(std::move(term));
  return Dim::from_terms(std::move(terms));
}

Dim operator-(Dim a, Dim b) { return a + Dim(-1) * b; }

Dim operator*(Dim a, Dim b) {
  if (a.is_constant() && b.is_constant()) return multiply_signed(a.constant_, b.constant_);
  std::vector<Dim::Term> terms;
  for (const Dim::Term& x : a.terms()) {
    for (const Dim::Term& y : b.terms()) {
      Dim::Term product{x.symbols, multiply_signed(x.coefficient, y.coefficient)};
      product.symbols.insert(product.symbols.end(), y.symbols.begin(), y.symbols.end());
      std::sort(product.symbols.begin(), product.symbols.end());
      terms.push_back(std::move(product));
    }
  }
  return Dim::from_terms(std::move(terms));
}

Dim n_elements(const Shape& shape) {
  Dim product = 1;
  for (const Dim dim : shape) product = product * dim;
  return product;
}

std::vector<std::int64_t> evaluate(const Shape& shape, const DimBindings& bindings) {
  std::vector<std::int64_t> sizes;
  sizes.reserve(shape.size());
  for (const Dim dim : shape) sizes.push_back(dim.evaluate(bindings));
  return sizes;
}

bool is_static(const Shape& shape) {
  return std::all_of(shape.begin(), shape.end(), [](Dim dim) { return dim.is_constant(); });
}

std::string str(const Shape& shape) {
  std::string text = "[";
  for (std::size_t i = 0; i < shape.size(); ++i) text += (i ? ", " : "") + shape[i].str();
  return text + "]";
}

std::int64_t checked_multiply(std::int64_t a, std::int64_t b) { return multiply_signed(a, b); }
std::int64_t checked_add(std::int64_t a, std::int64_t b) { return add_signed(a, b); }

std::int64_t n_elements(const std::vector<std::int64_t>& shape) {
  std::int64_t product = 1;
  for (const std::int64_t size : shape) {
    EDDY_CHECK(size >= 0, "negative size {}", size);
    product = checked_multiply(product, size);
  }
  return product;
}

}  // namespace eddy
