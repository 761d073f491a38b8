#include <algorithm>
#include <vector>

#include "ops/dense.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/dense_activations.cpp"
#include <hwy/foreach_target.h>
// foreach_target must come before highway.
#include <hwy/highway.h>

#include "ops/dispatch.hpp"
#include "ops/exp-inl.hpp"

#ifndef CONE_OPS_DENSE_ACTIVATIONS_ONCE
#define CONE_OPS_DENSE_ACTIVATIONS_ONCE
namespace cone::ops {

template <class T>
struct EluArguments {
  std::span<const T> bias;
  MatrixView<T> x;
};

template <class T>
struct EluBackwardArguments {
  MatrixView<const T> y;
  MatrixView<T> d;
  T* sums;  ///< of the columns, added to
};

template <class T>
struct ColumnSumArguments {
  MatrixView<const T> x;
  T* sums;  ///< added to
};

}  // namespace cone::ops
#endif

HWY_BEFORE_NAMESPACE();
namespace cone::ops::HWY_NAMESPACE {

/// Calls body(tag, c) on the columns: full vectors, then single lanes.
template <class T, class Body>
HWY_INLINE void for_each_vector(std::size_t columns, const Body& body) {
  const hn::ScalableTag<T> d;
  const hn::CappedTag<T, 1> one;
  std::size_t c = 0;
  for (; c + hn::Lanes(d) <= columns; c += hn::Lanes(d)) body(d, c);
  for (; c < columns; ++c) body(one, c);
}

template <class T>
HWY_INLINE void elu_rows(const EluArguments<T>& arguments, std::size_t begin, std::size_t end) {
  for (std::size_t i = begin; i < end; ++i) {
    T* const x = arguments.x.row(i).data();
    for_each_vector<T>(arguments.x.cols(), [&](auto d, std::size_t c) HWY_ATTR {
      const auto sum = hn::Add(hn::LoadU(d, x + c), hn::LoadU(d, arguments.bias.data() + c));
      const auto negative = expm1(d, hn::Min(sum, hn::Zero(d)));
      hn::StoreU(hn::IfThenElse(hn::Gt(sum, hn::Zero(d)), sum, negative), d, x + c);
    });
  }
}
CONE_OPS_FOR_BOTH_PRECISIONS(elu_rows, EluArguments)

template <class T>
HWY_INLINE void elu_backward_rows(const EluBackwardArguments<T>& arguments, std::size_t begin,
                                  std::size_t end) {
  T* const sums = arguments.sums;
  for (std::size_t i = begin; i < end; ++i) {
    const T* const y = arguments.y.row(i).data();
    T* const gradient = arguments.d.row(i).data();
    for_each_vector<T>(arguments.d.cols(), [&](auto d, std::size_t c) HWY_ATTR {
      const auto slope = hn::Add(hn::Min(hn::LoadU(d, y + c), hn::Zero(d)), hn::Set(d, 1));
      const auto product = hn::Mul(hn::LoadU(d, gradient + c), slope);
      hn::StoreU(product, d, gradient + c);
      hn::StoreU(hn::Add(hn::LoadU(d, sums + c), product), d, sums + c);
    });
  }
}
CONE_OPS_FOR_BOTH_PRECISIONS(elu_backward_rows, EluBackwardArguments)

template <class T>
HWY_INLINE void sum_rows(const ColumnSumArguments<T>& arguments, std::size_t begin,
                         std::size_t end) {
  T* const sums = arguments.sums;
  for (std::size_t i = begin; i < end; ++i) {
    const T* const x = arguments.x.row(i).data();
    for_each_vector<T>(arguments.x.cols(), [&](auto d, std::size_t c) HWY_ATTR {
      hn::StoreU(hn::Add(hn::LoadU(d, sums + c), hn::LoadU(d, x + c)), d, sums + c);
    });
  }
}
CONE_OPS_FOR_BOTH_PRECISIONS(sum_rows, ColumnSumArguments)

}  // namespace cone::ops::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace cone::ops {

HWY_EXPORT(elu_rows_float);
HWY_EXPORT(elu_rows_double);
HWY_EXPORT(elu_backward_rows_float);
HWY_EXPORT(elu_backward_rows_double);
HWY_EXPORT(sum_rows_float);
HWY_EXPORT(sum_rows_double);

namespace {

constexpr std::size_t kBlockRows = 512;

/// Sums, in order, the vectors that fill_block(begin, end, sums) computes for each block of rows.
template <class Real, class FillBlock>
void sum_blocks(const Context& context, std::size_t rows, std::span<Real> sums,
                const FillBlock& fill_block) {
  const auto partials = context.map_ranges<std::vector<Real>>(
      rows, kBlockRows, [&](std::size_t begin, std::size_t end) {
        std::vector<Real> partial(sums.size());
        fill_block(begin, end, partial.data());
        return partial;
      });
  std::fill(sums.begin(), sums.end(), Real{0});
  for (const std::vector<Real>& partial : partials) {
    for (std::size_t c = 0; c < sums.size(); ++c) sums[c] += partial[c];
  }
}

}  // namespace

template <class Real>
void bias_elu(const Context& context, std::span<const Real> bias, MatrixView<Real> x) {
  const EluArguments<Real> arguments{bias, x};
  context.for_each_range(x.rows(), kBlockRows, [&](std::size_t begin, std::size_t end) {
    CONE_OPS_DISPATCH(Real, elu_rows, arguments, begin, end)
  });
}

template <class Real>
void bias_elu_backward(const Context& context, MatrixView<const Real> y, MatrixView<Real> d,
                       std::span<Real> d_bias) {
  sum_blocks(context, d.rows(), d_bias, [&](std::size_t begin, std::size_t end, Real* sums) {
    const EluBackwardArguments<Real> arguments{y, d, sums};
    CONE_OPS_DISPATCH(Real, elu_backward_rows, arguments, begin, end)
  });
}

template <class Real>
void column_sums(const Context& context, MatrixView<const Real> x, std::span<Real> sums) {
  sum_blocks(context, x.rows(), sums, [&](std::size_t begin, std::size_t end, Real* partial) {
    const ColumnSumArguments<Real> arguments{x, partial};
    CONE_OPS_DISPATCH(Real, sum_rows, arguments, begin, end)
  });
}

#define CONE_INSTANTIATE(Real)                                                              \
  template void bias_elu(const Context&, std::span<const Real>, MatrixView<Real>);          \
  template void bias_elu_backward(const Context&, MatrixView<const Real>, MatrixView<Real>, \
                                  std::span<Real>);                                         \
  template void column_sums(const Context&, MatrixView<const Real>, std::span<Real>)
CONE_INSTANTIATE(float);
CONE_INSTANTIATE(double);
#undef CONE_INSTANTIATE

}  // namespace cone::ops
#endif
