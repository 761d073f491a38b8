#include <algorithm>
#include <utility>

#include "cone/error.hpp"
#include "cone/learn.hpp"

namespace cone {

LoggedSample take_sample(const Dataset& data, std::span<const NodeIndex> nodes) {
  LoggedSample sample{.nodes = {nodes.begin(), nodes.end()}, .arms = data.arms};
  sample.arm.reserve(nodes.size());
  sample.outcome.reserve(nodes.size());
  for (const NodeIndex i : nodes) {
    sample.arm.push_back(data.treatment[i]);
    sample.outcome.push_back(data.outcome[i]);
  }
  return sample;
}

Matrix<double> take_rows(MatrixView<const double> table, std::span<const NodeIndex> nodes) {
  Matrix<double> rows(nodes.size(), table.cols());
  for (std::size_t k = 0; k < nodes.size(); ++k) {
    const std::span<const double> row = table.row(nodes[k]);
    std::copy(row.begin(), row.end(), rows.row(k).begin());
  }
  return rows;
}

PropensityTable bound_propensities(Matrix<double> probability, double bound) {
  PropensityTable out;
  out.bound = bound;
  out.e = probability;
  out.unbounded = std::move(probability);
  const std::size_t num_arms = out.e.cols();
  std::size_t num_moved = 0;
  for (std::size_t i = 0; i < out.e.rows(); ++i) {
    const std::span<double> row = out.e.row(i);
    for (std::size_t a = 1; a < num_arms; ++a) row[a] = std::clamp(row[a], bound, 1 - bound);
    // Of two arms the other one's is what is left, so that they sum to 1 to the last digit.
    row[0] = num_arms == 2 ? 1 - row[1] : std::clamp(row[0], bound, 1 - bound);
    const std::span<const double> before = std::as_const(out.unbounded).row(i);
    num_moved += std::equal(row.begin() + 1, row.end(), before.begin() + 1) &&
                         (num_arms == 2 || row[0] == before[0])
                     ? 0
                     : 1;
  }
  if (out.e.rows() > 0) {
    out.clipped_fraction = static_cast<double>(num_moved) / static_cast<double>(out.e.rows());
  }
  return out;
}

}  // namespace cone
