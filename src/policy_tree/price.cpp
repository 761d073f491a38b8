#include "policy_tree/price.hpp"

#include <cmath>

#include <fmt/format.h>

#include "policy_tree/search.hpp"
#include "policy_tree/spend.hpp"

namespace cone {
PricedTree learn_priced_tree(const Context& context, MatrixView<const double> columns,
                             MatrixView<const double> scores, const TreeOptions& options) {
  const WholeScores whole = round_scores(scores);
  const SortedColumns sorted = sort_columns(context, columns);
  const TreeRows rows{sorted, whole, options.min_leaf};
  // A share such as 0.29 of 100 units is 29 of them, whatever the bits of 0.29 are.
  const auto most = static_cast<std::uint64_t>(
      std::floor(options.budget * static_cast<double>(rows.size()) + 1e-9));
  const double first_share = options.budget < 1 ? 1.0 / (kPriceSteps + 1) : 1.0;
  FoundTree free_of_charge;
  {
    const StageScope stage(context, "tree", 0, first_share);
    free_of_charge = find_tree(context, rows, options.depth);
  }
  if (count_treated(free_of_charge.tree) <= most) return {std::move(free_of_charge.tree), 0};

  FoundTree best = spend_within(rows, free_of_charge.tree, most);
  std::int64_t too_low = 0;
  std::int64_t enough = whole.largest_difference();
  for (int step = 0; step < kPriceSteps && enough - too_low > 1; ++step) {
    const double share = (1 - first_share) / kPriceSteps;
    const StageScope stage(context, fmt::format("price {} of {}", step + 1, kPriceSteps),
                           first_share + share * step, first_share + share * (step + 1));
    const std::int64_t tried = too_low + (enough - too_low) / 2;
    const WholeScores charged = whole.charge(tried);
    const FoundTree found = find_tree(context, {sorted, charged, options.min_leaf}, options.depth);
    const std::uint64_t treated = count_treated(found.tree);
    FoundTree spent = spend_within(rows, found.tree, most);
    if (spent.beats(best)) best = std::move(spent);
    (treated > most ? too_low : enough) = tried;
    if (treated == most) break;
  }
  return {std::move(best.tree), static_cast<double>(enough) * whole.unit};
}

}  // namespace cone
