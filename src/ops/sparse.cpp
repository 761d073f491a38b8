#include "ops/sparse.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/sparse.cpp"
#include <hwy/foreach_target.h>
// foreach_target must come before highway.
#include <hwy/highway.h>

#include "ops/row_pieces.hpp"
#include "ops/weighted_rows-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace cone::ops::HWY_NAMESPACE {

template <std::size_t kAhead, class T>
HWY_INLINE void multiply_rows_ahead(const SparseView<T>& x, MatrixView<const T> w,
                                    MatrixView<T> out, std::size_t begin, std::size_t end) {
  const hn::ScalableTag<T> d;
  const hn::CappedTag<T, 1> one;
  const std::size_t vectors = out.cols() / hn::Lanes(d);
  const std::size_t whole = vectors * hn::Lanes(d);
  for (std::size_t i = begin; i < end; ++i) {
    const std::uint64_t first = x.offsets[i];
    const WeightedRows<T> entries{x.columns.data() + first, x.offsets[i + 1] - first,
                                  x.values.data() + first, 1};
    T* const sum = out.data() + i * out.stride();
    add_rows<kAhead>(d, OneWeight(), {w.data(), w.stride()}, entries, vectors, true, sum);
    add_rows<0>(one, OneWeight(), {w.data() + whole, w.stride()}, entries, out.cols() - whole, true,
                sum + whole);
  }
}

template <class T>
HWY_INLINE void multiply_rows(const SparseView<T>& x, MatrixView<const T> w, MatrixView<T> out,
                              std::size_t begin, std::size_t end) {
  constexpr std::size_t kNearCacheBytes = std::size_t{1} << 20;
  if (w.rows() * w.stride() * sizeof(T) > kNearCacheBytes) {
    multiply_rows_ahead<8>(x, w, out, begin, end);
  } else {
    multiply_rows_ahead<0>(x, w, out, begin, end);
  }
}

void multiply_rows_float(const SparseView<float>& x, MatrixView<const float> w,
                         MatrixView<float> out, std::size_t begin, std::size_t end) {
  multiply_rows(x, w, out, begin, end);
}

void multiply_rows_double(const SparseView<double>& x, MatrixView<const double> w,
                          MatrixView<double> out, std::size_t begin, std::size_t end) {
  multiply_rows(x, w, out, begin, end);
}

}  // namespace cone::ops::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace cone::ops {

HWY_EXPORT(multiply_rows_float);
HWY_EXPORT(multiply_rows_double);

template <class Real>
void sparse_times_dense(const Context& context, const SparseView<Real>& x, MatrixView<const Real> w,
                        MatrixView<Real> out) {
  for_each_row_piece(context, x.offsets, [&](std::size_t begin, std::size_t end) {
    if constexpr (sizeof(Real) == sizeof(float)) {
      HWY_DYNAMIC_DISPATCH(multiply_rows_float)(x, w, out, begin, end);
    } else {
      HWY_DYNAMIC_DISPATCH(multiply_rows_double)(x, w, out, begin, end);
    }
  });
}

template void sparse_times_dense(const Context&, const SparseView<float>&, MatrixView<const float>,
                                 MatrixView<float>);
template void sparse_times_dense(const Context&, const SparseView<double>&,
                                 MatrixView<const double>, MatrixView<double>);

}  // namespace cone::ops
#endif
