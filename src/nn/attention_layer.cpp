#include "nn/attention_layer.hpp"

#include <algorithm>
#include <utility>

#include "nn/initialise.hpp"
#include "nn/workspace.hpp"
#include "ops/dense.hpp"

namespace cone::nn {
namespace {

constexpr std::size_t kBlockRows = 512;

/// One node and head. The arrays do not overlap; saying so lets the compiler use vectors.
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

AttentionLayer::AttentionLayer(ParameterLayout& layout, const std::string& name,
                               const ops::AttentionShape& shape)
    : shape_(shape),
      attention_dst_(layout.add_weight(name + ".attention_dst", shape.heads, shape.size)),
      attention_src_(layout.add_weight(name + ".attention_src", shape.heads, shape.size)),
      bias_(layout.add_bias(name + ".bias", shape.columns())) {}

template <class Real>
void AttentionLayer::initialise(ParameterStore<Real>& parameters, std::uint64_t seed) const {
  xavier_uniform(parameters, attention_dst_, shape_.size, 1, seed);
  xavier_uniform(parameters, attention_src_, shape_.size, 1, seed);
}

template <class Real>
void AttentionLayer::forward(const Context& context, const ParameterStore<Real>& parameters,
                             const ops::Adjacency& graph,
                             AttentionWorkspace<Real>& workspace) const {
  AttentionWorkspace<Real>& w = workspace;
  const std::size_t n = graph.num_nodes();
  for (Matrix<Real>* scores : {&w.score_dst, &w.score_src, &w.log_sum_exp}) {
    reshape(*scores, n, shape_.heads);
  }
  reshape(w.aggregated, n, shape_.columns());
  reshape(w.z, n, shape_.columns());
  reshape(w.d_h, n, shape_.columns());
  const auto h = constant(w.h);
  ops::attention_scores(context, shape_, h, parameters.value(attention_dst_), w.score_dst.view());
  ops::attention_scores(context, shape_, h, parameters.value(attention_src_), w.score_src.view());
  ops::attention_forward(context, graph, shape_, h, constant(w.score_dst), constant(w.score_src),
                         w.aggregated.view(), w.log_sum_exp.view(), w.d_h.view());
  context.for_each_range(n, kBlockRows, [&](std::size_t begin, std::size_t end) {
    std::copy(w.aggregated.row(begin).data(),
              w.aggregated.row(begin).data() + (end - begin) * shape_.columns(),
              w.z.row(begin).data());
  });
  ops::bias_elu(context, parameters.value(bias_).row(0), w.z.view());
}

template <class Real>
void AttentionLayer::backward(const Context& context, ParameterStore<Real>& parameters,
                              const ops::Adjacency& graph, AttentionWorkspace<Real>& workspace,
                              MatrixView<Real> d_z) const {
  AttentionWorkspace<Real>& w = workspace;
  const std::size_t n = graph.num_nodes();
  reshape(w.d_score_dst, n, shape_.heads);
  reshape(w.d_score_src, n, shape_.heads);
  ops::bias_elu_backward(context, constant(w.z), d_z, parameters.gradient(bias_).row(0));
  const MatrixView<const Real> d_aggregated = d_z;
  ops::attention_backward(context, graph, shape_, constant(w.h), constant(w.score_dst),
                          constant(w.score_src), constant(w.aggregated), constant(w.log_sum_exp),
                          constant(w.d_h), d_aggregated, w.d_h.view(), w.d_score_dst.view(),
                          w.d_score_src.view());
  add_score_gradients(context, parameters, w);
}

/// The part of the backward pass through the scores s = a_dst·h and q = a_src·h: adds
/// ds·a_dst + dq·a_src to d_h and sums ds·h and dq·h over the nodes, in one pass over the rows.
template <class Real>
void AttentionLayer::add_score_gradients(const Context& context, ParameterStore<Real>& parameters,
                                         AttentionWorkspace<Real>& workspace) const {
  AttentionWorkspace<Real>& w = workspace;
  const std::size_t cols = shape_.columns();
  const std::size_t num_blocks = (w.h.rows() + kBlockRows - 1) / kBlockRows;
  reshape(w.partial_d_a, num_blocks, 2 * cols);
  const Real* a_dst = std::as_const(parameters).value(attention_dst_).data();
  const Real* a_src = std::as_const(parameters).value(attention_src_).data();
  context.for_each_range(w.h.rows(), kBlockRows, [&](std::size_t begin, std::size_t end) {
    const std::span<Real> sums = w.partial_d_a.row(begin / kBlockRows);
    std::fill(sums.begin(), sums.end(), Real{0});
    for (std::size_t i = begin; i < end; ++i) {
      for (std::size_t k = 0; k < shape_.heads; ++k) {
        const std::size_t first = k * shape_.size;
        add_score_gradients_of_head<Real>(shape_.size, w.d_score_dst(i, k), w.d_score_src(i, k),
                                          a_dst + first, a_src + first, w.h.row(i).data() + first,
                                          w.d_h.row(i).data() + first, sums.data() + first,
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
      d_a_dst[c] += w.partial_d_a(block, c);
      d_a_src[c] += w.partial_d_a(block, cols + c);
    }
  }
}

#define CONE_INSTANTIATE(Real)                                                                   \
  template void AttentionLayer::initialise(ParameterStore<Real>&, std::uint64_t) const;          \
  template void AttentionLayer::forward(const Context&, const ParameterStore<Real>&,             \
                                        const ops::Adjacency&, AttentionWorkspace<Real>&) const; \
  template void AttentionLayer::backward(const Context&, ParameterStore<Real>&,                  \
                                         const ops::Adjacency&, AttentionWorkspace<Real>&,       \
                                         MatrixView<Real>) const;
CONE_INSTANTIATE(float)
CONE_INSTANTIATE(double)
#undef CONE_INSTANTIATE

}  // namespace cone::nn
