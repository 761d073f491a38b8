#pragma once

#include <cstdint>
#include <vector>

#include "cone/data/dataset.hpp"
#include "cone/data/split.hpp"

namespace cone {

/// Fit on one part, measure on the other, to choose the strength of a penalty.
struct SelectionSplit {
  std::vector<NodeIndex> fit;
  std::vector<NodeIndex> score;
};

/// One model (per arm): which nodes it may learn from and which it predicts.
struct FitTask {
  std::vector<NodeIndex> fit;
  std::vector<NodeIndex> score;
  std::vector<SelectionSplit> selection;
};

/// Which model predicts which nodes. A node is scored by one task at most, and never by a task
/// that fits on it or selects with it.
struct FitPlan {
  std::vector<FitTask> tasks;
  std::vector<NodeIndex> scored;  ///< ascending; the union of the tasks' score
};

/// Cross-fitting: every node is scored, by a model fitted on the other folds. Within those,
/// `selection_folds` inner folds choose the strength. Both are stratified by arm. Throws what
/// make_folds throws, in particular where an arm has too few members.
FitPlan cross_fit_plan(const Dataset& data, int folds, int selection_folds, std::uint64_t seed);

/// The paper's protocol: fit on train, choose on validation, score test.
FitPlan split_plan(const Split& split);

/// Throws Error(kInternal) unless the plan is as described above and its nodes are below
/// num_nodes. Every consumer of a plan calls it.
void require_valid(const FitPlan& plan, std::size_t num_nodes);

}  // namespace cone
