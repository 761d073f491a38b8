#include "linear/centre_columns.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "base/numeric.hpp"

namespace cone {
namespace {

/// Rows whose values are added up without compensation.
constexpr std::size_t kRowsPerSum = 128;

/// Σ over the rows of what add_row(row, sums) adds to `width` sums.
template <class AddRow>
std::vector<double> sum_rows(const Context& context, std::size_t num_rows, std::size_t width,
                             const AddRow& add_row) {
  std::vector<CompensatedSum> total(width);
  std::vector<double> block(width);
  for (std::size_t begin = 0; begin < num_rows; begin += kRowsPerSum) {
    context.poll();
    std::fill(block.begin(), block.end(), 0.0);
    const std::size_t end = std::min(num_rows, begin + kRowsPerSum);
    for (std::size_t i = begin; i < end; ++i) add_row(i, block.data());
    for (std::size_t j = 0; j < width; ++j) total[j].add(block[j]);
  }
  std::vector<double> sums(width);
  for (std::size_t j = 0; j < width; ++j) sums[j] = total[j].value();
  return sums;
}

std::vector<std::uint32_t> varying_columns(const Matrix<double>& x) {
  std::vector<std::uint8_t> differs(x.cols(), 0);
  for (std::size_t i = 1; i < x.rows(); ++i) {
    const double* first = x.data();
    const double* row = x.row(i).data();
    for (std::size_t j = 0; j < x.cols(); ++j) {
      differs[j] = static_cast<std::uint8_t>(differs[j] | (row[j] != first[j] ? 1 : 0));
    }
  }
  std::vector<std::uint32_t> varying;
  for (std::uint32_t j = 0; j < x.cols(); ++j) {
    if (differs[j] != 0) varying.push_back(j);
  }
  return varying;
}

Matrix<double> select_columns(const Matrix<double>& x, const std::vector<std::uint32_t>& columns) {
  Matrix<double> out(x.rows(), columns.size());
  for (std::size_t i = 0; i < x.rows(); ++i) {
    for (std::size_t k = 0; k < columns.size(); ++k) out(i, k) = x(i, columns[k]);
  }
  return out;
}

/// Takes `shift` off every row; returns the sums of the columns, then the sums of their squares.
std::vector<double> take_off(const Context& context, const std::vector<double>& shift,
                             Matrix<double>& x) {
  const std::size_t width = x.cols();
  return sum_rows(context, x.rows(), 2 * width, [&](std::size_t i, double* sums) {
    double* row = x.row(i).data();
    for (std::size_t j = 0; j < width; ++j) {
      row[j] -= shift[j];
      sums[j] += row[j];
      sums[width + j] += row[j] * row[j];
    }
  });
}

}  // namespace

CentredColumns centre_columns(const Context& context, Matrix<double> x) {
  CentredColumns out;
  out.kept = varying_columns(x);
  out.values = out.kept.size() == x.cols() ? std::move(x) : select_columns(x, out.kept);
  const std::size_t width = out.kept.size();
  const auto n = static_cast<double>(out.values.rows());
  out.means = sum_rows(context, out.values.rows(), width, [&](std::size_t i, double* sums) {
    const double* row = out.values.row(i).data();
    for (std::size_t j = 0; j < width; ++j) sums[j] += row[j];
  });
  for (double& mean : out.means) mean /= n;
  std::vector<double> sums = take_off(context, out.means, out.values);

  constexpr double kNegligible = 4 * std::numeric_limits<double>::epsilon();
  std::vector<double> rest(width);
  bool some_left = false;
  for (std::size_t j = 0; j < width; ++j) {
    rest[j] = sums[j] / n;
    const double spread = std::sqrt(sums[width + j] / n);
    some_left |= std::abs(rest[j]) > kNegligible * std::max(std::abs(out.means[j]), spread);
  }
  if (some_left) {
    sums = take_off(context, rest, out.values);
    for (std::size_t j = 0; j < width; ++j) out.means[j] += rest[j];
  }
  out.sums_of_squares.assign(sums.begin() + static_cast<std::ptrdiff_t>(width), sums.end());
  return out;
}

}  // namespace cone
