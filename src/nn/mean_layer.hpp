#pragma once

#include <string>
#include <vector>

#include "nn/aggregation_layer.hpp"

namespace cone::nn {

/// The mean over the neighbours, with bias and ELU; where self_loops, half of it is the node
/// itself, however many neighbours it has:
///
///   z_i = ELU(½ h_i + ½ mean_j h_j + b)      without self_loops: ELU(mean_j h_j + b)
///
/// With weight 1/(degree + 1) the node itself would hardly count, and confounders in its own
/// features would be lost. A node without neighbours has h_i or, without self_loops, 0 in place of
/// the mean.
///
/// The mean aggregator of GraphSAGE (Hamilton, Ying and Leskovec 2017, "Inductive representation
/// learning on large graphs"), but with one transformation for node and neighbours. O(edges ·
/// columns), by the product of the adjacency matrix and h; stores one number per edge. The bias is
/// its only tensor.
template <class Real>
class MeanLayer : public AggregationLayer<Real> {
 public:
  /// Adds <name>.bias.
  MeanLayer(ParameterLayout& layout, const std::string& name, std::size_t columns, bool self_loops);

  std::size_t columns() const override { return columns_; }
  void initialise(ParameterStore<Real>& parameters, std::uint64_t seed) const override;
  const Matrix<Real>& forward(const Context& context, const ParameterStore<Real>& parameters,
                              const ops::Adjacency& graph, MatrixView<const Real> h) override;
  const Matrix<Real>& backward(const Context& context, ParameterStore<Real>& parameters,
                               const ops::Adjacency& graph, MatrixView<const Real> h,
                               MatrixView<Real> d_z) override;

 private:
  std::size_t columns_;
  bool self_loops_;
  TensorId bias_;
  /// to_i = Σ_j from_j over the neighbours j of i, plus max(degree, 1) copies of from_i where
  /// self_loops; with `normalise` the mean of these.
  void aggregate_neighbours(const Context& context, const ops::Adjacency& graph,
                            MatrixView<const Real> from, bool normalise, MatrixView<Real> to);

  std::vector<Real> ones_;  // the adjacency matrix's values
  Matrix<Real> z_;
  Matrix<Real> d_h_;
};

}  // namespace cone::nn
