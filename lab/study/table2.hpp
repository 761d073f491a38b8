#pragma once

#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "cone/context.hpp"
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

  /// p value of the one-sided paired t test over simulations that cone has the smaller mean
  /// absolute error; empty for cone itself, and where cone is not in the table.
  std::optional<double> p_cone_better;
  /// The same for network_dm.
  std::optional<double> p_network_better;
};

/// errors[s][r]: of run r of simulation s. The runs of a simulation share its data, so simulations
/// are the independent units of every standard error.
ErrorSummary summarise_errors(const std::vector<std::vector<double>>& errors);

/// The mean absolute error of each simulation that has one.
std::vector<double> absolute_errors(const std::vector<std::vector<double>>& errors);

struct PaperFigure {
  double rmse = 0;
  double mae = 0;
};

struct Table2Cell {
  ErrorSummary ours;
  std::optional<PaperFigure> paper;
};

struct Table2 {
  std::vector<std::string> settings;
  std::vector<ConeOptions> options;  ///< cone's, one per setting; empty without cone
  std::vector<std::string> methods;
  std::vector<std::vector<Table2Cell>> cells;  ///< methods × settings
  StudyOptions study;
  std::uint64_t seed = 0;

  // Differs from run to run, so kept apart from the results.
  std::vector<std::pair<std::string, double>> group_seconds;
  std::size_t num_units = 0;
  std::size_t num_reused = 0;
  std::vector<std::string> failures;
  std::vector<std::string> remarks;
};

/// Table 2 of Guo, Li and Liu (2020) on these networks, every method on the same simulations and
/// splits; only the rows of `estimators` if there are any. Resumes from the records of `store`.
Table2 reproduce_table2(const Context& context, std::span<const StudyNetwork> networks,
                        const StudyOptions& options, std::span<const std::string> estimators,
                        const UnitWork& work);

std::string table2_text(const Table2& table);
std::string table2_markdown(const Table2& table);
std::string table2_csv(const Table2& table);
/// Everything above except the timings.
nlohmann::ordered_json table2_json(const Table2& table);
/// Seconds of computation per group of methods.
std::string table2_timing_text(const Table2& table);

}  // namespace cone
