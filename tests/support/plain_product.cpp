#include "support/plain_product.hpp"

namespace cone::testing {

Matrix<double> plain_product(const Matrix<double>& a, const Matrix<double>& b) {
  Matrix<double> out(a.rows(), b.cols());
  for (std::size_t i = 0; i < a.rows(); ++i) {
    for (std::size_t k = 0; k < a.cols(); ++k) {
      for (std::size_t c = 0; c < b.cols(); ++c) out(i, c) += a(i, k) * b(k, c);
    }
  }
  return out;
}

Matrix<double> transposed(const Matrix<double>& a) {
  Matrix<double> out(a.cols(), a.rows());
  for (std::size_t i = 0; i < a.rows(); ++i) {
    for (std::size_t k = 0; k < a.cols(); ++k) out(k, i) = a(i, k);
  }
  return out;
}

Matrix<double> plain_gram(const Matrix<double>& a) { return plain_product(a, transposed(a)); }

}  // namespace cone::testing
