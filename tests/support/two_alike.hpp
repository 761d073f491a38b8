#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "cone/context.hpp"
#include "cone/dataset.hpp"
#include "cone/learn.hpp"

#include "base/numeric.hpp"

namespace cone::testing {

/// Two ranks with identical nodes, seen from the first: their joint result equals that of one
/// process in which every node occurs twice.
class TwoAlike : public Communicator {
 public:
  std::size_t size() const override { return 2; }

 protected:
  void do_allreduce(std::span<double> values) const override {
    for (double& value : values) value *= 2;
  }
  void do_allgatherv(std::span<const std::byte> own, std::span<const std::uint64_t> /*sizes*/,
                     std::span<std::byte> all) const override {
    std::ranges::copy(own, all.begin());
    std::ranges::copy(own, all.begin() + static_cast<std::ptrdiff_t>(own.size()));
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
