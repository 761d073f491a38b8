#include <limits>
#include <vector>

#include "ops/attention.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/attention_forward.cpp"
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

#ifndef CONE_OPS_ATTENTION_FORWARD_ONCE
#define CONE_OPS_ATTENTION_FORWARD_ONCE
namespace cone::ops {

template <class T>
struct ForwardArguments {
  const Adjacency& graph;
  const AttentionShape& shape;
  MatrixView<const T> h;
  MatrixView<const T> score_dst;  ///< padded
  MatrixView<const T> score_src;  ///< padded
  const ScoreRange<T>& range;     ///< of score_src
  /// The values of a node that its neighbours read, side by side and padded: E and F of
  /// score_range.hpp, or only q where the range is too wide for them.
  MatrixView<T> records;
  MatrixView<T> out;
  MatrixView<T> log_sum_exp;
  MatrixView<T> dst_derivative;
};

}  // namespace cone::ops
#endif

HWY_BEFORE_NAMESPACE();
namespace cone::ops::HWY_NAMESPACE {

template <class T>
HWY_INLINE void fill_sources(const ForwardArguments<T>& arguments, std::size_t begin,
                             std::size_t end) {
  const ScoreTag<T> d;
  const std::size_t padded = padded_heads<T>(arguments.shape.heads);
  const auto slope = hn::Set(d, static_cast<T>(arguments.shape.negative_slope));
  for (std::size_t i = begin; i < end; ++i) {
    T* const record = arguments.records.row(i).data();
    for (std::size_t k = 0; k < padded; k += hn::Lanes(d)) {
      const auto q = hn::LoadU(d, arguments.score_src.row(i).data() + k);
      if (arguments.range.is_narrow()) {
        const auto centred = hn::Sub(q, hn::LoadU(d, arguments.range.middle() + k));
        hn::StoreU(exp(d, centred), d, record + k);
        hn::StoreU(exp(d, hn::Mul(slope, centred)), d, record + padded + k);
      } else {
        hn::StoreU(q, d, record + k);
      }
    }
  }
}
CONE_OPS_FOR_BOTH_PRECISIONS(fill_sources, ForwardArguments)

/// The weights exp(e_ij − m_i) of one node's neighbours, block by block, followed by the same
/// weights with zero where s_i + q_j ≤ 0. m_i is the largest e_ij, or close to it.
template <class T>
class NeighbourWeights {
 public:
  explicit NeighbourWeights(const ForwardArguments<T>& arguments)
      : arguments_(arguments),
        padded_(padded_heads<T>(arguments.shape.heads)),
        slope_(static_cast<T>(arguments.shape.negative_slope)),
        first_factor_(padded_),
        second_factor_(padded_),
        bound_(padded_),
        total_(padded_),
        positive_(padded_),
        inverse_(padded_),
        weights_((1 + kNeighbourBlock) * 2 * padded_) {}

  /// The block last filled; the node's own weights come before those of its first neighbours.
  PairWeightedRows<T> rows(const NeighbourBlock& block) const {
    return {block.nodes.data(), block.nodes.size(),
            block.ahead,        weights_.data() + 2 * padded_,
            2 * padded_,        padded_};
  }
  T log_total(std::size_t head) const { return bound_[head] + std::log(total_[head]); }
  /// One over the sum of the weights.
  T inverse(std::size_t head) const { return inverse_[head]; }
  /// The share of the weights with s_i + q_j > 0.
  T positive_share(std::size_t head) const { return positive_[head]; }

  HWY_INLINE void start(std::size_t i) {
    std::fill(total_.begin(), total_.end(), T{0});
    std::fill(positive_.begin(), positive_.end(), T{0});
    s_ = arguments_.score_dst.data() + i * arguments_.score_dst.stride();
    for (std::size_t k = 0; k < padded_; k += hn::Lanes(ScoreTag<T>())) set_factors(i, k);
    const auto self = static_cast<std::uint32_t>(i);
    if (arguments_.shape.self_loops) fill({&self, 1}, weights_.data());
  }

  HWY_INLINE void fill(const NeighbourBlock& block) {
    fill(block.nodes, weights_.data() + 2 * padded_);
  }

  HWY_INLINE void finish() {
    const ScoreTag<T> d;
    for (std::size_t k = 0; k < padded_; k += hn::Lanes(d)) {
      const auto inverse = hn::Div(hn::Set(d, 1), hn::LoadU(d, total_.data() + k));
      hn::StoreU(inverse, d, inverse_.data() + k);
      hn::StoreU(hn::Mul(inverse, hn::LoadU(d, positive_.data() + k)), d, positive_.data() + k);
    }
  }

 private:
  using V = hn::Vec<ScoreTag<T>>;
  struct Weight {
    V all;
    hn::Mask<ScoreTag<T>> is_positive;
  };

  HWY_INLINE void fill(std::span<const std::uint32_t> block, T* weights) {
    const ScoreTag<T> d;
    if (arguments_.range.is_narrow()) {
      fill_with(block, weights, first_factor_.data(), second_factor_.data(),
                [&](auto a, auto b, const T* record) HWY_ATTR {
                  const auto first = hn::Mul(a, hn::LoadU(d, record));
                  const auto second = hn::Mul(b, hn::LoadU(d, record + padded_));
                  return Weight{hn::Max(first, second), hn::Gt(first, second)};
                });
    } else {
      const auto slope = hn::Set(d, slope_);
      fill_with(
          block, weights, s_, bound_.data(), [&](auto s, auto bound, const T* record) HWY_ATTR {
            const auto raw = hn::Add(s, hn::LoadU(d, record));
            return Weight{exp(d, hn::Sub(leaky_relu(raw, slope), bound)), hn::Gt(raw, hn::Zero(d))};
          });
    }
  }

  /// LeakyReLU is increasing, so the largest e_ij belongs to the largest score of a neighbour, and
  /// to the largest first value of a record, whichever form it has.
  HWY_INLINE void set_factors(std::size_t i, std::size_t k) {
    const ScoreTag<T> d;
    const Adjacency& graph = arguments_.graph;
    const T* const records = arguments_.records.data() + k;
    const std::size_t stride = arguments_.records.stride();
    const auto first = static_cast<std::size_t>(graph.offsets[i]);
    const auto end = static_cast<std::size_t>(graph.offsets[i + 1]);
    auto largest = hn::LoadU(
        d, records + (arguments_.shape.self_loops ? i : graph.neighbours[first]) * stride);
    for (std::size_t e = first; e < end; ++e) {
      largest = hn::Max(largest, hn::LoadU(d, records + graph.neighbours[e] * stride));
    }
    const auto slope = hn::Set(d, slope_);
    const auto s = hn::LoadU(d, s_ + k);
    if (!arguments_.range.is_narrow()) {
      hn::StoreU(leaky_relu(hn::Add(s, largest), slope), d, bound_.data() + k);
      return;
    }
    const auto centred = hn::Add(s, hn::LoadU(d, arguments_.range.middle() + k));
    const auto bound = leaky_relu(hn::Add(centred, rough_log(d, largest)), slope);
    hn::StoreU(bound, d, bound_.data() + k);
    hn::StoreU(exp(d, hn::Sub(centred, bound)), d, first_factor_.data() + k);
    hn::StoreU(exp(d, hn::Sub(hn::Mul(slope, centred), bound)), d, second_factor_.data() + k);
  }

  template <class WeightOf>
  HWY_INLINE void fill_with(std::span<const std::uint32_t> block, T* to, const T* own_first,
                            const T* own_second, const WeightOf& weight_of) {
    const ScoreTag<T> d;
    const T* const records = arguments_.records.data();
    const std::size_t stride = arguments_.records.stride();
    const std::size_t padded = padded_;
    for (std::size_t k = 0; k < padded; k += hn::Lanes(d)) {
      const auto a = hn::LoadU(d, own_first + k);
      const auto b = hn::LoadU(d, own_second + k);
      auto total = hn::LoadU(d, total_.data() + k);
      auto positive = hn::LoadU(d, positive_.data() + k);
      T* HWY_RESTRICT weights = to + k;
      for (const std::uint32_t j : block) {
        const Weight weight = weight_of(a, b, records + j * stride + k);
        const auto if_positive = hn::IfThenElseZero(weight.is_positive, weight.all);
        total = hn::Add(total, weight.all);
        positive = hn::Add(positive, if_positive);
        hn::StoreU(weight.all, d, weights);
        hn::StoreU(if_positive, d, weights + padded);
        weights += 2 * padded;
      }
      hn::StoreU(total, d, total_.data() + k);
      hn::StoreU(positive, d, positive_.data() + k);
    }
  }

  const ForwardArguments<T>& arguments_;
  std::size_t padded_;
  T slope_;
  const T* s_ = nullptr;
  std::vector<T> first_factor_;
  std::vector<T> second_factor_;
  std::vector<T> bound_;
  std::vector<T> total_;
  std::vector<T> positive_;
  std::vector<T> inverse_;
  std::vector<T> weights_;
};

/// From Σ_j w_ij h_j (in out) and its part with s_i + q_j > 0 to out_i, log_sum_exp and
/// ∂out_i/∂s_i = Σ_j α_ij LeakyReLU' (h_j − out_i), in which the slope common to all pairs cancels
/// and only the additional 1 − slope of the positive pairs remains.
template <class D, class T = hn::TFromD<D>>
HWY_INLINE void finish_node(D d, const ForwardArguments<T>& arguments, std::size_t i,
                            const NeighbourWeights<T>& weights, const T* positive) {
  const AttentionShape& shape = arguments.shape;
  T* const out = arguments.out.row(i).data();
  T* const derivative = arguments.dst_derivative.row(i).data();
  const auto steeper = static_cast<T>(1 - shape.negative_slope);
  for (std::size_t k = 0; k < shape.heads; ++k) {
    arguments.log_sum_exp(i, k) = weights.log_total(k);
    const auto scale = hn::Set(d, weights.inverse(k));
    const auto positive_scale = hn::Set(d, steeper * weights.inverse(k));
    const auto share = hn::Set(d, steeper * weights.positive_share(k));
    for (std::size_t c = k * shape.size; c < (k + 1) * shape.size; c += hn::Lanes(d)) {
      const auto mean = hn::Mul(hn::LoadU(d, out + c), scale);
      hn::StoreU(mean, d, out + c);
      const auto beyond = hn::Mul(hn::LoadU(d, positive + c), positive_scale);
      hn::StoreU(hn::NegMulAdd(share, mean, beyond), d, derivative + c);
    }
  }
}

template <class D, class WeightOf, class T = hn::TFromD<D>>
HWY_INLINE void attend(D d, const WeightOf& weight_of, const ForwardArguments<T>& arguments,
                       std::size_t begin, std::size_t end) {
  const AttentionShape& shape = arguments.shape;
  const RowTable<T> h{arguments.h.data(), arguments.h.stride()};
  const std::size_t vectors = shape.columns() / hn::Lanes(d);
  NeighbourWeights<T> weights(arguments);
  std::vector<T> positive(shape.columns());
  for (std::size_t i = begin; i < end; ++i) {
    const std::span<T> out = arguments.out.row(i);
    if (!shape.self_loops && arguments.graph.offsets[i] == arguments.graph.offsets[i + 1]) {
      const std::span<T> none = arguments.log_sum_exp.row(i);
      const std::span<T> derivative = arguments.dst_derivative.row(i);
      std::fill(out.begin(), out.end(), T{0});
      std::fill(derivative.begin(), derivative.end(), T{0});
      std::fill(none.begin(), none.end(), -std::numeric_limits<T>::infinity());
      continue;
    }
    weights.start(i);
    SumStart start = shape.self_loops ? SumStart::kOwnRow : SumStart::kZero;
    for_each_neighbour_block(arguments.graph, i, [&](const NeighbourBlock& block) HWY_ATTR {
      weights.fill(block);
      add_pairs(d, weight_of, h, weights.rows(block), vectors, start, i,
                PairedSums<T>{out.data(), positive.data()});
      start = SumStart::kContinue;
    });
    weights.finish();
    finish_node(d, arguments, i, weights, positive.data());
  }
}

template <class T>
HWY_INLINE void forward_rows(const ForwardArguments<T>& arguments, std::size_t begin,
                             std::size_t end) {
  with_vectors_of_head<T>(arguments.shape.size, [&](auto d, auto weight_of) HWY_ATTR {
    attend(d, weight_of, arguments, begin, end);
  });
}
CONE_OPS_FOR_BOTH_PRECISIONS(forward_rows, ForwardArguments)

}  // namespace cone::ops::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace cone::ops {

HWY_EXPORT(fill_sources_float);
HWY_EXPORT(fill_sources_double);
HWY_EXPORT(forward_rows_float);
HWY_EXPORT(forward_rows_double);

template <class Real>
void attention_forward(const Context& context, const Adjacency& graph, const AttentionShape& shape,
                       MatrixView<const Real> h, MatrixView<const Real> score_dst,
                       MatrixView<const Real> score_src, MatrixView<Real> out,
                       MatrixView<Real> log_sum_exp, MatrixView<Real> dst_derivative) {
  constexpr std::size_t kRowsPerPiece = 1024;
  const PaddedScores<Real> dst(context, score_dst);
  const PaddedScores<Real> src(context, score_src);
  const ScoreRange<Real> range(context, score_src);
  Matrix<Real> records(graph.num_nodes(), 2 * padded_heads<Real>(shape.heads));
  const ForwardArguments<Real> arguments{graph, shape,          h,   dst.view(),  src.view(),
                                         range, records.view(), out, log_sum_exp, dst_derivative};
  context.for_each_range(records.rows(), kRowsPerPiece, [&](std::size_t begin, std::size_t end) {
    CONE_OPS_DISPATCH(Real, fill_sources, arguments, begin, end)
  });
  for_each_row_piece(context, graph.offsets, [&](std::size_t begin, std::size_t end) {
    CONE_OPS_DISPATCH(Real, forward_rows, arguments, begin, end)
  });
}

#define CONE_INSTANTIATE(Real)                                                                \
  template void attention_forward(const Context&, const Adjacency&, const AttentionShape&,    \
                                  MatrixView<const Real>, MatrixView<const Real>,             \
                                  MatrixView<const Real>, MatrixView<Real>, MatrixView<Real>, \
                                  MatrixView<Real>)
CONE_INSTANTIATE(float);
CONE_INSTANTIATE(double);
#undef CONE_INSTANTIATE

}  // namespace cone::ops
#endif
