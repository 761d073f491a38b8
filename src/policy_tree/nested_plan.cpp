#include "policy_tree/nested_plan.hpp"

#include <algorithm>
#include <iterator>

#include "data/split.hpp"

namespace cone {
namespace {

std::vector<NodeIndex> subtract(std::span<const NodeIndex> nodes, std::span<const NodeIndex> less) {
  std::vector<NodeIndex> rest;
  std::set_difference(nodes.begin(), nodes.end(), less.begin(), less.end(),
                      std::back_inserter(rest));
  return rest;
}

}  // namespace

FitPlan leave_fold_out(const Context& context, const Dataset& data, const FitPlan& plan,
                       std::size_t left_out, int selection_folds, std::uint64_t seed) {
  const std::vector<NodeIndex>& held_out = plan.tasks[left_out].score;
  FitPlan out;
  out.scored = subtract(plan.scored, held_out);
  for (std::size_t j = 0; j < plan.tasks.size(); ++j) {
    if (j == left_out) continue;
    context.poll();
    FitTask task{.fit = subtract(plan.tasks[j].fit, held_out), .score = plan.tasks[j].score};
    for (auto& part : make_folds(data, task.fit, selection_folds, seed, Stream::kSelection)) {
      std::vector<NodeIndex> others = subtract(task.fit, part);
      task.selection.push_back({.fit = std::move(others), .score = std::move(part)});
    }
    out.tasks.push_back(std::move(task));
  }
  return out;
}

}  // namespace cone
