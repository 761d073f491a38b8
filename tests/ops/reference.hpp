#pragma once

#include <cmath>
#include <cstdint>
#include <set>
#include <utility>
#include <vector>

#include "cone/matrix.hpp"

#include "ops/attention.hpp"
#include "support/plain_product.hpp"

// Reference implementations of the kernels, in double precision and plain loops.
namespace cone::ops::reference {

/// Ordered pairs (i, j): i attends to j.
using Pairs = std::set<std::pair<std::size_t, std::size_t>>;

inline Pairs attended_pairs(const Adjacency& graph, bool self_loops) {
  Pairs pairs;
  for (std::size_t i = 0; i < graph.num_nodes(); ++i) {
    if (self_loops) pairs.emplace(i, i);
    for (std::uint64_t e = graph.offsets[i]; e < graph.offsets[i + 1]; ++e) {
      pairs.emplace(i, graph.neighbours[e]);
    }
  }
  return pairs;
}

inline Matrix<double> multiply(const Matrix<double>& a, const Matrix<double>& b) {
  return testing::plain_product(a, b);
}

using testing::transposed;

inline double elu(double x) { return x > 0 ? x : std::expm1(x); }

inline Matrix<double> attention_scores(const AttentionShape& shape, const Matrix<double>& h,
                                       const Matrix<double>& a) {
  Matrix<double> scores(h.rows(), shape.heads);
  for (std::size_t i = 0; i < h.rows(); ++i) {
    for (std::size_t k = 0; k < shape.heads; ++k) {
      for (std::size_t c = 0; c < shape.size; ++c)
        scores(i, k) += h(i, k * shape.size + c) * a(k, c);
    }
  }
  return scores;
}

struct Forward {
  Matrix<double> out;
  Matrix<double> log_sum_exp;
};

inline Forward attention_forward(const Adjacency& graph, const AttentionShape& shape,
                                 const Matrix<double>& h, const Matrix<double>& score_dst,
                                 const Matrix<double>& score_src) {
  const std::size_t n = graph.num_nodes();
  const Pairs pairs = attended_pairs(graph, shape.self_loops);
  Forward result{Matrix<double>(n, shape.columns()), Matrix<double>(n, shape.heads, -INFINITY)};
  for (std::size_t k = 0; k < shape.heads; ++k) {
    const auto logit = [&](std::size_t i, std::size_t j) {
      return leaky_relu(score_dst(i, k) + score_src(j, k), shape.negative_slope);
    };
    std::vector<double> largest(n, -INFINITY);
    std::vector<double> total(n, 0);
    for (const auto& [i, j] : pairs) largest[i] = std::max(largest[i], logit(i, j));
    for (const auto& [i, j] : pairs) total[i] += std::exp(logit(i, j) - largest[i]);
    for (const auto& [i, j] : pairs) {
      const double alpha = std::exp(logit(i, j) - largest[i]) / total[i];
      for (std::size_t c = k * shape.size; c < (k + 1) * shape.size; ++c) {
        result.out(i, c) += alpha * h(j, c);
      }
      result.log_sum_exp(i, k) = largest[i] + std::log(total[i]);
    }
  }
  return result;
}

struct Backward {
  Matrix<double> d_h;
  Matrix<double> d_score_dst;
  Matrix<double> d_score_src;
};

inline Backward attention_backward(const Adjacency& graph, const AttentionShape& shape,
                                   const Matrix<double>& h, const Matrix<double>& score_dst,
                                   const Matrix<double>& score_src, const Matrix<double>& d_out) {
  const std::size_t n = graph.num_nodes();
  const Forward forward = attention_forward(graph, shape, h, score_dst, score_src);
  Backward result{Matrix<double>(n, shape.columns()), Matrix<double>(n, shape.heads),
                  Matrix<double>(n, shape.heads)};
  for (const auto& [i, j] : attended_pairs(graph, shape.self_loops)) {
    for (std::size_t k = 0; k < shape.heads; ++k) {
      const double raw = score_dst(i, k) + score_src(j, k);
      const double alpha =
          std::exp(leaky_relu(raw, shape.negative_slope) - forward.log_sum_exp(i, k));
      double along = 0;
      for (std::size_t c = k * shape.size; c < (k + 1) * shape.size; ++c) {
        along += d_out(i, c) * (h(j, c) - forward.out(i, c));
        result.d_h(j, c) += alpha * d_out(i, c);
      }
      const double d_raw = alpha * along * (raw > 0 ? 1 : shape.negative_slope);
      result.d_score_dst(i, k) += d_raw;
      result.d_score_src(j, k) += d_raw;
    }
  }
  return result;
}

}  // namespace cone::ops::reference
