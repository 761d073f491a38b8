#pragma once

#include <cstdint>
#include <string>

#include "base/matrix.hpp"
#include "exec/context.hpp"
#include "nn/parameter_store.hpp"
#include "ops/attention.hpp"

namespace cone::nn {

/// What a pass through an AttentionLayer keeps; n rows each. Nothing is of the size of the edges.
template <class Real>
struct AttentionWorkspace {
  Matrix<Real> h;            ///< heads·size: the transformed inputs, filled by the caller
  Matrix<Real> score_dst;    ///< heads
  Matrix<Real> score_src;    ///< heads
  Matrix<Real> log_sum_exp;  ///< heads
  Matrix<Real> aggregated;   ///< heads·size: Σ_j α_ij h_j
  Matrix<Real> z;            ///< heads·size: ELU(aggregated + bias)
  Matrix<Real> d_h;  ///< heads·size; the forward pass leaves ∂aggregated/∂score_dst here
  Matrix<Real> d_score_dst;
  Matrix<Real> d_score_src;
  Matrix<Real> partial_d_a;  ///< sums over blocks of rows, a_dst beside a_src
};

/// Multi-head graph attention (ops/attention.hpp) with bias and ELU, from transformed inputs h to
/// z. The transformation h = x·W is the caller's: sparse in a first layer, dense later. The heads
/// of several towers may lie side by side.
class AttentionLayer {
 public:
  /// Adds <name>.attention_dst and <name>.attention_src (heads × size) and <name>.bias.
  AttentionLayer(ParameterLayout& layout, const std::string& name,
                 const ops::AttentionShape& shape);

  const ops::AttentionShape& shape() const { return shape_; }

  /// Each head's two vectors map size numbers to one: Xavier with those fans. Zero bias.
  template <class Real>
  void initialise(ParameterStore<Real>& parameters, std::uint64_t seed) const;

  /// From workspace.h to workspace.z.
  template <class Real>
  void forward(const Context& context, const ParameterStore<Real>& parameters,
               const ops::Adjacency& graph, AttentionWorkspace<Real>& workspace) const;

  /// From dL/dz, which is overwritten, to workspace.d_h = dL/dh, and the gradients of this layer's
  /// tensors.
  template <class Real>
  void backward(const Context& context, ParameterStore<Real>& parameters,
                const ops::Adjacency& graph, AttentionWorkspace<Real>& workspace,
                MatrixView<Real> d_z) const;

 private:
  template <class Real>
  void add_score_gradients(const Context& context, ParameterStore<Real>& parameters,
                           AttentionWorkspace<Real>& workspace) const;

  ops::AttentionShape shape_;
  TensorId attention_dst_;
  TensorId attention_src_;
  TensorId bias_;
};

}  // namespace cone::nn
