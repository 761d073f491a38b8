#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "cone/error.hpp"
#include "cone/options.hpp"
#include "cone/output.hpp"
#include "cone/text.hpp"

#include "base/numeric.hpp"
#include "data/outcome_direction.hpp"

namespace cone {
namespace {

constexpr std::size_t kMostDifferences = 8;

/// Arms by outcome.
DataReport::Arm describe_arm(const Dataset& data, Arm arm) {
  DataReport::Arm out{.label = data.arms[arm]};
  double sum = 0;
  for (std::size_t i = 0; i < data.num_nodes(); ++i) {
    if (data.treatment[i] != arm) continue;
    ++out.num_nodes;
    sum += data.outcome[i];
  }
  const auto n = static_cast<double>(out.num_nodes);
  out.outcome_mean = sum / n;
  double squares = 0;
  for (std::size_t i = 0; i < data.num_nodes(); ++i) {
    const double d = data.outcome[i] - out.outcome_mean;
    if (data.treatment[i] == arm) squares += d * d;
  }
  out.outcome_sd = out.num_nodes > 1 ? std::sqrt(squares / (n - 1)) : 0;
  return out;
}

struct ColumnStatistics {
  std::vector<double> min, max;
  std::vector<std::vector<double>> difference;  ///< one per arm; empty for the control arm
};

/// One pass for the means, one for the variances; implicit zeros are added by count.
ColumnStatistics describe_columns(const Dataset& data, const std::vector<DataReport::Arm>& arms) {
  using ByArm = std::vector<std::vector<double>>;
  const FeatureMatrix& matrix = data.features.matrix;
  const std::size_t m = matrix.cols();
  const std::size_t num_arms = arms.size();
  ByArm mean(num_arms, std::vector<double>(m));
  ByArm squares = mean;
  ByArm stored = mean;
  std::vector<double> num_stored(m);
  ColumnStatistics out{std::vector<double>(m), std::vector<double>(m), ByArm(num_arms)};
  const auto for_each_entry = [&](const auto& body) {
    for (std::size_t i = 0; i < matrix.rows(); ++i) {
      matrix.row(i).for_each(
          [&](std::uint32_t j, double value) { body(data.treatment[i], j, value); });
    }
  };
  for_each_entry([&](Arm arm, std::uint32_t j, double x) {
    const bool is_first = num_stored[j] == 0;
    out.min[j] = is_first ? x : std::min(out.min[j], x);
    out.max[j] = is_first ? x : std::max(out.max[j], x);
    mean[arm][j] += x;
    stored[arm][j] += 1;
    num_stored[j] += 1;
  });
  for (std::size_t j = 0; j < m; ++j) {
    if (num_stored[j] == static_cast<double>(data.num_nodes())) continue;
    out.min[j] = std::min(out.min[j], 0.0);  // an implicit zero
    out.max[j] = std::max(out.max[j], 0.0);
  }
  for (std::size_t a = 0; a < num_arms; ++a) {
    for (double& sum : mean[a]) sum /= static_cast<double>(arms[a].num_nodes);
  }
  for_each_entry([&](Arm arm, std::uint32_t j, double x) {
    squares[arm][j] += (x - mean[arm][j]) * (x - mean[arm][j]);
  });
  const auto variance = [&](std::size_t a, std::size_t j) {
    const auto n = static_cast<double>(arms[a].num_nodes);
    const double all = squares[a][j] + (n - stored[a][j]) * mean[a][j] * mean[a][j];
    return all / std::max(1.0, n - 1);
  };
  for (std::size_t a = 1; a < num_arms; ++a) {
    out.difference[a].resize(m);
    for (std::size_t j = 0; j < m; ++j) {
      const double pooled = variance(kControlArm, j) / 2 + variance(a, j) / 2;
      if (pooled > 0)
        out.difference[a][j] = (mean[a][j] - mean[kControlArm][j]) / std::sqrt(pooled);
    }
  }
  return out;
}

/// Over all features and arms.
std::vector<DataReport::Difference> largest_differences(
    const Dataset& data, const std::vector<std::vector<double>>& difference) {
  std::vector<std::pair<std::size_t, std::size_t>> order;  // feature and arm
  for (std::size_t j = 0; j < data.features.names.size(); ++j) {
    for (std::size_t a = 1; a < difference.size(); ++a) order.emplace_back(j, a);
  }
  const auto size_of = [&](const auto& entry) {
    return std::abs(difference[entry.second][entry.first]);
  };
  const std::size_t shown = std::min(order.size(), kMostDifferences);
  std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(shown), order.end(),
                    [&](const auto& a, const auto& b) {
                      return size_of(a) != size_of(b) ? size_of(a) > size_of(b) : a < b;
                    });
  std::vector<DataReport::Difference> out;
  for (std::size_t k = 0; k < shown; ++k) {
    const auto [j, a] = order[k];
    out.push_back({data.features.names[j], data.arms[a], difference[a][j]});
  }
  return out;
}

DataReport::Network describe_network(const Graph& graph) {
  DataReport::Network out{.num_edges = graph.num_edges()};
  std::vector<bool> seen(graph.num_nodes(), false);
  std::vector<NodeIndex> stack;
  for (NodeIndex start = 0; start < graph.num_nodes(); ++start) {
    out.num_isolated += graph.degree(start) == 0 ? 1 : 0;
    out.max_degree = std::max<std::uint64_t>(out.max_degree, graph.degree(start));
    if (seen[start]) continue;
    std::uint64_t size = 0;
    stack.push_back(start);
    seen[start] = true;
    while (!stack.empty()) {
      const NodeIndex i = stack.back();
      stack.pop_back();
      ++size;
      for (const NodeIndex j : graph.neighbours(i)) {
        if (seen[j]) continue;
        seen[j] = true;
        stack.push_back(j);
      }
    }
    ++out.num_components;
    out.largest_component = std::max(out.largest_component, size);
  }
  return out;
}

/// Cross-fitting needs units of every arm in every fold: an evaluation refuses an arm with fewer
/// units than folds.
void note_small_arms(DataReport& report) {
  const PlanOptions usual;
  const auto folds = static_cast<std::uint64_t>(usual.folds);
  for (const DataReport::Arm& arm : report.arms) {
    const std::uint64_t n = arm.num_nodes;
    if (n >= folds) continue;
    // With n folds, n − 1 units remain to fit on, and these are split again into inner folds.
    const std::uint64_t left = n - 1;
    std::string advice;
    if (left >= 2) {
      advice = fmt::format("--folds {}", n);
      if (left < static_cast<std::uint64_t>(usual.selection_folds)) {
        advice += fmt::format(" --selection-folds {}", left);
      }
      advice += ", ";
    }
    report.notes.push_back(fmt::format(
        "arm '{}' has {} node{}, and each of the {} folds needs one: cone evaluate will refuse it; "
        "use {}more nodes of this arm, or remove the arm",
        printable(arm.label), n, n == 1 ? "" : "s", folds, advice));
  }
}

}  // namespace

DataReport report_data(const LoadedData& data, std::span<const PolicyOnData> policies) {
  const Dataset& observed = data.observed;
  require(observed.has_log(), "report_data: no logged data");
  DataReport report;
  report.num_nodes = observed.num_nodes();
  report.num_numeric_features = observed.features.num_dense;
  report.num_counts = observed.features.num_counts();
  report.checksum = observed.checksum();
  for (std::size_t a = 0; a < observed.num_arms(); ++a) {
    report.arms.push_back(describe_arm(observed, static_cast<Arm>(a)));
  }
  const ColumnStatistics statistics = describe_columns(observed, report.arms);
  for (const TableColumn& summary : data.columns) {
    DataReport::Column column{.summary = summary};
    if (summary.role == "outcome") {
      const auto [min, max] = std::minmax_element(observed.outcome.begin(), observed.outcome.end());
      column.min = *min;
      column.max = *max;
      column.has_range = true;
    } else if (summary.role == "feature" && summary.kind != "category") {
      column.min = statistics.min[summary.first_feature];
      column.max = statistics.max[summary.first_feature];
      column.has_range = true;
    }
    report.columns.push_back(column);
  }
  report.differences = largest_differences(observed, statistics.difference);
  report.network = describe_network(observed.graph);
  for (const PolicyOnData& policy : policies) {
    DataReport::Policy& shown = report.policies.emplace_back(DataReport::Policy{policy.name, {}});
    for (std::size_t a = 0; a < observed.num_arms(); ++a) {
      shown.arm_shares.push_back(mean(arm_column(policy.probability.view(), static_cast<Arm>(a))));
    }
  }
  report.notes = data.notes;
  report.notes.insert(report.notes.end(), data.warnings.begin(), data.warnings.end());
  if (auto question = question_direction(outcome_column(data)))
    report.notes.push_back(std::move(*question));
  note_small_arms(report);
  return report;
}

}  // namespace cone
