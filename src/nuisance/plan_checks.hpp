#pragma once

#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include "cone/dataset.hpp"
#include "cone/learn.hpp"

namespace cone {

/// Throws Error(kData) listing every task whose fitting nodes lack an arm, or where the data has no
/// treatments and outcomes.
void require_every_arm(const Dataset& data, const FitPlan& plan,
                       const Communicator& comm = Communicator::self());

/// Whether the selection splits are folds of the task's fitting nodes: every split scores one fold
/// and fits on the others.
bool selects_by_folds(const FitTask& task);

/// The nodes that networks are trained on, and those for early stopping.
const SelectionSplit& early_stopping_split(const FitTask& task);

/// The fitting nodes of every task's early-stopping split, for require_every_arm.
FitPlan training_nodes(const FitPlan& plan);

template <class Values>
auto values_at(const Values& values, std::span<const NodeIndex> nodes) {
  std::vector<std::remove_cvref_t<decltype(values[0])>> taken;
  taken.reserve(nodes.size());
  for (const NodeIndex i : nodes) taken.push_back(values[i]);
  return taken;
}

}  // namespace cone
