#include <algorithm>
#include <vector>

#include "cone/ops/attention.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/attention_backward.cpp"
#include <hwy/foreach_target.h>
// foreach_target must come before highway.
#include <hwy/cache_control.h>
#include <hwy/highway.h>

#include "ops/dispatch.hpp"
#include "ops/exp-inl.hpp"
#include "ops/heads-inl.hpp"
#include "ops/padded_scores.hpp"
#include "ops/row_pieces.hpp"
#include "ops/weighted_rows-inl.hpp"

#ifndef CONE_OPS_ATTENTION_BACKWARD_ONCE
#define CONE_OPS_ATTENTION_BACKWARD_ONCE
namespace cone::ops {

/// With δ_i = ⟨d_out_i, out_i⟩ and β = α · LeakyReLU', head by head,
///
///   d_score_src_j = Σ_i β_ij (⟨d_out_i, h_j⟩ − δ_i) = ⟨h_j, Σ_i β_ij d_out_i⟩ − Σ_i β_ij δ_i
///   d_score_dst_j = Σ_i β_ji (⟨d_out_j, h_i⟩ − δ_j) = ⟨d_out_j, Σ_i β_ji h_i⟩ − δ_j Σ_i β_ji
///
/// so the loop over the edges adds up rows and has no dot product; those are one a node.
template <class T>
struct BackwardArguments {
  const Adjacency& graph;
  const AttentionShape& shape;
  MatrixView<const T> h;
  MatrixView<const T> score_dst;
  MatrixView<const T> score_src;
  MatrixView<const T> out;
  MatrixView<const T> log_sum_exp;
  MatrixView<const T> d_out;
  MatrixView<T> d_h;
  MatrixView<T> d_score_dst;
  MatrixView<T> d_score_src;
  /// What a node's neighbours ask of it, side by side and padded: s, q, log_sum_exp, δ.
  MatrixView<T> records;
};

}  // namespace cone::ops
#endif

HWY_BEFORE_NAMESPACE();
namespace cone::ops::HWY_NAMESPACE {

template <class T>
HWY_INLINE void fill_records(const BackwardArguments<T>& arguments, std::size_t begin,
                             std::size_t end) {
  const AttentionShape& shape = arguments.shape;
  const std::size_t padded = padded_heads<T>(shape.heads);
  with_vectors_of_head<T>(shape.size, [&](auto d, auto) HWY_ATTR {
    for (std::size_t i = begin; i < end; ++i) {
      T* const record = arguments.records.row(i).data();
      for (std::size_t k = 0; k < shape.heads; ++k) {
        record[k] = arguments.score_dst(i, k);
        record[padded + k] = arguments.score_src(i, k);
        record[2 * padded + k] = arguments.log_sum_exp(i, k);
        record[3 * padded + k] = dot(d, &arguments.d_out(i, k * shape.size),
                                     &arguments.out(i, k * shape.size), shape.size);
      }
    }
  });
}
CONE_OPS_FOR_BOTH_PRECISIONS(fill_records, BackwardArguments)

/// α and β of the pairs that node j and its neighbours form, block by block; see above.
template <class T>
class PairWeights {
 public:
  explicit PairWeights(const BackwardArguments<T>& arguments)
      : records_(arguments.records),
        padded_(padded_heads<T>(arguments.shape.heads)),
        slope_(static_cast<T>(arguments.shape.negative_slope)),
        weights_(kNeighbourBlock * 3 * padded_),
        beta_delta_(padded_),
        beta_mirrored_(padded_) {}

  /// Of each neighbour i: α_ij, β_ij and β_ji of all heads.
  const T* weights() const { return weights_.data(); }
  std::size_t stride() const { return 3 * padded_; }
  std::size_t padded() const { return padded_; }
  T sum_beta_delta(std::size_t head) const { return beta_delta_[head]; }
  T sum_beta_mirrored(std::size_t head) const { return beta_mirrored_[head]; }

  void start(std::size_t j) {
    own_ = record(j);
    std::fill(beta_delta_.begin(), beta_delta_.end(), T{0});
    std::fill(beta_mirrored_.begin(), beta_mirrored_.end(), T{0});
  }

  HWY_INLINE void fill(std::span<const std::uint32_t> block) {
    const ScoreTag<T> d;
    const auto slope = hn::Set(d, slope_);
    const auto one = hn::Set(d, 1);
    for (std::size_t k = 0; k < padded_; k += hn::Lanes(d)) {
      const auto own_s = hn::LoadU(d, own_ + k);
      const auto own_q = hn::LoadU(d, own_ + padded_ + k);
      const auto own_log_sum_exp = hn::LoadU(d, own_ + 2 * padded_ + k);
      auto beta_delta = hn::LoadU(d, beta_delta_.data() + k);
      auto beta_mirrored = hn::LoadU(d, beta_mirrored_.data() + k);
      for (std::size_t e = 0; e < block.size(); ++e) {
        const T* const other = record(block[e]) + k;
        T* const weights = weights_.data() + e * stride() + k;
        const auto raw = hn::Add(own_q, hn::LoadU(d, other));
        const auto alpha =
            exp(d, hn::Sub(leaky_relu(raw, slope), hn::LoadU(d, other + 2 * padded_)));
        const auto beta = hn::Mul(alpha, hn::IfThenElse(hn::Gt(raw, hn::Zero(d)), one, slope));
        beta_delta = hn::MulAdd(beta, hn::LoadU(d, other + 3 * padded_), beta_delta);
        hn::StoreU(alpha, d, weights);
        hn::StoreU(beta, d, weights + padded_);

        const auto mirrored_raw = hn::Add(own_s, hn::LoadU(d, other + padded_));
        const auto mirrored =
            hn::Mul(exp(d, hn::Sub(leaky_relu(mirrored_raw, slope), own_log_sum_exp)),
                    hn::IfThenElse(hn::Gt(mirrored_raw, hn::Zero(d)), one, slope));
        beta_mirrored = hn::Add(beta_mirrored, mirrored);
        hn::StoreU(mirrored, d, weights + 2 * padded_);
      }
      hn::StoreU(beta_delta, d, beta_delta_.data() + k);
      hn::StoreU(beta_mirrored, d, beta_mirrored_.data() + k);
    }
  }

 private:
  const T* record(std::size_t i) const { return records_.data() + i * records_.stride(); }

  MatrixView<T> records_;
  std::size_t padded_;
  T slope_;
  const T* own_ = nullptr;
  std::vector<T> weights_;
  std::vector<T> beta_delta_;
  std::vector<T> beta_mirrored_;
};

/// Σ α_ij d_out_i, Σ β_ij d_out_i and Σ β_ji h_i of one node j.
template <class T>
struct PairSums {
  T* alpha;
  T* beta;
  T* mirrored;
};

/// How many rows before its turn a row is asked for. Their order is the graph's, which no hardware
/// prefetcher can guess.
inline constexpr std::size_t kRowsAhead = 8;

template <std::size_t kValues, class T>
HWY_INLINE void prefetch_row(const T* row) {
  for (std::size_t c = 0; c < kValues; c += 64 / sizeof(T)) hwy::Prefetch(row + c);
}

/// Adds a block of neighbours to the sums, for kVectors vectors from vector `first` on.
template <std::size_t kVectors, class D, class WeightOf, class T = hn::TFromD<D>>
HWY_INLINE void add_pairs_of_tile(D d, const WeightOf& weight_of,
                                  const BackwardArguments<T>& arguments,
                                  std::span<const std::uint32_t> block, const PairWeights<T>& pairs,
                                  std::size_t first, bool from_zero, const PairSums<T>& sums) {
  constexpr std::size_t kLanes = hn::MaxLanes(d);  // of x86: all there are
  const T* const HWY_RESTRICT d_out = arguments.d_out.data() + first * kLanes;
  const T* const HWY_RESTRICT h = arguments.h.data() + first * kLanes;
  const std::size_t d_out_stride = arguments.d_out.stride();
  const std::size_t h_stride = arguments.h.stride();
  const T* HWY_RESTRICT alpha = pairs.weights() + weight_of.at(first);
  const T* HWY_RESTRICT beta = alpha + pairs.padded();
  const T* HWY_RESTRICT mirrored = beta + pairs.padded();
  const std::size_t weight_stride = pairs.stride();
  const std::uint32_t* const HWY_RESTRICT rows = block.data();
  const std::size_t count = block.size();

  std::size_t group[kVectors];
  hn::Vec<D> alpha_sum[kVectors];
  hn::Vec<D> beta_sum[kVectors];
  hn::Vec<D> mirrored_sum[kVectors];
  for (std::size_t v = 0; v < kVectors; ++v) {
    const std::size_t c = (first + v) * kLanes;
    group[v] = weight_of.within(first, v);
    alpha_sum[v] = from_zero ? hn::Zero(d) : hn::LoadU(d, sums.alpha + c);
    beta_sum[v] = from_zero ? hn::Zero(d) : hn::LoadU(d, sums.beta + c);
    mirrored_sum[v] = from_zero ? hn::Zero(d) : hn::LoadU(d, sums.mirrored + c);
  }
  for (std::size_t e = 0; e < count; ++e) {
    const std::size_t ahead = rows[std::min(e + kRowsAhead, count - 1)];
    prefetch_row<kVectors * kLanes>(d_out + ahead * d_out_stride);
    prefetch_row<kVectors * kLanes>(h + ahead * h_stride);
    const T* const HWY_RESTRICT d_out_row = d_out + rows[e] * d_out_stride;
    const T* const HWY_RESTRICT h_row = h + rows[e] * h_stride;
    for (std::size_t v = 0; v < kVectors; ++v) {
      const auto upstream = hn::LoadU(d, d_out_row + v * kLanes);
      alpha_sum[v] = hn::MulAdd(upstream, hn::Set(d, alpha[group[v]]), alpha_sum[v]);
      beta_sum[v] = hn::MulAdd(upstream, hn::Set(d, beta[group[v]]), beta_sum[v]);
      mirrored_sum[v] = hn::MulAdd(hn::LoadU(d, h_row + v * kLanes), hn::Set(d, mirrored[group[v]]),
                                   mirrored_sum[v]);
    }
    alpha += weight_stride;
    beta += weight_stride;
    mirrored += weight_stride;
  }
  for (std::size_t v = 0; v < kVectors; ++v) {
    const std::size_t c = (first + v) * kLanes;
    hn::StoreU(alpha_sum[v], d, sums.alpha + c);
    hn::StoreU(beta_sum[v], d, sums.beta + c);
    hn::StoreU(mirrored_sum[v], d, sums.mirrored + c);
  }
}

template <class D, class WeightOf, class T = hn::TFromD<D>>
HWY_INLINE void differentiate(D d, const WeightOf& weight_of, const BackwardArguments<T>& arguments,
                              std::size_t begin, std::size_t end) {
  const AttentionShape& shape = arguments.shape;
  const Adjacency& graph = arguments.graph;
  // Three sums a vector: 24 of the 32 registers of AVX-512, 12 of the 16 of the others.
  constexpr std::size_t kTile = HWY_TARGET == HWY_AVX3 ? 8 : 4;
  const std::size_t vectors = shape.columns() / hn::Lanes(d);
  std::vector<T> beta_sum(shape.columns());
  std::vector<T> mirrored_sum(shape.columns());
  PairWeights<T> pairs(arguments);
  for (std::size_t j = begin; j < end; ++j) {
    T* const d_h = arguments.d_h.row(j).data();
    const auto neighbours =
        graph.neighbours.subspan(graph.offsets[j], graph.offsets[j + 1] - graph.offsets[j]);
    const PairSums<T> sums{d_h, beta_sum.data(), mirrored_sum.data()};
    pairs.start(j);
    bool from_zero = true;
    const auto add = [&](std::span<const std::uint32_t> block) HWY_ATTR {
      pairs.fill(block);
      for_each_tile<kTile>(vectors, [&](auto tile, std::size_t first) HWY_ATTR {
        add_pairs_of_tile<decltype(tile)::value>(d, weight_of, arguments, block, pairs, first,
                                                 from_zero, sums);
      });
      from_zero = false;
    };
    for (std::size_t first = 0; first < neighbours.size(); first += kNeighbourBlock) {
      add(neighbours.subspan(first, std::min(kNeighbourBlock, neighbours.size() - first)));
    }
    const auto self = static_cast<std::uint32_t>(j);
    if (shape.self_loops) add({&self, 1});
    if (from_zero) add({});

    const T* const delta = arguments.records.row(j).data() + 3 * pairs.padded();
    for (std::size_t k = 0; k < shape.heads; ++k) {
      const std::size_t c = k * shape.size;
      arguments.d_score_src(j, k) =
          dot(d, &arguments.h(j, c), beta_sum.data() + c, shape.size) - pairs.sum_beta_delta(k);
      arguments.d_score_dst(j, k) =
          dot(d, &arguments.d_out(j, c), mirrored_sum.data() + c, shape.size) -
          delta[k] * pairs.sum_beta_mirrored(k);
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
                        MatrixView<const Real> log_sum_exp, MatrixView<const Real> d_out,
                        MatrixView<Real> d_h, MatrixView<Real> d_score_dst,
                        MatrixView<Real> d_score_src) {
  constexpr std::size_t kRowsPerPiece = 256;
  Matrix<Real> records(graph.num_nodes(), 4 * padded_heads<Real>(shape.heads));
  const BackwardArguments<Real> arguments{graph,     shape,       h,           score_dst,
                                          score_src, out,         log_sum_exp, d_out,
                                          d_h,       d_score_dst, d_score_src, records.view()};
  context.for_each_range(records.rows(), kRowsPerPiece, [&](std::size_t begin, std::size_t end) {
    CONE_OPS_DISPATCH(Real, fill_records, arguments, begin, end)
  });
  for_each_row_piece(context, graph.offsets, [&](std::size_t begin, std::size_t end) {
    CONE_OPS_DISPATCH(Real, backward_rows, arguments, begin, end)
  });
}

#define CONE_INSTANTIATE(Real)                                                              \
  template void attention_backward(const Context&, const Adjacency&, const AttentionShape&, \
                                   MatrixView<const Real>, MatrixView<const Real>,          \
                                   MatrixView<const Real>, MatrixView<const Real>,          \
                                   MatrixView<const Real>, MatrixView<const Real>,          \
                                   MatrixView<Real>, MatrixView<Real>, MatrixView<Real>)
CONE_INSTANTIATE(float);
CONE_INSTANTIATE(double);
#undef CONE_INSTANTIATE

}  // namespace cone::ops
#endif
