#include "study/joined_plan.hpp"

#include <algorithm>

#include "cone/estimate.hpp"

namespace cone {

FitPlan join_selection(const FitPlan& plan) {
  FitPlan joined{.scored = plan.scored};
  for (const FitTask& task : plan.tasks) {
    FitTask whole{.fit = task.fit, .score = task.score};
    for (const SelectionSplit& split : task.selection) {
      whole.fit.insert(whole.fit.end(), split.fit.begin(), split.fit.end());
      whole.fit.insert(whole.fit.end(), split.score.begin(), split.score.end());
    }
    std::ranges::sort(whole.fit);
    whole.fit.erase(std::unique(whole.fit.begin(), whole.fit.end()), whole.fit.end());
    joined.tasks.push_back(std::move(whole));
  }
  return joined;
}

bool is_network_row(std::string_view estimator) {
  const EstimatorInfo* row = find_estimator(estimator);
  return row != nullptr && row->outcome == LearnerId::kNetworkRidge;
}

}  // namespace cone
