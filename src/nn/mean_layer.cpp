#include "nn/mean_layer.hpp"

#include <algorithm>

#include "nn/workspace.hpp"
#include "ops/dense.hpp"

namespace cone::nn {
namespace {

constexpr std::size_t kRowsPerPiece = 64;

template <class Real>
void add_row(std::size_t count, const Real* __restrict from, Real* __restrict to) {
  for (std::size_t c = 0; c < count; ++c) to[c] += from[c];
}

template <class Real>
void scale_row(std::size_t count, Real factor, Real* row) {
  for (std::size_t c = 0; c < count; ++c) row[c] *= factor;
}

/// One over the number of nodes that node i averages; 0 where there are none.
template <class Real>
Real share(const ops::Adjacency& graph, std::size_t i, bool self_loops) {
  const std::uint64_t count = graph.offsets[i + 1] - graph.offsets[i] + (self_loops ? 1 : 0);
  return count == 0 ? Real{0} : Real{1} / static_cast<Real>(count);
}

/// to_i = Σ from_j over the neighbours j of i, and i itself where self_loops.
template <class Real>
void sum_neighbours(const ops::Adjacency& graph, bool self_loops, std::size_t i,
                    MatrixView<const Real> from, std::span<Real> to) {
  if (self_loops) {
    std::copy(from.row(i).begin(), from.row(i).end(), to.begin());
  } else {
    std::fill(to.begin(), to.end(), Real{0});
  }
  for (std::uint64_t e = graph.offsets[i]; e < graph.offsets[i + 1]; ++e) {
    add_row(to.size(), from.row(graph.neighbours[e]).data(), to.data());
  }
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
const Matrix<Real>& MeanLayer<Real>::forward(const Context& context,
                                             const ParameterStore<Real>& parameters,
                                             const ops::Adjacency& graph,
                                             MatrixView<const Real> h) {
  reshape(z_, graph.num_nodes(), columns_);
  context.for_each_range(z_.rows(), kRowsPerPiece, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      sum_neighbours(graph, self_loops_, i, h, z_.row(i));
      scale_row(columns_, share<Real>(graph, i, self_loops_), z_.row(i).data());
    }
  });
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
      scale_row(columns_, share<Real>(graph, i, self_loops_), d_z.row(i).data());
    }
  });
  // The graph is symmetric: a node gathers from those that it was gathered by.
  const MatrixView<const Real> d_mean = d_z;
  context.for_each_range(d_h_.rows(), kRowsPerPiece, [&](std::size_t begin, std::size_t end) {
    for (std::size_t j = begin; j < end; ++j) {
      sum_neighbours(graph, self_loops_, j, d_mean, d_h_.row(j));
    }
  });
  return d_h_;
}

template class MeanLayer<float>;
template class MeanLayer<double>;

}  // namespace cone::nn
