#include "policy/builtin_policies.hpp"

#include <charconv>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "cone/error.hpp"
#include "cone/text.hpp"

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

/// For policies that are defined for two arms only.
void require_two_arms(const Dataset& data, const std::string& specification,
                      const std::string& advice) {
  if (data.num_arms() == 2) return;
  throw Error(ErrorCode::kUsage, {{.item = printable(specification)},
                                  fmt::format("is defined for two arms, but the data has {}: {}",
                                              data.num_arms(), list_arms(data.arms)),
                                  advice});
}

/// Assigns the arm to all nodes.
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

}  // namespace

std::unique_ptr<Policy> builtin_policy(const Context& context, const Dataset& data,
                                       const std::string& specification) {
  if (specification == "treat-all" || specification == "treat-none") {
    require_two_arms(data, specification, "use always:LABEL to assign one arm to all nodes");
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
    require_two_arms(data, specification, "use a policy file with one column per arm, name:LABEL");
    return linear_policy(
        load_linear_policy(context, specification.substr(kLinear.size()), data.features));
  }
  return nullptr;
}

std::vector<std::string> builtin_policy_names() {
  return {"treat-all", "treat-none", "always:LABEL", "uniform", "random-weights:1", "linear:FILE"};
}

}  // namespace cone
