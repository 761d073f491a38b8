// Included once for every target of Highway.
#if defined(CONE_OPS_PAIRED_SUMS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef CONE_OPS_PAIRED_SUMS_INL
#undef CONE_OPS_PAIRED_SUMS_INL
#else
#define CONE_OPS_PAIRED_SUMS_INL
#endif

#include <cstddef>
#include <cstdint>

#include <hwy/cache_control.h>
#include <hwy/highway.h>

#include "ops/weighted_rows-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace cone::ops::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

/// Some rows, with two groups of weights each, side by side: one a head for the first sum, then
/// one a head for the second.
template <class T>
struct PairWeightedRows {
  const std::uint32_t* rows;
  std::size_t count;
  const T* weights;
  std::size_t stride;          ///< of a row's weights
  std::size_t second;          ///< from a row's first weights to its second
  const std::uint32_t* ahead;  ///< the row to ask for while row e is added is ahead[e]
};

template <class T>
struct PairedSums {
  T* first;
  T* second;
};

template <std::size_t kValues, class T>
HWY_INLINE void prefetch_row(const T* row) {
  for (std::size_t c = 0; c < kValues; c += 64 / sizeof(T)) hwy::Prefetch(row + c);
}

/// The sums of add_pairs for kVectors vectors from vector `begin` on.
template <std::size_t kVectors, class D, class WeightOf, class T = hn::TFromD<D>>
HWY_INLINE void add_pairs_of_tile(D d, const WeightOf& weight_of, const RowTable<T>& table,
                                  const PairWeightedRows<T>& entries, std::size_t begin,
                                  bool from_zero, const PairedSums<T>& sums) {
  constexpr std::size_t kLanes = hn::MaxLanes(d);  // of x86: all there are
  const T* const HWY_RESTRICT base = table.data + begin * kLanes;
  const std::size_t stride = table.stride;
  const T* HWY_RESTRICT weights = entries.weights + weight_of.at(begin);
  const std::size_t second = entries.second;
  std::size_t group[kVectors];
  hn::Vec<D> first_sum[kVectors];
  hn::Vec<D> second_sum[kVectors];
  for (std::size_t v = 0; v < kVectors; ++v) {
    const std::size_t c = (begin + v) * kLanes;
    group[v] = weight_of.within(begin, v);
    first_sum[v] = from_zero ? hn::Zero(d) : hn::LoadU(d, sums.first + c);
    second_sum[v] = from_zero ? hn::Zero(d) : hn::LoadU(d, sums.second + c);
  }
  for (std::size_t e = 0; e < entries.count; ++e, weights += entries.stride) {
    prefetch_row<kVectors * kLanes>(base + entries.ahead[e] * stride);
    const T* const HWY_RESTRICT row = base + entries.rows[e] * stride;
    for (std::size_t v = 0; v < kVectors; ++v) {
      const auto values = hn::LoadU(d, row + v * kLanes);
      first_sum[v] = hn::MulAdd(values, hn::Set(d, weights[group[v]]), first_sum[v]);
      second_sum[v] = hn::MulAdd(values, hn::Set(d, weights[second + group[v]]), second_sum[v]);
    }
  }
  for (std::size_t v = 0; v < kVectors; ++v) {
    const std::size_t c = (begin + v) * kLanes;
    hn::StoreU(first_sum[v], d, sums.first + c);
    hn::StoreU(second_sum[v], d, sums.second + c);
  }
}

/// Two weighted sums of the same rows, each row read once: sums ← (sums or 0) + Σ_e weights_e ·
/// table[rows_e] over `vectors` vectors of D. The sums stay in registers while all rows go by.
template <class D, class WeightOf, class T = hn::TFromD<D>>
HWY_INLINE void add_pairs(D d, const WeightOf& weight_of, const RowTable<T>& table,
                          const PairWeightedRows<T>& entries, std::size_t vectors, bool from_zero,
                          const PairedSums<T>& sums) {
  // Two sums a vector: 16 of the 32 registers of AVX-512, 8 of the 16 of the others.
  constexpr std::size_t kTile = HWY_TARGET == HWY_AVX3 ? 8 : 4;
  for_each_tile<kTile>(vectors, [&](auto tile, std::size_t begin) HWY_ATTR {
    add_pairs_of_tile<decltype(tile)::value>(d, weight_of, table, entries, begin, from_zero, sums);
  });
}

}  // namespace cone::ops::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
