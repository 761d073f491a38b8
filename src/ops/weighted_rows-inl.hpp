// Included once for every target of Highway.
#if defined(CONE_OPS_WEIGHTED_ROWS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef CONE_OPS_WEIGHTED_ROWS_INL
#undef CONE_OPS_WEIGHTED_ROWS_INL
#else
#define CONE_OPS_WEIGHTED_ROWS_INL
#endif

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <hwy/cache_control.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace cone::ops::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

/// Rows of a dense matrix by index.
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

/// Vector v of a row takes weight v / kVectors of the row's group. In a run of vectors that starts
/// at `first`, a multiple of kVectors, vector v takes the weight `within` entries after
/// `at(first)`.
template <std::size_t kVectors>
struct WeightEvery {
  std::size_t at(std::size_t first) const { return first / kVectors; }
  std::size_t within(std::size_t, std::size_t v) const { return v / kVectors; }
};
/// The same with a number that is known at run time; runs may start anywhere.
struct WeightEveryOf {
  std::size_t vectors;
  std::size_t at(std::size_t first) const { return first / vectors; }
  std::size_t within(std::size_t first, std::size_t v) const { return at(first + v) - at(first); }
};
/// One weight for the whole row.
struct OneWeight {
  std::size_t at(std::size_t) const { return 0; }
  std::size_t within(std::size_t, std::size_t) const { return 0; }
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

/// Prefetches the cache lines of a row.
template <std::size_t kValues, class T>
HWY_INLINE void prefetch_row(const T* row) {
  for (std::size_t c = 0; c < kValues; c += 64 / sizeof(T)) hwy::Prefetch(row + c);
}

/// The sums of add_rows for kVectors vectors from vector `first` on.
template <std::size_t kVectors, std::size_t kAhead, class D, class WeightOf,
          class T = hn::TFromD<D>>
HWY_INLINE void add_rows_of_tile(D d, const WeightOf& weight_of, const RowTable<T>& table,
                                 const WeightedRows<T>& entries, std::size_t first, bool from_zero,
                                 T* sum) {
  constexpr std::size_t kLanes = hn::MaxLanes(d);  // on x86 the exact number
  const T* const HWY_RESTRICT base = table.data + first * kLanes;
  const std::size_t stride = table.stride;
  const std::uint32_t* const HWY_RESTRICT rows = entries.rows;
  const T* HWY_RESTRICT weights = entries.weights + weight_of.at(first);
  std::size_t group[kVectors];
  hn::Vec<D> total[kVectors];
  for (std::size_t v = 0; v < kVectors; ++v) {
    group[v] = weight_of.within(first, v);
    total[v] = from_zero ? hn::Zero(d) : hn::LoadU(d, sum + (first + v) * kLanes);
  }
  for (std::size_t e = 0; e < entries.count; ++e, weights += entries.stride) {
    if constexpr (kAhead > 0) {
      if (e + kAhead < entries.count) {
        prefetch_row<kVectors * kLanes>(base + rows[e + kAhead] * stride);
      }
    }
    const T* const HWY_RESTRICT row = base + rows[e] * stride;
    for (std::size_t v = 0; v < kVectors; ++v) {
      total[v] =
          hn::MulAdd(hn::LoadU(d, row + v * kLanes), hn::Set(d, weights[group[v]]), total[v]);
    }
  }
  for (std::size_t v = 0; v < kVectors; ++v) {
    hn::StoreU(total[v], d, sum + (first + v) * kLanes);
  }
}

/// sum ← (sum or 0) + Σ_e weights_e · table[rows_e] over `vectors` vectors of D, which stay in
/// registers, eight at a time, during the pass over the rows. Rows are prefetched kAhead entries in
/// advance, which pays where the table is not in a near cache.
template <std::size_t kAhead, class D, class WeightOf, class T = hn::TFromD<D>>
HWY_INLINE void add_rows(D d, const WeightOf& weight_of, const RowTable<T>& table,
                         const WeightedRows<T>& entries, std::size_t vectors, bool from_zero,
                         T* sum) {
  for_each_tile<8>(vectors, [&](auto tile, std::size_t first) HWY_ATTR {
    add_rows_of_tile<decltype(tile)::value, kAhead>(d, weight_of, table, entries, first, from_zero,
                                                    sum);
  });
}

}  // namespace cone::ops::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
