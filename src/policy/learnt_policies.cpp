#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cone/dataset.hpp"
#include "cone/policy.hpp"
#include "cone/text.hpp"

namespace cone {

std::vector<LearntOn> find_learnt_policies(const Dataset& data,
                                           std::span<const PolicyOnData> policies) {
  std::vector<LearntOn> out(policies.size(), LearntOn::kOtherData);
  const auto is_learnt = [](const PolicyOnData& policy) { return !policy.learnt_from.empty(); };
  if (std::none_of(policies.begin(), policies.end(), is_learnt)) return out;
  const std::string here = data.log_checksum();
  for (std::size_t p = 0; p < policies.size(); ++p) {
    if (policies[p].learnt_from == here) out[p] = LearntOn::kTheseData;
    if (policies[p].learnt_from == here + std::string(kOutOfFoldMark)) {
      out[p] = LearntOn::kTheseDataOutOfFold;
    }
  }
  return out;
}

std::vector<std::string> warn_of_learnt_policies(const Dataset& data,
                                                 std::span<const PolicyOnData> policies) {
  const std::vector<LearntOn> learnt_on = find_learnt_policies(data, policies);
  std::vector<std::string> names;
  for (std::size_t p = 0; p < policies.size(); ++p) {
    if (learnt_on[p] == LearntOn::kTheseData) names.push_back(printable(policies[p].name));
  }
  if (names.empty()) return {};
  return {fmt::format(
      "{} {} learnt from the same data: the value and the gain are in-sample estimates, biased "
      "upwards, and their intervals are not valid; cone learn prints a valid value, and that of "
      "the "
      "out-of-fold labels (cone learn --out-of-fold) is valid with --estimators dr_ridge",
      fmt::join(names, ", "), names.size() == 1 ? "was" : "were")};
}

}  // namespace cone
