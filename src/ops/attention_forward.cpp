#include <limits>
#include <vector>

#include "cone/ops/attention.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/attention_forward.cpp"
#include <hwy/foreach_target.h>
// foreach_target must come before highway.
#include <hwy/highway.h>

#include "ops/dispatch.hpp"
#include "ops/exp-inl.hpp"
#include "ops/heads-inl.hpp"
#include "ops/padded_scores.hpp"
#include "ops/row_pieces.hpp"
#include "ops/weighted_rows-inl.hpp"

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
  MatrixView<T> out;
  MatrixView<T> log_sum_exp;
};

}  // namespace cone::ops
#endif

HWY_BEFORE_NAMESPACE();
namespace cone::ops::HWY_NAMESPACE {

/// The weights exp(e_ij − max_j e_ij) of one node's neighbours, block by block.
template <class T>
class NeighbourWeights {
 public:
  explicit NeighbourWeights(const ForwardArguments<T>& arguments)
      : arguments_(arguments),
        padded_(padded_heads<T>(arguments.shape.heads)),
        slope_(static_cast<T>(arguments.shape.negative_slope)),
        largest_(padded_),
        total_(padded_),
        weights_(kNeighbourBlock * padded_) {}

  std::size_t stride() const { return padded_; }
  const T* weights() const { return weights_.data(); }
  T total(std::size_t head) const { return total_[head]; }
  T largest(std::size_t head) const { return largest_[head]; }

  /// LeakyReLU ascends, so the largest e_ij belongs to the largest score of a neighbour.
  HWY_INLINE void start(std::size_t i, std::span<const std::uint32_t> neighbours) {
    const ScoreTag<T> d;
    s_ = row(arguments_.score_dst, i);
    for (std::size_t k = 0; k < padded_; k += hn::Lanes(d)) {
      auto q = arguments_.shape.self_loops ? hn::LoadU(d, row(arguments_.score_src, i) + k)
                                           : hn::Set(d, -std::numeric_limits<T>::infinity());
      for (const std::uint32_t j : neighbours) {
        q = hn::Max(q, hn::LoadU(d, row(arguments_.score_src, j) + k));
      }
      const auto raw = hn::Add(hn::LoadU(d, s_ + k), q);
      hn::StoreU(leaky_relu(raw, hn::Set(d, slope_)), d, largest_.data() + k);
      hn::StoreU(hn::Zero(d), d, total_.data() + k);
    }
  }

  HWY_INLINE void fill(std::span<const std::uint32_t> block) {
    const ScoreTag<T> d;
    const auto slope = hn::Set(d, slope_);
    for (std::size_t k = 0; k < padded_; k += hn::Lanes(d)) {
      const auto s = hn::LoadU(d, s_ + k);
      const auto largest = hn::LoadU(d, largest_.data() + k);
      auto total = hn::LoadU(d, total_.data() + k);
      for (std::size_t e = 0; e < block.size(); ++e) {
        const auto raw = hn::Add(s, hn::LoadU(d, row(arguments_.score_src, block[e]) + k));
        const auto weight = exp(d, hn::Sub(leaky_relu(raw, slope), largest));
        total = hn::Add(total, weight);
        hn::StoreU(weight, d, weights_.data() + e * padded_ + k);
      }
      hn::StoreU(total, d, total_.data() + k);
    }
  }

 private:
  static const T* row(const MatrixView<const T>& m, std::size_t i) {
    return m.data() + i * m.stride();
  }

  const ForwardArguments<T>& arguments_;
  std::size_t padded_;
  T slope_;
  const T* s_ = nullptr;
  std::vector<T> largest_;
  std::vector<T> total_;
  std::vector<T> weights_;
};

template <class D, class WeightOf, class T = hn::TFromD<D>>
HWY_INLINE void attend(D d, const WeightOf& weight_of, const ForwardArguments<T>& arguments,
                       std::size_t begin, std::size_t end) {
  const AttentionShape& shape = arguments.shape;
  const Adjacency& graph = arguments.graph;
  const RowTable<T> h{arguments.h.data(), arguments.h.stride()};
  const std::size_t vectors = shape.columns() / hn::Lanes(d);
  NeighbourWeights<T> weights(arguments);
  for (std::size_t i = begin; i < end; ++i) {
    const std::span<T> out = arguments.out.row(i);
    const auto neighbours =
        graph.neighbours.subspan(graph.offsets[i], graph.offsets[i + 1] - graph.offsets[i]);
    if (neighbours.empty() && !shape.self_loops) {
      std::fill(out.begin(), out.end(), T{0});
      const std::span<T> none = arguments.log_sum_exp.row(i);
      std::fill(none.begin(), none.end(), -std::numeric_limits<T>::infinity());
      continue;
    }
    weights.start(i, neighbours);
    bool from_zero = true;
    const auto add = [&](std::span<const std::uint32_t> block) HWY_ATTR {
      weights.fill(block);
      add_rows(d, weight_of, h,
               WeightedRows<T>{block.data(), block.size(), weights.weights(), weights.stride()},
               vectors, from_zero, out.data());
      from_zero = false;
    };
    for (std::size_t first = 0; first < neighbours.size(); first += kNeighbourBlock) {
      add(neighbours.subspan(first, std::min(kNeighbourBlock, neighbours.size() - first)));
    }
    const auto self = static_cast<std::uint32_t>(i);
    if (shape.self_loops) add({&self, 1});

    for (std::size_t k = 0; k < shape.heads; ++k) {
      arguments.log_sum_exp(i, k) = weights.largest(k) + std::log(weights.total(k));
      const auto scale = hn::Set(d, 1 / weights.total(k));
      for (std::size_t c = k * shape.size; c < (k + 1) * shape.size; c += hn::Lanes(d)) {
        hn::StoreU(hn::Mul(hn::LoadU(d, out.data() + c), scale), d, out.data() + c);
      }
    }
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

HWY_EXPORT(forward_rows_float);
HWY_EXPORT(forward_rows_double);

template <class Real>
void attention_forward(const Context& context, const Adjacency& graph, const AttentionShape& shape,
                       MatrixView<const Real> h, MatrixView<const Real> score_dst,
                       MatrixView<const Real> score_src, MatrixView<Real> out,
                       MatrixView<Real> log_sum_exp) {
  const PaddedScores<Real> dst(context, score_dst);
  const PaddedScores<Real> src(context, score_src);
  const ForwardArguments<Real> arguments{graph, shape, h, dst.view(), src.view(), out, log_sum_exp};
  for_each_row_piece(context, graph.offsets, [&](std::size_t begin, std::size_t end) {
    CONE_OPS_DISPATCH(Real, forward_rows, arguments, begin, end)
  });
}

template void attention_forward(const Context&, const Adjacency&, const AttentionShape&,
                                MatrixView<const float>, MatrixView<const float>,
                                MatrixView<const float>, MatrixView<float>, MatrixView<float>);
template void attention_forward(const Context&, const Adjacency&, const AttentionShape&,
                                MatrixView<const double>, MatrixView<const double>,
                                MatrixView<const double>, MatrixView<double>, MatrixView<double>);

}  // namespace cone::ops
#endif
