#include "nn/network_input.hpp"

#include <utility>

#include "ops/dense.hpp"
#include "ops/sparse.hpp"

namespace cone {

void DenseInput::times(const Context& context, MatrixView<const float> weight,
                       MatrixView<float> out) const {
  ops::multiply(context, x_.view(), weight, out);
}

void DenseInput::transposed_times(const Context& context, MatrixView<const float> d,
                                  MatrixView<float> out) const {
  ops::multiply_transposed_a(context, x_.view(), d, out);
}

void SparseInput::times(const Context& context, MatrixView<const float> weight,
                        MatrixView<float> out) const {
  ops::sparse_times_dense(context, features_.whole().by_row, weight, out);
}

void SparseInput::transposed_times(const Context& context, MatrixView<const float> d,
                                   MatrixView<float> out) const {
  ops::sparse_times_dense(context, features_.whole().by_column, d, out);
}

}  // namespace cone
