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

inline constexpr std::string_view kEvaluationSchema = "cone.evaluation/3";

struct ArmSummary {
  std::string label;
  std::uint64_t num_nodes = 0;  ///< that got it
};

/// What was evaluated, in numbers a reader can check against their files.
struct DataSummary {
  std::uint64_t num_nodes = 0;
  std::uint64_t num_edges = 0;
  std::uint64_t num_features = 0;
  std::uint64_t num_numeric_features = 0;  ///< measurements; the others are counts
  std::uint64_t num_treated = 0;           ///< not in the control arm
  std::vector<ArmSummary> arms;            ///< the control arm first
  /// Of nodes that stand for different numbers of units: how many of equal weight would be worth
  /// as much, (Σw)²/Σw². None where no weights were given.
  std::optional<double> effective_sample_size;
  std::uint64_t num_clusters = 0;  ///< given by the user; 0 where none were
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
  std::vector<double> units;  ///< that every node stands for, over their mean; empty: one each
  std::vector<std::string> policies;
  Matrix<double> mu;          ///< nodes × arms, expected outcomes
  Matrix<double> propensity;  ///< nodes × arms
  /// Nodes × policies. Of the node's outcome in the value, which is the mean of weight·outcome
  /// where an outcome model is linear in the outcomes; with the doubly robust correction, of the
  /// node's residual.
  Matrix<double> weight;
  /// Nodes × policies: the node's part in the error of the value, for the target of the estimate
  /// (ErrorParts).
  Matrix<double> influence;
};

/// One of the policies that were compared, or the logged policy.
struct DecidedPolicy {
  std::string name;
  bool is_logged = false;  ///< the logged policy: the mean outcome
  double value = 0;        ///< before costs, as are its intervals and its band
  /// Mean cost of what units get, where arms have costs. Gains, their p values, ranks and regrets
  /// are those of value − cost.
  std::optional<double> cost;
  std::optional<std::pair<double, double>> sampling_interval;     ///< none where none is valid
  std::optional<std::pair<double, double>> sensitivity_interval;  ///< see Estimate
  /// All bands hold at once with the level; none where the interval is none.
  std::optional<std::pair<double, double>> band;
  double gain = 0;  ///< against the logged policy
  std::optional<std::pair<double, double>> sampling_gain_interval;
  std::optional<std::pair<double, double>> sensitivity_gain_interval;
  std::optional<double> gain_p;  ///< two-sided, adjusted for all pairs that are compared
  /// How many times as strong as what the network shows a hidden confounder must be before the gain
  /// (or loss) is in doubt. None where it is in doubt anyway, and where no strength is known.
  std::optional<double> overturning_strength;
  std::optional<std::pair<std::size_t, std::size_t>> ranks;  ///< best and worst, 1 is the highest
  bool may_be_best = true;
  std::optional<double> regret;  ///< what it may lose against the best of the others
  std::optional<double> truth;   ///< simulations only
};

/// What to make of all policies together, by one estimator.
struct Decision {
  std::string estimator;
  Target target = Target::kSample;
  bool is_weighted = false;  ///< nodes stand for different numbers of units
  Dependence dependence = Dependence::kIndependent;
  std::uint64_t num_given_clusters = 0;
  double design_effect = 1;  ///< variance over that of independent nodes, mean over the policies
  double level = 0.95;
  /// What the network shows of who was treated is beyond chance. Where it is not, sensitivity
  /// intervals and overturning strengths go by the most that it may show.
  bool strength_is_clear = true;
  std::vector<ArmCost> costs;           ///< one per arm; empty where none has a cost
  std::vector<DecidedPolicy> policies;  ///< the logged policy first, then as given
  /// Of all pairs, by their rows in `policies`; of more policies than are to be listed
  /// (EvaluateOptions::list_pairs_up_to), those with the logged policy.
  std::vector<PolicyDifference> differences;
  std::uint64_t num_pairs_left_out = 0;  ///< that were compared, but are not in `differences`
};

/// What treating a share of the units is worth, those that a ranking puts first.
struct BudgetPoint {
  double share = 0;
  double cost = 0;  ///< mean over all units, beyond that of treating nobody
  double gain = 0;  ///< per unit, over treating nobody, net of cost
  double standard_error = 0;
  std::pair<double, double> sampling_interval;
  std::pair<double, double> band;  ///< all points hold at once
  /// NaN where the network shows nothing to go by (Estimate::sensitivity_interval).
  std::pair<double, double> sensitivity_interval;
  /// Over treating the same share of all units by lot: gain − share · gain of treating everyone.
  double over_random = 0;
  double over_random_error = 0;
  std::pair<double, double> over_random_sampling_interval;
  std::pair<double, double> over_random_band;
  std::optional<double> truth;  ///< of the gain; simulations only
};

/// One number for a ranking.
struct RankingArea {
  double value = 0;
  double standard_error = 0;
  std::pair<double, double> sampling_interval;
  double p = 1;  ///< two-sided, of no difference from drawing lots
  std::optional<double> truth;
};

/// The gain of a ranking at every budget. What has no valid standard error is NaN.
struct BudgetCurve {
  std::string ranking;  ///< the column, or the policy
  bool is_policy = false;
  std::string arm;  ///< that ranked units get; the others get the control arm
  std::string estimator;
  Target target = Target::kSample;
  Dependence dependence = Dependence::kIndependent;
  double level = 0.95;
  std::vector<BudgetPoint> points;  ///< from nobody to everyone
  RankingArea qini;                 ///< area between the curve and the line of lots
  RankingArea autoc;       ///< mean over shares of over_random / share: the first count most
  double best_share = 0;   ///< the point with the largest gain
  double largest_tie = 0;  ///< share of the units in the largest group of one score
  std::vector<std::string> warnings;
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

/// What a diagnostic says. docs/diagnostics.md has every threshold and why.
struct Verdict {
  bool is_caution = false;
  std::string sentence;
};

/// One diagnostic in one line: its worst entry.
struct NamedVerdict {
  std::string name;
  Verdict verdict;
  bool is_news = false;  ///< no warning of an estimate says the same: shown without details too
};

/// How likely the propensities take an arm to be, for those who got it and for the others.
struct ArmOverlap {
  std::string arm;
  std::vector<std::uint64_t> got, others;  ///< counts in 20 bins of equal width from 0 to 1
  double rare_fraction = 0;  ///< nodes with less than a tenth of the arm's share as their chance
  Verdict verdict;
};

/// The weights π/e of the nodes whose arm a policy takes.
struct WeightTail {
  std::string policy;
  double effective_sample_size = 0;
  double median = 0, quantile_90 = 0, quantile_99 = 0, max = 0;  ///< NaN without any weight
  double heaviest_share = 0;  ///< of the weight, on the heaviest hundredth of all nodes
  Verdict verdict;
};

struct PolicySupport {
  std::string policy;
  double off_support_fraction = 0;  ///< see Estimate
  Verdict verdict;
};

struct CalibrationBin {
  double predicted = 0;  ///< mean propensity
  double observed = 0;   ///< share that got the arm
  std::uint64_t num_nodes = 0;
};

/// Whether of nodes that get an arm with probability e a share of e did get it.
struct ArmCalibration {
  std::string arm;
  std::vector<CalibrationBin> bins;  ///< about ten of equal size, by propensity
  double mean_gap = 0;               ///< mean over nodes of their bin's |predicted − observed|
  double chi_squared = 0;  ///< Σ (observed − expected)² / Σ e(1 − e), over the bins
  double p = 1;
  Verdict verdict;
};

/// Mean of a column in an arm less its mean over all nodes, in standard deviations of all nodes.
struct ColumnBalance {
  std::string name;
  std::string of;     ///< "own", "neighbours" (their mean), or "degree"
  double before = 0;  ///< NaN where no node of the arm has neighbours
  double after = 0;   ///< the arm weighted by 1/e
  double error = 0;   ///< of `after`, by chance, where propensities are right
};

struct ArmBalance {
  std::string arm;
  std::vector<ColumnBalance> columns;
  double largest_before = 0, largest_after = 0;  ///< in size
  Verdict verdict;
};

struct DegreeGroup {
  std::uint64_t low = 0, high = 0;  ///< degrees, both included
  std::uint64_t num_nodes = 0;
  double mean_residual = 0;
  double standard_error = 0;  ///< NaN of a single node
};

/// What an outcome model leaves, by the degree.
struct DegreeResiduals {
  std::string outcome_model;
  std::vector<DegreeGroup> groups;
  double correlation = 0;  ///< of residual and log(1 + degree)
  double p = 1;            ///< of no trend
  Verdict verdict;
};

/// What the network ridge takes the outcome's variance in an arm to come from; they sum to 1.
struct VarianceShares {
  std::string arm;
  double own = 0, network = 0, noise = 0;
  Verdict verdict;
};

/// How far the recommended estimator's value differs over folds and seeds.
struct PolicyStability {
  std::string policy;
  std::vector<double> by_fold;    ///< values by the nodes of each fold; empty of a split
  double fold_p = 1;              ///< of one value for all folds
  std::optional<double> seed_sd;  ///< see Estimate
  Verdict verdict;
};

struct OutcomeDiagnostics {
  std::string name;
  double r_squared = 0;  ///< of the logged outcomes on the evaluated nodes, out of sample if fitted
  Verdict verdict;
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
  TrainingCurves curves = {};            ///< of the first ten folds, where they were trained here
};

struct ScalingDiagnostics {
  std::string learners;  ///< "networks and kernels"
  std::string dense;     ///< "standardised"; empty where the data has no such columns
  std::string counts;    ///< "row_percent"
};

/// How well the treatment is explained out of fold, and what the network adds to that: the strength
/// of a hidden confounder that sensitivity intervals allow for.
struct StrengthDiagnostics {
  double r_squared_features = 0;
  double r_squared_network = 0;
  double added = 0;        ///< (network − features)/(1 − features)
  double added_upper = 0;  ///< upper end of its one-sided 95 % confidence
  bool is_clear = false;   ///< what is added is beyond chance: more than two standard errors
};

/// Whether values of neighbours go together.
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
  std::string propensity_model;  ///< that the next four are about; empty where there is none
  std::vector<ArmOverlap> overlap;
  std::vector<WeightTail> weights;
  std::vector<PolicySupport> support;
  std::vector<ArmCalibration> calibration;
  std::vector<ArmBalance> balance;
  std::vector<DegreeResiduals> residuals_by_degree;
  std::vector<VarianceShares> variance_shares;
  std::vector<PolicyStability> stability;
  std::vector<NamedVerdict> verdicts;  ///< one per diagnostic that there is something to say about
  std::vector<std::string> warnings;
};

/// The record of one evaluation: everything needed to read it, and to run it again.
struct EvaluationRecord {
  std::string version;
  std::string revision;           ///< of the code: see source_revision()
  std::string commit;             ///< it was built from, for readers
  nlohmann::ordered_json config;  ///< every option with its value, the seed, the data and policies
  DataSummary data;
  std::string status = "completed";     ///< or "interrupted": some estimators are missing ...
  std::vector<std::string> unfinished;  ///< ... namely these
  int repeats = 1;                      ///< that estimates are medians of
  std::vector<PolicyResult> policies;
  std::optional<Decision> decision;        ///< none where no estimator allows a comparison
  std::vector<BudgetCurve> budget_curves;  ///< one per ranking that was asked for
  Diagnostics diagnostics;
  /// Choices that the loader made. In JSON they stand before the warnings.
  std::vector<std::string> notes;
  std::map<std::string, double> timing_seconds;

  /// 32 hexadecimal digits over version, revision, configuration, and the checksums of data and
  /// policies. Neither timings and results nor the path of the data are part of it: the same run
  /// has the same identity everywhere.
  std::string run_id() const;
};

/// JSON to schema cone.evaluation/3 (docs/evaluation.schema.json). Values that do not exist are
/// null.
nlohmann::ordered_json to_json(const EvaluationRecord& record);

/// The evaluation as text for a terminal: first what to make of it, then, with `details` (and where
/// there is nothing to make of it), one table per policy: estimate beside truth where there is one,
/// a mark on rows with warnings and the warnings below.
std::string evaluation_text(const EvaluationRecord& record, bool details = true);

}  // namespace cone
