#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cone/context.hpp"
#include "cone/options.hpp"

#include "study/study.hpp"
#include "study/study_errors.hpp"
#include "study/study_report.hpp"

namespace cone {

/// A published error.
struct PaperFigure {
  double rmse = 0;
  double mae = 0;
};

struct Table2Cell {
  ErrorSummary ours;
  /// p value of the one-sided paired t test over simulations that cone has the smaller mean
  /// absolute error; empty for cone itself, and where cone is not in the table.
  std::optional<double> p_cone_better;
  std::optional<double> p_network_better;  ///< the same for network_dm
  std::optional<PaperFigure> paper;
};

struct Table2 {
  std::vector<std::string> settings;
  std::vector<ConeOptions> options;  ///< cone's, one per setting; empty without cone
  std::vector<std::string> methods;
  std::vector<std::vector<Table2Cell>> cells;  ///< methods × settings
  StudyOptions study;
  std::uint64_t seed = 0;
  StudyRun run;
};

/// Table 2 of Guo, Li and Liu (2020) on these networks, every method on the same simulations and
/// splits; only the rows of `estimators` if there are any. Resumes from the records of `store`.
Table2 reproduce_table2(const Context& context, std::span<const StudyNetwork> networks,
                        const StudyOptions& options, std::span<const std::string> estimators,
                        const UnitWork& work);

StudyReport report_table2(const Table2& table);

}  // namespace cone
