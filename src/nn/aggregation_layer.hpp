#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

#include "cone/context.hpp"
#include "cone/matrix.hpp"

#include "nn/parameter_store.hpp"
#include "ops/attention.hpp"

namespace cone::nn {

/// Message passing over neighbours: from transformed inputs h (n × columns()) to z (the same
/// shape). The caller computes the transformation h = x·W: sparse in a first layer, dense later.
/// Several towers over the same graph lie side by side in the columns, so that one pass over the
/// edges serves all of them; a layer must not mix their columns.
///
/// A layer owns the memory of one pass. Its constructor adds its tensors to a layout and allocates
/// nothing: the shape of a model can be checked before memory is allocated.
template <class Real>
class AggregationLayer {
 public:
  virtual ~AggregationLayer() = default;

  /// Of h and of z.
  virtual std::size_t columns() const = 0;

  /// Draws initial values of its tensors, which are zero before.
  virtual void initialise(ParameterStore<Real>& parameters, std::uint64_t seed) const = 0;

  /// z, valid until the next call.
  virtual const Matrix<Real>& forward(const Context& context,
                                      const ParameterStore<Real>& parameters,
                                      const ops::Adjacency& graph, MatrixView<const Real> h) = 0;

  /// After forward() on the same h: from dL/dz, which is overwritten, to dL/dh, valid until the
  /// next call, and the gradients of this layer's tensors.
  virtual const Matrix<Real>& backward(const Context& context, ParameterStore<Real>& parameters,
                                       const ops::Adjacency& graph, MatrixView<const Real> h,
                                       MatrixView<Real> d_z) = 0;

  /// The number of attention weights per pair of nodes: the heads of all towers. 0 where the layer
  /// has none.
  virtual std::size_t num_pair_weights() const { return 0; }
  using VisitPair =
      std::function<void(std::size_t node, std::size_t attended, std::span<const Real> weights)>;
  /// Visits the weights of the last forward(), by node and then by attended node. For exports, not
  /// for training.
  virtual void for_each_pair(const ops::Adjacency& /*graph*/, const VisitPair& /*visit*/) const {}
};

}  // namespace cone::nn
