#include "network_ridge/word_products.hpp"

#include "ops/sparse.hpp"
#include "ops/sparse_transposed.hpp"

namespace cone {
namespace {

ops::SparseView<double> view_positions(const SparseMatrix& words, std::size_t begin,
                                       std::size_t end) {
  return {words.cols(), words.offsets().subspan(begin, end - begin + 1), words.columns(),
          words.values()};
}

}  // namespace

Matrix<double> gather_by_words(const Context& context, const SparseMatrix& words, std::size_t begin,
                               std::size_t end, MatrixView<const double> v) {
  auto out = Matrix<double>::unfilled(words.cols(), v.cols());
  ops::transposed_sparse_times_dense(context, view_positions(words, begin, end), v, out.view());
  return out;
}

Matrix<double> spread_by_words(const Context& context, const SparseMatrix& words, std::size_t begin,
                               std::size_t end, MatrixView<const double> t) {
  auto out = Matrix<double>::unfilled(end - begin, t.cols());
  ops::sparse_times_dense(context, view_positions(words, begin, end), t, out.view());
  return out;
}

}  // namespace cone
