#include "cone/ops/sparse.hpp"

#include "ops/row_pieces.hpp"

namespace cone::ops {

template <class Real>
void sparse_times_dense(const Context& context, const SparseView<Real>& x, MatrixView<const Real> w,
                        MatrixView<Real> out) {
  for_each_row_piece(context, x.offsets, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const std::span<Real> sum = out.row(i);
      std::fill(sum.begin(), sum.end(), Real{0});
      for (std::uint64_t e = x.offsets[i]; e < x.offsets[i + 1]; ++e) {
        const std::span<const Real> row = w.row(x.columns[e]);
        for (std::size_t c = 0; c < sum.size(); ++c) sum[c] += x.values[e] * row[c];
      }
    }
  });
}

template void sparse_times_dense(const Context&, const SparseView<float>&, MatrixView<const float>,
                                 MatrixView<float>);
template void sparse_times_dense(const Context&, const SparseView<double>&,
                                 MatrixView<const double>, MatrixView<double>);

}  // namespace cone::ops
