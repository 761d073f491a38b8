#include "nn/mean_layer.hpp"

#include "nn/workspace.hpp"
#include "ops/dense.hpp"
#include "ops/sparse.hpp"

namespace cone::nn {
namespace {

constexpr std::size_t kRowsPerPiece = 64;

/// The factor of the sum over the neighbours and own_count copies of the node itself: with
/// self_loops half of the mean is the node itself and half its neighbours; 0 without terms.
template <class Real>
Real share(const ops::Adjacency& graph, std::size_t i, bool self_loops) {
  const std::uint64_t degree = graph.offsets[i + 1] - graph.offsets[i];
  if (degree == 0) return self_loops ? Real{1} : Real{0};
  return (self_loops ? Real{0.5} : Real{1}) / static_cast<Real>(degree);
}

/// The number of neighbours that the node itself counts as.
template <class Real>
Real own_count(const ops::Adjacency& graph, std::size_t i, bool self_loops) {
  if (!self_loops) return 0;
  return static_cast<Real>(std::max<std::uint64_t>(1, graph.offsets[i + 1] - graph.offsets[i]));
}

}  // namespace

template <class Real>
MeanLayer<Real>::MeanLayer(ParameterLayout& layout, const std::string& name, std::size_t columns,
                           bool self_loops)
    : columns_(columns), self_loops_(self_loops), bias_(layout.add_bias(name + ".bias", columns)) {}

template <class Real>
void MeanLayer<Real>::initialise(ParameterStore<Real>& /*parameters*/,
                                 std::uint64_t /*seed*/) const {}

template <class Real>
void MeanLayer<Real>::aggregate_neighbours(const Context& context, const ops::Adjacency& graph,
                                           MatrixView<const Real> from, bool normalise,
                                           MatrixView<Real> to) {
  ones_.resize(graph.neighbours.size(), Real{1});
  ops::sparse_times_dense<Real>(
      context, {graph.num_nodes(), graph.offsets, graph.neighbours, ones_}, from, to);
  context.for_each_range(to.rows(), kRowsPerPiece, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const Real own = own_count<Real>(graph, i, self_loops_);
      const Real factor = normalise ? share<Real>(graph, i, self_loops_) : Real{1};
      for (std::size_t c = 0; c < columns_; ++c) to(i, c) = factor * (to(i, c) + own * from(i, c));
    }
  });
}

template <class Real>
const Matrix<Real>& MeanLayer<Real>::forward(const Context& context,
                                             const ParameterStore<Real>& parameters,
                                             const ops::Adjacency& graph,
                                             MatrixView<const Real> h) {
  reshape(z_, graph.num_nodes(), columns_);
  aggregate_neighbours(context, graph, h, /*normalise=*/true, z_.view());
  ops::bias_elu(context, parameters.value(bias_).row(0), z_.view());
  return z_;
}

template <class Real>
const Matrix<Real>& MeanLayer<Real>::backward(const Context& context,
                                              ParameterStore<Real>& parameters,
                                              const ops::Adjacency& graph,
                                              MatrixView<const Real> /*h*/, MatrixView<Real> d_z) {
  reshape(d_h_, graph.num_nodes(), columns_);
  ops::bias_elu_backward(context, constant(z_), d_z, parameters.gradient(bias_).row(0));
  context.for_each_range(d_z.rows(), kRowsPerPiece, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const Real factor = share<Real>(graph, i, self_loops_);
      for (Real& value : d_z.row(i)) value *= factor;
    }
  });
  // The graph is symmetric, so the transposed product is the product.
  aggregate_neighbours(context, graph, d_z, /*normalise=*/false, d_h_.view());
  return d_h_;
}

template class MeanLayer<float>;
template class MeanLayer<double>;

}  // namespace cone::nn
