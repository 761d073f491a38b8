#include "cone/ops/attention.hpp"

#include <cmath>
#include <limits>

#include "ops/row_pieces.hpp"

namespace cone::ops {
namespace {

constexpr std::size_t kRowsPerPiece = 256;

template <class Real>
Real dot(const Real* a, const Real* b, std::size_t size) {
  Real sum = 0;
  for (std::size_t c = 0; c < size; ++c) sum += a[c] * b[c];
  return sum;
}

template <class Visit>
void for_each_attended(const Adjacency& graph, bool self_loops, std::size_t i, const Visit& visit) {
  for (std::uint64_t e = graph.offsets[i]; e < graph.offsets[i + 1]; ++e) {
    visit(static_cast<std::size_t>(graph.neighbours[e]));
  }
  if (self_loops) visit(i);
}

}  // namespace

template <class Real>
void attention_scores(const Context& context, const AttentionShape& shape, MatrixView<const Real> h,
                      MatrixView<const Real> a, MatrixView<Real> scores) {
  context.for_each_range(h.rows(), kRowsPerPiece, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      for (std::size_t k = 0; k < shape.heads; ++k) {
        scores(i, k) = dot(&h(i, k * shape.size), &a(k, 0), shape.size);
      }
    }
  });
}

template <class Real>
void attention_forward(const Context& context, const Adjacency& graph, const AttentionShape& shape,
                       MatrixView<const Real> h, MatrixView<const Real> score_dst,
                       MatrixView<const Real> score_src, MatrixView<Real> out,
                       MatrixView<Real> log_sum_exp) {
  const auto slope = static_cast<Real>(shape.negative_slope);
  for_each_row_piece(context, graph.offsets, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      for (std::size_t k = 0; k < shape.heads; ++k) {
        const auto logit = [&](std::size_t j) {
          return leaky_relu(score_dst(i, k) + score_src(j, k), slope);
        };
        Real largest = -std::numeric_limits<Real>::infinity();
        for_each_attended(graph, shape.self_loops, i,
                          [&](std::size_t j) { largest = std::max(largest, logit(j)); });
        Real* const sum = &out(i, k * shape.size);
        std::fill(sum, sum + shape.size, Real{0});
        Real total = 0;
        for_each_attended(graph, shape.self_loops, i, [&](std::size_t j) {
          const Real weight = std::exp(logit(j) - largest);
          total += weight;
          for (std::size_t c = 0; c < shape.size; ++c) sum[c] += weight * h(j, k * shape.size + c);
        });
        if (total > 0) {
          for (std::size_t c = 0; c < shape.size; ++c) sum[c] /= total;
        }
        log_sum_exp(i, k) = largest + std::log(total);
      }
    }
  });
}

template <class Real>
void attention_backward(const Context& context, const Adjacency& graph, const AttentionShape& shape,
                        MatrixView<const Real> h, MatrixView<const Real> score_dst,
                        MatrixView<const Real> score_src, MatrixView<const Real> out,
                        MatrixView<const Real> log_sum_exp, MatrixView<const Real> d_out,
                        MatrixView<Real> d_h, MatrixView<Real> d_score_dst,
                        MatrixView<Real> d_score_src) {
  const auto slope = static_cast<Real>(shape.negative_slope);
  const std::size_t size = shape.size;
  for_each_row_piece(context, graph.offsets, [&](std::size_t begin, std::size_t end) {
    for (std::size_t j = begin; j < end; ++j) {
      for (std::size_t k = 0; k < shape.heads; ++k) {
        // i attends to j: α, and the gradient of s_i + q_j.
        const auto pair = [&](std::size_t i, std::size_t to) {
          const Real raw = score_dst(i, k) + score_src(to, k);
          const Real alpha = std::exp(leaky_relu(raw, slope) - log_sum_exp(i, k));
          const Real* const upstream = &d_out(i, k * size);
          const Real along =
              dot(upstream, &h(to, k * size), size) - dot(upstream, &out(i, k * size), size);
          return std::pair(alpha, alpha * along * (raw > 0 ? Real{1} : slope));
        };
        Real* const sum = &d_h(j, k * size);
        std::fill(sum, sum + size, Real{0});
        Real from_src = 0;
        Real from_dst = 0;
        for_each_attended(graph, shape.self_loops, j, [&](std::size_t i) {
          const auto [alpha, d_src] = pair(i, j);
          from_src += d_src;
          from_dst += pair(j, i).second;
          for (std::size_t c = 0; c < size; ++c) sum[c] += alpha * d_out(i, k * size + c);
        });
        d_score_src(j, k) = from_src;
        d_score_dst(j, k) = from_dst;
      }
    }
  });
}

#define CONE_INSTANTIATE(Real)                                                                  \
  template void attention_scores(const Context&, const AttentionShape&, MatrixView<const Real>, \
                                 MatrixView<const Real>, MatrixView<Real>);                     \
  template void attention_forward(const Context&, const Adjacency&, const AttentionShape&,      \
                                  MatrixView<const Real>, MatrixView<const Real>,               \
                                  MatrixView<const Real>, MatrixView<Real>, MatrixView<Real>);  \
  template void attention_backward(const Context&, const Adjacency&, const AttentionShape&,     \
                                   MatrixView<const Real>, MatrixView<const Real>,              \
                                   MatrixView<const Real>, MatrixView<const Real>,              \
                                   MatrixView<const Real>, MatrixView<const Real>,              \
                                   MatrixView<Real>, MatrixView<Real>, MatrixView<Real>)
CONE_INSTANTIATE(float);
CONE_INSTANTIATE(double);
#undef CONE_INSTANTIATE

}  // namespace cone::ops
