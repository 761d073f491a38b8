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

/// \file
/// The record of one evaluation, as JSON and as text.

namespace cone {

inline constexpr std::string_view kEvaluationSchema = "cone.evaluation/5";

struct ArmSummary {
  std::string label;
  std::uint64_t num_nodes = 0;  ///< that received it
};

/// Summary of the data, to check against the input files.
struct DataSummary {
  std::uint64_t num_nodes = 0;
  std::uint64_t num_edges = 0;
  std::uint64_t num_features = 0;
  std::uint64_t num_numeric_features = 0;  ///< the others are count features
  std::uint64_t num_treated = 0;           ///< not in the control arm
  std::vector<ArmSummary> arms;            ///< the control arm first
  /// Of the survey weights, (Σw)²/Σw². None where no weights were given.
  std::optional<double> effective_sample_size;
  std::uint64_t num_clusters = 0;  ///< given by the user; 0 without clusters
  std::string checksum;
};

struct PolicyResult {
  std::string name;
  std::string checksum;         ///< over its probabilities
  double treated_fraction = 0;  ///< share of the evaluated nodes not assigned to the control arm
  std::vector<double> arm_fractions;  ///< share of the evaluated nodes assigned to each arm
  std::optional<double> truth;        ///< simulations only
  std::vector<Estimate> estimates;
};

/// Contributions of every node to the values of all policies, by one estimator. Tables have the
/// rows of `nodes`; missing values are NaN.
struct NodeTable {
  std::string estimator;  ///< empty where none was finished
  std::vector<NodeIndex> nodes;
  std::vector<double> units;  ///< survey weights over their mean; empty: equal weights
  std::vector<std::string> policies;
  Matrix<double> mu;          ///< nodes × arms, predicted outcomes
  Matrix<double> propensity;  ///< nodes × arms
  /// Nodes × policies. Of the node's outcome in the value, which is the mean of weight·outcome
  /// where an outcome model is linear in the outcomes; with the doubly robust correction, of the
  /// node's residual.
  Matrix<double> weight;
  /// Nodes × policies: the node's contribution to the error of the value, for the target of the
  /// estimate (ErrorParts).
  Matrix<double> influence;
};

/// One of the policies that were compared, or the logged policy.
struct DecidedPolicy {
  std::string name;
  bool is_logged = false;  ///< the logged policy: the mean outcome
  double value = 0;        ///< before costs, as are its intervals and its band
  /// Mean cost of the assigned arms, where arms have costs. Gains, their p values, ranks and
  /// regrets are those of value − cost, or of value + cost where lower is better.
  std::optional<double> cost;
  /// Under all assumptions (Estimate::interval()); none without a valid one. Verdicts, ranks and
  /// regrets are by these, and by joint ones.
  std::optional<std::pair<double, double>> interval;
  std::optional<std::pair<double, double>> sampling_interval;     ///< for sampling error alone
  std::optional<std::pair<double, double>> sensitivity_interval;  ///< see Estimate
  /// As interval for the other target than the decision's; none without a valid one.
  std::optional<std::pair<double, double>> other_target_interval;
  /// Joint intervals of all policies cover at once with the level; the band is for sampling error
  /// alone. None where there is no interval.
  std::optional<std::pair<double, double>> joint_interval, band;
  /// The same of value − cost, where arms have costs. For the sample the mean cost is known; for
  /// the population it has a sampling error.
  std::optional<std::pair<double, double>> net_interval, net_sampling_interval,
      net_sensitivity_interval, net_joint_interval, net_band;
  /// The value by the joint model of treatment and outcome, which the intervals allow for; none
  /// where that changes nothing.
  std::optional<double> joint_value;
  double gain = 0;  ///< against the logged policy
  std::optional<std::pair<double, double>> gain_interval;
  std::optional<std::pair<double, double>> sampling_gain_interval;
  std::optional<std::pair<double, double>> sensitivity_gain_interval;
  std::optional<double> gain_p;  ///< two-sided, adjusted for all pairs that are compared
  /// How many times as strong as what the network reveals an unmeasured confounder must be to
  /// explain away the gain (or loss). None where the gain is not significant, and where no strength
  /// is known.
  std::optional<double> overturning_strength;
  std::optional<std::pair<std::size_t, std::size_t>> ranks;  ///< best and worst, 1 is the best
  bool may_be_best = true;
  /// The same where every difference may have a confounding bias as large as the sensitivity
  /// intervals allow for; none where no strength is known.
  std::optional<std::pair<std::size_t, std::size_t>> sensitivity_ranks;
  bool sensitivity_may_be_best = true;
  /// On the difference from the logged policy.
  ComparisonVerdict verdict = ComparisonVerdict::kNotShown;
  /// Why intervals are not to be relied on, whatever they exclude; empty where they are.
  std::string unreliable;
  std::optional<double> regret;  ///< upper bound of the loss against the best of the others
  std::optional<double> truth;   ///< simulations only
};

/// The comparison of all policies, by one estimator.
struct Decision {
  std::string estimator;
  Target target = Target::kSample;
  bool is_weighted = false;  ///< by survey weights
  Dependence dependence = Dependence::kIndependent;
  std::uint64_t num_given_clusters = 0;
  double design_effect = 1;  ///< variance over that of independent nodes, mean over the policies
  double level = 0.95;
  /// Whether the network improves the treatment model significantly. Where it does not, sensitivity
  /// intervals and overturning strengths use the upper confidence limit of its strength.
  bool strength_is_clear = true;
  /// Whether verdicts can be supported: by sensitivity intervals or by randomised treatment.
  bool has_benchmark = true;
  /// Whether sensitivity intervals extend to one side for some arm (ArmConfounding).
  bool direction_is_known = false;
  /// Treatment was assigned at random given the features, as declared or as the propensities are
  /// given: verdicts do not depend on sensitivity intervals.
  bool is_randomised = false;
  bool is_sensitivity_off = false;      ///< by --no-sensitivity-interval
  bool lower_is_better = false;         ///< else higher is better
  std::string outcome;                  ///< its column; empty where that is not known
  std::vector<ArmCost> costs;           ///< one per arm; empty where none has a cost
  std::vector<DecidedPolicy> policies;  ///< the logged policy first, then as given
  /// Supported against every other policy, by joint intervals; none where no policy is.
  std::optional<std::string> single_best;
  /// Of all pairs, by their rows in `policies`; of more policies than are to be listed
  /// (EvaluateOptions::list_pairs_up_to), those with the logged policy.
  std::vector<PolicyDifference> differences;
  std::uint64_t num_pairs_left_out = 0;  ///< that were compared, but are not in `differences`
};

/// The gain of treating the share of the units that a ranking puts first.
struct BudgetPoint {
  double share = 0;
  double cost = 0;  ///< mean over all units, beyond that of treating no unit
  double gain = 0;  ///< per unit, over treating no unit, net of costs
  double standard_error = 0;
  std::pair<double, double> interval;        ///< for sampling error and the smoothing bias
  std::pair<double, double> joint_interval;  ///< all points are covered at once
  std::pair<double, double> sampling_interval;
  std::pair<double, double> band;
  /// NaN where the network gives no strength (Estimate::sensitivity_interval).
  std::pair<double, double> sensitivity_interval;
  /// Over treating the same share of units at random: gain − share · gain of treating all.
  double over_random = 0;
  double over_random_error = 0;
  std::pair<double, double> over_random_interval, over_random_joint_interval;
  std::pair<double, double> over_random_sampling_interval;
  std::pair<double, double> over_random_band;
  std::optional<double> truth;  ///< of the gain; simulations only
};

/// An area that summarises a ranking.
struct RankingArea {
  double value = 0;
  double standard_error = 0;
  std::pair<double, double> interval;
  std::pair<double, double> sampling_interval;
  double p = 1;  ///< two-sided, of no difference from a random ranking
  /// See Estimate; none where the network gives no strength.
  std::optional<std::pair<double, double>> sensitivity_interval;
  ComparisonVerdict verdict =
      ComparisonVerdict::kNotShown;  ///< on the ranking against a random one
  std::optional<double> truth;
};

/// The gain of a ranking at every budget. Yadlowsky, Fleming, Shah, Brunskill and Wager 2025,
/// Evaluating treatment prioritization rules via rank-weighted average treatment effects. NaN where
/// there is no valid standard error.
struct BudgetCurve {
  std::string ranking;  ///< the column, or the policy
  bool is_policy = false;
  std::string arm;  ///< of the ranked units; the others get the control arm
  std::string estimator;
  Target target = Target::kSample;
  Dependence dependence = Dependence::kIndependent;
  double level = 0.95;
  bool lower_is_better = false;     ///< else higher is better
  std::vector<BudgetPoint> points;  ///< from no unit to all units
  RankingArea qini;                 ///< area between the curve and the line of random rankings
  RankingArea autoc;       ///< mean over shares of over_random / share: the first count most
  double best_share = 0;   ///< the point with the best gain
  double largest_tie = 0;  ///< share of the units in the largest group of equal scores
  std::vector<std::string> warnings;
};

/// How well the fitted propensities predict the logged treatments, out of sample.
struct PropensityDiagnostics {
  std::string name;  ///< what it was fitted on ("features", "cone"), or "given"
  double min = 0;
  double max = 0;
  double log_loss = 0;           ///< mean negative log-likelihood of the logged treatments
  double constant_log_loss = 0;  ///< the same for a constant propensity, the baseline
  double clipped_fraction = 0;
};

/// The verdict of a diagnostic. docs/diagnostics.md has the thresholds and their reasons.
struct Verdict {
  bool is_caution = false;
  std::string sentence;
};

/// One diagnostic in one row: its worst entry.
struct NamedVerdict {
  std::string name;
  Verdict verdict;
  bool is_news = false;  ///< not covered by a warning of an estimate: shown without details too
};

/// Overlap: the propensities for an arm of the nodes that received it and of the others.
struct ArmOverlap {
  std::string arm;
  std::vector<std::uint64_t> got, others;  ///< counts in 20 bins of equal width from 0 to 1
  double rare_fraction = 0;  ///< nodes with a propensity below a tenth of the arm's share
  Verdict verdict;
};

/// The importance weights π/e of the nodes whose arm has positive probability under a policy.
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
  double observed = 0;   ///< share that received the arm
  std::uint64_t num_nodes = 0;
};

/// Calibration of the propensities for an arm: predicted against observed frequencies.
struct ArmCalibration {
  std::string arm;
  std::vector<CalibrationBin> bins;  ///< about ten of equal size, by propensity
  double mean_gap = 0;               ///< mean over nodes of their bin's |predicted − observed|
  double chi_squared = 0;  ///< Σ (observed − expected)² / Σ e(1 − e), over the bins
  double p = 1;
  Verdict verdict;
};

/// Standardised mean difference of a column: its mean in an arm less its mean over all nodes, in
/// standard deviations of all nodes.
struct ColumnBalance {
  std::string name;
  std::string of;     ///< "own", "neighbours" (their mean), or "degree"
  double before = 0;  ///< NaN where no node of the arm has neighbours
  double after = 0;   ///< the arm weighted by 1/e
  double error = 0;   ///< standard error of `after` if the propensities are right
};

struct ArmBalance {
  std::string arm;
  std::vector<ColumnBalance> columns;
  double largest_before = 0, largest_after = 0;  ///< in size
  Verdict verdict;
};

struct DegreeGroup {
  std::pair<std::uint64_t, std::uint64_t> degrees;  ///< both included
  std::uint64_t num_nodes = 0;
  double mean_residual = 0;
  double standard_error = 0;  ///< NaN of a single node
};

/// Residuals of an outcome model by degree.
struct DegreeResiduals {
  std::string outcome_model;
  std::vector<DegreeGroup> groups;
  double correlation = 0;  ///< of residual and log(1 + degree)
  double p = 1;            ///< of no trend
  Verdict verdict;
};

/// Decomposition of the outcome variance in an arm by the network ridge; shares sum to 1.
struct VarianceShares {
  std::string arm;
  double own = 0, network = 0, noise = 0;
  Verdict verdict;
};

/// Variation of the recommended estimator's value over folds and seeds.
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

struct ScalingDiagnostics {
  std::string learners;  ///< "networks and kernels"
  std::string dense;     ///< "standardised"; empty where the data has no such columns
  std::string counts;    ///< "row_percent"
};

/// Out-of-fold R² of the treatment model, and what the network adds to it: the strength of an
/// unmeasured confounder that sensitivity intervals allow for.
struct StrengthDiagnostics {
  double r_squared_features = 0;
  double r_squared_network = 0;
  double added = 0;        ///< (network − features)/(1 − features)
  double added_upper = 0;  ///< its upper one-sided 95 % confidence limit
  bool is_clear = false;   ///< significant: more than two standard errors
};

/// Network autocorrelation: Moran's I (Moran 1950, Notes on continuous stochastic phenomena).
struct AssociationDiagnostics {
  double moran = 0;  ///< with weights 1/√(d_i·d_j)
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
  /// Of cone, one per fold, with curves of the first ten; empty where it did not run.
  std::vector<FoldTraining> trainings;
  /// How learners scale the features; one entry per group of learners.
  std::vector<ScalingDiagnostics> feature_scaling;
  /// Variance components of the network ridge; none where it did not run.
  std::optional<NetworkRidgeSummary> network_ridge;
  /// Of the residuals of the decision's outcome model; none without edges.
  std::optional<AssociationDiagnostics> residual_association;
  /// What the network adds to the features in the treatment model; none where not computed.
  std::optional<StrengthDiagnostics> network_strength;
  /// The joint model of treatment and outcome, one entry per arm; empty where it was not fitted.
  std::vector<JointArm> joint_model;
  std::string propensity_model;  ///< that the next four are about; empty where there is none
  std::vector<ArmOverlap> overlap;
  std::vector<WeightTail> weights;
  std::vector<PolicySupport> support;
  std::vector<ArmCalibration> calibration;
  std::vector<ArmBalance> balance;
  std::vector<DegreeResiduals> residuals_by_degree;
  std::vector<VarianceShares> variance_shares;
  std::vector<PolicyStability> stability;
  std::vector<NamedVerdict> verdicts;  ///< one per diagnostic that applies
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
  std::vector<BudgetCurve> budget_curves;  ///< one per ranking
  Diagnostics diagnostics;
  /// Choices that the loader made. In JSON they stand before the warnings.
  std::vector<std::string> notes;
  std::map<std::string, double> timing_seconds;

  /// 32 hexadecimal digits over version, revision, configuration, and the checksums of data and
  /// policies. Neither timings and results nor the path of the data are part of it: the same run
  /// has the same identity everywhere.
  std::string run_id() const;
};

/// JSON to schema cone.evaluation/5 (docs/evaluation.schema.json). Values that do not exist are
/// null.
nlohmann::ordered_json to_json(const EvaluationRecord& record);

/// The evaluation as text for a terminal: first the decision, then, with `details` (and where there
/// is no decision), one table per policy: estimate beside truth where there is one, a mark on rows
/// with warnings and the warnings below.
std::string evaluation_text(const EvaluationRecord& record, bool details = true);

}  // namespace cone
