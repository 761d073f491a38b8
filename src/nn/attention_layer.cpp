#include "nn/attention_layer.hpp"

#include <algorithm>
#include <utility>

#include "nn/initialise.hpp"
#include "nn/workspace.hpp"
#include "ops/dense.hpp"

namespace cone::nn {
namespace {

constexpr std::size_t kBlockRows = 512;

/// One node and head. The arrays do not overlap; declaring so lets the compiler vectorise.
template <class Real>
void add_score_gradients_of_head(std::size_t size, Real ds, Real dq, const Real* __restrict a_dst,
                                 const Real* __restrict a_src, const Real* __restrict h,
                                 Real* __restrict d_h, Real* __restrict d_a_dst,
                                 Real* __restrict d_a_src) {
  for (std::size_t c = 0; c < size; ++c) {
    d_h[c] += ds * a_dst[c] + dq * a_src[c];
    d_a_dst[c] += ds * h[c];
    d_a_src[c] += dq * h[c];
  }
}

}  // namespace

template <class Real>
AttentionLayer<Real>::AttentionLayer(ParameterLayout& layout, const std::string& name,
                                     const ops::AttentionShape& shape)
    : shape_(shape),
      attention_dst_(layout.add_weight(name + ".attention_dst", shape.heads, shape.size)),
      attention_src_(layout.add_weight(name + ".attention_src", shape.heads, shape.size)),
      bias_(layout.add_bias(name + ".bias", shape.columns())) {}

template <class Real>
void AttentionLayer<Real>::initialise(ParameterStore<Real>& parameters, std::uint64_t seed) const {
  xavier_uniform(parameters, attention_dst_, shape_.size, 1, seed);
  xavier_uniform(parameters, attention_src_, shape_.size, 1, seed);
}

template <class Real>
const Matrix<Real>& AttentionLayer<Real>::forward(const Context& context,
                                                  const ParameterStore<Real>& parameters,
                                                  const ops::Adjacency& graph,
                                                  MatrixView<const Real> h) {
  const std::size_t n = graph.num_nodes();
  for (Matrix<Real>* scores : {&score_dst_, &score_src_, &log_sum_exp_}) {
    reshape(*scores, n, shape_.heads);
  }
  reshape(aggregated_, n, shape_.columns());
  reshape(z_, n, shape_.columns());
  reshape(d_h_, n, shape_.columns());
  ops::attention_scores(context, shape_, h, parameters.value(attention_dst_), score_dst_.view());
  ops::attention_scores(context, shape_, h, parameters.value(attention_src_), score_src_.view());
  ops::attention_forward(context, graph, shape_, h, constant(score_dst_), constant(score_src_),
                         aggregated_.view(), log_sum_exp_.view(), d_h_.view());
  context.for_each_range(n, kBlockRows, [&](std::size_t begin, std::size_t end) {
    std::copy(aggregated_.row(begin).data(),
              aggregated_.row(begin).data() + (end - begin) * shape_.columns(),
              z_.row(begin).data());
  });
  ops::bias_elu(context, parameters.value(bias_).row(0), z_.view());
  return z_;
}

template <class Real>
const Matrix<Real>& AttentionLayer<Real>::backward(const Context& context,
                                                   ParameterStore<Real>& parameters,
                                                   const ops::Adjacency& graph,
                                                   MatrixView<const Real> h, MatrixView<Real> d_z) {
  const std::size_t n = graph.num_nodes();
  reshape(d_score_dst_, n, shape_.heads);
  reshape(d_score_src_, n, shape_.heads);
  ops::bias_elu_backward(context, constant(z_), d_z, parameters.gradient(bias_).row(0));
  const MatrixView<const Real> d_aggregated = d_z;
  ops::attention_backward(context, graph, shape_, h, constant(score_dst_), constant(score_src_),
                          constant(aggregated_), constant(log_sum_exp_), constant(d_h_),
                          d_aggregated, d_h_.view(), d_score_dst_.view(), d_score_src_.view());
  add_score_gradients(context, parameters, h);
  return d_h_;
}

/// The part of the backward pass through the scores s = a_dst·h and q = a_src·h: adds
/// ds·a_dst + dq·a_src to d_h and sums ds·h and dq·h over the nodes, in one pass over the rows.
template <class Real>
void AttentionLayer<Real>::add_score_gradients(const Context& context,
                                               ParameterStore<Real>& parameters,
                                               MatrixView<const Real> h) {
  const std::size_t cols = shape_.columns();
  const std::size_t num_blocks = (h.rows() + kBlockRows - 1) / kBlockRows;
  reshape(partial_d_a_, num_blocks, 2 * cols);
  const Real* a_dst = std::as_const(parameters).value(attention_dst_).data();
  const Real* a_src = std::as_const(parameters).value(attention_src_).data();
  context.for_each_range(h.rows(), kBlockRows, [&](std::size_t begin, std::size_t end) {
    const std::span<Real> sums = partial_d_a_.row(begin / kBlockRows);
    std::fill(sums.begin(), sums.end(), Real{0});
    for (std::size_t i = begin; i < end; ++i) {
      for (std::size_t k = 0; k < shape_.heads; ++k) {
        const std::size_t first = k * shape_.size;
        add_score_gradients_of_head<Real>(shape_.size, d_score_dst_(i, k), d_score_src_(i, k),
                                          a_dst + first, a_src + first, h.row(i).data() + first,
                                          d_h_.row(i).data() + first, sums.data() + first,
                                          sums.data() + cols + first);
      }
    }
  });
  Real* d_a_dst = parameters.gradient(attention_dst_).data();
  Real* d_a_src = parameters.gradient(attention_src_).data();
  std::fill(d_a_dst, d_a_dst + cols, Real{0});
  std::fill(d_a_src, d_a_src + cols, Real{0});
  for (std::size_t block = 0; block < num_blocks; ++block) {
    for (std::size_t c = 0; c < cols; ++c) {
      d_a_dst[c] += partial_d_a_(block, c);
      d_a_src[c] += partial_d_a_(block, cols + c);
    }
  }
}

template <class Real>
void AttentionLayer<Real>::for_each_pair(
    const ops::Adjacency& graph, const typename AggregationLayer<Real>::VisitPair& visit) const {
  ops::for_each_attention(graph, shape_, constant(score_dst_), constant(score_src_),
                          constant(log_sum_exp_), visit);
}

template class AttentionLayer<float>;
template class AttentionLayer<double>;

}  // namespace cone::nn
