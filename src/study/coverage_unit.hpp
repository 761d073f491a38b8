#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "study/coverage.hpp"

namespace cone {

/// The policies of a setting: kStudyPolicies, or every arm for all units where there are more than
/// two.
std::vector<std::string> coverage_policies(const ValueSetting& setting);

/// A decision for the sample beside the truth: {"all_bands_hold", "best_in_set", "verdicts":
/// {VERDICT: {"given", "true"}}, "single_best_is_right", "ranks_hold", "sensitivity_ranks_hold"};
/// null where a policy has no band. The logged policy, whose value is known, is one of those that
/// may be the best. Verdicts are those on differences from it; one is true where the difference has
/// the sign of the estimate. "single_best_is_right" is null where no single best is named, the last
/// two where a policy has no ranks.
nlohmann::ordered_json describe_decision(const Decision& decision);

/// Evaluates kCoverageRows and naive on one simulation. Its result: {"policies": {POLICY: {"truth",
/// "naive", "rows": {ROW: {"value", "interval", "sampling_interval", "sensitivity_interval",
/// "standard_errors": {DEPENDENCE: number}}}}}, "joint": describe_decision()}. Null where a value
/// does not exist. The setting's network must outlive it.
Unit coverage_unit(const ValueSetting& setting, std::uint64_t simulation);

}  // namespace cone
