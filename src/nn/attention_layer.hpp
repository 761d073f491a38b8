#pragma once

#include <string>

#include "nn/aggregation_layer.hpp"

namespace cone::nn {

/// Multi-head graph attention (Veličković et al. 2018, "Graph attention networks";
/// ops/attention.hpp) with bias and ELU. Stores nothing of the size of the edges.
template <class Real>
class AttentionLayer : public AggregationLayer<Real> {
 public:
  /// Adds <name>.attention_dst and <name>.attention_src (heads × size) and <name>.bias.
  AttentionLayer(ParameterLayout& layout, const std::string& name,
                 const ops::AttentionShape& shape);

  std::size_t columns() const override { return shape_.columns(); }
  /// Xavier with fan-in `size` and fan-out 1 for the two vectors of each head. Zero bias.
  void initialise(ParameterStore<Real>& parameters, std::uint64_t seed) const override;
  const Matrix<Real>& forward(const Context& context, const ParameterStore<Real>& parameters,
                              const ops::Adjacency& graph, MatrixView<const Real> h) override;
  const Matrix<Real>& backward(const Context& context, ParameterStore<Real>& parameters,
                               const ops::Adjacency& graph, MatrixView<const Real> h,
                               MatrixView<Real> d_z) override;

  std::size_t num_pair_weights() const override { return shape_.heads; }
  void for_each_pair(const ops::Adjacency& graph,
                     const typename AggregationLayer<Real>::VisitPair& visit) const override;

 private:
  void add_score_gradients(const Context& context, ParameterStore<Real>& parameters,
                           MatrixView<const Real> h);

  ops::AttentionShape shape_;
  TensorId attention_dst_;
  TensorId attention_src_;
  TensorId bias_;
  // The memory of a pass; n rows each, columns() wide unless stated otherwise.
  Matrix<Real> score_dst_;    // heads
  Matrix<Real> score_src_;    // heads
  Matrix<Real> log_sum_exp_;  // heads
  Matrix<Real> aggregated_;   // Σ_j α_ij h_j
  Matrix<Real> z_;            // ELU(aggregated + bias)
  Matrix<Real> d_h_;          // also holds ∂aggregated/∂score_dst of the forward pass
  Matrix<Real> d_score_dst_;  // heads
  Matrix<Real> d_score_src_;  // heads
  Matrix<Real> partial_d_a_;  // sums over blocks of rows, a_dst beside a_src
};

}  // namespace cone::nn
