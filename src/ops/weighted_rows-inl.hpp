// Included once for every target of Highway.
#if defined(CONE_OPS_WEIGHTED_ROWS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef CONE_OPS_WEIGHTED_ROWS_INL
#undef CONE_OPS_WEIGHTED_ROWS_INL
#else
#define CONE_OPS_WEIGHTED_ROWS_INL
#endif

#include <cstddef>
#include <cstdint>

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace cone::ops::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

/// Rows of a dense matrix by number.
template <class T>
struct RowTable {
  const T* data;
  std::size_t stride;
};

/// Some rows, with a group of weights each: weights[e · stride + group].
template <class T>
struct WeightedRows {
  const std::uint32_t* rows;
  std::size_t count;
  const T* weights;
  std::size_t stride;
};

/// Vector v of a row takes weight v / kVectors of the row's group.
template <std::size_t kVectors>
struct WeightEvery {
  std::size_t operator()(std::size_t v) const { return v / kVectors; }
};
/// The same with a number that is known at run time only.
struct WeightEveryOf {
  std::size_t vectors;
  std::size_t operator()(std::size_t v) const { return v / vectors; }
};
/// One weight for the whole row.
struct OneWeight {
  std::size_t operator()(std::size_t) const { return 0; }
};

/// Calls tile(constant kVectors, first) for consecutive runs of vectors that fit the registers.
template <std::size_t kLargest, class Tile>
HWY_INLINE void for_each_tile(std::size_t vectors, const Tile& tile, std::size_t first = 0) {
  for (; first + kLargest <= vectors; first += kLargest) {
    tile(std::integral_constant<std::size_t, kLargest>(), first);
  }
  if constexpr (kLargest > 1) {
    if (first < vectors) for_each_tile<kLargest / 2>(vectors, tile, first);
  }
}

/// sum ← (sum or 0) + Σ_e weights_e · table[rows_e] over `vectors` vectors of D, which stay in
/// registers, eight at a time, while all rows go by.
template <class D, class WeightOf, class T = hn::TFromD<D>>
HWY_INLINE void add_rows(D d, const WeightOf& weight_of, const RowTable<T>& table,
                         const WeightedRows<T>& entries, std::size_t vectors, bool from_zero,
                         T* sum) {
  const std::size_t lanes = hn::Lanes(d);
  for_each_tile<8>(vectors, [&](auto tile, std::size_t first) HWY_ATTR {
    constexpr std::size_t kVectors = decltype(tile)::value;
    hn::Vec<D> total[kVectors];
    for (std::size_t v = 0; v < kVectors; ++v) {
      total[v] = from_zero ? hn::Zero(d) : hn::LoadU(d, sum + (first + v) * lanes);
    }
    const T* const base = table.data + first * lanes;
    for (std::size_t e = 0; e < entries.count; ++e) {
      const T* const row = base + entries.rows[e] * table.stride;
      const T* const weights = entries.weights + e * entries.stride + weight_of(first);
      for (std::size_t v = 0; v < kVectors; ++v) {
        const std::size_t group = weight_of(first + v) - weight_of(first);
        total[v] = hn::MulAdd(hn::LoadU(d, row + v * lanes), hn::Set(d, weights[group]), total[v]);
      }
    }
    for (std::size_t v = 0; v < kVectors; ++v) {
      hn::StoreU(total[v], d, sum + (first + v) * lanes);
    }
  });
}

}  // namespace cone::ops::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
