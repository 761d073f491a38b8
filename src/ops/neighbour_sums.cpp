#include "ops/neighbour_sums.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/neighbour_sums.cpp"
#include <hwy/foreach_target.h>
// foreach_target must come before highway.
#include <hwy/cache_control.h>
#include <hwy/highway.h>

#include "cone/error.hpp"

#include "ops/row_pieces.hpp"

HWY_BEFORE_NAMESPACE();
namespace cone::ops::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

/// Columns [first, first + 4 vectors) of one row's sum.
template <class D>
HWY_INLINE void sum_four_vectors(D d, const std::uint32_t* list, std::size_t count,
                                 MatrixView<const double> v, std::size_t first, double* out) {
  constexpr std::size_t kAhead = 8;
  const std::size_t lanes = hn::Lanes(d);
  auto a = hn::Zero(d);
  auto b = hn::Zero(d);
  auto c = hn::Zero(d);
  auto e = hn::Zero(d);
  for (std::size_t k = 0; k < count; ++k) {
    if (k + kAhead < count) {
      const double* soon = v.data() + list[k + kAhead] * v.stride() + first;
      hwy::Prefetch(soon);
      hwy::Prefetch(soon + lanes);
      hwy::Prefetch(soon + 2 * lanes);
      hwy::Prefetch(soon + 3 * lanes);
    }
    const double* row = v.data() + list[k] * v.stride() + first;
    a = hn::Add(a, hn::LoadU(d, row));
    b = hn::Add(b, hn::LoadU(d, row + lanes));
    c = hn::Add(c, hn::LoadU(d, row + 2 * lanes));
    e = hn::Add(e, hn::LoadU(d, row + 3 * lanes));
  }
  hn::StoreU(a, d, out);
  hn::StoreU(b, d, out + lanes);
  hn::StoreU(c, d, out + 2 * lanes);
  hn::StoreU(e, d, out + 3 * lanes);
}

/// The last columns of one row's sum, fewer than four vectors, in one pass over the list: random
/// access to rows costs more than their values. The `tail` is shorter than a vector.
template <std::size_t kVectors, class D>
HWY_INLINE void sum_last_columns(D d, const std::uint32_t* list, std::size_t count,
                                 MatrixView<const double> v, std::size_t first, std::size_t tail,
                                 double* out) {
  constexpr std::size_t kAhead = 8;
  const std::size_t lanes = hn::Lanes(d);
  const std::size_t width = kVectors * lanes + tail;
  auto a = hn::Zero(d);
  auto b = hn::Zero(d);
  auto c = hn::Zero(d);
  double* rest = out + kVectors * lanes;
  for (std::size_t t = 0; t < tail; ++t) rest[t] = 0;
  for (std::size_t k = 0; k < count; ++k) {
    if (k + kAhead < count) {
      const double* soon = v.data() + list[k + kAhead] * v.stride() + first;
      hwy::Prefetch(soon);
      hwy::Prefetch(soon + width - 1);
    }
    const double* row = v.data() + list[k] * v.stride() + first;
    if constexpr (kVectors > 0) a = hn::Add(a, hn::LoadU(d, row));
    if constexpr (kVectors > 1) b = hn::Add(b, hn::LoadU(d, row + lanes));
    if constexpr (kVectors > 2) c = hn::Add(c, hn::LoadU(d, row + 2 * lanes));
    for (std::size_t t = 0; t < tail; ++t) rest[t] += row[kVectors * lanes + t];
  }
  if constexpr (kVectors > 0) hn::StoreU(a, d, out);
  if constexpr (kVectors > 1) hn::StoreU(b, d, out + lanes);
  if constexpr (kVectors > 2) hn::StoreU(c, d, out + 2 * lanes);
}

void sum_lists(std::span<const std::uint64_t> offsets, std::span<const std::uint32_t> rows,
               MatrixView<const double> v, MatrixView<double> out, std::size_t begin,
               std::size_t end) {
  const hn::ScalableTag<double> d;
  const std::size_t lanes = hn::Lanes(d);
  for (std::size_t i = begin; i < end; ++i) {
    const std::uint32_t* list = rows.data() + offsets[i];
    const std::size_t count = offsets[i + 1] - offsets[i];
    double* sum = out.data() + i * out.stride();
    std::size_t c = 0;
    for (; c + 4 * lanes <= v.cols(); c += 4 * lanes) {
      sum_four_vectors(d, list, count, v, c, sum + c);
    }
    if (c == v.cols()) continue;
    const std::size_t vectors = (v.cols() - c) / lanes;
    const std::size_t tail = (v.cols() - c) % lanes;
    if (vectors == 0) sum_last_columns<0>(d, list, count, v, c, tail, sum + c);
    if (vectors == 1) sum_last_columns<1>(d, list, count, v, c, tail, sum + c);
    if (vectors == 2) sum_last_columns<2>(d, list, count, v, c, tail, sum + c);
    if (vectors == 3) sum_last_columns<3>(d, list, count, v, c, tail, sum + c);
  }
}

}  // namespace cone::ops::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace cone::ops {

HWY_EXPORT(sum_lists);

void sum_listed_rows(const Context& context, std::span<const std::uint64_t> offsets,
                     std::span<const std::uint32_t> rows, MatrixView<const double> v,
                     MatrixView<double> out) {
  require(
      out.rows() + 1 == offsets.size() && out.cols() == v.cols() && offsets.back() <= rows.size(),
      "listed rows: sizes differ");
  for_each_row_piece(context, offsets, [&](std::size_t begin, std::size_t end) {
    HWY_DYNAMIC_DISPATCH(sum_lists)(offsets, rows, v, out, begin, end);
  });
}

}  // namespace cone::ops
#endif
