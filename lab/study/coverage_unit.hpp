#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "study/coverage.hpp"

namespace cone {

/// The policies of a setting: kStudyPolicies, or every arm for all units where there are more than
/// two.
std::vector<std::string> coverage_policies(const ValueSetting& setting);

/// Evaluates kCoverageRows and naive on one simulation. Its result: {"policies": {POLICY: {"truth",
/// "naive", "rows": {ROW: {"value", "interval", "sampling_interval", "sensitivity_interval",
/// "standard_errors": {DEPENDENCE: number}}}}}, "joint": describe_decision()}. Null where a value
/// does not exist. The setting's network must outlive it.
Unit coverage_unit(const ValueSetting& setting, std::uint64_t simulation);

}  // namespace cone
