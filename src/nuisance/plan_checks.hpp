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

/// The indices of the nodes in `scored`, which contains them all; both are ascending.
std::vector<std::size_t> find_rows(std::span<const NodeIndex> scored,
                                   std::span<const NodeIndex> nodes);

/// Whether the selection splits are folds of the task's fitting nodes: every split scores one fold
/// and fits on the others.
bool selects_by_folds(const FitTask& task);

/// The nodes that networks are trained on, and those for early stopping.
const SelectionSplit& early_stopping_split(const FitTask& task);

/// The fitting nodes of every task's early-stopping split, for require_every_arm.
FitPlan training_nodes(const FitPlan& plan);

/// The members of `nodes` with this treatment, in order.
std::vector<NodeIndex> nodes_of_arm(const Dataset& data, std::span<const NodeIndex> nodes, Arm arm);

template <class Values>
auto values_at(const Values& values, std::span<const NodeIndex> nodes) {
  std::vector<std::remove_cvref_t<decltype(values[0])>> taken;
  taken.reserve(nodes.size());
  for (const NodeIndex i : nodes) taken.push_back(values[i]);
  return taken;
}

}  // namespace cone
