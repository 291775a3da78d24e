#include "science/networks/dense_stack.h"

#include "framework/ops/emit.h"

namespace eddy::networks {

using ir::Builder;
using ir::Value;

namespace {

const config::Catalogue<Activation>& activations() {
  static const config::Catalogue<Activation> catalogue = [] {
    config::Catalogue<Activation> c("activation");
    c.add("gelu", ops::gelu);
    c.add("mish", ops::mish);
    c.add("relu", ops::relu);
    c.add("selu", ops::selu);
    c.add("sigmoid", ops::sigmoid);
    c.add("silu", ops::silu);
    c.add("sin", ops::sin);
    c.add("softplus", ops::softplus);
    c.add("tanh", ops::tanh);
    return c;
  }();
  return catalogue;
}

}  // namespace

const Activation& activation(const config::Text& name) { return activations().at(name); }

config::Schema<config::Text> activation_schema() {
  std::vector<std::pair<std::string, std::string>> words;
  for (const std::string& name : activations().names()) words.emplace_back(name, name);
  return config::convert<config::Text, std::string>(
      config::choice<std::string>(words), [](std::string name) { return config::Text(std::move(name)); },
      [](const config::Text& text) { return text.text; });
}

config::Schema<Initializer::Kind> initializer_schema() {
  return config::choice<Initializer::Kind>(
      {{"glorot_normal", Initializer::Kind::glorot_normal}, {"glorot_uniform", Initializer::Kind::glorot_uniform}});
}

DenseStack::DenseStack(const DenseOptions& options, std::int64_t n_in, std::int64_t n_out) : options_(options) {
  sizes_.push_back(n_in);
  sizes_.insert(sizes_.end(), options.hidden.begin(), options.hidden.end());
  sizes_.push_back(n_out);
}

std::vector<Parameter> DenseStack::parameters() const {
  std::vector<Parameter> parameters;
  for (std::size_t layer = 0; layer + 1 < sizes_.size(); ++layer) {
    const std::int64_t n_in = sizes_[layer], n_out = sizes_[layer + 1];
    const std::string number = std::to_string(layer);
    parameters.push_back({"w" + number, {n_in, n_out}, {options_.initializer, 0, n_in, n_out, {}}});
    if (options_.weight_norm) parameters.push_back({"g" + number, {n_out}, {Initializer::Kind::constant, 1, 1, 1, {}}});
    parameters.push_back({"b" + number, {n_out}, {}});
  }
  return parameters;
}

Value DenseStack::forward(Builder& b, std::span<const Value> parameters, Value input) const {
  const Activation& activate = activation(options_.activation);
  Value x = input;
  std::size_t next = 0;
  for (std::size_t layer = 0; layer + 1 < sizes_.size(); ++layer) {
    Value w = parameters[next++];
    if (options_.weight_norm) w = ops::weight_norm(b, w, parameters[next++]);
    x = ops::linear(b, x, w, parameters[next++]);
    if (layer + 2 < sizes_.size()) {
      x = activate(b, x);
      x.set_hint("h" + std::to_string(layer));
    }
  }
  return x;
}

}  // namespace eddy::networks
