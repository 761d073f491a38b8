#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "cone/evaluate.hpp"
#include "cone/simulate.hpp"

#include "study/decision_claims.hpp"
#include "study/run_units.hpp"
#include "study/study.hpp"
#include "study/study_run.hpp"
#include "study/table2.hpp"
#include "study/titled_table.hpp"

// Errors of the estimated policy values: the complete evaluation (cross-fitted, all nodes) of
// simulated data, by setting, row and policy.

namespace cone {

/// Data to simulate.
struct ValueSetting {
  std::string name;
  const StudyNetwork* network = nullptr;  ///< null where the world is self-contained
  OutcomeOptions outcome;
  std::uint64_t seed = 0;  ///< of the simulations

  /// Of the network, which is part of what results depend on; empty where the world has its own.
  std::string network_checksum() const { return network == nullptr ? "" : network->checksum; }
};

/// A self-contained world under its own name.
ValueSetting self_contained_setting(World world, std::uint64_t seed);

/// The dataset of one simulation.
LoadedData simulate_setting(const Context& context, const ValueSetting& setting,
                            std::uint64_t simulation);

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

/// The evaluated policies. The weights of the first are drawn in every simulation.
inline constexpr std::array<std::string_view, 3> kStudyPolicies = {"random-weights", "treat-all",
                                                                   "treat-none"};

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
/// {"value": ..., "interval": [low, high]}}}}, null where one does not exist, and "decision":
/// describe_decision() from a group that decides(). Folds and
/// initial weights have the seed setting.seed + 100000·simulation. The setting's network must
/// outlive it. The truth is that of the simulated units, so intervals are for the sample.
Unit value_unit(const ValueSetting& setting, std::uint64_t simulation, ValueGroup group);

/// Errors of a row, for one policy in one setting.
struct ValueCell {
  ErrorSummary errors;
  std::size_t num_intervals = 0;
  double coverage = 0;                ///< of the sampling intervals; NaN without intervals
  std::vector<double> by_simulation;  ///< errors; NaN without a value
};

struct ValueTable {
  std::vector<std::string> settings;
  std::vector<std::string> methods;
  /// [policy of kStudyPolicies][method][setting]
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
  std::vector<ValueSetting> settings;
  std::vector<ValueGroup> groups;
  int simulations = 10;
  std::string phase;
  std::string reference;  ///< the row that others are compared with; empty for none
};

/// Every group on every simulation of every setting. Resumes from the records of `store`.
ValueTable run_value_study(const Context& context, const ValuePlan& plan, const UnitWork& work);

/// The networks at κ2 = 1 and 2: the simulations of table 2.
std::vector<ValueSetting> value_settings(std::span<const StudyNetwork> networks,
                                         std::uint64_t seed);

/// `cone reproduce values`: the networks at κ2 = 1 and 2; a default set of rows or those given, and
/// the oracle row.
ValueTable reproduce_value(const Context& context, std::span<const StudyNetwork> networks,
                           int simulations, std::span<const std::string> estimators,
                           const UnitWork& work);

/// RMSE of every row and setting for one policy, the best row of each setting marked (the oracle is
/// excluded).
TitledTable rmse_table(const ValueTable& table, std::size_t policy);

std::string value_text(const ValueTable& table);
std::string value_markdown(const ValueTable& table);
std::string value_csv(const ValueTable& table);
/// `schema`: cone.SCHEMA/1.
nlohmann::ordered_json value_json(const ValueTable& table, std::string_view schema = "values");

}  // namespace cone
