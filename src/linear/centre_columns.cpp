#include "linear/centre_columns.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <utility>

#include "base/numeric.hpp"
#include "exec/statistics.hpp"

namespace cone {
namespace {

/// Values summed without compensation, in four partial sums.
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

/// Columns that are not constant over the rows of all ranks.
std::vector<std::uint32_t> find_varying(const Matrix<double>& columns, const Communicator& comm) {
  constexpr double kNone = -std::numeric_limits<double>::infinity();
  std::vector<double> ends(2 * columns.rows(),
                           kNone);  // the maximum of the values, and of the negated values
  for (std::size_t j = 0; j < columns.rows(); ++j) {
    double high = kNone;
    double low = -kNone;
    for (const double value : columns.row(j)) {
      high = std::max(high, value);
      low = std::min(low, value);
    }
    ends[2 * j] = high;
    ends[2 * j + 1] = -low;
  }
  comm.allreduce_max(ends);
  std::vector<std::uint32_t> varying;
  for (std::size_t j = 0; j < columns.rows(); ++j) {
    if (-ends[2 * j + 1] < ends[2 * j]) varying.push_back(static_cast<std::uint32_t>(j));
  }
  return varying;
}

/// Σ of term(column, value) of every column over all ranks; term may change the values.
template <class Term>
std::vector<double> sum_columns(const Context& context, Matrix<double>& columns, const Term& term) {
  std::vector<double> sums;
  for (std::size_t j = 0; j < columns.rows(); ++j) {
    context.poll();
    sums.push_back(sum_terms(columns.row(j), [&](double& value) { return term(j, value); }));
  }
  context.comm().allreduce(sums);
  return sums;
}

}  // namespace

CentredColumns centre_columns(const Context& context, Matrix<double> columns) {
  CentredColumns out{.kept = find_varying(columns, context.comm())};
  if (out.kept.size() == columns.rows()) {
    out.values = std::move(columns);
  } else {
    out.values = Matrix<double>(out.kept.size(), columns.cols());
    for (std::size_t k = 0; k < out.kept.size(); ++k) {
      std::copy_n(columns.row(out.kept[k]).begin(), columns.cols(), out.values.row(k).begin());
    }
  }
  constexpr double kNegligible = 4 * std::numeric_limits<double>::epsilon();
  const double n = context.comm().count(out.values.cols());
  out.means = sum_columns(context, out.values, [](std::size_t, double value) { return value; });
  for (double& mean : out.means) mean /= n;
  std::vector<double> rest = sum_columns(
      context, out.values, [&](std::size_t j, double& value) { return value -= out.means[j]; });
  const auto square = [](std::size_t, double value) { return value * value; };
  out.sums_of_squares = sum_columns(context, out.values, square);
  bool is_exact = true;
  for (std::size_t j = 0; j < rest.size(); ++j) {
    rest[j] /= n;
    const double size = std::max(std::abs(out.means[j]), std::sqrt(out.sums_of_squares[j] / n));
    if (!(std::abs(rest[j]) > kNegligible * size)) rest[j] = 0;
    is_exact = is_exact && rest[j] == 0;
    out.means[j] += rest[j];
  }
  if (is_exact) return out;
  for (std::size_t j = 0; j < rest.size(); ++j) {
    if (rest[j] == 0) continue;
    for (double& value : out.values.row(j)) value -= rest[j];
  }
  out.sums_of_squares = sum_columns(context, out.values, square);
  return out;
}

}  // namespace cone
