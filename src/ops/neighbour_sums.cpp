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

template <class D>
HWY_INLINE void sum_one_vector(D d, const std::uint32_t* list, std::size_t count,
                               MatrixView<const double> v, std::size_t first, double* out) {
  auto a = hn::Zero(d);
  for (std::size_t k = 0; k < count; ++k) {
    a = hn::Add(a, hn::LoadU(d, v.data() + list[k] * v.stride() + first));
  }
  hn::StoreU(a, d, out);
}

void sum_lists(std::span<const std::uint64_t> offsets, std::span<const std::uint32_t> rows,
               MatrixView<const double> v, MatrixView<double> out, std::size_t begin,
               std::size_t end) {
  const hn::ScalableTag<double> d;
  const hn::CappedTag<double, 1> one;
  const std::size_t lanes = hn::Lanes(d);
  for (std::size_t i = begin; i < end; ++i) {
    const std::uint32_t* list = rows.data() + offsets[i];
    const std::size_t count = offsets[i + 1] - offsets[i];
    double* sum = out.data() + i * out.stride();
    std::size_t c = 0;
    for (; c + 4 * lanes <= v.cols(); c += 4 * lanes) {
      sum_four_vectors(d, list, count, v, c, sum + c);
    }
    for (; c + lanes <= v.cols(); c += lanes) sum_one_vector(d, list, count, v, c, sum + c);
    for (; c < v.cols(); ++c) sum_one_vector(one, list, count, v, c, sum + c);
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
