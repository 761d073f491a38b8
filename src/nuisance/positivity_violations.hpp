#pragma once

#include <span>
#include <string>
#include <vector>

#include "cone/context.hpp"
#include "cone/dataset.hpp"
#include "cone/matrix.hpp"

namespace cone {

/// Subgroups, defined by single columns, of which no node received an arm.
struct PositivityViolations {
  Matrix<unsigned char> is_violated;   ///< nodes × arms, 1 where no node of a subgroup received it
  std::vector<std::string> sentences;  ///< warnings about the largest subgroups
};

/// A subgroup is: the nodes with one value of a column of few values, those with or without a count
/// feature, or all beyond the most extreme node of the arm in a column of many values (at least 5 %
/// of the nodes: every tail ends somewhere). It is a violation where chance does not explain it: if
/// half of the arm's share among all nodes applied to the subgroup, no node at all would receive
/// the arm with a probability below 1 %, over all columns together. Fitted propensities do not show
/// violations: a penalty keeps them away from 0, and a linear logit misses gaps. Over the nodes of
/// all ranks. O(entries + dense columns · nodes).
PositivityViolations find_positivity_violations(const Context& context, const Dataset& data);

/// The rows of some nodes.
Matrix<unsigned char> take_scored(const PositivityViolations& violations,
                                  std::span<const NodeIndex> nodes);

}  // namespace cone
