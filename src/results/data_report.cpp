#include "results/data_report.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/error.hpp"

namespace cone {
namespace {

constexpr std::size_t kMostDifferences = 8;

/// Arms by outcome.
DataReport::Arm describe_arm(const Dataset& data, std::uint8_t arm) {
  DataReport::Arm out;
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
  std::vector<double> min, max, difference;
};

/// One pass for the means, one for the spreads; zeros that are not stored are added by count.
ColumnStatistics describe_columns(const Dataset& data, const std::array<DataReport::Arm, 2>& arms) {
  const FeatureMatrix& matrix = data.features.matrix;
  const std::size_t m = matrix.cols();
  std::array<std::vector<double>, 2> mean{std::vector<double>(m), std::vector<double>(m)};
  std::array<std::vector<double>, 2> squares = mean;
  std::array<std::vector<double>, 2> stored = mean;
  ColumnStatistics out{std::vector<double>(m, 0), std::vector<double>(m, 0),
                       std::vector<double>(m, 0)};
  const auto for_each_entry = [&](const auto& body) {
    for (std::size_t i = 0; i < matrix.rows(); ++i) {
      matrix.row(i).for_each(
          [&](std::uint32_t j, double value) { body(data.treatment[i], j, value); });
    }
  };
  for_each_entry([&](std::uint8_t arm, std::uint32_t j, double x) {
    const bool is_first = stored[0][j] + stored[1][j] == 0;
    out.min[j] = is_first ? x : std::min(out.min[j], x);
    out.max[j] = is_first ? x : std::max(out.max[j], x);
    mean[arm][j] += x;
    stored[arm][j] += 1;
  });
  std::array<double, 2> n{};
  for (const std::size_t arm : {0, 1}) n[arm] = static_cast<double>(arms[arm].num_nodes);
  for (std::size_t j = 0; j < m; ++j) {
    for (const std::size_t arm : {0, 1}) mean[arm][j] /= n[arm];
    if (stored[0][j] + stored[1][j] < n[0] + n[1]) {  // some zero is not stored
      out.min[j] = std::min(out.min[j], 0.0);
      out.max[j] = std::max(out.max[j], 0.0);
    }
  }
  for_each_entry([&](std::uint8_t arm, std::uint32_t j, double x) {
    squares[arm][j] += (x - mean[arm][j]) * (x - mean[arm][j]);
  });
  for (std::size_t j = 0; j < m; ++j) {
    double variance = 0;
    for (const std::size_t arm : {0, 1}) {
      squares[arm][j] += (n[arm] - stored[arm][j]) * mean[arm][j] * mean[arm][j];
      variance += squares[arm][j] / std::max(1.0, n[arm] - 1) / 2;
    }
    if (variance > 0) out.difference[j] = (mean[1][j] - mean[0][j]) / std::sqrt(variance);
  }
  return out;
}

std::vector<DataReport::Difference> largest_differences(const FeatureTable& features,
                                                        const std::vector<double>& difference) {
  std::vector<std::size_t> order(difference.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const std::size_t shown = std::min(order.size(), kMostDifferences);
  std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(shown), order.end(),
                    [&](std::size_t a, std::size_t b) {
                      const double x = std::abs(difference[a]);
                      const double y = std::abs(difference[b]);
                      return x != y ? x > y : a < b;
                    });
  std::vector<DataReport::Difference> out;
  for (std::size_t k = 0; k < shown; ++k) {
    out.push_back({features.names[order[k]], difference[order[k]]});
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

}  // namespace

DataReport report_data(const LoadedData& data) {
  const Dataset& observed = data.observed;
  require(observed.has_log(), "report_data: no log");
  DataReport report;
  report.num_nodes = observed.num_nodes();
  report.num_measurements = observed.features.num_dense;
  report.num_counts = observed.features.num_counts();
  report.checksum = observed.checksum();
  for (const std::uint8_t arm : {0, 1}) report.arms[arm] = describe_arm(observed, arm);
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
  report.differences = largest_differences(observed.features, statistics.difference);
  report.network = describe_network(observed.graph);
  report.notes = data.notes;
  report.notes.insert(report.notes.end(), data.doubts.begin(), data.doubts.end());
  return report;
}

}  // namespace cone
