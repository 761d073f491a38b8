#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "cone/context.hpp"
#include "cone/matrix.hpp"

// Multi-head graph attention (Veličković et al. 2018, "Graph attention networks") over a symmetric
// graph. For node i and head k, with h (n × heads·size, head k in columns k·size ... (k + 1)·size −
// 1) and scores s = a_dst·h_i, q = a_src·h_j:
//
//   e_ij = LeakyReLU(s_i^k + q_j^k)          j in N(i), and i itself when self_loops
//   α_ij = softmax over j of e_ij
//   out_i^k = Σ_j α_ij h_j^k                  (before bias and activation)
//
// Several towers over the same graph are heads side by side: one pass serves all of them. A node
// with nothing to attend to has out = 0 and log_sum_exp = −∞.

namespace cone::ops {

/// A symmetric graph in compressed rows, each edge in both directions, no self loops.
struct Adjacency {
  std::span<const std::uint64_t> offsets;  ///< nodes + 1
  std::span<const std::uint32_t> neighbours;

  std::size_t num_nodes() const { return offsets.size() - 1; }
};

struct AttentionShape {
  std::size_t heads = 1;
  std::size_t size = 1;         ///< columns of one head
  double negative_slope = 0.2;  ///< of LeakyReLU, at most 1
  bool self_loops = true;

  std::size_t columns() const { return heads * size; }
};

/// s or q: scores(i, k) = Σ_c h(i, k·size + c) · a(k, c). a is heads × size.
template <class Real>
void attention_scores(const Context& context, const AttentionShape& shape, MatrixView<const Real> h,
                      MatrixView<const Real> a, MatrixView<Real> scores);

/// Fills out (n × heads·size), log_sum_exp (n × heads) and, for the backward pass, dst_derivative
/// (n × heads·size): ∂out_i/∂s_i = Σ_j α_ij LeakyReLU'(s_i + q_j) (h_j − out_i). Nothing of the
/// size of the edges is stored. O(edges · heads · size); four exponentials per node and head, or
/// one per edge and head where the scores q of a head spread by more than 100 (float; double:
/// 1000).
template <class Real>
void attention_forward(const Context& context, const Adjacency& graph, const AttentionShape& shape,
                       MatrixView<const Real> h, MatrixView<const Real> score_dst,
                       MatrixView<const Real> score_src, MatrixView<Real> out,
                       MatrixView<Real> log_sum_exp, MatrixView<Real> dst_derivative);

/// The backward pass by recomputation: from h, the scores, out, log_sum_exp, dst_derivative and the
/// upstream gradient d_out (all of the forward pass, before bias and activation) it overwrites
///
///   d_h          n × heads·size: Σ_i α_ij d_out_i only. The part through the scores,
///                d_score_dst·a_dst + d_score_src·a_src, is dense and left to the caller. May be
///                the memory of dst_derivative, which is read first.
///   d_score_dst  n × heads: ⟨d_out_i, ∂out_i/∂s_i⟩
///   d_score_src  n × heads: Σ_i α_ij (⟨d_out_i, h_j⟩ − ⟨d_out_i, out_i⟩) LeakyReLU'
///
/// The graph is symmetric, so node j gathers the gradients of its neighbours i: no atomics.
/// O(edges · heads · size) time; allocates 3 values per node and head.
template <class Real>
void attention_backward(const Context& context, const Adjacency& graph, const AttentionShape& shape,
                        MatrixView<const Real> h, MatrixView<const Real> score_dst,
                        MatrixView<const Real> score_src, MatrixView<const Real> out,
                        MatrixView<const Real> log_sum_exp, MatrixView<const Real> dst_derivative,
                        MatrixView<const Real> d_out, MatrixView<Real> d_h,
                        MatrixView<Real> d_score_dst, MatrixView<Real> d_score_src);

template <class Real>
Real leaky_relu(Real x, Real negative_slope) {
  return x > 0 ? x : negative_slope * x;
}

/// Calls visit(i, j, alphas of the heads) for every attended pair, in the order of the graph's rows
/// with the node itself (when self_loops) merged in ascending order. For exports, not for training.
template <class Real, class Visit>
void for_each_attention(const Adjacency& graph, const AttentionShape& shape,
                        MatrixView<const Real> score_dst, MatrixView<const Real> score_src,
                        MatrixView<const Real> log_sum_exp, const Visit& visit) {
  std::vector<Real> alphas(shape.heads);
  const auto slope = static_cast<Real>(shape.negative_slope);
  const auto visit_pair = [&](std::size_t i, std::size_t j) {
    for (std::size_t k = 0; k < shape.heads; ++k) {
      const Real logit = leaky_relu(score_dst(i, k) + score_src(j, k), slope);
      alphas[k] = std::exp(logit - log_sum_exp(i, k));
    }
    visit(i, j, std::span<const Real>(alphas));
  };
  for (std::size_t i = 0; i < graph.num_nodes(); ++i) {
    const auto row =
        graph.neighbours.subspan(graph.offsets[i], graph.offsets[i + 1] - graph.offsets[i]);
    const auto after = std::lower_bound(row.begin(), row.end(), i);
    for (auto j = row.begin(); j != after; ++j) visit_pair(i, *j);
    if (shape.self_loops) visit_pair(i, i);
    for (auto j = after; j != row.end(); ++j) visit_pair(i, *j);
  }
}

}  // namespace cone::ops
