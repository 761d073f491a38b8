#include "cone_networks/tower_encoder.hpp"

#include <utility>

#include <fmt/format.h>

#include "nn/initialise.hpp"
#include "nn/workspace.hpp"
#include "ops/dense.hpp"

namespace cone {

TowerEncoder::TowerEncoder(nn::ParameterLayout& layout, std::size_t num_features,
                           const ConeOptions& options)
    : num_features_(num_features), heads_(options.heads), head_size_(options.head_size) {
  const ops::AttentionShape shape = {
      .heads = kTowers * heads_, .size = head_size_, .self_loops = options.self_loops};
  for (std::size_t l = 0; l < options.layers; ++l) {
    const std::string name = fmt::format("layer{}", l + 1);
    std::vector<nn::TensorId> weights;
    if (l == 0) {
      weights = {layout.add_weight(name + ".weight", num_features, columns())};
    } else {
      for (const char* tower : {".treatment_weight", ".outcome_weight"}) {
        weights.push_back(layout.add_weight(name + tower, tower_columns(), tower_columns()));
      }
    }
    layers_.push_back({std::move(weights), nn::AttentionLayer(layout, name, shape)});
  }
}

template <class Real>
void TowerEncoder::initialise(nn::ParameterStore<Real>& parameters, std::uint64_t seed) const {
  for (std::size_t l = 0; l < layers_.size(); ++l) {
    const std::size_t fan_in = l == 0 ? num_features_ : tower_columns();
    for (const nn::TensorId weight : layers_[l].weights) {
      nn::xavier_uniform(parameters, weight, fan_in, tower_columns(), seed);
    }
    layers_[l].attention.initialise(parameters, seed);
  }
}

template <class Real>
MatrixView<const Real> TowerEncoder::input_of(std::size_t layer, const nn::Dropout* dropout,
                                              const TowerWorkspace<Real>& workspace) const {
  return dropout != nullptr ? workspace.dropped_inputs[layer - 1].view()
                            : workspace.layers[layer - 1].z.view();
}

template <class Real>
void TowerEncoder::forward(const Context& context, const nn::ParameterStore<Real>& parameters,
                           const ops::Adjacency& graph, const FeatureOperand<Real>& features,
                           const nn::Dropout* dropout, TowerWorkspace<Real>& workspace) const {
  workspace.layers.resize(layers_.size());
  workspace.dropped_inputs.resize(layers_.size() - 1);
  for (std::size_t l = 0; l < layers_.size(); ++l) {
    nn::AttentionWorkspace<Real>& layer = workspace.layers[l];
    nn::reshape(layer.h, graph.num_nodes(), columns());
    if (l == 0) {
      ops::sparse_times_dense(context, features.by_row(), parameters.value(layers_[0].weights[0]),
                              layer.h.view());
    } else {
      if (dropout != nullptr) {
        Matrix<Real>& dropped = workspace.dropped_inputs[l - 1];
        dropped = workspace.layers[l - 1].z;
        nn::apply_dropout(context, *dropout, l, dropped.view());
      }
      const MatrixView<const Real> input = input_of(l, dropout, workspace);
      for (std::size_t tower = 0; tower < kTowers; ++tower) {
        const std::size_t first = tower * tower_columns();
        ops::multiply(context, nn::columns(input, first, tower_columns()),
                      parameters.value(layers_[l].weights[tower]),
                      nn::columns(layer.h.view(), first, tower_columns()));
      }
    }
    layers_[l].attention.forward(context, parameters, graph, layer);
  }
}

template <class Real>
void TowerEncoder::backward(const Context& context, nn::ParameterStore<Real>& parameters,
                            const ops::Adjacency& graph, const FeatureOperand<Real>& features,
                            const nn::Dropout* dropout, TowerWorkspace<Real>& workspace) const {
  const MatrixView<Real> d_z = workspace.d_z.view();
  for (std::size_t l = layers_.size(); l-- > 0;) {
    nn::AttentionWorkspace<Real>& layer = workspace.layers[l];
    layers_[l].attention.backward(context, parameters, graph, layer, d_z);
    const MatrixView<const Real> d_h = nn::constant(layer.d_h);
    if (l == 0) {
      ops::sparse_times_dense(context, features.by_column(), d_h,
                              parameters.gradient(layers_[0].weights[0]));
      continue;
    }
    const MatrixView<const Real> input = input_of(l, dropout, workspace);
    for (std::size_t tower = 0; tower < kTowers; ++tower) {
      const std::size_t first = tower * tower_columns();
      const auto d_tower = nn::columns(d_h, first, tower_columns());
      const nn::TensorId weight = layers_[l].weights[tower];
      ops::multiply_transposed_a(context, nn::columns(input, first, tower_columns()), d_tower,
                                 parameters.gradient(weight));
      ops::multiply_transposed_b(context, d_tower, std::as_const(parameters).value(weight),
                                 nn::columns(d_z, first, tower_columns()));
    }
    if (dropout != nullptr) nn::apply_dropout(context, *dropout, l, d_z);
  }
}

#define CONE_INSTANTIATE(Real)                                                             \
  template void TowerEncoder::initialise(nn::ParameterStore<Real>&, std::uint64_t) const;  \
  template void TowerEncoder::forward(const Context&, const nn::ParameterStore<Real>&,     \
                                      const ops::Adjacency&, const FeatureOperand<Real>&,  \
                                      const nn::Dropout*, TowerWorkspace<Real>&) const;    \
  template void TowerEncoder::backward(const Context&, nn::ParameterStore<Real>&,          \
                                       const ops::Adjacency&, const FeatureOperand<Real>&, \
                                       const nn::Dropout*, TowerWorkspace<Real>&) const;
CONE_INSTANTIATE(float)
CONE_INSTANTIATE(double)
#undef CONE_INSTANTIATE

}  // namespace cone
