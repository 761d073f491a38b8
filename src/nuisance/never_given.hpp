#pragma once

#include <span>
#include <string>
#include <vector>

#include "cone/context.hpp"
#include "cone/dataset.hpp"
#include "cone/matrix.hpp"

namespace cone {

/// Nodes of a kind that an arm was never given to, by single columns.
struct NeverGiven {
  Matrix<unsigned char> is_never;      ///< nodes × arms, 1 where nobody of the node's kind had it
  std::vector<std::string> sentences;  ///< the largest kinds, in words
};

/// A kind is: the nodes with one value of a column of few values, those with or without a word, or
/// all beyond the outermost node of the arm in a column of many values (5 % of the nodes at least:
/// tails end somewhere). It counts where chance is no explanation: at half of the arm's share among
/// all nodes, over all columns together, nobody at all would have a probability below 1 %. Fitted
/// propensities do not tell: a penalty keeps them away from 0, and a line does not see a gap.
/// Over the nodes of all processes. O(entries + dense columns · nodes).
NeverGiven find_never_given(const Context& context, const Dataset& data);

/// The rows of some nodes.
Matrix<unsigned char> take_scored(const NeverGiven& never, std::span<const NodeIndex> nodes);

}  // namespace cone
