#include "cone/nuisance/fit_plan.hpp"

#include <algorithm>
#include <functional>
#include <iterator>
#include <span>

#include "cone/base/error.hpp"

namespace cone {
namespace {

/// All members of `folds` but those of `left_out`, ascending.
std::vector<NodeIndex> all_but(const std::vector<std::vector<NodeIndex>>& folds,
                               std::size_t left_out) {
  std::vector<NodeIndex> nodes;
  for (std::size_t k = 0; k < folds.size(); ++k) {
    if (k != left_out) nodes.insert(nodes.end(), folds[k].begin(), folds[k].end());
  }
  std::sort(nodes.begin(), nodes.end());
  return nodes;
}

/// Models are looked up by binary search and rows are matched by their order.
void require_ascending(std::span<const NodeIndex> nodes) {
  require(std::adjacent_find(nodes.begin(), nodes.end(), std::greater_equal<>()) == nodes.end(),
          "fit plan: a list of nodes is not ascending");
}

void mark(std::span<const NodeIndex> nodes, char role, std::vector<char>& roles) {
  require_ascending(nodes);
  for (const NodeIndex i : nodes) {
    require(i < roles.size(), "fit plan: node out of range");
    roles[i] = role;
  }
}

}  // namespace

FitPlan cross_fit_plan(const Dataset& data, int folds, int selection_folds, std::uint64_t seed) {
  const auto outer = make_folds(data, folds, /*stratified=*/true, seed);
  FitPlan plan;
  for (std::size_t k = 0; k < outer.size(); ++k) {
    FitTask task{.fit = all_but(outer, k), .score = outer[k]};
    const auto inner = make_folds(data, task.fit, selection_folds, seed, Stream::kSelection);
    for (std::size_t s = 0; s < inner.size(); ++s) {
      task.selection.push_back({.fit = all_but(inner, s), .score = inner[s]});
    }
    plan.scored.insert(plan.scored.end(), task.score.begin(), task.score.end());
    plan.tasks.push_back(std::move(task));
  }
  std::sort(plan.scored.begin(), plan.scored.end());
  return plan;
}

FitPlan split_plan(const Split& split) {
  FitPlan plan;
  plan.tasks.push_back({.fit = split.train,
                        .score = split.test,
                        .selection = {{.fit = split.train, .score = split.validation}}});
  plan.scored = split.test;
  return plan;
}

FitPlan make_plan(const Dataset& data, const PlanOptions& options, std::uint64_t seed) {
  if (options.protocol == Protocol::kSplit) {
    return split_plan(make_split(data, options.split, seed));
  }
  return cross_fit_plan(data, options.folds, options.selection_folds, seed);
}

void require_valid(const FitPlan& plan, std::size_t num_nodes) {
  constexpr char kUnused = 0;
  constexpr char kLearnt = 1;
  std::vector<NodeIndex> scored;
  for (const FitTask& task : plan.tasks) {
    std::vector<char> roles(num_nodes, kUnused);
    mark(task.fit, kLearnt, roles);
    for (const SelectionSplit& split : task.selection) {
      mark(split.fit, kLearnt, roles);
      mark(split.score, kLearnt, roles);
    }
    require_ascending(task.score);
    for (const NodeIndex i : task.score) {
      require(i < num_nodes, "fit plan: node out of range");
      require(roles[i] == kUnused, "fit plan: a node is scored by a model that learnt from it");
    }
    scored.insert(scored.end(), task.score.begin(), task.score.end());
  }
  std::sort(scored.begin(), scored.end());
  require(std::adjacent_find(scored.begin(), scored.end()) == scored.end(),
          "fit plan: a node is scored twice");
  require(scored == plan.scored, "fit plan: scored is not the ascending union of the scores");
}

}  // namespace cone
