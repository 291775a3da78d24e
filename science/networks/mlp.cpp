/// The multilayer perceptron.
#include "science/networks/dense_stack.h"

namespace eddy::networks {

namespace {

struct MlpOptions : DenseOptions {};

class Mlp final : public Network {
 public:
  static constexpr const char* about = "multilayer perceptron: dense layers with an activation between them";

  static const config::Schema<MlpOptions>& schema() {
    static const config::Schema<MlpOptions> schema = [] {
      config::ObjectSchema<MlpOptions> object("mlp", about);
      declare_dense(object);
      return object.schema();
    }();
    return schema;
  }

  Mlp(const MlpOptions& options, std::int64_t n_in, std::int64_t n_out) : stack_(options, n_in, n_out) {}

  std::vector<Parameter> parameters() const override { return stack_.parameters(); }
  ir::Value forward(ir::Builder& b, std::span<const ir::Value> parameters, ir::Value input) const override {
    return stack_.forward(b, parameters, input);
  }

 private:
  DenseStack stack_;
};

}  // namespace

}  // namespace eddy::networks

EDDY_NETWORK(mlp, Mlp)
