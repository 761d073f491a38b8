#include "policy_tree/price.hpp"

#include <cmath>

#include <fmt/format.h>

#include "policy_tree/search.hpp"
#include "policy_tree/spend.hpp"

namespace cone {
PricedTree learn_priced_tree(const Context& context, MatrixView<const double> columns,
                             MatrixView<const double> scores, const TreeOptions& options) {
  const IntegerScores rounded = round_scores(scores);
  const SortedColumns sorted = sort_columns(context, columns);
  const TreeRows rows{sorted, rounded, options.min_leaf};
  // 0.29 of 100 units are 29 units, although 0.29 is not exact in binary.
  const auto most = static_cast<std::uint64_t>(
      std::floor(options.budget * static_cast<double>(rows.size()) + 1e-9));
  const double first_share = options.budget < 1 ? 1.0 / (kPriceSteps + 1) : 1.0;
  FoundTree unpriced;
  {
    const StageScope stage(context, "tree", 0, first_share);
    unpriced = find_tree(context, rows, options.depth);
  }
  if (count_treated(unpriced.tree) <= most) return {std::move(unpriced.tree), 0};

  FoundTree best = spend_within(rows, unpriced.tree, most);
  std::int64_t too_low = 0;
  std::int64_t enough = rounded.largest_difference();
  for (int step = 0; step < kPriceSteps && enough - too_low > 1; ++step) {
    const double share = (1 - first_share) / kPriceSteps;
    const StageScope stage(context, fmt::format("price {} of {}", step + 1, kPriceSteps),
                           first_share + share * step, first_share + share * (step + 1));
    const std::int64_t tried = too_low + (enough - too_low) / 2;
    const IntegerScores charged = rounded.charge(tried);
    const FoundTree found = find_tree(context, {sorted, charged, options.min_leaf}, options.depth);
    const std::uint64_t treated = count_treated(found.tree);
    FoundTree spent = spend_within(rows, found.tree, most);
    if (spent.beats(best)) best = std::move(spent);
    (treated > most ? too_low : enough) = tried;
    if (treated == most) break;
  }
  return {std::move(best.tree), static_cast<double>(enough) * rounded.unit};
}

}  // namespace cone
