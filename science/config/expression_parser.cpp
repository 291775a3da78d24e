/// Lexer and Pratt parser ("Top down operator precedence", Pratt 1973) of expression.h's grammar.
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <functional>
#include <map>
#include <optional>

#include "science/config/document.h"
#include "science/config/expression.h"

namespace eddy::config {

namespace {

using Kind = Expression::Kind;

constexpr std::size_t max_tokens = 2000;
constexpr int max_nesting = 100;
constexpr std::size_t max_name = 200;

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

struct Token {
  enum class Kind { number, word, symbol, end } kind = Kind::end;
  std::string text;
  double value = 0;
  std::size_t offset = 0;
};

/// The text, where its characters stand, and errors that point at them.
struct Input {
  std::string text;
  std::string origin;
  std::function<SourceLocation(std::size_t)> where;

  UserError error(std::size_t offset, const std::string& message, const std::string& hint = {}) const {
    const SourceLocation location = where(offset);
    if (location.line > 0) return {location, message, hint};
    const std::string place = text.empty() ? "" : fmt::format(" (character {} of \"{}\")", offset + 1, text);
    return {location, message + place, hint};
  }
};

class Lexer {
 public:
  explicit Lexer(const Input& input) : input_(input), text_(input.text) {}

  std::vector<Token> run() {
    std::vector<Token> tokens;
    for (;;) {
      while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\n')) ++at_;
      if (tokens.size() > max_tokens) {
        throw input_.error(at_, fmt::format("an expression may have at most {} tokens", max_tokens),
                           "name parts of it under 'define'");
      }
      if (at_ == text_.size()) break;
      tokens.push_back(next());
    }
    tokens.push_back({Token::Kind::end, "the end", 0, at_});
    return tokens;
  }

 private:
  char peek(std::size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }

  Token next() {
    if (is_digit(peek()) || (peek() == '.' && is_digit(peek(1)))) return number();
    const std::size_t start = at_;
    if (is_letter(peek())) {
      while (is_letter(peek()) || is_digit(peek())) ++at_;
      if (at_ - start > max_name) {
        throw input_.error(start, fmt::format("a name may have at most {} characters", max_name));
      }
      return {Token::Kind::word, text_.substr(start, at_ - start), 0, start};
    }
    return symbol();
  }

  Token number() {
    const std::size_t start = at_;
    while (is_digit(peek())) ++at_;
    if (peek() == '.') ++at_;
    while (is_digit(peek())) ++at_;
    if (peek() == 'e' || peek() == 'E') {
      const std::size_t sign = peek(1) == '+' || peek(1) == '-' ? 1 : 0;
      if (is_digit(peek(1 + sign))) {
        at_ += 1 + sign;
        while (is_digit(peek())) ++at_;
      }
    }
    Token token{Token::Kind::number, text_.substr(start, at_ - start), 0, start};
    if (is_letter(peek())) {
      std::size_t end = at_;
      while (end < text_.size() && (is_letter(text_[end]) || is_digit(text_[end]))) ++end;
      const std::string word = text_.substr(at_, end - at_);
      throw input_.error(at_, fmt::format("expected an operator after {}, found '{}'", token.text, word),
                         fmt::format("write {}*{}", token.text, word));
    }
    const auto [end, error] = std::from_chars(token.text.data(), token.text.data() + token.text.size(), token.value);
    if (error != std::errc{} || end != token.text.data() + token.text.size() || !std::isfinite(token.value)) {
      throw input_.error(start, fmt::format("the number {} is out of range", token.text));
    }
    return token;
  }

  Token symbol() {
    const std::size_t start = at_;
    const std::string two = text_.substr(at_, 2);
    const auto refuse = [&](const std::string& found, const std::string& hint) {
      throw input_.error(start, fmt::format("'{}' is no operator here", found), hint);
    };
    if (two == "**") refuse(two, "a power is written a^b");
    if (two == "&&") refuse(two, "write 'and'");
    if (two == "||") refuse(two, "write 'or'");
    for (const char* symbol : {"==", "!=", "<=", ">="}) {
      if (two == symbol) {
        at_ += 2;
        return {Token::Kind::symbol, two, 0, start};
      }
    }
    const char c = peek();
    if (c == '=') refuse("=", "a comparison is written a == b");
    if (c == '!') refuse("!", "write 'not'");
    if (std::string_view("+-*/^<>(),").find(c) == std::string_view::npos) {
      std::size_t length = 1;  // of the character in UTF-8
      while (start + length < text_.size() && (static_cast<unsigned char>(text_[start + length]) & 0xc0u) == 0x80u)
        ++length;
      throw input_.error(start, fmt::format("unexpected character '{}'", text_.substr(start, length)),
                         "names are made of letters, digits and underscores");
    }
    ++at_;
    return {Token::Kind::symbol, std::string(1, c), 0, start};
  }

  const Input& input_;
  const std::string& text_;
  std::size_t at_ = 0;
};

// Binding powers; an operator of power p takes operands that bind tighter.
constexpr int power_or = 1, power_and = 2, power_not = 3, power_compare = 4, power_add = 5, power_multiply = 6,
              power_sign = 7, power_power = 8;

struct Infix {
  Kind kind;
  int power;
};

std::optional<Infix> infix_of(const Token& token) {
  if (token.kind == Token::Kind::word) {
    if (token.text == "or") return Infix{Kind::logical_or, power_or};
    if (token.text == "and") return Infix{Kind::logical_and, power_and};
    return std::nullopt;
  }
  if (token.kind != Token::Kind::symbol) return std::nullopt;
  static const std::map<std::string, Infix> table = {
      {"<", {Kind::less, power_compare}},      {"<=", {Kind::less_equal, power_compare}},
      {">", {Kind::greater, power_compare}},   {">=", {Kind::greater_equal, power_compare}},
      {"==", {Kind::equal, power_compare}},    {"!=", {Kind::not_equal, power_compare}},
      {"+", {Kind::add, power_add}},           {"-", {Kind::subtract, power_add}},
      {"*", {Kind::multiply, power_multiply}}, {"/", {Kind::divide, power_multiply}},
      {"^", {Kind::power, power_power}},
  };
  const auto found = table.find(token.text);
  return found == table.end() ? std::nullopt : std::optional<Infix>(found->second);
}

class Parser {
 public:
  explicit Parser(const Input& input) : input_(input), tokens_(Lexer(input).run()) {}

  Expression run() {
    Expression expression = parse(0);
    if (token().kind != Token::Kind::end) {
      if (token().text == ")") throw error("expected the end, found ')'", "it closes no parenthesis");
      throw error("expected an operator, found " + found());
    }
    return expression;
  }

 private:
  const Token& token() const { return tokens_[at_]; }
  bool is_symbol(std::string_view text) const { return token().kind == Token::Kind::symbol && token().text == text; }
  std::string found() const {
    return token().kind == Token::Kind::end ? "the end of the expression" : "'" + token().text + "'";
  }
  UserError error(const std::string& message, const std::string& hint = {}) const {
    return input_.error(token().offset, message, hint);
  }

  Expression node(Kind kind, std::size_t offset, std::vector<Expression> operands) const {
    Expression expression;
    expression.kind = kind;
    expression.where = input_.where(offset);
    expression.operands = std::move(operands);
    return expression;
  }

  /// An expression whose operators bind tighter than `power`.
  Expression parse(int power) {
    if (++nesting_ > max_nesting) throw error(fmt::format("the expression is nested more than {} deep", max_nesting));
    Expression left = prefix(power);
    bool left_is_comparison = false;
    for (;;) {
      const std::optional<Infix> infix = infix_of(token());
      if (!infix || infix->power <= power) break;
      const std::size_t offset = token().offset;
      if (infix->power == power_compare && left_is_comparison) {
        throw error("comparisons cannot be chained", "write: a < b and b < c");
      }
      ++at_;
      // The right operand of ^ may hold another ^ and a sign.
      Expression right = parse(infix->kind == Kind::power ? power_power - 1 : infix->power);
      std::vector<Expression> operands;
      operands.push_back(std::move(left));
      operands.push_back(std::move(right));
      left = node(infix->kind, offset, std::move(operands));
      left_is_comparison = infix->power == power_compare;
    }
    --nesting_;
    return left;
  }

  Expression prefix(int power) {
    const Token first = token();
    switch (first.kind) {
      case Token::Kind::number: {
        ++at_;
        Expression expression = node(Kind::number, first.offset, {});
        expression.value = first.value;
        if (is_symbol("(")) throw error("expected an operator, found '('", "a product is written a*b");
        return expression;
      }
      case Token::Kind::word: return word(first, power);
      case Token::Kind::symbol: break;
      case Token::Kind::end: throw error("expected a value, found " + found());
    }
    if (first.text == "(") {
      ++at_;
      Expression inner = parse(0);
      if (!is_symbol(")")) throw unclosed(first.offset);
      ++at_;
      if (is_symbol("(")) throw error("expected an operator, found '('", "a product is written a*b");
      return inner;
    }
    if (first.text == "-" || first.text == "+") {
      ++at_;
      Expression operand = parse(power_sign);
      if (first.text == "+") return operand;
      std::vector<Expression> operands;
      operands.push_back(std::move(operand));
      return node(Kind::negate, first.offset, std::move(operands));
    }
    throw error("expected a value, found " + found());
  }

  Expression word(const Token& first, int power) {
    if (first.text == "and" || first.text == "or") throw error("expected a value, found " + found());
    ++at_;
    if (first.text == "not") {
      if (power >= power_not) {
        throw input_.error(first.offset, "'not' binds looser than the operator before it", "put parentheses: (not a)");
      }
      std::vector<Expression> operands;
      operands.push_back(parse(power_not - 1));
      return node(Kind::logical_not, first.offset, std::move(operands));
    }
    Expression expression = node(Kind::name, first.offset, {});
    expression.name = first.text;
    if (!is_symbol("(")) return expression;
    expression.kind = Kind::call;
    const std::size_t opening = token().offset;
    ++at_;
    if (is_symbol(")")) throw error("expected an argument of " + first.text + ", found ')'");
    for (;;) {
      expression.operands.push_back(parse(0));
      if (is_symbol(")")) break;
      if (!is_symbol(",")) throw unclosed(opening);
      ++at_;
    }
    ++at_;
    return expression;
  }

  UserError unclosed(std::size_t opening) const {
    if (token().kind != Token::Kind::end) return error("expected an operator or ')', found " + found());
    return input_.error(opening, "this parenthesis is never closed");
  }

  const Input& input_;
  std::vector<Token> tokens_;
  std::size_t at_ = 0;
  int nesting_ = 0;
};

Expression parse_input(const Input& input) { return Parser(input).run(); }

}  // namespace

Expression parse_expression(const Node& scalar) {
  if (!scalar.is_scalar()) throw UserError(scalar.where, "expected an expression, found " + scalar.describe());
  return parse_input({scalar.text, {}, [&](std::size_t offset) { return scalar.where_at(offset); }});
}

Expression parse_expression(const std::string& text, const std::string& origin) {
  SourceLocation where;
  if (!origin.empty()) where.file = std::make_shared<const std::string>(origin);
  return parse_input({text, origin, [where](std::size_t) { return where; }});
}

}  // namespace eddy::config
