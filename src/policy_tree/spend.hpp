#pragma once

#include <cstdint>

#include "policy_tree/search.hpp"

namespace cone {

/// How many of the units that the tree was learnt from it does not leave in the control arm.
std::uint64_t count_treated(const PolicyTree& tree);

/// The questions of a tree with the arms of its leaves chosen anew: of all choices that treat at
/// most `most` rows the one with the largest sum. A leaf gets the control arm or the first of the
/// others with the largest sum; a question with the same answer on both sides goes.
/// O(rows · arms + 2^leaves); there are 8 leaves at most.
FoundTree spend_within(const TreeRows& rows, const PolicyTree& tree, std::uint64_t most);

}  // namespace cone
