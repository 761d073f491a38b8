#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cone/dataset.hpp"
#include "cone/policy.hpp"

#include "base/text.hpp"

namespace cone {

std::vector<std::string> warn_of_learnt_policies(const Dataset& data,
                                                 std::span<const PolicyOnData> policies) {
  const auto is_learnt = [](const PolicyOnData& policy) { return !policy.learnt_from.empty(); };
  if (std::none_of(policies.begin(), policies.end(), is_learnt)) return {};
  const std::string here = data.log_checksum();
  std::vector<std::string> names;
  for (const PolicyOnData& policy : policies) {
    if (policy.learnt_from == here) names.push_back(printable(policy.name));
  }
  if (names.empty()) return {};
  return {fmt::format(
      "{} {} learnt from the same data: the value and the gain are in-sample estimates, biased "
      "upwards, and their intervals are not valid; evaluate the out-of-fold labels (cone learn "
      "--out-of-fold)",
      fmt::join(names, ", "), names.size() == 1 ? "was" : "were")};
}

}  // namespace cone
