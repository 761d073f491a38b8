#include "data/column_copies.hpp"

#include <algorithm>
#include <cmath>

#include "cone/context.hpp"

#include "base/numeric.hpp"

namespace cone {
namespace {

/// Tolerance, in standard deviations, for equality up to a change of unit.
constexpr double kSameNumber = 1e-9;

/// Σ term(row) of every column.
template <class Term>
std::vector<double> sum_columns(const Context& context, const Matrix<double>& columns,
                                const Term& term) {
  std::vector<double> sums(columns.cols());
  context.for_each_range(columns.cols(), 1, [&](std::size_t c, std::size_t) {
    CompensatedSum total;
    for (std::size_t i = 0; i < columns.rows(); ++i) total.add(term(columns(i, c), c));
    sums[c] = total.value();
  });
  context.comm().allreduce(sums);
  return sums;
}

}  // namespace

std::vector<ColumnScale> measure_columns(const Context& context, const Matrix<double>& columns) {
  const double n = context.comm().count(columns.rows());
  std::vector<double> largest(columns.cols(), 0.0);
  const std::vector<double> sums = sum_columns(context, columns, [&](double value, std::size_t c) {
    largest[c] = std::max(largest[c], std::abs(value));
    return value;
  });
  context.comm().allreduce_max(largest);
  const std::vector<double> squares = sum_columns(
      context, columns,
      [&](double value, std::size_t c) { return (value - sums[c] / n) * (value - sums[c] / n); });
  std::vector<ColumnScale> out;
  for (std::size_t c = 0; c < columns.cols(); ++c) {
    out.push_back({sums[c] / n, std::sqrt(squares[c] / n), largest[c]});
  }
  return out;
}

std::vector<std::optional<std::size_t>> find_copies(const Context& context,
                                                    const Matrix<double>& columns) {
  const std::vector<ColumnScale> scales = measure_columns(context, columns);
  const auto varies = [&](std::size_t c) {
    return scales[c].sd > 1e-10 * std::abs(scales[c].mean);
  };
  const auto standardised = [&](std::size_t row, std::size_t c) {
    return (columns(row, c) - scales[c].mean) / scales[c].sd;
  };
  const auto differs = [&](std::size_t a, std::size_t b, double sign) {
    for (std::size_t i = 0; i < columns.rows(); ++i) {
      const double value = standardised(i, a);
      const double difference = std::abs(value - sign * standardised(i, b));
      if (!(difference <= kSameNumber * (1 + std::abs(value)))) return true;
    }
    return false;
  };
  std::vector<std::optional<std::size_t>> copied(columns.cols());
  for (std::size_t c = 0; c < columns.cols(); ++c) {
    context.poll();
    std::vector<std::size_t> earlier;
    for (std::size_t before = 0; varies(c) && before < c; ++before) {
      if (varies(before) && !copied[before]) earlier.push_back(before);
    }
    std::vector<double> differ;  // on any rank, with either sign
    for (const std::size_t before : earlier) {
      differ.push_back(differs(c, before, 1) ? 1 : 0);
      differ.push_back(differs(c, before, -1) ? 1 : 0);
    }
    context.comm().allreduce_max(differ);
    for (std::size_t k = 0; k < earlier.size() && !copied[c]; ++k) {
      if (differ[2 * k] == 0 || differ[2 * k + 1] == 0) copied[c] = earlier[k];
    }
  }
  return copied;
}

}  // namespace cone
