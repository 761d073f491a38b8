// Included once for every target of Highway.
#if defined(CONE_OPS_PAIRED_SUMS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef CONE_OPS_PAIRED_SUMS_INL
#undef CONE_OPS_PAIRED_SUMS_INL
#else
#define CONE_OPS_PAIRED_SUMS_INL
#endif

#include <cstddef>
#include <cstdint>

#include <hwy/highway.h>

#include "ops/weighted_rows-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace cone::ops::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

/// Some rows, with two groups of weights each, side by side: one per head for the first sum, then
/// one per head for the second.
template <class T>
struct PairWeightedRows {
  const std::uint32_t* rows;
  std::size_t count;
  const std::uint32_t* ahead;  ///< ahead[e]: the row to prefetch while row e is added
  const T* weights;
  std::size_t stride;  ///< of a row's weights
  std::size_t second;  ///< offset from a row's first weights to its second
};

template <class T>
struct PairedSums {
  T* first;
  T* second;
};

/// The initial value of the sums: their current value, zero, or the own row times the weights that
/// are stored before those of the first row.
enum class SumStart { kContinue, kZero, kOwnRow };

/// The sums of add_pairs for kVectors vectors from vector `begin` on.
template <std::size_t kVectors, class D, class WeightOf, class T = hn::TFromD<D>>
HWY_INLINE void add_pairs_of_tile(D d, const WeightOf& weight_of, const RowTable<T>& table,
                                  const PairWeightedRows<T>& entries, std::size_t begin,
                                  SumStart start, std::size_t own_row, const PairedSums<T>& sums) {
  constexpr std::size_t kLanes = hn::MaxLanes(d);  // on x86 the exact number
  const T* const HWY_RESTRICT base = table.data + begin * kLanes;
  const std::size_t stride = table.stride;
  const std::size_t weight_stride = entries.stride;
  const std::uint32_t* const HWY_RESTRICT rows = entries.rows;
  const std::uint32_t* const HWY_RESTRICT ahead = entries.ahead;
  const T* HWY_RESTRICT first_weights = entries.weights + weight_of.at(begin);
  const T* HWY_RESTRICT second_weights = first_weights + entries.second;
  std::size_t group[kVectors];
  hn::Vec<D> first_sum[kVectors];
  hn::Vec<D> second_sum[kVectors];
  for (std::size_t v = 0; v < kVectors; ++v) {
    const std::size_t c = (begin + v) * kLanes;
    group[v] = weight_of.within(begin, v);
    if (start == SumStart::kContinue) {
      first_sum[v] = hn::LoadU(d, sums.first + c);
      second_sum[v] = hn::LoadU(d, sums.second + c);
    } else if (start == SumStart::kZero) {
      first_sum[v] = second_sum[v] = hn::Zero(d);
    } else {
      const auto values = hn::LoadU(d, base + own_row * stride + v * kLanes);
      first_sum[v] = hn::Mul(values, hn::Set(d, *(first_weights + group[v] - weight_stride)));
      second_sum[v] = hn::Mul(values, hn::Set(d, *(second_weights + group[v] - weight_stride)));
    }
  }
  for (std::size_t e = 0; e < entries.count; ++e) {
    prefetch_row<kVectors * kLanes>(base + ahead[e] * stride);
    const T* const HWY_RESTRICT row = base + rows[e] * stride;
    hn::Vec<D> values[kVectors];
    for (std::size_t v = 0; v < kVectors; ++v) values[v] = hn::LoadU(d, row + v * kLanes);
    for (std::size_t v = 0; v < kVectors; ++v) {
      first_sum[v] = hn::MulAdd(values[v], hn::Set(d, first_weights[group[v]]), first_sum[v]);
      second_sum[v] = hn::MulAdd(values[v], hn::Set(d, second_weights[group[v]]), second_sum[v]);
    }
    first_weights += weight_stride;
    second_weights += weight_stride;
  }
  for (std::size_t v = 0; v < kVectors; ++v) {
    const std::size_t c = (begin + v) * kLanes;
    hn::StoreU(first_sum[v], d, sums.first + c);
    hn::StoreU(second_sum[v], d, sums.second + c);
  }
}

/// Two weighted sums of the same rows, each row read once: sums ← start + Σ_e weights_e ·
/// table[rows_e] over `vectors` vectors of D. The sums stay in registers during the pass over the
/// rows.
template <class D, class WeightOf, class T = hn::TFromD<D>>
HWY_INLINE void add_pairs(D d, const WeightOf& weight_of, const RowTable<T>& table,
                          const PairWeightedRows<T>& entries, std::size_t vectors, SumStart start,
                          std::size_t own_row, const PairedSums<T>& sums) {
  // Two sums per vector: 16 of the 32 registers of AVX-512, 8 of the 16 of the others.
  constexpr std::size_t kTile = HWY_TARGET == HWY_AVX3 ? 8 : 4;
  for_each_tile<kTile>(vectors, [&](auto tile, std::size_t begin) HWY_ATTR {
    add_pairs_of_tile<decltype(tile)::value>(d, weight_of, table, entries, begin, start, own_row,
                                             sums);
  });
}

}  // namespace cone::ops::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
