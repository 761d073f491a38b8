#include <algorithm>
#include <vector>

#include "ops/attention.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/attention_backward.cpp"
#include <hwy/foreach_target.h>
// foreach_target must come before highway.
#include <hwy/highway.h>

#include "ops/dispatch.hpp"
#include "ops/exp-inl.hpp"
#include "ops/heads-inl.hpp"
#include "ops/neighbour_blocks.hpp"
#include "ops/padded_scores.hpp"
#include "ops/paired_sums-inl.hpp"
#include "ops/row_pieces.hpp"
#include "ops/score_range.hpp"

#ifndef CONE_OPS_ATTENTION_BACKWARD_ONCE
#define CONE_OPS_ATTENTION_BACKWARD_ONCE
namespace cone::ops {

/// With δ_i = ⟨d_out_i, out_i⟩ and β = α · LeakyReLU', head by head,
///
///   d_score_dst_i = ⟨d_out_i, ∂out_i/∂s_i⟩, the last from the forward pass
///   d_score_src_j = Σ_i β_ij (⟨d_out_i, h_j⟩ − δ_i) = ⟨h_j, Σ_i β_ij d_out_i⟩ − Σ_i β_ij δ_i
///
/// so the loop over the edges sums rows of d_out only and has no dot product.
template <class T>
struct BackwardArguments {
  const Adjacency& graph;
  const AttentionShape& shape;
  MatrixView<const T> h;
  MatrixView<const T> score_dst;    ///< padded
  MatrixView<const T> score_src;    ///< padded
  MatrixView<const T> log_sum_exp;  ///< padded
  const ScoreRange<T>& range;       ///< of score_src
  MatrixView<const T> out;
  MatrixView<const T> dst_derivative;
  MatrixView<const T> d_out;
  MatrixView<T> d_h;
  MatrixView<T> d_score_dst;
  MatrixView<T> d_score_src;
  /// The values of a node that its neighbours read, side by side and padded: A and B of
  /// score_range.hpp with log_sum_exp for m, or s and log_sum_exp where the range is too wide for
  /// them; then δ.
  MatrixView<T> records;
};

}  // namespace cone::ops
#endif

HWY_BEFORE_NAMESPACE();
namespace cone::ops::HWY_NAMESPACE {

/// Fills a node's record and d_score_dst.
template <class T>
HWY_INLINE void fill_records(const BackwardArguments<T>& arguments, std::size_t begin,
                             std::size_t end) {
  const ScoreTag<T> scores;
  const AttentionShape& shape = arguments.shape;
  const std::size_t padded = padded_heads<T>(shape.heads);
  const auto slope = hn::Set(scores, static_cast<T>(shape.negative_slope));
  for (std::size_t i = begin; i < end; ++i) {
    T* const record = arguments.records.row(i).data();
    for (std::size_t k = 0; k < padded; k += hn::Lanes(scores)) {
      auto first = hn::LoadU(scores, arguments.score_dst.row(i).data() + k);
      auto second = hn::LoadU(scores, arguments.log_sum_exp.row(i).data() + k);
      if (arguments.range.is_narrow()) {
        const auto centred = hn::Add(first, hn::LoadU(scores, arguments.range.middle() + k));
        first = exp(scores, hn::Sub(centred, second));
        second = exp(scores, hn::Sub(hn::Mul(slope, centred), second));
      }
      hn::StoreU(first, scores, record + k);
      hn::StoreU(second, scores, record + padded + k);
    }
  }
  with_tag_of_head<T>(shape.size, [&](auto d) HWY_ATTR {
    for (std::size_t i = begin; i < end; ++i) {
      T* const delta = arguments.records.row(i).data() + 2 * padded;
      for (std::size_t k = 0; k < shape.heads; ++k) {
        const T* const d_out = &arguments.d_out(i, k * shape.size);
        delta[k] = dot(d, d_out, &arguments.out(i, k * shape.size), shape.size);
        arguments.d_score_dst(i, k) =
            dot(d, d_out, &arguments.dst_derivative(i, k * shape.size), shape.size);
      }
    }
  });
}
CONE_OPS_FOR_BOTH_PRECISIONS(fill_records, BackwardArguments)

/// α_ij and β_ij of the neighbours i of one node j, block by block.
template <class T>
class IncomingAttention {
 public:
  explicit IncomingAttention(const BackwardArguments<T>& arguments)
      : arguments_(arguments),
        padded_(padded_heads<T>(arguments.shape.heads)),
        slope_(static_cast<T>(arguments.shape.negative_slope)),
        first_factor_(padded_),
        second_factor_(padded_),
        beta_delta_(padded_),
        weights_((1 + kNeighbourBlock) * 2 * padded_) {}

  /// The block last filled; the node's own weights come before those of its first neighbours.
  PairWeightedRows<T> rows(const NeighbourBlock& block) const {
    return {block.nodes.data(), block.nodes.size(),
            block.ahead,        weights_.data() + 2 * padded_,
            2 * padded_,        padded_};
  }
  /// Σ_i β_ij δ_i so far.
  T sum_beta_delta(std::size_t head) const { return beta_delta_[head]; }

  HWY_INLINE void start(std::size_t j) {
    const ScoreTag<T> d;
    std::fill(beta_delta_.begin(), beta_delta_.end(), T{0});
    q_ = arguments_.score_src.data() + j * arguments_.score_src.stride();
    if (arguments_.range.is_narrow()) {
      for (std::size_t k = 0; k < padded_; k += hn::Lanes(d)) {
        const auto centred =
            hn::Sub(hn::LoadU(d, q_ + k), hn::LoadU(d, arguments_.range.middle() + k));
        hn::StoreU(exp(d, centred), d, first_factor_.data() + k);
        hn::StoreU(exp(d, hn::Mul(hn::Set(d, slope_), centred)), d, second_factor_.data() + k);
      }
    }
    const auto self = static_cast<std::uint32_t>(j);
    if (arguments_.shape.self_loops) fill({&self, 1}, weights_.data());
  }

  HWY_INLINE void fill(const NeighbourBlock& block) {
    fill(block.nodes, weights_.data() + 2 * padded_);
  }

 private:
  using V = hn::Vec<ScoreTag<T>>;
  struct Weight {
    V alpha;
    hn::Mask<ScoreTag<T>> is_positive;
  };

  HWY_INLINE void fill(std::span<const std::uint32_t> block, T* weights) {
    const ScoreTag<T> d;
    if (arguments_.range.is_narrow()) {
      fill_with(block, weights, first_factor_.data(), second_factor_.data(),
                [&](auto e, auto f, const T* record) HWY_ATTR {
                  const auto first = hn::Mul(e, hn::LoadU(d, record));
                  const auto second = hn::Mul(f, hn::LoadU(d, record + padded_));
                  return Weight{hn::Max(first, second), hn::Gt(first, second)};
                });
    } else {
      const auto slope = hn::Set(d, slope_);
      fill_with(block, weights, q_, q_, [&](auto q, auto, const T* record) HWY_ATTR {
        const auto raw = hn::Add(q, hn::LoadU(d, record));
        const auto log_sum_exp = hn::LoadU(d, record + padded_);
        return Weight{exp(d, hn::Sub(leaky_relu(raw, slope), log_sum_exp)),
                      hn::Gt(raw, hn::Zero(d))};
      });
    }
  }

  template <class WeightOf>
  HWY_INLINE void fill_with(std::span<const std::uint32_t> block, T* to, const T* own_first,
                            const T* own_second, const WeightOf& weight_of) {
    const ScoreTag<T> d;
    const auto slope = hn::Set(d, slope_);
    const T* const records = arguments_.records.data();
    const std::size_t stride = arguments_.records.stride();
    const std::size_t padded = padded_;
    for (std::size_t k = 0; k < padded; k += hn::Lanes(d)) {
      const auto a = hn::LoadU(d, own_first + k);
      const auto b = hn::LoadU(d, own_second + k);
      auto beta_delta = hn::LoadU(d, beta_delta_.data() + k);
      T* HWY_RESTRICT weights = to + k;
      for (const std::uint32_t i : block) {
        const T* const record = records + i * stride + k;
        const auto [alpha, is_positive] = weight_of(a, b, record);
        const auto beta = hn::IfThenElse(is_positive, alpha, hn::Mul(slope, alpha));
        beta_delta = hn::MulAdd(beta, hn::LoadU(d, record + 2 * padded), beta_delta);
        hn::StoreU(alpha, d, weights);
        hn::StoreU(beta, d, weights + padded);
        weights += 2 * padded;
      }
      hn::StoreU(beta_delta, d, beta_delta_.data() + k);
    }
  }

  const BackwardArguments<T>& arguments_;
  std::size_t padded_;
  T slope_;
  const T* q_ = nullptr;
  std::vector<T> first_factor_;
  std::vector<T> second_factor_;
  std::vector<T> beta_delta_;
  std::vector<T> weights_;
};

template <class D, class WeightOf, class T = hn::TFromD<D>>
HWY_INLINE void differentiate(D d, const WeightOf& weight_of, const BackwardArguments<T>& arguments,
                              std::size_t begin, std::size_t end) {
  const AttentionShape& shape = arguments.shape;
  const RowTable<T> d_out{arguments.d_out.data(), arguments.d_out.stride()};
  const std::size_t vectors = shape.columns() / hn::Lanes(d);
  IncomingAttention<T> weights(arguments);
  std::vector<T> beta_sum(shape.columns());
  for (std::size_t j = begin; j < end; ++j) {
    const PairedSums<T> sums{arguments.d_h.row(j).data(), beta_sum.data()};
    weights.start(j);
    SumStart start = shape.self_loops ? SumStart::kOwnRow : SumStart::kZero;
    for_each_neighbour_block(arguments.graph, j, [&](const NeighbourBlock& block) HWY_ATTR {
      weights.fill(block);
      add_pairs(d, weight_of, d_out, weights.rows(block), vectors, start, j, sums);
      start = SumStart::kContinue;
    });
    for (std::size_t k = 0; k < shape.heads; ++k) {
      const std::size_t c = k * shape.size;
      arguments.d_score_src(j, k) =
          dot(d, &arguments.h(j, c), beta_sum.data() + c, shape.size) - weights.sum_beta_delta(k);
    }
  }
}

template <class T>
HWY_INLINE void backward_rows(const BackwardArguments<T>& arguments, std::size_t begin,
                              std::size_t end) {
  with_vectors_of_head<T>(arguments.shape.size, [&](auto d, auto weight_of) HWY_ATTR {
    differentiate(d, weight_of, arguments, begin, end);
  });
}
CONE_OPS_FOR_BOTH_PRECISIONS(backward_rows, BackwardArguments)

}  // namespace cone::ops::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace cone::ops {

HWY_EXPORT(fill_records_float);
HWY_EXPORT(fill_records_double);
HWY_EXPORT(backward_rows_float);
HWY_EXPORT(backward_rows_double);

template <class Real>
void attention_backward(const Context& context, const Adjacency& graph, const AttentionShape& shape,
                        MatrixView<const Real> h, MatrixView<const Real> score_dst,
                        MatrixView<const Real> score_src, MatrixView<const Real> out,
                        MatrixView<const Real> log_sum_exp, MatrixView<const Real> dst_derivative,
                        MatrixView<const Real> d_out, MatrixView<Real> d_h,
                        MatrixView<Real> d_score_dst, MatrixView<Real> d_score_src) {
  constexpr std::size_t kRowsPerPiece = 256;
  const PaddedScores<Real> dst(context, score_dst);
  const PaddedScores<Real> src(context, score_src);
  const PaddedScores<Real> logs(context, log_sum_exp);
  const ScoreRange<Real> range(context, score_src);
  Matrix<Real> records(graph.num_nodes(), 3 * padded_heads<Real>(shape.heads));
  const BackwardArguments<Real> arguments{
      graph, shape,          h,     dst.view(), src.view(),  logs.view(), range,
      out,   dst_derivative, d_out, d_h,        d_score_dst, d_score_src, records.view()};
  context.for_each_range(records.rows(), kRowsPerPiece, [&](std::size_t begin, std::size_t end) {
    CONE_OPS_DISPATCH(Real, fill_records, arguments, begin, end)
  });
  for_each_row_piece(context, graph.offsets, [&](std::size_t begin, std::size_t end) {
    CONE_OPS_DISPATCH(Real, backward_rows, arguments, begin, end)
  });
}

#define CONE_INSTANTIATE(Real)                                                                  \
  template void attention_backward(                                                             \
      const Context&, const Adjacency&, const AttentionShape&, MatrixView<const Real>,          \
      MatrixView<const Real>, MatrixView<const Real>, MatrixView<const Real>,                   \
      MatrixView<const Real>, MatrixView<const Real>, MatrixView<const Real>, MatrixView<Real>, \
      MatrixView<Real>, MatrixView<Real>)
CONE_INSTANTIATE(float);
CONE_INSTANTIATE(double);
#undef CONE_INSTANTIATE

}  // namespace cone::ops
#endif
