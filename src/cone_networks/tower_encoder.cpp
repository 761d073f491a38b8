#include "cone_networks/tower_encoder.hpp"

#include <utility>

#include <fmt/format.h>

#include "cone/error.hpp"
#include "cone/options.hpp"

#include "nn/attention_layer.hpp"
#include "nn/initialise.hpp"
#include "nn/mean_layer.hpp"
#include "nn/workspace.hpp"
#include "ops/dense.hpp"

namespace cone {
namespace {

/// The aggregation layer of the options.
template <class Real>
std::unique_ptr<nn::AggregationLayer<Real>> make_aggregation(nn::ParameterLayout& layout,
                                                             const std::string& name,
                                                             const ConeOptions& options) {
  const std::size_t heads = TowerEncoder<Real>::kTowers * options.heads;
  switch (options.encoder) {
    case EncoderKind::kAttention:
      return std::make_unique<nn::AttentionLayer<Real>>(
          layout, name,
          ops::AttentionShape{
              .heads = heads, .size = options.head_size, .self_loops = options.self_loops});
    case EncoderKind::kMean:
      return std::make_unique<nn::MeanLayer<Real>>(layout, name, heads * options.head_size,
                                                   options.self_loops);
  }
  throw Error(ErrorCode::kInternal, Fault{.what = "unknown encoder"});
}

/// The layer's number of columns, needed before it adds its tensors, which come after the weights
/// in front of it.
template <class Real>
std::size_t aggregation_columns(const ConeOptions& options) {
  nn::ParameterLayout scratch;
  return make_aggregation<Real>(scratch, "", options)->columns();
}

}  // namespace

template <class Real>
TowerEncoder<Real>::TowerEncoder(nn::ParameterLayout& layout, std::size_t num_features,
                                 const ConeOptions& options)
    : num_features_(num_features) {
  const std::size_t columns = aggregation_columns<Real>(options);
  const std::size_t width = columns / kTowers;
  for (std::size_t l = 0; l < options.layers; ++l) {
    const std::string name = fmt::format("layer{}", l + 1);
    Layer layer;
    if (l == 0) {
      layer.weights = {layout.add_weight(name + ".weight", num_features, columns)};
    } else {
      for (const char* tower : {".treatment_weight", ".outcome_weight"}) {
        layer.weights.push_back(layout.add_weight(name + tower, width, width));
      }
    }
    layer.aggregation = make_aggregation<Real>(layout, name, options);
    layers_.push_back(std::move(layer));
  }
}

template <class Real>
void TowerEncoder<Real>::initialise(nn::ParameterStore<Real>& parameters,
                                    std::uint64_t seed) const {
  for (std::size_t l = 0; l < layers_.size(); ++l) {
    const std::size_t fan_in = l == 0 ? num_features_ : tower_columns();
    for (const nn::TensorId weight : layers_[l].weights) {
      nn::xavier_uniform(parameters, weight, fan_in, tower_columns(), seed);
    }
    layers_[l].aggregation->initialise(parameters, seed);
  }
}

template <class Real>
const Matrix<Real>& TowerEncoder<Real>::forward(const Context& context,
                                                const nn::ParameterStore<Real>& parameters,
                                                const ops::Adjacency& graph,
                                                const FeatureViews<Real>& features,
                                                const nn::Dropout* dropout) {
  const Matrix<Real>* z = nullptr;
  for (std::size_t l = 0; l < layers_.size(); ++l) {
    Layer& layer = layers_[l];
    nn::reshape(layer.h, graph.num_nodes(), columns());
    if (l == 0) {
      ops::sparse_times_dense(context, features.by_row, parameters.value(layer.weights[0]),
                              layer.h.view());
    } else {
      layer.input = z;
      if (dropout != nullptr) {
        layer.dropped_input = *z;
        nn::apply_dropout(context, *dropout, l, layer.dropped_input.view());
        layer.input = &layer.dropped_input;
      }
      for (std::size_t tower = 0; tower < kTowers; ++tower) {
        const std::size_t first = tower * tower_columns();
        ops::multiply(context, nn::columns(nn::constant(*layer.input), first, tower_columns()),
                      parameters.value(layer.weights[tower]),
                      nn::columns(layer.h.view(), first, tower_columns()));
      }
    }
    z = &layer.aggregation->forward(context, parameters, graph, nn::constant(layer.h));
  }
  return *z;
}

template <class Real>
void TowerEncoder<Real>::backward(const Context& context, nn::ParameterStore<Real>& parameters,
                                  const ops::Adjacency& graph, const FeatureViews<Real>& features,
                                  const nn::Dropout* dropout, MatrixView<Real> d_z) {
  for (std::size_t l = layers_.size(); l-- > 0;) {
    Layer& layer = layers_[l];
    const MatrixView<const Real> d_h = nn::constant(
        layer.aggregation->backward(context, parameters, graph, nn::constant(layer.h), d_z));
    if (l == 0) {
      ops::sparse_times_dense(context, features.by_column, d_h,
                              parameters.gradient(layer.weights[0]));
      continue;
    }
    for (std::size_t tower = 0; tower < kTowers; ++tower) {
      const std::size_t first = tower * tower_columns();
      const auto d_tower = nn::columns(d_h, first, tower_columns());
      ops::multiply_transposed_a(context,
                                 nn::columns(nn::constant(*layer.input), first, tower_columns()),
                                 d_tower, parameters.gradient(layer.weights[tower]));
      ops::multiply_transposed_b(context, d_tower,
                                 std::as_const(parameters).value(layer.weights[tower]),
                                 nn::columns(d_z, first, tower_columns()));
    }
    if (dropout != nullptr) nn::apply_dropout(context, *dropout, l, d_z);
  }
}

template class TowerEncoder<float>;
template class TowerEncoder<double>;

}  // namespace cone
