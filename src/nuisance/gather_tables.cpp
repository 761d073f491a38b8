#include "nuisance/gather_tables.hpp"

#include <cmath>
#include <utility>

#include "base/numeric.hpp"
#include "data/gather_rows.hpp"

namespace cone {

std::vector<ImplausiblePrediction> list_implausible(const Matrix<double>& predicted,
                                                    const Matrix<double>& limit) {
  std::vector<ImplausiblePrediction> out;
  for (std::size_t i = 0; i < limit.rows(); ++i) {
    for (std::size_t a = 0; a < limit.cols(); ++a) {
      if (std::isnan(limit(i, a))) continue;
      out.push_back({i, static_cast<Arm>(a), predicted(i, a), limit(i, a)});
    }
  }
  return out;
}

std::vector<NodeIndex> gather_numbers(const Dataset& data, std::span<const NodeIndex> nodes) {
  std::vector<NodeIndex> numbers;
  numbers.reserve(nodes.size());
  for (const NodeIndex i : nodes) numbers.push_back(static_cast<NodeIndex>(data.number_of(i)));
  return gather_rows(data, nodes, numbers);
}

OutcomeTable gather_table(const Dataset& data, std::span<const NodeIndex> nodes,
                          OutcomeTable table) {
  if (!data.distributed) return table;
  table.variance = nullptr;  // of the own nodes
  const std::size_t num_arms = table.mu.cols();
  Matrix<double> predicted(nodes.size(), num_arms, kNaN);
  Matrix<double> limit(nodes.size(), num_arms, kNaN);
  for (const ImplausiblePrediction& p : table.implausible) {
    predicted(p.row, p.arm) = p.predicted;
    limit(p.row, p.arm) = p.limit;
  }
  table.mu = gather_rows(data, nodes, std::move(table.mu));
  predicted = gather_rows(data, nodes, std::move(predicted));
  limit = gather_rows(data, nodes, std::move(limit));
  table.implausible = list_implausible(predicted, limit);
  return table;
}

PropensityTable gather_table(const Dataset& data, std::span<const NodeIndex> nodes,
                             PropensityTable table) {
  const bool has_unbounded = data.comm().any(table.unbounded.rows() > 0);
  const bool has_violations = data.comm().any(table.violates_positivity.rows() > 0);
  table.e = gather_rows(data, nodes, std::move(table.e));
  if (has_unbounded) table.unbounded = gather_rows(data, nodes, std::move(table.unbounded));
  if (has_violations) {
    table.violates_positivity = gather_rows(data, nodes, std::move(table.violates_positivity));
  }
  return table;
}

}  // namespace cone
