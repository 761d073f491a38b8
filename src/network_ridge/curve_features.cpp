#include "network_ridge/curve_features.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <vector>

namespace cone {
namespace {

constexpr std::size_t kCurveRowsPerPiece = 2048;

RankedColumn rank_column(const Matrix<double>& columns, std::size_t c) {
  const std::size_t n = columns.rows();
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return columns(a, c) < columns(b, c); });
  RankedColumn out{std::vector<double>(n), 0};
  for (std::size_t begin = 0; begin < n;) {
    std::size_t end = begin + 1;
    while (end < n && columns(order[end], c) == columns(order[begin], c)) ++end;
    const double rank = static_cast<double>(begin + end) / (2 * static_cast<double>(n));
    for (std::size_t k = begin; k < end; ++k) out.rank[order[k]] = rank;
    ++out.num_values;
    begin = end;
  }
  return out;
}

}  // namespace

Matrix<double> make_curve_features(const Context& context, const Matrix<double>& columns) {
  const auto all = context.map_ranges<RankedColumn>(
      columns.cols(), 1, [&](std::size_t c, std::size_t) { return rank_column(columns, c); });
  return make_curve_features(context, all, columns.rows());
}

Matrix<double> make_curve_features(const Context& context, std::span<const RankedColumn> columns,
                                   std::size_t num_rows) {
  std::vector<const RankedColumn*> curved;
  for (const RankedColumn& column : columns) {
    if (column.num_values > 2) curved.push_back(&column);
  }
  if (curved.empty()) return Matrix<double>(num_rows, 0);
  const std::size_t most =
      std::clamp(kMostCurveFeaturesInAll / curved.size(), kFewestCurveFeatures, kMostCurveFeatures);
  std::vector<std::size_t> first = {0};
  for (const RankedColumn* column : curved) {
    first.push_back(first.back() + std::min(most, column->num_values - 1));
  }
  Matrix<double> out(num_rows, first.back());
  context.for_each_range(num_rows, kCurveRowsPerPiece, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      for (std::size_t c = 0; c < curved.size(); ++c) {
        const double angle = std::numbers::pi * curved[c]->rank[i];
        for (std::size_t k = 1; k <= first[c + 1] - first[c]; ++k) {
          const auto frequency = static_cast<double>(k);
          out(i, first[c] + k - 1) =
              std::numbers::sqrt2 * std::cos(frequency * angle) / (std::numbers::pi * frequency);
        }
      }
    }
  });
  return out;
}

}  // namespace cone
