#include "framework/ir/test_dialect.h"

#include <cstring>

#include "framework/core/array.h"

namespace eddy::ir::testing {

namespace {

std::vector<Type> infer_same(const InferArgs& args) {
  args.expect_operands(2);
  if (args.operands[0] != args.operands[1]) args.fail("the types of the operands differ");
  return {args.operands[0]};
}
std::vector<Type> infer_unary(const InferArgs& args) {
  args.expect_operands(1);
  return {args.operands[0]};
}
std::vector<Type> infer_const(const InferArgs& args) {
  args.expect_operands(0);
  const Array& value = args.at("value").as_dense();
  return {Type::tensor(value.dtype(), Shape(value.shape().begin(), value.shape().end()))};
}
std::vector<Type> infer_splat(const InferArgs& args) {
  args.expect_operands(0);
  args.at("value").as_float();
  return {args.at("type").as_type()};
}
void verify_even(const Operation& op) {
  if (op.at("n").as_int() % 2 != 0) throw UserError(op.location(), "test.even: n is odd", "give an even number");
}

}  // namespace

std::unique_ptr<Context> make_context() {
  auto context = std::make_unique<Context>();
  const Trait elementwise = Trait::pure | Trait::elementwise;
  context->register_op("test.add", elementwise | Trait::commutative | Trait::linear).add(ShapeRule{infer_same});
  context->register_op("test.mul", elementwise | Trait::commutative).add(ShapeRule{infer_same});
  context->register_op("test.sub", elementwise | Trait::linear).add(ShapeRule{infer_same});
  context->register_op("test.neg", elementwise | Trait::linear).add(ShapeRule{infer_unary});
  context->register_op("test.exp", elementwise).add(ShapeRule{infer_unary});
  context->register_op("test.const", Trait::pure | Trait::constant).add(ShapeRule{infer_const});
  context->register_op("test.splat", Trait::pure | Trait::constant).add(ShapeRule{infer_splat});
  context->register_op("test.source", Trait::none);
  context->register_op("test.region", Trait::pure);
  context->register_op("test.isolated", Trait::isolated);
  context->register_op("test.yield", Trait::terminator);
  context->register_op("test.even", Trait::none).add(VerifyRule{verify_even});
  context->register_op("nodot", Trait::none);
  context->register_op("odd name!", Trait::none);
  return context;
}

namespace {

/// Draws random pieces of programs, one number after the other.
class Generator {
 public:
  Generator(const Context& context, const Rng& rng) : context_(context), rng_(rng) {}

  std::size_t below(std::size_t n) { return static_cast<std::size_t>(rng_.below(counter_++, n)); }

  std::string name() {
    static const std::vector<std::string> names = {"",
                                                   "x",
                                                   "h",
                                                   "h.1",
                                                   "0",
                                                   "a b",
                                                   "\"",
                                                   "\\x",
                                                   "u_xx",
                                                   "_",
                                                   "\n",
                                                   "\xc3\xa9",
                                                   "return",
                                                   "func",
                                                   "%",
                                                   std::string("h\0z", 3),
                                                   "loc",
                                                   "true",
                                                   "// no comment",
                                                   "inf"};
    return names[below(names.size())];
  }
  double number() {
    static const double numbers[] = {0.0, -0.0, 1.0, 0.1, -2.5, 1e300, 5e-324, 1e20, INFINITY, -INFINITY};
    if (below(4) != 0) return numbers[below(std::size(numbers))];
    const std::uint64_t bits = rng_.bits(counter_++) | (below(2) ? UINT64_C(0x7ff0000000000001) : 0);
    double value;
    std::memcpy(&value, &bits, sizeof bits);
    return value;
  }
  Dim dim() {
    const Dim n = Dim::symbol("n"), m = Dim::symbol("m_1");
    const Dim dims[] = {0, 1, 3, 17, n, m, 2 * n + 1, n * m - 3 * n, n - 1};
    return dims[below(std::size(dims))];
  }
  Shape shape() {
    Shape shape(below(4));
    for (Dim& size : shape) size = dim();
    return shape;
  }
  DType dtype() { return static_cast<DType>(below(6)); }
  Type type(int depth = 0) {
    return Type::tensor(dtype(), shape(), below(5) == 0 ? attribute(depth + 1) : Attribute());
  }
  Array array() {
    std::vector<std::int64_t> shape(below(3));
    for (std::int64_t& size : shape) size = static_cast<std::int64_t>(below(11));
    Array array(dtype(), shape);
    auto* bytes = static_cast<unsigned char*>(array.raw());
    const unsigned char limit = array.dtype() == DType::boolean ? 1 : 255;
    for (std::size_t i = 0; i < array.n_bytes(); ++i) {
      bytes[i] = static_cast<unsigned char>(rng_.bits(counter_++) >> 13) & limit;
    }
    return array;
  }
  Attribute attribute(int depth = 0) {
    switch (below(depth > 3 ? 5 : 8)) {
      case 0: return Attribute::boolean(below(2));
      case 1: return Attribute::integer(static_cast<std::int64_t>(rng_.bits(counter_++)) >> below(63));
      case 2: return Attribute::floating(number());
      case 3: return Attribute::string(name());
      case 4: return Attribute::shape(shape());
      case 5: return Attribute::type(type(depth + 1));
      case 6: return Attribute::dense(array());
      default: break;
    }
    std::vector<Attribute> elements;
    for (std::size_t i = below(4); i > 0; --i) elements.push_back(attribute(depth + 1));
    return Attribute::list(std::move(elements));
  }
  AttributeMap attributes() {
    AttributeMap map;
    for (std::size_t i = below(4); i > 0; --i) map.set(below(2) ? name() : "a.b", attribute());
    return map;
  }

  void operations(Block& block, std::vector<Value> visible, int n_ops, int depth) {
    Builder builder(context_, block);
    for (int i = 0; i < n_ops; ++i) {
      if (below(4) == 0) {
        builder.set_location({std::make_shared<const std::string>(name()), static_cast<int>(below(99)), 3});
      }
      Operation* op = operation(builder, visible, n_ops, depth);
      for (Value result : op->results()) {
        result.set_hint(name());
        visible.push_back(result);
      }
    }
  }

 private:
  Operation* operation(Builder& builder, const std::vector<Value>& visible, int n_ops, int depth) {
    const std::size_t choice = below(8);
    if (choice < 3 && !visible.empty()) {
      const Value operand = visible[below(visible.size())];
      if (choice == 0) return builder.create("test.add", {operand, operand}, attributes());
      return builder.create(choice == 1 ? "test.neg" : "test.exp", {operand}, attributes());
    }
    if (choice == 3) {
      AttributeMap map = attributes();
      map.set("value", Attribute::dense(array()));
      return builder.create("test.const", {}, map);
    }
    std::vector<Value> operands;
    if (!visible.empty()) {
      for (std::size_t i = below(3); i > 0; --i) operands.push_back(visible[below(visible.size())]);
    }
    std::vector<Type> types;
    for (std::size_t i = below(3); i > 0; --i) types.push_back(type());
    if (choice >= 6 && depth < 3) {
      const bool isolated = below(2) == 0;
      Operation* op =
          builder.create_typed(isolated ? "test.isolated" : "test.region", operands, types, attributes(), below(3));
      for (std::size_t r = 0; r < op->n_regions(); ++r) {
        for (std::size_t b = below(3); b > 0; --b) {
          Block& block = op->region(r).add_block();
          std::vector<Value> inside = isolated ? std::vector<Value>() : visible;
          for (std::size_t a = below(3); a > 0; --a) inside.push_back(block.add_argument(type(), name()));
          operations(block, inside, static_cast<int>(below(static_cast<std::size_t>(n_ops / 2 + 1))), depth + 1);
          if (below(2))
            Builder(context_, block).create_typed("test.yield", {}, {});
          else if (below(2))
            Builder(context_, block).create_typed("builtin.return", operands_of(block), {}, attributes());
        }
      }
      return op;
    }
    static const char* names[] = {"test.source", "nodot", "odd name!"};
    return builder.create_typed(names[below(3)], operands, types, attributes());
  }
  std::vector<Value> operands_of(const Block& block) { return block.arguments(); }

  const Context& context_;
  const Rng& rng_;
  std::uint64_t counter_ = 0;
};

}  // namespace

std::unique_ptr<Module> random_module(const Context& context, const Rng& rng, int n_ops) {
  Generator generate(context, rng);
  auto module = std::make_unique<Module>(context, generate.name());
  generate.operations(module->body(), {}, static_cast<int>(generate.below(3)), 0);
  for (const char* name : {"step", "odd \"name\"", ""}) {
    Function function = module->add_function(name);
    if (generate.below(3) == 0) function.op()->set_attribute("donated", generate.attribute());
    function.add_argument("x", generate.type());
    function.add_argument("h.1", generate.type());
    function.add_argument("7", generate.type());
    std::vector<Value> arguments = function.body().arguments();
    generate.operations(function.body(), arguments, n_ops, 0);
    std::vector<Value> results;
    std::vector<std::string> names;
    for (const Operation* op : function.body().operations()) {
      for (Value result : op->results()) {
        if (generate.below(3) != 0) continue;
        results.push_back(result);
        names.push_back(generate.name());
      }
    }
    function.set_results(names, results);
  }
  return module;
}

}  // namespace eddy::ir::testing
