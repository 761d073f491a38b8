#include "nuisance/plan_checks.hpp"

#include <fmt/format.h>

#include "base/error.hpp"

namespace cone {

std::vector<NodeIndex> nodes_of_arm(const Dataset& data, std::span<const NodeIndex> nodes,
                                    std::uint8_t arm) {
  std::vector<NodeIndex> members;
  for (const NodeIndex i : nodes) {
    if (data.treatment[i] == arm) members.push_back(i);
  }
  return members;
}

void require_both_arms(const Dataset& data, const FitPlan& plan) {
  FaultList faults;
  if (!data.has_log()) {
    Fault fault;
    fault.what = "the data has no treatments and outcomes to fit to";
    fault.advice = "bring columns treatment and outcome, or simulate them";
    faults.add("log", std::move(fault));
  } else {
    for (std::size_t t = 0; t < plan.tasks.size(); ++t) {
      for (const std::uint8_t arm : {std::uint8_t{0}, std::uint8_t{1}}) {
        if (!nodes_of_arm(data, plan.tasks[t].fit, arm).empty()) continue;
        Fault fault;
        fault.what =
            fmt::format("none of the {} nodes to fit on in fold {} is {}", plan.tasks[t].fit.size(),
                        t + 1, arm == 1 ? "treated" : "untreated");
        fault.advice = "both arms are needed to compare them: use fewer folds or more data";
        faults.add("arm", std::move(fault));
      }
    }
  }
  faults.throw_if_any(ErrorCode::kData);
}

const SelectionSplit& learning_split(const FitTask& task) {
  require(!task.selection.empty(), "fit plan: networks need a selection split");
  return task.selection.front();
}

FitPlan learning_plan(const FitPlan& plan) {
  FitPlan learning;
  for (const FitTask& task : plan.tasks) {
    learning.tasks.push_back({.fit = learning_split(task).fit});
  }
  return learning;
}

}  // namespace cone
