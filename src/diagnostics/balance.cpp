#include "diagnostics/balance.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "cone/text.hpp"

#include "data/column_units.hpp"
#include "diagnostics/compare_arms.hpp"
#include "diagnostics/phrases.hpp"

namespace cone {
namespace {

// docs/diagnostics.md explains the thresholds.
constexpr std::size_t kMostNumeric = 50;
constexpr std::size_t kMostCounts = 20;
constexpr double kBalanced = 0.1;           // standardised mean difference (Austin 2009)
constexpr double kSignificantOfMany = 4.0;  // standard errors: many columns are tested
constexpr std::size_t kColumnsAtOnce = 8;   // limits memory

/// The features with the largest imbalance between the arms before weighting, and their values.
class BalanceColumns {
 public:
  /// At most `most_dense` numeric and `most_counts` count features, those with the largest
  /// standardised mean difference between some arm of the sample and all nodes. Nodes of the sample
  /// are rows of the features; over all ranks. O(entries + columns · arms).
  BalanceColumns(const FeatureTable& features, const LoggedSample& sample, std::size_t most_dense,
                 std::size_t most_counts);

  std::size_t size() const { return chosen_.size(); }
  const std::string& name(std::size_t k) const { return features_.names[chosen_[k]]; }
  /// One row per node of the data, in standard deviations from the mean.
  Matrix<double> values(std::size_t k) const;

 private:
  const FeatureTable& features_;
  std::vector<ColumnUnit> units_;      // of every column
  std::vector<std::uint32_t> chosen_;  // columns of the table
  struct Entry {
    NodeIndex node;
    double value;
  };
  std::vector<std::vector<Entry>> entries_;  // of the chosen columns that are stored sparsely
};

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

/// `values`: one per node of the data.
SampleColumn take_own(const LoggedSample& sample, std::span<const double> values, std::string name,
                      std::string of) {
  SampleColumn out{.name = std::move(name), .of = std::move(of)};
  for (std::size_t i = 0; i < sample.size(); ++i) {
    out.values.push_back(values[sample.nodes[i]]);
    out.rows.push_back(i);
  }
  return out;
}

/// Means over neighbours, of nodes that have any. `values`: one row per node of the data.
SampleColumn average_neighbours(const Context& context, const Neighbourhood& network,
                                const LoggedSample& sample, const Matrix<double>& values,
                                std::string name) {
  Matrix<double> total(values.rows(), 1);
  network.add_neighbours(context, values, total);
  SampleColumn out{.name = std::move(name), .of = "neighbours"};
  for (std::size_t i = 0; i < sample.size(); ++i) {
    const NodeIndex node = sample.nodes[i];
    const std::size_t num_neighbours = network.degree(node);
    if (num_neighbours == 0) continue;
    out.values.push_back(total(node, 0) / static_cast<double>(num_neighbours));
    out.rows.push_back(i);
  }
  return out;
}

/// Own features, then means over neighbours where there is a network.
std::vector<BalanceByArm> compare_columns(const Context& context, const BalanceColumns& columns,
                                          const Neighbourhood& network, const LoggedSample& sample,
                                          MatrixView<const double> e) {
  const bool has_edges = network.num_edge_ends() > 0;
  std::vector<BalanceByArm> own;
  std::vector<BalanceByArm> neighbours;
  for (std::size_t begin = 0; begin < columns.size(); begin += kColumnsAtOnce) {
    context.report("balance", begin, columns.size());
    const std::size_t count = std::min(kColumnsAtOnce, columns.size() - begin);
    std::vector<SampleColumn> block((has_edges ? 2 : 1) * count);
    context.for_each_range(count, 1, [&](std::size_t k, std::size_t) {
      const Matrix<double> values = columns.values(begin + k);
      const std::string& name = columns.name(begin + k);
      block[k] = take_own(sample, values.values(), name, "own");
      if (has_edges) {
        block[count + k] = average_neighbours(context, network, sample, values, name);
      }
    });
    std::vector<BalanceByArm> found = compare_arms(context, block, sample, e);
    const auto middle = found.begin() + static_cast<std::ptrdiff_t>(count);
    std::move(found.begin(), middle, std::back_inserter(own));
    std::move(middle, found.end(), std::back_inserter(neighbours));
  }
  context.report("balance", columns.size(), columns.size());
  std::move(neighbours.begin(), neighbours.end(), std::back_inserter(own));
  return own;
}

std::string describe_column(const ColumnBalance& column) {
  if (column.of == "degree") return "the degree";
  return fmt::format("'{}'{}", printable(column.name),
                     column.of == "neighbours" ? " averaged over neighbours" : "");
}

Verdict judge_balance(const ArmBalance& arm, const std::string& phrase) {
  const ColumnBalance* worst = nullptr;
  for (const ColumnBalance& column : arm.columns) {
    const double off = std::abs(column.after);
    const bool is_sure = off > kBalanced && off > kSignificantOfMany * column.error;
    if (is_sure && (worst == nullptr || off > std::abs(worst->after))) worst = &column;
  }
  if (worst != nullptr) {
    return {true,
            sentence("after weighting, the standardised mean difference of {} under {} is {:+.2f} "
                     "({:+.2f} before, limit {:g}): weighting alone does not balance the arms",
                     describe_column(*worst), phrase, worst->after, worst->before, kBalanced)};
  }
  return {false,
          sentence("after weighting, standardised mean differences under {} are at most {:.2f} "
                   "({:.2f} before){}",
                   phrase, arm.largest_after, arm.largest_before,
                   arm.largest_after > kBalanced ? ", which sampling error may explain" : "")};
}

}  // namespace

std::vector<ArmBalance> measure_balance(const Context& context, const FeatureTable& features,
                                        const Neighbourhood& network, const LoggedSample& sample,
                                        MatrixView<const double> e) {
  const BalanceColumns columns(features, sample, kMostNumeric, kMostCounts);
  std::vector<BalanceByArm> all = compare_columns(context, columns, network, sample, e);
  if (network.num_edge_ends() > 0) {
    std::vector<double> degree(network.size());
    for (std::size_t i = 0; i < degree.size(); ++i) {
      degree[i] = static_cast<double>(network.degree(i));
    }
    all.push_back(compare_arms(context, {take_own(sample, degree, "", "degree")}, sample, e)[0]);
  }
  std::vector<ArmBalance> out;
  for (std::size_t a = 0; a < sample.num_arms(); ++a) {
    ArmBalance arm{.arm = sample.arms[a]};
    for (BalanceByArm& column : all) {
      if (column.empty()) continue;
      arm.largest_before = std::fmax(arm.largest_before, std::abs(column[a].before));
      arm.largest_after = std::fmax(arm.largest_after, std::abs(column[a].after));
      arm.columns.push_back(std::move(column[a]));
    }
    if (arm.columns.empty()) continue;
    arm.verdict = judge_balance(arm, arm_phrase(sample.arms, a));
    out.push_back(std::move(arm));
  }
  return out;
}

}  // namespace cone
