#include "linear/centre_columns.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <utility>

#include "base/numeric.hpp"

namespace cone {
namespace {

/// Values that are added up without compensation, in four sums.
constexpr std::size_t kValuesPerSum = 256;
constexpr std::size_t kSideBySide = 4;

/// Σ of term(value) over short blocks of the values; term may change them.
template <class Term>
double sum_terms(std::span<double> values, const Term& term) {
  CompensatedSum total;
  std::size_t i = 0;
  while (i + kSideBySide <= values.size()) {
    double block[kSideBySide] = {};
    const std::size_t end =
        std::min(i + kValuesPerSum, values.size() - values.size() % kSideBySide);
    for (; i < end; i += kSideBySide) {
      for (std::size_t k = 0; k < kSideBySide; ++k) block[k] += term(values[i + k]);
    }
    total.add((block[0] + block[1]) + (block[2] + block[3]));
  }
  for (; i < values.size(); ++i) total.add(term(values[i]));
  return total.value();
}

bool is_constant(std::span<const double> values) {
  return std::all_of(values.begin(), values.end(),
                     [&](double value) { return value == values.front(); });
}

}  // namespace

CentredColumns centre_columns(const Context& context, Matrix<double> columns) {
  CentredColumns out;
  for (std::uint32_t j = 0; j < columns.rows(); ++j) {
    if (columns.cols() > 0 && !is_constant(columns.row(j))) out.kept.push_back(j);
  }
  if (out.kept.size() == columns.rows()) {
    out.values = std::move(columns);
  } else {
    out.values = Matrix<double>(out.kept.size(), columns.cols());
    for (std::size_t k = 0; k < out.kept.size(); ++k) {
      std::copy_n(columns.row(out.kept[k]).begin(), columns.cols(), out.values.row(k).begin());
    }
  }
  constexpr double kNegligible = 4 * std::numeric_limits<double>::epsilon();
  const auto n = static_cast<double>(out.values.cols());
  for (std::size_t j = 0; j < out.kept.size(); ++j) {
    context.poll();
    const std::span<double> column = out.values.row(j);
    double mean = sum_terms(column, [](double& value) { return value; }) / n;
    const double rest = sum_terms(column, [&](double& value) { return value -= mean; }) / n;
    const auto square = [](double& value) { return value * value; };
    double squares = sum_terms(column, square);
    if (std::abs(rest) > kNegligible * std::max(std::abs(mean), std::sqrt(squares / n))) {
      for (double& value : column) value -= rest;
      mean += rest;
      squares = sum_terms(column, square);
    }
    out.means.push_back(mean);
    out.sums_of_squares.push_back(squares);
  }
  return out;
}

}  // namespace cone
