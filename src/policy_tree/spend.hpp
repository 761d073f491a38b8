#pragma once

#include <cstdint>

#include "policy_tree/search.hpp"

namespace cone {

/// How many of the training units the tree assigns to an arm other than control.
std::uint64_t count_treated(const PolicyTree& tree);

/// The splits of a tree with the arms of its leaves chosen anew: of all assignments that treat at
/// most `most` rows the one with the largest sum. A leaf gets the control arm or the first of the
/// others with the largest sum; redundant splits are removed. O(rows · arms + 2^leaves); there are
/// 8 leaves at most.
FoundTree spend_within(const TreeRows& rows, const PolicyTree& tree, std::uint64_t most);

}  // namespace cone
