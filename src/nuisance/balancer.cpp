#include "nuisance/balancer.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "cone/options.hpp"

#include "balance/kernel_balancing.hpp"
#include "base/numeric.hpp"
#include "nuisance/encoder_input.hpp"

namespace cone {
namespace {

/// A spread below this fraction of a column's magnitude is single-precision rounding.
constexpr double kRoundingSpread = 1e-5;

/// These rows, every column with mean 0 and variance 1 over them; constant ones are 0.
Matrix<double> standardised_rows(MatrixView<const float> z, std::span<const std::size_t> rows) {
  Matrix<double> out(rows.size(), z.cols());
  std::vector<double> column(rows.size());
  for (std::size_t j = 0; j < z.cols(); ++j) {
    for (std::size_t k = 0; k < rows.size(); ++k) column[k] = z(rows[k], j);
    const double centre = mean(column);
    const double sd = std::sqrt(variance(column, 0));
    double largest = 0;
    for (const double value : column) largest = std::max(largest, std::abs(value));
    const bool is_constant = !(sd > kRoundingSpread * largest);
    for (std::size_t k = 0; k < rows.size(); ++k) {
      out(k, j) = is_constant ? 0 : (column[k] - centre) / sd;
    }
  }
  return out;
}

template <class T>
std::vector<T> pick(const std::vector<T>& values, std::span<const std::size_t> rows) {
  std::vector<T> taken;
  taken.reserve(rows.size());
  for (const std::size_t k : rows) taken.push_back(values[k]);
  return taken;
}

template <class Rows>
BalancedGroup balance_group(const Context& context, const LoggedSample& sample, const Rows& x,
                            std::vector<std::size_t> rows, const KernelBalancingOptions& options) {
  KernelBalancing kernel(context, x, pick(sample.arm, rows), sample.num_arms(), options);
  kernel.choose_lambda(context, pick(sample.outcome, rows));
  return {std::move(rows), std::move(kernel)};
}

}  // namespace

KernelBalancer::KernelBalancer(LoggedSample sample, std::vector<BalancedGroup> groups)
    : sample_(std::move(sample)), groups_(std::move(groups)) {}

BalancedValue KernelBalancer::value(const Context& context, MatrixView<const double> policy) const {
  BalancedValue all;
  all.weights.resize(sample_.size());
  all.influence.resize(sample_.size());
  for (const BalancedGroup& group : groups_) {
    Matrix<double> own(group.rows.size(), policy.cols());
    for (std::size_t k = 0; k < group.rows.size(); ++k) {
      const std::span<const double> row = policy.row(group.rows[k]);
      std::copy(row.begin(), row.end(), own.row(k).begin());
    }
    const BalancedValue value =
        group.kernel.value(context, pick(sample_.outcome, group.rows), std::as_const(own).view());
    const double share =
        static_cast<double>(group.rows.size()) / static_cast<double>(sample_.size());
    all.value += share * value.value;
    for (std::size_t k = 0; k < group.rows.size(); ++k) {
      all.weights[group.rows[k]] = value.weights[k];
      // Each group is centred at its own value: adds the differences between groups back.
      all.influence[group.rows[k]] = value.influence[k] + value.value;
    }
  }
  for (std::size_t i = 0; i < all.influence.size(); ++i) {
    all.influence[i] -= sample_.weight_of(i) * all.value;
  }
  return all;
}

KernelBalancer balance_features(const Context& context, const Dataset& data,
                                std::span<const NodeIndex> scored,
                                const KernelBalancingOptions& options) {
  LoggedSample sample = take_sample(data, scored);
  std::vector<std::size_t> rows(scored.size());
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  std::vector<BalancedGroup> groups;
  groups.push_back(balance_group(context, sample, encoder_input(data.features).select_rows(scored),
                                 std::move(rows), options));
  return {std::move(sample), std::move(groups)};
}

KernelBalancer balance_representations(const Context& context, LoggedSample sample,
                                       MatrixView<const float> z,
                                       std::vector<std::vector<std::size_t>> groups,
                                       const KernelBalancingOptions& options) {
  std::vector<BalancedGroup> balanced;
  for (std::vector<std::size_t>& rows : groups) {
    const Matrix<double> x = standardised_rows(z, rows);
    balanced.push_back(balance_group(context, sample, x.view(), std::move(rows), options));
  }
  return {std::move(sample), std::move(balanced)};
}

}  // namespace cone
