#include "data/column_copies.hpp"

#include <cmath>

#include "base/numeric.hpp"

namespace cone {
namespace {

/// Tolerance, in standard deviations, for equality up to a change of unit.
constexpr double kSameNumber = 1e-9;

struct ColumnScale {
  double mean = 0;
  double sd = 0;             ///< 0 for a constant
  std::size_t furthest = 0;  ///< the row furthest from the mean: there rounding cannot flip a sign
};

ColumnScale measure_column(const Matrix<double>& columns, std::size_t c) {
  std::vector<double> values(columns.rows());
  for (std::size_t i = 0; i < columns.rows(); ++i) values[i] = columns(i, c);
  ColumnScale out{.mean = mean(values), .sd = std::sqrt(variance(values, 0))};
  if (!(out.sd > 1e-10 * std::abs(out.mean))) out.sd = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (std::abs(values[i] - out.mean) > std::abs(values[out.furthest] - out.mean)) {
      out.furthest = i;
    }
  }
  return out;
}

}  // namespace

std::vector<std::optional<std::size_t>> find_copies(const Context& context,
                                                    const Matrix<double>& columns) {
  std::vector<ColumnScale> scales(columns.cols());
  context.for_each_range(columns.cols(), 1, [&](std::size_t c, std::size_t) {
    scales[c] = measure_column(columns, c);
  });
  const auto standardised = [&](std::size_t row, std::size_t c) {
    return (columns(row, c) - scales[c].mean) / scales[c].sd;
  };
  const auto is_copy = [&](std::size_t a, std::size_t b) {
    if (scales[a].sd == 0 || scales[b].sd == 0) return false;
    const std::size_t row = scales[a].furthest;
    const double sign = standardised(row, a) * standardised(row, b) < 0 ? -1 : 1;
    for (std::size_t i = 0; i < columns.rows(); ++i) {
      const double value = standardised(i, a);
      const double difference = std::abs(value - sign * standardised(i, b));
      if (!(difference <= kSameNumber * (1 + std::abs(value)))) return false;
    }
    return true;
  };
  std::vector<std::optional<std::size_t>> copied(columns.cols());
  for (std::size_t c = 0; c < columns.cols(); ++c) {
    context.poll();
    for (std::size_t before = 0; before < c && !copied[c]; ++before) {
      if (!copied[before] && is_copy(c, before)) copied[c] = before;
    }
  }
  return copied;
}

}  // namespace cone
