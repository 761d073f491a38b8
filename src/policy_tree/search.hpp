#pragma once

#include <cstdint>

#include "cone/context.hpp"
#include "cone/learn_policy.hpp"

#include "policy_tree/lookahead.hpp"

namespace cone {

/// A tree and its sum of whole scores.
struct FoundTree {
  PolicyTree tree;
  std::int64_t sum = 0;

  /// A larger sum, or the same with fewer leaves.
  bool beats(const FoundTree& other) const;
};

/// A question with the trees that follow from it.
PolicyTree join_questions(RuleNode question, const PolicyTree& left, const PolicyTree& right);

/// Everyone gets the first of the arms with the largest sum.
FoundTree find_leaf(const TreeRows& rows);
/// At most one question. Exact. O(columns · rows · arms).
FoundTree find_stump(const Context& context, const TreeRows& rows);
/// At most `depth` questions, 0 to 3; exact up to 2.
///
/// Depth 3 tries up to kFirstQuestions first questions: of every column the best cut of the best
/// tree of depth 2 and the cuts at its deciles, those with the best trees of depth 2 first. Each
/// goes on with exact trees of depth 2. So the result is never worse than the exact tree of depth
/// 2, but a first question that pays only with two more after it may be missed.
FoundTree find_tree(const Context& context, const TreeRows& rows, std::uint32_t depth);

inline constexpr std::size_t kFirstQuestions = 24;

}  // namespace cone
