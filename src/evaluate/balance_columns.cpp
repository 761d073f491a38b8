#include "evaluate/balance_columns.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace cone {
namespace {

/// For every column: the largest standardised mean difference between an arm and all nodes.
std::vector<double> measure_raw_imbalance(const FeatureMatrix& x,
                                          const std::vector<ColumnUnit>& units,
                                          const LoggedSample& sample) {
  const std::size_t num_arms = sample.num_arms();
  std::vector<double> arm_size(num_arms, 0.0);
  Matrix<double> total(x.cols(), num_arms);
  Matrix<double> num_entries(x.cols(), num_arms);
  for (std::size_t i = 0; i < sample.size(); ++i) {
    const Arm arm = sample.arm[i];
    ++arm_size[arm];
    x.row(sample.nodes[i]).for_each([&](std::uint32_t j, double value) {
      if (units[j].scale == 0) return;
      total(j, arm) += (value - units[j].mean) / units[j].scale;
      ++num_entries(j, arm);
    });
  }
  const Communicator& comm = *sample.comm;
  comm.allreduce(arm_size);
  comm.allreduce(total.values());
  comm.allreduce(num_entries.values());
  const double n = comm.count(sample.size());
  std::vector<double> furthest(x.cols(), 0.0);
  for (std::size_t j = 0; j < x.cols(); ++j) {
    if (units[j].scale == 0) continue;
    double all = 0;
    for (std::size_t a = 0; a < num_arms; ++a) {
      total(j, a) -= (arm_size[a] - num_entries(j, a)) * units[j].mean / units[j].scale;
      all += total(j, a);
    }
    for (std::size_t a = 0; a < num_arms; ++a) {
      if (arm_size[a] == 0) continue;
      furthest[j] = std::max(furthest[j], std::abs(total(j, a) / arm_size[a] - all / n));
    }
  }
  if (comm.has_others()) {
    // Columns with equal differences are listed in their order: rounding of the distributed sums
    // must not break such ties.
    constexpr double kSteps = 1e10;  // per standard deviation
    for (double& off : furthest) off = std::round(off * kSteps) / kSteps;
  }
  return furthest;
}

/// The columns of [begin, end) that are not constant, the `most` most unbalanced of them.
std::vector<std::uint32_t> take_furthest(const std::vector<double>& furthest,
                                         const std::vector<ColumnUnit>& units, std::size_t begin,
                                         std::size_t end, std::size_t most) {
  std::vector<std::uint32_t> columns;
  for (std::size_t j = begin; j < end; ++j) {
    if (units[j].scale > 0) columns.push_back(static_cast<std::uint32_t>(j));
  }
  std::stable_sort(columns.begin(), columns.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return furthest[a] > furthest[b]; });
  columns.resize(std::min(most, columns.size()));
  return columns;
}

}  // namespace

BalanceColumns::BalanceColumns(const FeatureTable& features, const LoggedSample& sample,
                               std::size_t most_dense, std::size_t most_counts)
    : features_(features), units_(measure_columns(features, *sample.comm)) {
  const FeatureMatrix& x = features.matrix;
  const std::vector<double> furthest = measure_raw_imbalance(x, units_, sample);
  chosen_ = take_furthest(furthest, units_, 0, features.num_dense, most_dense);
  const std::vector<std::uint32_t> counts =
      take_furthest(furthest, units_, features.num_dense, x.cols(), most_counts);
  chosen_.insert(chosen_.end(), counts.begin(), counts.end());
  constexpr std::uint32_t kNotChosen = std::numeric_limits<std::uint32_t>::max();
  std::vector<std::uint32_t> index(x.cols(), kNotChosen);
  for (std::uint32_t k = 0; k < chosen_.size(); ++k) index[chosen_[k]] = k;
  entries_.resize(chosen_.size());
  for (std::size_t i = 0; i < x.rows(); ++i) {
    const SparseMatrix::Row row = x.sparse().row(i);
    for (std::size_t k = 0; k < row.size(); ++k) {
      const std::uint32_t column = index[row.columns[k]];
      if (column == kNotChosen) continue;
      entries_[column].push_back({static_cast<NodeIndex>(i), row.values[k]});
    }
  }
}

Matrix<double> BalanceColumns::values(std::size_t k) const {
  const FeatureMatrix& x = features_.matrix;
  const ColumnUnit& unit = units_[chosen_[k]];
  Matrix<double> out(x.rows(), 1);
  const auto dense = std::ranges::lower_bound(x.dense_columns(), chosen_[k]);
  if (dense != x.dense_columns().end() && *dense == chosen_[k]) {
    const auto d = static_cast<std::size_t>(dense - x.dense_columns().begin());
    for (std::size_t i = 0; i < out.rows(); ++i) out(i, 0) = x.dense()(i, d);
  }
  for (const Entry& entry : entries_[k]) out(entry.node, 0) = entry.value;
  for (double& value : out.values()) value = (value - unit.mean) / unit.scale;
  return out;
}

}  // namespace cone
