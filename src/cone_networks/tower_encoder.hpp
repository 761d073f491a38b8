#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "cone/context.hpp"
#include "cone/options.hpp"

#include "nn/aggregation_layer.hpp"
#include "nn/dropout.hpp"
#include "nn/parameter_store.hpp"
#include "nn/training_features.hpp"

namespace cone {

/// The two encoders g^t and g^y: stacks of aggregation layers over the same graph and features with
/// separate weights, and the memory of one pass through them. The towers lie side by side
/// (z = [z^t | z^y]), so that one pass over the edges serves both.
///
/// Layer 1 is X·[W^t | W^y], one sparse product with the tensor layer1.weight (features ×
/// columns()); deeper layers have one dense product per tower, with layer<l>.treatment_weight and
/// layer<l>.outcome_weight.
///
/// Dropout is on the inputs of every layer, with one mask on the features of both towers (they
/// share the product). There is none on the attention weights: the kernels recompute them in the
/// backward pass and store nothing of the size of the edges.
template <class Real>
class TowerEncoder {
 public:
  static constexpr std::size_t kTowers = 2;

  TowerEncoder(nn::ParameterLayout& layout, std::size_t num_features, const ConeOptions& options);

  /// Of z.
  std::size_t columns() const { return layers_.front().aggregation->columns(); }
  /// Of z^t, and of z^y.
  std::size_t tower_columns() const { return columns() / kTowers; }
  /// The layer on the features; for exporting attention weights.
  const nn::AggregationLayer<Real>& first_layer() const { return *layers_.front().aggregation; }

  void initialise(nn::ParameterStore<Real>& parameters, std::uint64_t seed) const;

  /// z of all nodes, valid until the next call. `dropout` may be null; otherwise it has been
  /// applied to the features already. O((entries + edges + n·tower_columns()·(layers −
  /// 1))·columns()).
  const Matrix<Real>& forward(const Context& context, const nn::ParameterStore<Real>& parameters,
                              const ops::Adjacency& graph, const FeatureViews<Real>& features,
                              const nn::Dropout* dropout);

  /// After forward() with the same arguments: from d_z = dL/dz, which is overwritten, to the
  /// gradients of all tensors of the towers.
  void backward(const Context& context, nn::ParameterStore<Real>& parameters,
                const ops::Adjacency& graph, const FeatureViews<Real>& features,
                const nn::Dropout* dropout, MatrixView<Real> d_z);

 private:
  struct Layer {
    std::vector<nn::TensorId> weights;  // one for both towers in the first layer, one each later
    std::unique_ptr<nn::AggregationLayer<Real>> aggregation;
    const Matrix<Real>* input = nullptr;  // of the last pass: z of the layer below, after dropout
    Matrix<Real> dropped_input;
    Matrix<Real> h;
  };

  std::size_t num_features_;
  std::vector<Layer> layers_;
};

}  // namespace cone
