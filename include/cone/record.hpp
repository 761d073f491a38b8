#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "cone/estimate.hpp"
#include "cone/inference.hpp"

/// \file
/// The record of one evaluation, as JSON and as text.

namespace cone {

inline constexpr std::string_view kEvaluationSchema = "cone.evaluation/2";

struct ArmSummary {
  std::string label;
  std::uint64_t num_nodes = 0;  ///< that got it
};

/// What was evaluated, in numbers a reader can check against their files.
struct DataSummary {
  std::uint64_t num_nodes = 0;
  std::uint64_t num_edges = 0;
  std::uint64_t num_features = 0;
  std::uint64_t num_dense_features = 0;  ///< measurements; the others are counts
  std::uint64_t num_treated = 0;         ///< not in the control arm
  std::vector<ArmSummary> arms;          ///< the control arm first
  std::string checksum;
};

struct PolicyResult {
  std::string name;
  std::string checksum;         ///< over its probabilities
  double treated_fraction = 0;  ///< share of the evaluated nodes that it does not leave in control
  std::vector<double> arm_fractions;  ///< share of the evaluated nodes that get each arm
  std::optional<double> truth;        ///< simulations only
  std::vector<Estimate> estimates;
};

/// What the value of every policy rests on, node by node, by one estimator. Tables have the rows of
/// `nodes`; what does not exist is NaN.
struct NodeTable {
  std::string estimator;  ///< empty where none was finished
  std::vector<NodeIndex> nodes;
  std::vector<std::string> policies;
  Matrix<double> mu;          ///< nodes × arms, expected outcomes
  Matrix<double> propensity;  ///< nodes × arms
  /// Nodes × policies. Of the node's outcome in the value, which is the mean of weight·outcome where
  /// an outcome model is linear in the outcomes; with the doubly robust correction, of the node's
  /// residual.
  Matrix<double> weight;
  /// Nodes × policies: the node's part in the error of the value, for the target of the estimate
  /// (ErrorParts).
  Matrix<double> influence;
};

/// One of the policies that were compared, or what was done.
struct DecidedPolicy {
  std::string name;
  bool is_logged = false;  ///< what was done: the mean outcome
  double value = 0;  ///< before costs, as are its intervals and its band
  /// Mean cost of what people get, where arms have costs. Gains, their p values, ranks and regrets
  /// are those of value − cost.
  std::optional<double> cost;
  std::optional<std::pair<double, double>> interval;         ///< none where none is honest
  std::optional<std::pair<double, double>> robust_interval;  ///< see Estimate
  /// All bands hold at once with the level; none where the interval is none.
  std::optional<std::pair<double, double>> band;
  double gain = 0;  ///< against what was done
  std::optional<std::pair<double, double>> gain_interval;
  std::optional<std::pair<double, double>> robust_gain_interval;
  std::optional<double> gain_p;  ///< two-sided, adjusted for all pairs that are compared
  /// How many times as strong as what the network shows a hidden confounder must be before the gain
  /// (or loss) is in doubt. None where it is in doubt anyway, and where no strength is known.
  std::optional<double> overturning_strength;
  std::optional<std::pair<std::size_t, std::size_t>> ranks;  ///< best and worst, 1 is the highest
  bool may_be_best = true;
  std::optional<double> regret;  ///< what it may lose against the best of the others
  std::optional<double> truth;   ///< simulations only
};

/// What giving an arm to one person costs, in units of the outcome.
struct ArmCost {
  std::string label;
  double cost = 0;
};

/// What to make of all policies together, by one estimator.
struct Decision {
  std::string estimator;
  Target target = Target::kThesePeople;
  Dependence dependence = Dependence::kIndependent;
  double design_effect = 1;  ///< variance over that of independent nodes, mean over the policies
  double level = 0.95;
  std::vector<ArmCost> costs;  ///< one per arm; empty where none has a cost
  std::vector<DecidedPolicy> policies;        ///< what was done first, then as given
  std::vector<PolicyDifference> differences;  ///< by places in `policies`
};

/// How well the fitted propensities describe the log, out of sample.
struct PropensityDiagnostics {
  std::string name;  ///< what it was fitted on ("features", "cone"), or "given"
  double min = 0;
  double max = 0;
  double log_loss = 0;           ///< mean negative log-likelihood of the logged treatments
  double constant_log_loss = 0;  ///< the same for a constant propensity: what must be beaten
  double clipped_fraction = 0;
};

struct OutcomeDiagnostics {
  std::string name;
  double r_squared = 0;  ///< of the logged outcomes on the evaluated nodes, out of sample if fitted
};

/// How one fold's representations were learnt.
struct TrainingDiagnostics {
  std::string status;
  std::uint64_t epochs = 0;
  std::uint64_t best_epoch = 0;
  double validation_outcome_loss = 0;    ///< mean squared error in units of the outcomes' variance
  double validation_treatment_loss = 0;  ///< cross-entropy
  double outcome_error = 0;              ///< of the arms' networks, validation nodes, same units
  double propensity_loss = 0;            ///< of the propensity model, cross-entropy in inner folds
};

struct ScalingDiagnostics {
  std::string learners;  ///< "networks and kernels"
  std::string dense;     ///< "standardised"; empty where the data has no such columns
  std::string counts;    ///< "row_percent"
};

/// How well the treatment is explained out of fold, and what the network adds to that: the strength
/// of a hidden confounder that robust intervals allow for.
struct StrengthDiagnostics {
  double r_squared_features = 0;
  double r_squared_network = 0;
  double added = 0;        ///< (network − features)/(1 − features)
  double added_upper = 0;  ///< upper end of its one-sided 95 % confidence
};

/// Whether values of friends go together.
struct AssociationDiagnostics {
  double moran = 0;  ///< Moran's I, weights 1/√(d_i·d_j)
  double p = 1;      ///< one-sided, by permutations
  int permutations = 0;
};

struct Diagnostics {
  std::uint64_t num_evaluated_nodes = 0;
  std::uint64_t num_isolated_nodes = 0;
  std::uint64_t num_self_loops_dropped = 0;
  std::uint64_t num_edges_merged = 0;
  std::vector<PropensityDiagnostics> propensity_models;
  std::vector<OutcomeDiagnostics> outcome_models;
  std::vector<TrainingDiagnostics>
      trainings;  ///< of cone, one per fold; empty where it did not run
  /// What learners do to the features before they see them; one entry per group of learners.
  std::vector<ScalingDiagnostics> feature_scaling;
  /// What the network ridge learnt; none where it did not run.
  std::optional<NetworkRidgeSummary> network_ridge;
  /// Of what the outcome model of the decision leaves; none without edges.
  std::optional<AssociationDiagnostics> residual_association;
  /// What the network adds to features in explaining who was treated; none where it was not asked.
  std::optional<StrengthDiagnostics> network_strength;
  std::vector<std::string> warnings;
};

/// The record of one evaluation: everything needed to read it, and to run it again.
struct EvaluationRecord {
  std::string version;
  std::string revision;           ///< of the code: see source_revision()
  std::string commit;             ///< it was built from, for people
  nlohmann::ordered_json config;  ///< every option with its value, the seed, the data and policies
  DataSummary data;
  std::string status = "completed";     ///< or "interrupted": some estimators are missing ...
  std::vector<std::string> unfinished;  ///< ... namely these
  int repeats = 1;                      ///< that estimates are medians of
  std::vector<PolicyResult> policies;
  std::optional<Decision> decision;  ///< none where no estimator allows a comparison
  Diagnostics diagnostics;
  /// Choices that the loader made. In JSON they stand before the warnings.
  std::vector<std::string> notes;
  std::map<std::string, double> timing_seconds;

  /// 32 hexadecimal digits over version, revision, configuration, and the checksums of data and
  /// policies. Neither timings and results nor the path of the data are part of it: the same run
  /// has the same identity everywhere.
  std::string run_id() const;
};

/// JSON to schema cone.evaluation/2 (docs/evaluation.schema.json). Values that do not exist are
/// null.
nlohmann::ordered_json to_json(const EvaluationRecord& record);

/// The evaluation as text for a terminal: first what to make of it, then, with `details` (and where
/// there is nothing to make of it), one table per policy: estimate beside truth where there is one,
/// a mark on rows with warnings and the warnings below.
std::string evaluation_text(const EvaluationRecord& record, bool details = true);

}  // namespace cone
