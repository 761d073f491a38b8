#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "cone/error.hpp"
#include "cone/file.hpp"
#include "cone/load.hpp"
#include "cone/policy.hpp"
#include "cone/text.hpp"

#include "policy/builtin_policies.hpp"

namespace cone {
namespace {

void append_from_file(const Context& context, const Dataset& data, const std::string& path,
                      std::vector<PolicyOnData>& policies) {
  if (path_kind(path) == PathKind::kMissing) {
    const std::string nearest = closest_name(path, builtin_policy_names());
    throw Error(
        ErrorCode::kUsage,
        {{.item = printable(path)},
         "is neither a policy name nor a file",
         nearest.empty() ? fmt::format("the names are {}", fmt::join(builtin_policy_names(), ", "))
                         : fmt::format("did you mean {}?", nearest)});
  }
  PolicyTable table = load_policy_table(context, path, data);
  for (std::size_t p = 0; p < table.names.size(); ++p) {
    PolicyOnData policy{std::move(table.names[p]), std::move(table.probabilities[p]),
                        std::move(table.learnt_from[p])};
    refuse_builtin_name(context, data, policy);
    policies.push_back(std::move(policy));
  }
}

}  // namespace

std::vector<PolicyOnData> resolve_policies(const Context& context, const Dataset& data,
                                           std::span<const std::string> specifications) {
  std::vector<PolicyOnData> policies;
  std::vector<Fault> faults;
  ErrorCode code = ErrorCode::kUsage;
  std::uint64_t num_unlisted = 0;
  for (const std::string& specification : specifications) {
    try {
      if (const auto policy = builtin_policy(context, data, specification)) {
        policies.push_back(
            {specification, policy->probabilities(context, data.features, data.graph)});
      } else {
        append_from_file(context, data, specification, policies);
      }
    } catch (const Error& error) {
      faults.insert(faults.end(), error.faults().begin(), error.faults().end());
      num_unlisted += error.num_unlisted();
      code = error.code();
    }
  }
  for (Fault& fault : list_name_faults(policies)) faults.push_back(std::move(fault));
  if (!faults.empty()) throw Error(code, std::move(faults), num_unlisted);
  return policies;
}

}  // namespace cone
