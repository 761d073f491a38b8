#include "simulate/alias_table.hpp"

#include <cmath>

#include "cone/error.hpp"

#include "base/numeric.hpp"

namespace cone {

AliasTable::AliasTable(std::span<const double> weights) : slots_(weights.size()) {
  const double total = sum(weights);
  require(std::isfinite(total) && total > 0, "alias table: weights must have a positive sum");
  // In units of the mean weight: slots under 1 are topped up from slots over 1.
  std::vector<double> share(weights.size());
  std::vector<std::uint32_t> small;
  std::vector<std::uint32_t> large;
  for (std::uint32_t i = 0; i < weights.size(); ++i) {
    require(weights[i] >= 0, "alias table: negative weight");
    share[i] = weights[i] / total * static_cast<double>(weights.size());
    (share[i] < 1.0 ? small : large).push_back(i);
  }
  while (!small.empty() && !large.empty()) {
    const std::uint32_t receiver = small.back();
    const std::uint32_t donor = large.back();
    small.pop_back();
    slots_[receiver] = {static_cast<std::uint32_t>(share[receiver] * 0x1.0p32), donor};
    share[donor] -= 1.0 - share[receiver];
    if (share[donor] < 1.0) {
      large.pop_back();
      small.push_back(donor);
    }
  }
  // What is left has share 1 up to rounding: such a slot is its own alias.
  for (const std::uint32_t i : small) slots_[i] = {0, i};
  for (const std::uint32_t i : large) slots_[i] = {0, i};
}

}  // namespace cone
