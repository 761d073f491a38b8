#include "study/joined_plan.hpp"

#include <algorithm>

#include "cone/estimate.hpp"

namespace cone {

FitPlan join_selection(const FitPlan& plan) {
  FitPlan joined{.scored = plan.scored};
  for (const FitTask& task : plan.tasks) {
    FitTask all{.fit = task.fit, .score = task.score};
    for (const SelectionSplit& split : task.selection) {
      all.fit.insert(all.fit.end(), split.fit.begin(), split.fit.end());
      all.fit.insert(all.fit.end(), split.score.begin(), split.score.end());
    }
    std::ranges::sort(all.fit);
    all.fit.erase(std::unique(all.fit.begin(), all.fit.end()), all.fit.end());
    joined.tasks.push_back(std::move(all));
  }
  return joined;
}

bool is_network_row(std::string_view estimator) {
  const EstimatorInfo* row = find_estimator(estimator);
  return row != nullptr && row->outcome == LearnerId::kNetworkRidge;
}

}  // namespace cone
