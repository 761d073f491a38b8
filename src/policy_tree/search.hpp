#pragma once

#include <cstdint>

#include "cone/context.hpp"
#include "cone/learn_policy.hpp"

#include "policy_tree/lookahead.hpp"

namespace cone {

/// A tree and its sum of integer scores.
struct FoundTree {
  PolicyTree tree;
  std::int64_t sum = 0;

  /// A larger sum, or the same with fewer leaves.
  bool beats(const FoundTree& other) const;
};

/// A split with its two subtrees.
PolicyTree join_subtrees(RuleNode split, const PolicyTree& left, const PolicyTree& right);

/// All units get the first of the arms with the largest sum.
FoundTree find_leaf(const TreeRows& rows);
/// At most one split. Exact. O(columns · rows · arms).
FoundTree find_stump(const Context& context, const TreeRows& rows);
/// Depth at most `depth`, 0 to 3; exact up to 2 (cf. Sverdrup, Kanodia, Zhou, Athey and Wager,
/// 2020, policytree: Policy learning via doubly robust empirical welfare maximization over trees).
///
/// Depth 3 tries up to kFirstSplits first splits: of every column the best cut of the best tree of
/// depth 2 and the cuts at its deciles, those with the best trees of depth 2 first. Each continues
/// with exact trees of depth 2. So the result is never worse than the exact tree of depth 2, but a
/// first split that only helps with two more levels below it may be missed.
FoundTree find_tree(const Context& context, const TreeRows& rows, std::uint32_t depth);

inline constexpr std::size_t kFirstSplits = 24;

}  // namespace cone
