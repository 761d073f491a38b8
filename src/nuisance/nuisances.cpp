#include <algorithm>
#include <limits>
#include <utility>

#include "cone/error.hpp"
#include "cone/learn.hpp"

#include "base/numeric.hpp"
#include "exec/statistics.hpp"

namespace cone {
namespace {

/// Weights divided by their mean. Empty where all are equal: then they have no effect, and results
/// must not depend on their rounding.
std::vector<double> relative_weights(const Dataset& data, std::span<const NodeIndex> nodes) {
  const Communicator& comm = data.comm();
  if (!comm.any(!data.weight.empty()) || comm.count(nodes.size()) == 0) return {};
  std::vector<double> out;
  out.reserve(nodes.size());
  for (const NodeIndex i : nodes) out.push_back(data.weight[i]);
  double low = std::numeric_limits<double>::infinity();
  double high = 0;
  for (const double w : out) {
    low = std::min(low, w);
    high = std::max(high, w);
  }
  low = -comm.allreduce_max(-low);
  high = comm.allreduce_max(high);
  if (high == 0) {
    throw Error(ErrorCode::kData, {{.item = "--weight"},
                                   "every evaluated node has weight 0",
                                   "give some of them a weight above 0, or evaluate all nodes"});
  }
  if (low == high) return {};
  // By the largest first, so that no sum overflows.
  for (double& w : out) w /= high;
  const double centre = mean(out, comm);
  for (double& w : out) w /= centre;
  return out;
}

}  // namespace

LoggedSample take_sample(const Dataset& data, std::span<const NodeIndex> nodes) {
  LoggedSample sample{
      .nodes = {nodes.begin(), nodes.end()}, .arms = data.arms, .comm = &data.comm()};
  sample.arm.reserve(nodes.size());
  sample.outcome.reserve(nodes.size());
  for (const NodeIndex i : nodes) {
    sample.arm.push_back(data.treatment[i]);
    sample.outcome.push_back(data.outcome[i]);
  }
  sample.weight = relative_weights(data, nodes);
  sample.is_grouped = data.comm().any(!data.cluster.empty());
  return sample;
}

double mean_over_units(const LoggedSample& sample, std::span<const double> values) {
  CompensatedSum total;
  for (std::size_t i = 0; i < values.size(); ++i) total.add(sample.weight_of(i) * values[i]);
  return sample.comm->allreduce(total.value()) / sample.comm->count(values.size());
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
