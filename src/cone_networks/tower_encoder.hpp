#pragma once

#include <cstdint>
#include <vector>

#include "exec/context.hpp"
#include "nn/attention_layer.hpp"
#include "nn/dropout.hpp"
#include "nn/feature_operand.hpp"
#include "nn/parameter_store.hpp"
#include "nuisance/cone_options.hpp"

namespace cone {

/// What a pass through the towers keeps.
template <class Real>
struct TowerWorkspace {
  std::vector<nn::AttentionWorkspace<Real>> layers;
  std::vector<Matrix<Real>> dropped_inputs;  ///< of layers 1, 2, ...; empty without dropout
  Matrix<Real> d_z;  ///< n × columns(); filled by the caller, used up by the backward pass

  const Matrix<Real>& z() const { return layers.back().z; }
};

/// The two encoders g^t and g^y: stacks of graph attention layers over the same graph and features
/// with separate weights. The towers lie side by side (z = [z^t | z^y], heads of the treatment
/// tower first), so that one pass over the edges serves both.
///
/// Layer 1 is X·[W^t | W^y], one sparse product with the tensor layer1.weight (features ×
/// 2·tower_columns()); deeper layers have one dense product a tower, with layer<l>.treatment_weight
/// and layer<l>.outcome_weight.
///
/// Dropout is on the inputs of every layer, with one mask on the features of both towers (they
/// share the product). There is none on the attention weights: the attention kernels recompute them
/// in the backward pass and keep nothing of the size of the edges.
class TowerEncoder {
 public:
  static constexpr std::size_t kTowers = 2;

  TowerEncoder(nn::ParameterLayout& layout, std::size_t num_features, const ConeOptions& options);

  /// Columns of z^t, and of z^y.
  std::size_t tower_columns() const { return heads_ * head_size_; }
  std::size_t columns() const { return kTowers * tower_columns(); }
  const ops::AttentionShape& attention_shape() const { return layers_.front().attention.shape(); }

  template <class Real>
  void initialise(nn::ParameterStore<Real>& parameters, std::uint64_t seed) const;

  /// Fills workspace.z(). `dropout` may be null; otherwise features.drop() has been called with it.
  /// O((entries + edges + n·tower_columns()·(layers − 1))·columns()).
  template <class Real>
  void forward(const Context& context, const nn::ParameterStore<Real>& parameters,
               const ops::Adjacency& graph, const FeatureOperand<Real>& features,
               const nn::Dropout* dropout, TowerWorkspace<Real>& workspace) const;

  /// From workspace.d_z to the gradients of all tensors of the towers.
  template <class Real>
  void backward(const Context& context, nn::ParameterStore<Real>& parameters,
                const ops::Adjacency& graph, const FeatureOperand<Real>& features,
                const nn::Dropout* dropout, TowerWorkspace<Real>& workspace) const;

 private:
  struct Layer {
    std::vector<nn::TensorId> weights;  // one for both towers in the first layer, one each later
    nn::AttentionLayer attention;
  };

  template <class Real>
  MatrixView<const Real> input_of(std::size_t layer, const nn::Dropout* dropout,
                                  const TowerWorkspace<Real>& workspace) const;

  std::size_t num_features_;
  std::size_t heads_;
  std::size_t head_size_;
  std::vector<Layer> layers_;
};

}  // namespace cone
