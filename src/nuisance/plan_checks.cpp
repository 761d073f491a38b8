#include "nuisance/plan_checks.hpp"

#include <fmt/format.h>

#include "cone/error.hpp"

namespace cone {

std::vector<NodeIndex> nodes_of_arm(const Dataset& data, std::span<const NodeIndex> nodes,
                                    Arm arm) {
  std::vector<NodeIndex> members;
  for (const NodeIndex i : nodes) {
    if (data.treatment[i] == arm) members.push_back(i);
  }
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

void require_every_arm(const Dataset& data, const FitPlan& plan) {
  FaultList faults;
  if (!data.has_log()) {
    Fault fault;
    fault.what = "the data has no treatments and outcomes to fit to";
    fault.advice = "bring columns treatment and outcome, or simulate them";
    faults.add("log", std::move(fault));
  } else {
    for (std::size_t t = 0; t < plan.tasks.size(); ++t) {
      std::vector<bool> is_there(data.num_arms(), false);
      for (const NodeIndex i : plan.tasks[t].fit) is_there[data.treatment[i]] = true;
      for (std::size_t arm = 0; arm < is_there.size(); ++arm) {
        if (is_there[arm]) continue;
        Fault fault;
        fault.what =
            fmt::format("none of the {} nodes to fit on in fold {} is {}", plan.tasks[t].fit.size(),
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
