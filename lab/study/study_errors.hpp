#pragma once

#include <map>
#include <string>
#include <vector>

#include "cone/options.hpp"

#include "study/study.hpp"

namespace cone {

/// Errors of every method of one setting, [simulation][run]; NaN where there is no value.
using MethodErrors = std::map<std::string, std::vector<std::vector<double>>, std::less<>>;

/// The units of one setting, simulation by simulation, group by group, run by run.
std::vector<Unit> setting_units(const StudySetting& setting, const StudyOptions& options,
                                std::span<const MethodGroup> groups, const ConeOptions& networks);

/// Their errors. `records` are those of setting_units, in its order.
MethodErrors setting_errors(const StudyOptions& options, std::span<const MethodGroup> groups,
                            std::span<const UnitRecord> records);

}  // namespace cone
