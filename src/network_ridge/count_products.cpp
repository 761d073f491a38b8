#include "network_ridge/count_products.hpp"

#include "ops/sparse.hpp"
#include "ops/sparse_transposed.hpp"

namespace cone {
namespace {

ops::SparseView<double> view_positions(const SparseMatrix& counts, std::size_t begin,
                                       std::size_t end) {
  return {counts.cols(), counts.offsets().subspan(begin, end - begin + 1), counts.columns(),
          counts.values()};
}

}  // namespace

Matrix<double> multiply_counts_transposed(const Context& context, const SparseMatrix& counts,
                                          std::size_t begin, std::size_t end,
                                          MatrixView<const double> v) {
  auto out = Matrix<double>::unfilled(counts.cols(), v.cols());
  ops::transposed_sparse_times_dense(context, view_positions(counts, begin, end), v, out.view());
  return out;
}

Matrix<double> multiply_counts(const Context& context, const SparseMatrix& counts,
                               std::size_t begin, std::size_t end, MatrixView<const double> t) {
  auto out = Matrix<double>::unfilled(end - begin, t.cols());
  ops::sparse_times_dense(context, view_positions(counts, begin, end), t, out.view());
  return out;
}

}  // namespace cone
