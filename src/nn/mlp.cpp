#include "nn/mlp.hpp"

#include <utility>

#include <fmt/format.h>

#include "nn/initialise.hpp"
#include "nn/workspace.hpp"
#include "ops/dense.hpp"

namespace cone::nn {
namespace {

template <class Real>
void add_bias(std::span<const Real> bias, MatrixView<Real> x) {
  for (std::size_t i = 0; i < x.rows(); ++i) {
    for (std::size_t j = 0; j < x.cols(); ++j) x(i, j) += bias[j];
  }
}

}  // namespace

Mlp::Mlp(ParameterLayout& layout, const std::string& name, std::vector<std::size_t> widths)
    : widths_(std::move(widths)) {
  for (std::size_t l = 1; l < widths_.size(); ++l) {
    layers_.push_back(
        {layout.add_weight(fmt::format("{}.weight{}", name, l), widths_[l - 1], widths_[l]),
         layout.add_bias(fmt::format("{}.bias{}", name, l), widths_[l])});
  }
}

template <class Real>
void Mlp::initialise(ParameterStore<Real>& parameters, std::uint64_t seed) const {
  for (std::size_t l = 0; l < layers_.size(); ++l) {
    xavier_uniform(parameters, layers_[l].weight, widths_[l], widths_[l + 1], seed);
  }
}

template <class Real>
void Mlp::forward(const Context& context, const ParameterStore<Real>& parameters,
                  MatrixView<const Real> input, MlpWorkspace<Real>& workspace) const {
  workspace.activations.resize(layers_.size());
  workspace.gradients.resize(layers_.size());
  for (std::size_t l = 0; l < layers_.size(); ++l) {
    reshape(workspace.activations[l], input.rows(), widths_[l + 1]);
    reshape(workspace.gradients[l], input.rows(), widths_[l + 1]);
    const MatrixView<const Real> from = l == 0 ? input : constant(workspace.activations[l - 1]);
    const MatrixView<Real> to = workspace.activations[l].view();
    ops::multiply(context, from, parameters.value(layers_[l].weight), to);
    const std::span<const Real> bias = parameters.value(layers_[l].bias).row(0);
    if (l + 1 < layers_.size()) {
      ops::bias_elu(context, bias, to);
    } else {
      add_bias(bias, to);
    }
  }
}

template <class Real>
void Mlp::backward(const Context& context, ParameterStore<Real>& parameters,
                   MatrixView<const Real> input, MlpWorkspace<Real>& workspace,
                   MatrixView<Real> d_input) const {
  for (std::size_t l = layers_.size(); l-- > 0;) {
    const MatrixView<Real> d = workspace.gradients[l].view();
    const std::span<Real> d_bias = parameters.gradient(layers_[l].bias).row(0);
    if (l + 1 < layers_.size()) {
      ops::bias_elu_backward(context, constant(workspace.activations[l]), d, d_bias);
    } else {
      ops::column_sums(context, constant(workspace.gradients[l]), d_bias);
    }
    const MatrixView<const Real> d_out = d;
    const MatrixView<const Real> from = l == 0 ? input : constant(workspace.activations[l - 1]);
    ops::multiply_transposed_a(context, from, d_out, parameters.gradient(layers_[l].weight));
    const MatrixView<const Real> weight = std::as_const(parameters).value(layers_[l].weight);
    if (l == 0) {
      if (d_input.data() == nullptr) return;
      ops::multiply_transposed_b(context, d_out, weight, d_input, /*accumulate=*/true);
    } else {
      ops::multiply_transposed_b(context, d_out, weight, workspace.gradients[l - 1].view());
    }
  }
}

#define CONE_INSTANTIATE(Real)                                                                    \
  template void Mlp::initialise(ParameterStore<Real>&, std::uint64_t) const;                      \
  template void Mlp::forward(const Context&, const ParameterStore<Real>&, MatrixView<const Real>, \
                             MlpWorkspace<Real>&) const;                                          \
  template void Mlp::backward(const Context&, ParameterStore<Real>&, MatrixView<const Real>,      \
                              MlpWorkspace<Real>&, MatrixView<Real>) const;
CONE_INSTANTIATE(float)
CONE_INSTANTIATE(double)
#undef CONE_INSTANTIATE

}  // namespace cone::nn
