#include <algorithm>
#include <functional>
#include <iterator>
#include <numeric>
#include <span>

#include "cone/error.hpp"
#include "cone/learn.hpp"
#include "cone/options.hpp"

#include "data/split.hpp"

namespace cone {
namespace {

/// All members of `nodes` but those of `left_out`; both are ascending.
std::vector<NodeIndex> all_but(std::span<const NodeIndex> nodes,
                               std::span<const NodeIndex> left_out) {
  std::vector<NodeIndex> rest;
  rest.reserve(nodes.size() - left_out.size());
  std::set_difference(nodes.begin(), nodes.end(), left_out.begin(), left_out.end(),
                      std::back_inserter(rest));
  return rest;
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

FitPlan cross_fit_plan(const Context& context, const Dataset& data, int folds, int selection_folds,
                       std::uint64_t seed) {
  FitPlan plan;
  plan.scored.resize(data.num_nodes());
  std::iota(plan.scored.begin(), plan.scored.end(), NodeIndex{0});
  context.poll();
  for (auto& fold : make_folds(data, folds, /*stratified=*/true, seed)) {
    context.poll();
    std::vector<NodeIndex> fitting = all_but(plan.scored, fold);
    FitTask task{.fit = std::move(fitting), .score = std::move(fold)};
    for (auto& part : make_folds(data, task.fit, selection_folds, seed, Stream::kSelection)) {
      context.poll();
      std::vector<NodeIndex> others = all_but(task.fit, part);
      task.selection.push_back({.fit = std::move(others), .score = std::move(part)});
    }
    plan.tasks.push_back(std::move(task));
  }
  return plan;
}

FitPlan cross_fit_plan(const Dataset& data, int folds, int selection_folds, std::uint64_t seed) {
  return cross_fit_plan(Context({.seed = seed, .threads = 1}), data, folds, selection_folds, seed);
}

FitPlan split_plan(const Split& split) {
  FitPlan plan;
  plan.tasks.push_back({.fit = split.train,
                        .score = split.test,
                        .selection = {{.fit = split.train, .score = split.validation}}});
  plan.scored = split.test;
  return plan;
}

FitPlan make_plan(const Context& context, const Dataset& data, const PlanOptions& options,
                  std::uint64_t seed) {
  if (options.protocol == Protocol::kSplit) {
    return split_plan(make_split(data, options.split, seed));
  }
  return cross_fit_plan(context, data, options.folds, options.selection_folds, seed);
}

void require_valid(const FitPlan& plan, std::size_t num_nodes) {
  constexpr char kUnused = 0;
  constexpr char kLearnt = 1;
  std::vector<char> is_scored(num_nodes, 0);
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
      require(is_scored[i] == 0, "fit plan: a node is scored twice");
      is_scored[i] = 1;
    }
  }
  std::vector<NodeIndex> scored;
  for (std::size_t i = 0; i < num_nodes; ++i) {
    if (is_scored[i] != 0) scored.push_back(static_cast<NodeIndex>(i));
  }
  require(scored == plan.scored, "fit plan: scored is not the ascending union of the scores");
}

}  // namespace cone
