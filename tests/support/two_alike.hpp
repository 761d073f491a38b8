#pragma once

#include <span>
#include <vector>

#include "cone/communicator.hpp"
#include "cone/dataset.hpp"
#include "cone/learn.hpp"

#include "base/numeric.hpp"

namespace cone::testing {

/// Two ranks with identical nodes, seen from the first: their joint result equals that of one
/// process in which every node occurs twice.
class TwoAlike : public Communicator {
 public:
  std::size_t size() const override { return 2; }
  using Communicator::allreduce;
  void allreduce(std::span<double> values) const override {
    for (double& value : values) value *= 2;
  }
  std::vector<double> allgather(std::span<const double> values) const override {
    std::vector<double> both(values.begin(), values.end());
    both.insert(both.end(), values.begin(), values.end());
    return both;
  }
};

inline std::vector<NodeIndex> twice(std::span<const NodeIndex> nodes, std::size_t num_nodes) {
  std::vector<NodeIndex> out(nodes.begin(), nodes.end());
  for (const NodeIndex i : nodes) out.push_back(i + static_cast<NodeIndex>(num_nodes));
  return out;
}

/// Every node twice, without a network.
inline Dataset twice(const Dataset& data) {
  Dataset out;
  out.ids = IdTable::numbered(2 * data.num_nodes());
  out.arms = data.arms;
  std::vector<NodeIndex> all;
  for (std::size_t i = 0; i < 2 * data.num_nodes(); ++i) {
    const auto from = static_cast<NodeIndex>(i % data.num_nodes());
    all.push_back(from);
    out.treatment.push_back(data.treatment[from]);
    out.outcome.push_back(data.outcome[from]);
  }
  out.features = data.features;
  out.features.matrix = data.features.matrix.select_rows(all);
  return out;
}

inline FitPlan twice(const FitPlan& plan, std::size_t num_nodes) {
  FitPlan out{.scored = twice(plan.scored, num_nodes)};
  for (const FitTask& task : plan.tasks) {
    FitTask& both = out.tasks.emplace_back();
    both.fit = twice(task.fit, num_nodes);
    both.score = twice(task.score, num_nodes);
    for (const SelectionSplit& split : task.selection) {
      both.selection.push_back({twice(split.fit, num_nodes), twice(split.score, num_nodes)});
    }
  }
  return out;
}

}  // namespace cone::testing
