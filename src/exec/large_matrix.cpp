#include "exec/large_matrix.hpp"

#include <algorithm>
#include <span>

namespace cone {
namespace {

/// Four megabytes: about ten milliseconds where the pages are first touched.
constexpr std::size_t kValuesPerPiece = std::size_t{1} << 19;

}  // namespace

Matrix<double> make_zero_matrix(const Context& context, std::size_t rows, std::size_t cols) {
  auto result = Matrix<double>::unfilled(rows, cols);
  const std::span<double> values = result.values();
  context.for_each_range(values.size(), kValuesPerPiece, [&](std::size_t begin, std::size_t end) {
    std::fill(values.data() + begin, values.data() + end, 0.0);
  });
  return result;
}

Matrix<double> copy_matrix(const Context& context, const Matrix<double>& matrix) {
  auto result = Matrix<double>::unfilled(matrix.rows(), matrix.cols());
  const std::span<const double> from = matrix.values();
  context.for_each_range(from.size(), kValuesPerPiece, [&](std::size_t begin, std::size_t end) {
    std::copy(from.data() + begin, from.data() + end, result.data() + begin);
  });
  return result;
}

}  // namespace cone
