#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cone/options.hpp"

#include "study/study.hpp"

namespace cone {

/// Errors of a method in one setting.
struct ErrorSummary {
  double rmse = 0;
  double rmse_error = 0;  ///< standard error over simulations
  double mae = 0;
  double mae_error = 0;
  double bias = 0;
  double median_error = 0;      ///< median absolute error, robust to single extreme splits
  std::size_t num_missing = 0;  ///< units that failed or have no value
};

/// errors[s][r]: of run r of simulation s. The runs of a simulation share its data, so simulations
/// are the independent units of every standard error.
ErrorSummary summarise_errors(const std::vector<std::vector<double>>& errors);

/// The mean absolute error of each simulation that has one.
std::vector<double> absolute_errors(const std::vector<std::vector<double>>& errors);

/// Mean with its standard error over independent simulations; NaN without enough of them.
struct MeanAndError {
  double mean = 0;
  double error = 0;
};
MeanAndError mean_and_error(const std::vector<double>& values);
/// NaN without values.
double median(std::vector<double> values);
/// NaN where it is null.
double number_or_nan(const nlohmann::ordered_json& value);

/// Errors of every method of one setting, [simulation][run]; NaN where there is no value.
using MethodErrors = std::map<std::string, std::vector<std::vector<double>>, std::less<>>;

/// The units of one setting, simulation by simulation, group by group, run by run.
std::vector<Unit> setting_units(const StudySetting& setting, const StudyOptions& options,
                                std::span<const MethodGroup> groups, const ConeOptions& networks);

/// Their errors. `records` are those of setting_units, in its order.
MethodErrors setting_errors(const StudyOptions& options, std::span<const MethodGroup> groups,
                            std::span<const UnitRecord> records);

}  // namespace cone
