#pragma once

#include <cstdint>

#include "study/coverage.hpp"

namespace cone {

/// Evaluates kCoverageRows and naive on one simulation. Its result: {"policies": {POLICY: {"truth",
/// "naive", "rows": {ROW: {"value", "sampling_interval", "sensitivity_interval", "standard_errors":
/// {DEPENDENCE: number}}}}}, "joint": {"all_bands_hold", "best_in_set"} or null}. Null where a
/// value does not exist. The setting's network must outlive it.
Unit coverage_unit(const ValueSetting& setting, std::uint64_t simulation);

}  // namespace cone
