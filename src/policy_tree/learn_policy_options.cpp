#include <algorithm>

#include <fmt/format.h>

#include "cone/learn_policy.hpp"
#include "cone/text.hpp"

#include "data/arm_costs.hpp"
#include "policy_tree/rule_columns.hpp"

namespace cone {

std::vector<std::string> rule_column_kinds() { return enum_choices<ColumnKind>(); }

void LearnPolicyOptions::check(std::vector<Fault>& faults) const {
  network_ridge.check(faults);
  const std::vector<std::string> kinds = rule_column_kinds();
  for (const std::string& kind : split_on) {
    if (std::find(kinds.begin(), kinds.end(), kind) != kinds.end()) continue;
    faults.push_back({{.item = "--split-on"},
                      fmt::format("'{}' is not a kind of column", printable(kind)),
                      fmt::format("choose from {}", fmt::join(kinds, ", "))});
  }
  if (dependence == Dependence::kPooled) {
    faults.push_back({{.item = "--dependence pooled"},
                      "needs residuals of an outcome model; learn has only scores",
                      "choose another, or leave it out to take the largest"});
  }
  check_costs(cost, faults);
}

}  // namespace cone
