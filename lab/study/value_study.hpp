#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cone/evaluate.hpp"
#include "cone/simulate.hpp"

#include "study/decision_claims.hpp"
#include "study/run_units.hpp"
#include "study/study.hpp"
#include "study/study_errors.hpp"
#include "study/study_report.hpp"

// Errors and intervals of the estimated policy values: the complete evaluation (cross-fitted, all
// nodes) of simulated data, by setting, policy and row.

namespace cone {

/// Rows that are computed together, with the same options.
struct ValueGroup {
  struct Row {
    std::string label;
    std::string estimator;
  };
  std::string name;
  std::vector<Row> rows;
  EvaluateOptions options = study_evaluation();  ///< `estimators` is filled from the rows
  bool is_oracle = false;                        ///< uses topic_features() instead of the features

  /// Whether its evaluation is the one that a user would get: with the default headline and
  /// sensitivity intervals.
  bool decides() const;
};

/// The evaluated policies where there are two arms. The weights of the first are drawn in every
/// simulation.
inline constexpr std::array<std::string_view, 3> kStudyPolicies = {"random-weights", "treat-all",
                                                                   "treat-none"};
/// kStudyPolicies, or every arm for all units where there are more than two.
std::vector<std::string> setting_policies(const StudySetting& setting);

/// The given names, or the defaults if there are none. Throws Error(kUsage) for unknown estimators.
std::vector<std::string_view> choose_estimators(std::span<const std::string> given,
                                                std::span<const std::string_view> defaults);

/// Estimators grouped by their costly learner: one group for all that learn from features alone,
/// one for every other learner.
std::vector<ValueGroup> group_estimators(std::span<const std::string_view> names,
                                         const EvaluateOptions& options = study_evaluation());
/// The oracle row, in studies only: a ridge per arm on topic_features().
ValueGroup oracle_group();
inline constexpr std::string_view kOracleLabel = "oracle topics";

/// Evaluates a group on one simulation. Its result: {POLICY: {"truth": ..., "rows": {LABEL:
/// {"value", "interval": [low, high], "sampling_interval", "sensitivity_interval",
/// "standard_errors": {DEPENDENCE: number}}}}}, null where one does not exist, and "decision":
/// describe_decision() from a group that decides(). The setting's network must outlive it. The
/// truth is that of the simulated units, so intervals are for the sample.
Unit value_unit(const StudySetting& setting, std::uint64_t simulation, ValueGroup group);

/// How often intervals of one kind cover the truth.
struct IntervalSummary {
  std::size_t num_intervals = 0;  ///< simulations that have one
  std::size_t num_covering = 0;
  double half_width = 0;  ///< median
  double coverage() const;
};

/// Errors and intervals of a row, for one policy in one setting.
struct ValueCell {
  ErrorSummary errors;
  std::size_t num_simulations = 0;  ///< that did not fail
  IntervalSummary interval, sampling, sensitivity;
  /// Coverage of value ± 1.96 standard errors under every dependence that was tried.
  std::vector<std::pair<std::string, double>> by_dependence;
  std::vector<double> by_simulation;  ///< errors; NaN without a value
};

struct ValueTable {
  std::vector<std::string> settings;
  std::vector<std::vector<std::string>> policies;  ///< of every setting
  std::vector<std::string> methods;
  /// [setting][policy of the setting][method]
  std::vector<std::vector<std::vector<ValueCell>>> cells;
  std::vector<DecisionClaims> decisions;  ///< of every setting; empty if no group decides
  int simulations = 0;
  std::uint64_t seed = 0;
  std::string reference;
  StudyRun run;

  /// Index of a method, if present.
  std::optional<std::size_t> find_method(std::string_view label) const;
};

struct ValuePlan {
  std::vector<StudySetting> settings;
  std::vector<ValueGroup> groups;
  int simulations = 10;
  std::vector<int> more_simulations = {};  ///< of every setting, where they differ
  std::string phase;
  std::string reference = {};  ///< the row that others are compared with; empty for none
};

/// Every group on every simulation of every setting. Resumes from the records of `store`.
ValueTable run_value_study(const Context& context, const ValuePlan& plan, const UnitWork& work);

/// `cone reproduce values`: the simulations of table 2; a default set of rows or those given, and
/// the oracle row.
ValueTable reproduce_value(const Context& context, std::span<const StudyNetwork> networks,
                           int simulations, std::span<const std::string> estimators,
                           const UnitWork& work);

/// All results; the best row of each setting and policy is marked (the oracle excluded).
StudyTable value_records(const ValueTable& table);
/// The record cone.SCHEMA/1.
nlohmann::ordered_json value_json(const ValueTable& table, const StudyTable& records,
                                  std::string_view schema);
/// "10 simulations, all nodes, cross-fitted"
std::string value_lead(const ValueTable& table);
/// RMSE of every row and setting for one policy.
ShownTable show_rmse(const StudyTable& records, std::string_view policy);

/// `study`: values or ablation.
StudyReport report_values(const ValueTable& table, std::string_view study = "values");

}  // namespace cone
