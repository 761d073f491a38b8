#include <charconv>
#include <set>

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/text.hpp"
#include "data/load.hpp"
#include "policy/policy.hpp"

namespace cone {
namespace {

constexpr std::string_view kRandomWeights = "random-weights:";
constexpr std::string_view kLinear = "linear:";

std::uint64_t parse_seed(const std::string& specification) {
  const std::string_view digits = std::string_view(specification).substr(kRandomWeights.size());
  std::uint64_t seed = 0;
  const auto [end, failure] = std::from_chars(digits.data(), digits.data() + digits.size(), seed);
  if (failure != std::errc() || end != digits.data() + digits.size()) {
    throw Error(ErrorCode::kUsage, {{.item = printable(specification)},
                                    "the seed is not a whole number",
                                    "write for example random-weights:1"});
  }
  return seed;
}

/// nullptr where the specification is not one of the built-in forms.
std::unique_ptr<Policy> builtin_policy(const Context& context, const Dataset& data,
                                       const std::string& specification) {
  if (specification == "treat-all") return constant_policy(1);
  if (specification == "treat-none") return constant_policy(0);
  if (specification == "uniform") return constant_policy(0.5);
  if (specification.starts_with(kRandomWeights)) {
    return random_weights_policy(parse_seed(specification));
  }
  if (specification.starts_with(kLinear)) {
    return linear_policy(
        load_linear_policy(context, specification.substr(kLinear.size()), data.features));
  }
  return nullptr;
}

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
  PolicyTable table = load_policy_table(context, path, data.ids, {}, data.left_out);
  for (std::size_t p = 0; p < table.names.size(); ++p) {
    policies.push_back({std::move(table.names[p]), two_arm_probabilities(table.probabilities[p])});
  }
}

}  // namespace

std::vector<std::string> builtin_policy_names() {
  return {"treat-all", "treat-none", "uniform", "random-weights:1", "linear:FILE"};
}

std::vector<PolicyOnData> resolve_policies(const Context& context, const Dataset& data,
                                           std::span<const std::string> specifications) {
  std::vector<PolicyOnData> policies;
  std::vector<Fault> faults;
  ErrorCode code = ErrorCode::kUsage;
  std::uint64_t num_unlisted = 0;
  for (const std::string& specification : specifications) {
    try {
      if (const auto policy = builtin_policy(context, data, specification)) {
        policies.push_back({specification, two_arm_probabilities(policy->treat_probabilities(
                                               context, data.features, data.graph))});
      } else {
        append_from_file(context, data, specification, policies);
      }
    } catch (const Error& error) {
      faults.insert(faults.end(), error.faults().begin(), error.faults().end());
      num_unlisted += error.num_unlisted();
      code = error.code();
    }
  }
  std::set<std::string> names;
  for (const PolicyOnData& policy : policies) {
    if (!names.insert(policy.name).second) {
      faults.push_back({{.item = "--policy"},
                        fmt::format("two policies are named '{}'", printable(policy.name)),
                        "rename the column, or name the policy once"});
    }
  }
  if (!faults.empty()) throw Error(code, std::move(faults), num_unlisted);
  return policies;
}

}  // namespace cone
