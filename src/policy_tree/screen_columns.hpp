#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "cone/context.hpp"
#include "cone/graph.hpp"
#include "cone/matrix.hpp"

#include "policy_tree/rule_columns.hpp"

namespace cone {

/// The nodes that a tree is learnt from, ascending, and their scores.
struct TrainingScores {
  std::vector<NodeIndex> nodes;
  Matrix<double> scores;  ///< nodes × arms
};

/// The columns that each tree may split on: those whose ranks correlate most with the contrast of
/// an arm.
///
/// The association of a column is the largest over the arms of |correlation| between its ranks
/// (over all nodes, ties share the mean rank) and the arm's score less the mean score of the node's
/// arms, over the nodes of the training set. Ranks are invariant to scale and robust to outliers;
/// the cost is that effects which are not monotone in a column may be missed. Columns of
/// association 0 are left out, ties go to the earlier column. The result lists columns in ascending
/// order, at most `most` per training set.
///
/// O(columns · nodes · (log nodes + arms · training sets)); only nonzero values are sorted.
std::vector<std::vector<std::size_t>> screen_columns(const Context& context,
                                                     const RuleColumns& columns,
                                                     std::size_t num_nodes,
                                                     std::span<const TrainingScores> training,
                                                     std::size_t most);

}  // namespace cone
