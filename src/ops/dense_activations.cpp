#include <algorithm>
#include <cmath>
#include <vector>

#include "cone/ops/dense.hpp"

namespace cone::ops {
namespace {

constexpr std::size_t kBlockRows = 512;

/// Adds up the vectors that fill_block(begin, end, sums) leaves for each block of rows, in order.
template <class Real, class FillBlock>
void sum_blocks(const Context& context, std::size_t rows, std::span<Real> sums,
                const FillBlock& fill_block) {
  const auto partials = context.map_ranges<std::vector<Real>>(
      rows, kBlockRows, [&](std::size_t begin, std::size_t end) {
        std::vector<Real> partial(sums.size());
        fill_block(begin, end, partial);
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
  context.for_each_range(x.rows(), kBlockRows, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      for (std::size_t c = 0; c < x.cols(); ++c) {
        const Real value = x(i, c) + bias[c];
        x(i, c) = value > 0 ? value : std::expm1(value);
      }
    }
  });
}

template <class Real>
void bias_elu_backward(const Context& context, MatrixView<const Real> y, MatrixView<Real> d,
                       std::span<Real> d_bias) {
  sum_blocks(context, d.rows(), d_bias,
             [&](std::size_t begin, std::size_t end, std::vector<Real>& sums) {
               for (std::size_t i = begin; i < end; ++i) {
                 for (std::size_t c = 0; c < d.cols(); ++c) {
                   if (y(i, c) <= 0) d(i, c) *= y(i, c) + 1;
                   sums[c] += d(i, c);
                 }
               }
             });
}

template <class Real>
void column_sums(const Context& context, MatrixView<const Real> x, std::span<Real> sums) {
  sum_blocks(context, x.rows(), sums,
             [&](std::size_t begin, std::size_t end, std::vector<Real>& partial) {
               for (std::size_t i = begin; i < end; ++i) {
                 for (std::size_t c = 0; c < x.cols(); ++c) partial[c] += x(i, c);
               }
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
