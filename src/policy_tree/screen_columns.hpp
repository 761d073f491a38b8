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

/// Which columns each of the trees may ask about: those whose ranks go most closely with what an
/// arm adds.
///
/// The association of a column is the largest over the arms of |correlation| between its ranks
/// (over all nodes, ties share the mean rank) and the arm's score less the mean score of the node's
/// arms. Only the nodes of the training set count, with their scores. Ranks, so that neither units
/// nor a few large values matter; that a column which matters at both ends may go unseen is the
/// price. Columns of association 0 are left out, ties go to the earlier column. The answer lists
/// columns in ascending order, at most `most` per training set.
///
/// O(columns · nodes · (log nodes + arms · training sets)); only what is not zero is sorted.
std::vector<std::vector<std::size_t>> screen_columns(const Context& context,
                                                     const RuleColumns& columns,
                                                     std::size_t num_nodes,
                                                     std::span<const TrainingScores> training,
                                                     std::size_t most);

}  // namespace cone
