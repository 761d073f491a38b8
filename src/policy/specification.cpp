#include <charconv>
#include <set>

#include <fmt/format.h>

#include "cone/error.hpp"
#include "cone/load.hpp"
#include "cone/policy.hpp"

#include "base/file.hpp"
#include "base/text.hpp"
#include "data/arm_labels.hpp"

namespace cone {
namespace {

constexpr std::string_view kAlways = "always:";
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

/// For words that only two arms give a meaning to.
void require_two_arms(const Dataset& data, const std::string& specification,
                      const std::string& advice) {
  if (data.num_arms() == 2) return;
  throw Error(ErrorCode::kUsage, {{.item = printable(specification)},
                                  fmt::format("is for two arms, and the data has {}: {}",
                                              data.num_arms(), list_arms(data.arms)),
                                  advice});
}

/// Gives everyone the arm.
std::unique_ptr<Policy> single_arm_policy(const Dataset& data, Arm arm) {
  std::vector<double> probabilities(data.num_arms(), 0.0);
  probabilities[arm] = 1;
  return constant_policy(std::move(probabilities));
}

Arm named_arm(const Dataset& data, const std::string& specification) {
  const std::string_view label = std::string_view(specification).substr(kAlways.size());
  if (const auto arm = find_arm(data.arms, label)) return *arm;
  const std::string near = closest_name(label, data.arms);
  throw Error(ErrorCode::kUsage,
              {{.item = printable(specification)},
               fmt::format("the data has no arm '{}'", printable(label)),
               near.empty() ? fmt::format("the arms are {}", list_arms(data.arms))
                            : fmt::format("did you mean always:{}?", printable(near))});
}

/// nullptr where the specification is not one of the built-in forms.
std::unique_ptr<Policy> builtin_policy(const Context& context, const Dataset& data,
                                       const std::string& specification) {
  if (specification == "treat-all" || specification == "treat-none") {
    require_two_arms(data, specification, "always:LABEL gives everyone one arm");
    return single_arm_policy(data, specification == "treat-all" ? 1 : kControlArm);
  }
  if (specification == "uniform") {
    const auto num_arms = static_cast<double>(data.num_arms());
    return constant_policy(std::vector<double>(data.num_arms(), 1 / num_arms));
  }
  if (specification.starts_with(kAlways)) {
    return single_arm_policy(data, named_arm(data, specification));
  }
  if (specification.starts_with(kRandomWeights)) {
    return random_weights_policy(parse_seed(specification), data.num_arms());
  }
  if (specification.starts_with(kLinear)) {
    require_two_arms(data, specification, "write a file with one column per arm, name:LABEL");
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
  PolicyTable table = load_policy_table(context, path, data);
  for (std::size_t p = 0; p < table.names.size(); ++p) {
    policies.push_back({std::move(table.names[p]), std::move(table.probabilities[p])});
  }
}

}  // namespace

std::vector<std::string> builtin_policy_names() {
  return {"treat-all", "treat-none", "always:LABEL", "uniform", "random-weights:1", "linear:FILE"};
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
  std::set<std::string> names;
  for (const PolicyOnData& policy : policies) {
    if (!names.insert(policy.name).second) {
      faults.push_back({{.item = "--policy"},
                        fmt::format("two policies are named '{}'", printable(policy.name)),
                        "rename the column, or name the policy once"});
    }
    if (policy.name == "what was done") {  // it has a row of its own, always
      faults.push_back({{.item = "--policy"},
                        "a policy is named 'what was done', as the log itself is",
                        "rename the column"});
    }
  }
  if (!faults.empty()) throw Error(code, std::move(faults), num_unlisted);
  return policies;
}

}  // namespace cone
