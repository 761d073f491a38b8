#pragma once

#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include "data/dataset.hpp"
#include "nuisance/fit_plan.hpp"

namespace cone {

/// Throws Error(kData) listing every task whose fitting nodes lack an arm, or the missing log.
void require_both_arms(const Dataset& data, const FitPlan& plan);

/// The nodes that networks learn from, and those that stop them early.
const SelectionSplit& learning_split(const FitTask& task);

/// The fitting nodes of every task's learning split, for require_both_arms.
FitPlan learning_plan(const FitPlan& plan);

/// The members of `nodes` with this treatment, in order.
std::vector<NodeIndex> nodes_of_arm(const Dataset& data, std::span<const NodeIndex> nodes,
                                    std::uint8_t arm);

template <class Values>
auto values_at(const Values& values, std::span<const NodeIndex> nodes) {
  std::vector<std::remove_cvref_t<decltype(values[0])>> taken;
  taken.reserve(nodes.size());
  for (const NodeIndex i : nodes) taken.push_back(values[i]);
  return taken;
}

}  // namespace cone
