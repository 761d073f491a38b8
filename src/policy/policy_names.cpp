#include <cmath>
#include <cstddef>
#include <optional>
#include <set>
#include <string>

#include <fmt/format.h>

#include "cone/policy.hpp"
#include "cone/text.hpp"

#include "data/policy_columns.hpp"
#include "policy/builtin_policies.hpp"

namespace cone {
namespace {

/// The probabilities of the built-in policy of that name; nothing where there is none on this data.
std::optional<Matrix<double>> find_builtin_table(const Context& context, const Dataset& data,
                                                 const std::string& name) {
  if (name.starts_with("linear:")) return std::nullopt;  // refers to a file
  try {
    const auto policy = builtin_policy(context, data, name);
    if (policy == nullptr) return std::nullopt;
    return policy->probabilities(context, data.features, data.graph);
  } catch (const Error&) {
    return std::nullopt;  // not defined here, such as treat-all with three arms
  }
}

}  // namespace

void refuse_builtin_name(const Context& context, const Dataset& data, const PolicyOnData& policy) {
  constexpr double kTolerance = 1e-6;  // for probabilities that were rounded in a file
  const auto table = find_builtin_table(context, data, policy.name);
  if (!table) return;
  for (std::size_t i = 0; i < table->rows(); ++i) {
    for (std::size_t a = 0; a < table->cols(); ++a) {
      const double given = policy.probability(i, a);
      if (std::abs(given - (*table)(i, a)) <= kTolerance) continue;
      throw Error(
          ErrorCode::kUsage,
          {{.item = printable(policy.name)},
           fmt::format("is the name of a built-in policy, but this one differs: '{}' receives arm "
                       "'{}' with probability {:.4g} instead of {:.4g}",
                       printable(data.ids[static_cast<NodeIndex>(i)]), printable(data.arms[a]),
                       given, (*table)(i, a)),
           "choose another name"});
    }
  }
}

std::vector<Fault> list_name_faults(std::span<const PolicyOnData> policies) {
  std::vector<std::string> names;
  names.reserve(policies.size());
  for (const PolicyOnData& policy : policies) names.push_back(policy.name);
  return list_name_faults(names);
}

std::vector<Fault> list_name_faults(std::span<const std::string> names) {
  std::vector<Fault> faults;
  if (names.size() > kMostPolicies) {
    faults.push_back(load::too_many_policies(names.size(), {.item = "--policy"}));
  }
  std::set<std::string> seen;
  for (const std::string& name : names) {
    if (!seen.insert(name).second) {
      faults.push_back({{.item = "--policy"},
                        fmt::format("two policies are named '{}'", printable(name)),
                        "rename one of them, or name the policy once"});
    }
    if (name == "logged") {  // the logged policy always has this row
      faults.push_back({{.item = "--policy"},
                        "a policy is named 'logged', which is reserved for the logged policy",
                        "choose another name"});
    }
  }
  return faults;
}

}  // namespace cone
