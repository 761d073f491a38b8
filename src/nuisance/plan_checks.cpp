#include "nuisance/plan_checks.hpp"

#include <fmt/format.h>

#include "cone/error.hpp"

#include "base/numeric.hpp"

namespace cone {

std::vector<NodeIndex> nodes_of_arm(const Dataset& data, std::span<const NodeIndex> nodes,
                                    Arm arm) {
  // Without a branch on the arm, which comes in random order and would be mispredicted.
  std::vector<NodeIndex> members(nodes.size());
  std::size_t count = 0;
  for (const NodeIndex i : nodes) {
    members[count] = i;
    count += data.treatment[i] == arm ? 1 : 0;
  }
  members.resize(count);
  return members;
}

std::vector<std::size_t> find_rows(std::span<const NodeIndex> scored,
                                   std::span<const NodeIndex> nodes) {
  std::vector<std::size_t> rows;
  rows.reserve(nodes.size());
  std::size_t row = 0;
  for (const NodeIndex node : nodes) {
    while (row < scored.size() && scored[row] != node) ++row;
    require(row < scored.size(), "fit plan: a task scores a node that is not scored");
    rows.push_back(row);
  }
  return rows;
}

void require_every_arm(const Dataset& data, const FitPlan& plan, const Communicator& comm) {
  FaultList faults;
  if (!comm.any(data.has_log())) {
    Fault fault;
    fault.what = "the data has no treatments and outcomes to fit to";
    fault.advice = "add treatments and outcomes, or simulate them with cone simulate";
    faults.add("log", std::move(fault));
  } else {
    for (std::size_t t = 0; t < plan.tasks.size(); ++t) {
      std::vector<double> members(data.num_arms(), 0.0);
      for (const NodeIndex i : plan.tasks[t].fit) ++members[data.treatment[i]];
      comm.allreduce(members);
      for (std::size_t arm = 0; arm < members.size(); ++arm) {
        if (members[arm] > 0) continue;
        Fault fault;
        fault.what = fmt::format("none of the {} training nodes of fold {} is {}", sum(members),
                                 t + 1, arm_adjective(data.arms, static_cast<Arm>(arm)));
        fault.advice = data.num_arms() == 2
                           ? "both arms are needed to compare them: use fewer folds or more data"
                           : "every arm is needed to compare them: use fewer folds or more data";
        faults.add("arm", std::move(fault));
      }
    }
  }
  faults.throw_if_any(ErrorCode::kData);
}

bool selects_by_folds(const FitTask& task) {
  const std::size_t num_splits = task.selection.size();
  std::vector<std::size_t> num_fitted(num_splits, 0);
  std::vector<std::size_t> num_scored(num_splits, 0);
  const auto is_next = [](const std::vector<NodeIndex>& nodes, std::size_t index, NodeIndex node) {
    return index < nodes.size() && nodes[index] == node;
  };
  for (const NodeIndex node : task.fit) {
    std::size_t num_scorers = 0;
    for (std::size_t s = 0; s < num_splits; ++s) {
      if (is_next(task.selection[s].fit, num_fitted[s], node)) {
        ++num_fitted[s];
      } else if (is_next(task.selection[s].score, num_scored[s], node)) {
        ++num_scored[s];
        ++num_scorers;
      } else {
        return false;
      }
    }
    if (num_scorers != 1) return false;
  }
  for (std::size_t s = 0; s < num_splits; ++s) {
    if (num_fitted[s] < task.selection[s].fit.size()) return false;
    if (num_scored[s] < task.selection[s].score.size()) return false;
  }
  return true;
}

const SelectionSplit& early_stopping_split(const FitTask& task) {
  require(!task.selection.empty(), "fit plan: networks need a selection split");
  return task.selection.front();
}

FitPlan training_nodes(const FitPlan& plan) {
  FitPlan learning;
  for (const FitTask& task : plan.tasks) {
    learning.tasks.push_back({.fit = early_stopping_split(task).fit});
  }
  return learning;
}

}  // namespace cone
