#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "cone/context.hpp"

#include "policy_tree/sorted_columns.hpp"
#include "policy_tree/whole_scores.hpp"

namespace cone {

/// The rows that a tree is learnt from.
struct TreeRows {
  const SortedColumns& columns;
  const WholeScores& scores;
  std::uint64_t min_leaf = 1;

  std::size_t size() const { return scores.num_nodes; }
};

/// What a first question about one column is worth when both answers go on with the best single
/// question, or none. One entry per cut; cut s asks whether the rank is at most s.
struct CutValues {
  static constexpr std::int64_t kRefused = std::numeric_limits<std::int64_t>::min();

  std::vector<std::int64_t> sum;     ///< kRefused where a side has too few rows
  std::vector<std::uint8_t> leaves;  ///< the fewest with that sum
};

/// For all columns at once. Both sides of a cut grow row by row as the cut moves; a tree of prefix
/// sums per column (PrefixExtremes) keeps the best single question up to date.
/// O(columns² · rows · log(rows) · arms²).
std::vector<CutValues> look_ahead(const Context& context, const TreeRows& rows);

}  // namespace cone
