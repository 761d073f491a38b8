#include <algorithm>
#include <utility>

#include "cone/error.hpp"
#include "cone/learn.hpp"

#include "base/numeric.hpp"

namespace cone {
namespace {

/// Weights divided by their mean. Empty where all are equal: then they have no effect, and results
/// must not depend on their rounding.
std::vector<double> relative_weights(const Dataset& data, std::span<const NodeIndex> nodes) {
  if (data.weight.empty() || nodes.empty()) return {};
  std::vector<double> out;
  out.reserve(nodes.size());
  for (const NodeIndex i : nodes) out.push_back(data.weight[i]);
  const auto [low, high] = std::ranges::minmax(out);
  if (high == 0) {
    throw Error(ErrorCode::kData, {{.item = "--weight"},
                                   "every evaluated node has weight 0",
                                   "give some of them a weight above 0, or evaluate all nodes"});
  }
  if (low == high) return {};
  // By the largest first, so that no sum overflows.
  for (double& w : out) w /= high;
  const double centre = mean(out);
  for (double& w : out) w /= centre;
  return out;
}

}  // namespace

LoggedSample take_sample(const Dataset& data, std::span<const NodeIndex> nodes) {
  LoggedSample sample{.nodes = {nodes.begin(), nodes.end()}, .arms = data.arms};
  sample.arm.reserve(nodes.size());
  sample.outcome.reserve(nodes.size());
  for (const NodeIndex i : nodes) {
    sample.arm.push_back(data.treatment[i]);
    sample.outcome.push_back(data.outcome[i]);
  }
  sample.weight = relative_weights(data, nodes);
  sample.is_grouped = !data.cluster.empty();
  return sample;
}

double mean_over_units(const LoggedSample& sample, std::span<const double> values) {
  if (sample.weight.empty()) return mean(values);
  CompensatedSum total;
  for (std::size_t i = 0; i < values.size(); ++i) total.add(sample.weight[i] * values[i]);
  return total.value() / static_cast<double>(values.size());
}

void weigh_rows(const LoggedSample& sample, Matrix<double>& table) {
  require(table.rows() == sample.size(), "weights of other nodes");
  if (sample.weight.empty()) return;
  for (std::size_t i = 0; i < table.rows(); ++i) {
    for (double& value : table.row(i)) value *= sample.weight[i];
  }
}

Matrix<double> take_rows(MatrixView<const double> table, std::span<const NodeIndex> nodes) {
  Matrix<double> rows(nodes.size(), table.cols());
  for (std::size_t k = 0; k < nodes.size(); ++k) {
    const std::span<const double> row = table.row(nodes[k]);
    std::copy(row.begin(), row.end(), rows.row(k).begin());
  }
  return rows;
}

}  // namespace cone
