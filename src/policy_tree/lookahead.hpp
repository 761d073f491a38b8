#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "cone/context.hpp"

#include "policy_tree/integer_scores.hpp"
#include "policy_tree/sorted_columns.hpp"

namespace cone {

/// The rows that a tree is learnt from.
struct TreeRows {
  const SortedColumns& columns;
  const IntegerScores& scores;
  std::uint64_t min_leaf = 1;

  std::size_t size() const { return scores.num_nodes; }
};

/// The value of a first split on one column when both sides continue with the best single split, or
/// none. One entry per cut; cut s sends ranks of at most s to the left.
struct CutValues {
  static constexpr std::int64_t kRefused = std::numeric_limits<std::int64_t>::min();

  std::vector<std::int64_t> sum;     ///< kRefused where a side has too few rows
  std::vector<std::uint8_t> leaves;  ///< the fewest with that sum
};

/// For all columns at once. Both sides of a cut grow row by row as the cut moves; a tree of prefix
/// sums per column (PrefixExtremes) keeps the best single split up to date.
/// O(columns² · rows · log(rows) · arms²).
std::vector<CutValues> look_ahead(const Context& context, const TreeRows& rows);

}  // namespace cone
