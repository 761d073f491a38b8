#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cone/dataset.hpp"
#include "cone/learn.hpp"
#include "cone/matrix.hpp"
#include "cone/options.hpp"
#include "cone/settings.hpp"

/// \file
/// The estimators: formulas on arrays, and one estimate with its interval and its doubts.

// The formulas, each a pure function of spans of one length n (the evaluation nodes). Where a value
// does not exist (no weight at all, an arm without nodes) it is NaN; nothing throws.
//
// Where a node stands for several units, `units` says for how many, over their mean; empty means
// one each. Policies, weights and expected outcomes then come multiplied by it (weigh_rows), and
// means over units are plain means of them.
//
// Where several processes have some of the nodes each, spans hold those of one, and sums go over
// all by `totals`.

namespace cone {

struct BalancedValue;

/// How an estimator turns nuisances into a value.
enum class Method {
  kArmMeans,
  kInversePropensity,
  kSelfNormalised,
  kClippedInversePropensity,
  kDirect,
  kDoublyRobust,
  kSwitch,
  kShrinkage,
  kCautiousCorrection,  ///< doubly robust, the correction shrunk by what its own variance says
  kKernelBalancing,
};

/// Who learns the nuisances of an estimator.
enum class LearnerId {
  kNone,
  kGiven,     ///< the user's own columns
  kLogistic,  ///< propensities on features
  kOls1,
  kOls2,
  kRidge,
  kNetworks,      ///< outcomes on features
  kKernel,        ///< balance on features
  kCone,          ///< outcomes, propensities or balance on learnt representations
  kNetworkRidge,  ///< outcomes on features and network
};

template <>
struct EnumNames<LearnerId> {
  static constexpr std::array kNames = {
      std::pair{LearnerId::kNone, std::string_view("")},
      std::pair{LearnerId::kGiven, std::string_view("given")},
      std::pair{LearnerId::kLogistic, std::string_view("features")},
      std::pair{LearnerId::kOls1, std::string_view("ols1")},
      std::pair{LearnerId::kOls2, std::string_view("ols2")},
      std::pair{LearnerId::kRidge, std::string_view("ridge")},
      std::pair{LearnerId::kNetworks, std::string_view("nn")},
      std::pair{LearnerId::kKernel, std::string_view("okb")},
      std::pair{LearnerId::kCone, std::string_view("cone")},
      std::pair{LearnerId::kNetworkRidge, std::string_view("network_ridge")}};
};

/// One row of the method table (DEVELOPING.md shows it with formulas).
struct EstimatorInfo {
  std::string_view name;
  Method method;
  LearnerId outcome;  ///< whose outcome model it uses; kGiven only with the user's own
  LearnerId weights;  ///< whose propensities, or whose balance, its weights are made of
  std::string_view summary;

  bool needs_outcome_model() const { return outcome != LearnerId::kNone; }
  bool needs_balance() const { return method == Method::kKernelBalancing; }
  bool needs_propensity() const { return weights != LearnerId::kNone && !needs_balance(); }
  bool needs(LearnerId learner) const { return outcome == learner || weights == learner; }
  bool runs_by_default() const;
};

/// Every estimator, in the order in which tables list them.
std::span<const EstimatorInfo> estimator_catalogue();

/// nullptr for an unknown name.
const EstimatorInfo* find_estimator(std::string_view name);

/// The name of the doubly robust estimator on this outcome model, which has a standard error
/// whatever the model is.
std::string_view doubly_robust_on(LearnerId outcome);

/// What runs when the user names no estimators: everything that is fitted here, or, with the user's
/// own nuisances, one row per method (their outcome model is the same whatever the row's name).
std::vector<std::string_view> default_estimators(bool given_nuisances);

/// A value together with each node's first-order contribution to it. The contributions φ_i have
/// mean zero; the standard error is sd(φ) / √n with n − 1 in the variance. Differences of two
/// policies on the same nodes are differences of contributions.
struct ValueAndInfluence {
  double value = 0;
  std::vector<double> influence;
};

/// Σ_a π̄_a·ȳ_a: takes the arms as comparable, which confounding denies. The yardstick that shows
/// what adjusting buys.
ValueAndInfluence arm_means(std::span<const Arm> arm, std::span<const double> outcome,
                            MatrixView<const double> policy, std::span<const double> units = {},
                            const Totals& totals = Totals::alone());

/// mean of w·y.
ValueAndInfluence inverse_propensity(std::span<const double> weights,
                                     std::span<const double> outcome,
                                     std::span<const double> units = {},
                                     const Totals& totals = Totals::alone());

/// Σ w·y / Σ w. Influence by the delta method for a ratio: w (y − τ̂) / w̄.
ValueAndInfluence self_normalised(std::span<const double> weights, std::span<const double> outcome,
                                  const Totals& totals = Totals::alone());

/// m_i = Σ_a π_a(i)·μ_a(i): the value of node i according to the outcome model.
std::vector<double> expected_outcome(MatrixView<const double> policy, MatrixView<const double> mu);

/// y_i − μ_{t_i}(i).
std::vector<double> residuals(std::span<const Arm> arm, std::span<const double> outcome,
                              MatrixView<const double> mu);

/// Doubly robust scores, nodes × arms: Γ_a(i) = μ_a(i) + 1{t_i = a}·(y_i − μ_a(i)) / e_a(i). The
/// mean of Σ_a π_a(i)·Γ_a(i) is the plain doubly robust value of any policy; differences of columns
/// are scores of effects.
Matrix<double> doubly_robust_scores(std::span<const Arm> arm, std::span<const double> outcome,
                                    MatrixView<const double> mu,
                                    MatrixView<const double> propensity);

/// mean of m. The influence holds the spread of m only: the uncertainty of the fitted model itself
/// is added by whoever fitted it.
ValueAndInfluence direct_method(std::span<const double> expected,
                                std::span<const double> units = {},
                                const Totals& totals = Totals::alone());

/// mean of m + the correction of residuals r by weights w.
ValueAndInfluence doubly_robust(std::span<const double> expected, std::span<const double> weights,
                                std::span<const double> residual, Correction correction,
                                std::span<const double> units = {},
                                const Totals& totals = Totals::alone());

/// The same with the correction multiplied by 1 − v/c², at least 0, where c is the self-normalised
/// correction and v its squared standard error: a correction that may as well be chance is left
/// out, one that is sure counts in full. `factor` is that number.
struct CautiousCorrection {
  ValueAndInfluence direct;
  double correction = 0;        ///< before it is multiplied
  double correction_error = 0;  ///< its standard error
  double factor = 0;
};
CautiousCorrection correct_cautiously(std::span<const double> expected,
                                      std::span<const double> weights,
                                      std::span<const double> residual,
                                      std::span<const double> units = {},
                                      const Totals& totals = Totals::alone());

/// What one estimate rests on. Tables have the rows of the sample.
struct Evidence {
  const LoggedSample& sample;
  /// Sample × arms; rows times the units that a node stands for where the sample has weights
  /// (weigh_rows).
  MatrixView<const double> policy;
  const OutcomeTable* outcome = nullptr;
  /// What weights are made of. A row that needs none shows by it whether the log could have done
  /// what the policy does; nullptr where nothing is known of that.
  const PropensityTable* propensity = nullptr;
  /// Of this policy by the outcome model; nullptr where unknown.
  const ImpliedWeights* implied = nullptr;
  /// Variance of the outcome's noise, sample × arms (estimate_noise); nullptr where unknown.
  const Matrix<double>* noise = nullptr;
  std::size_t policy_place = 0;  ///< of the policy, in ImpliedWeights::imbalance
};

enum class EstimateStatus {
  kOk,
  kCaution,    ///< there is a value, and a warning says why to doubt it
  kUndefined,  ///< no value exists: nothing logged speaks to this policy
};

template <>
struct EnumNames<EstimateStatus> {
  static constexpr std::array<std::pair<EstimateStatus, std::string_view>, 3> kNames = {
      {{EstimateStatus::kOk, "ok"},
       {EstimateStatus::kCaution, "caution"},
       {EstimateStatus::kUndefined, "undefined"}}};
};

/// Each node's part in the error of a value, one per row of the sample: value − truth is about the
/// mean of the parts.
struct ErrorParts {
  /// For the sample: (v_i − π_T(i))·r_i, where v_i/n is the weight of node i's outcome in the
  /// value, T its arm and r its residual, scaled to what the model takes for noise. Empty where the
  /// row has no outcome model, and where nodes outside of the sample have a part (split protocol).
  std::vector<double> these;
  std::vector<double> coefficient;  ///< v_i − π_T(i)
  /// For the sample, where members of a group that the user gave share noise: a node's part in
  /// what its group adds, (v_i − Σ_a π_a(i))·r_i, as they share it under every arm. The whole of
  /// the residual counts: groups are what the model does not know. Empty
  /// where none are given.
  std::vector<double> grouped;
  /// These parts and the unlogged variance with the whole of the residual; empty and 0 where the
  /// others have it anyway.
  std::vector<double> whole;
  double whole_unlogged_variance = 0;
  /// For the sample, beside the parts: the variance of what they would have had under arms that
  /// they did not get, Σ_i Σ_{a≠T} (π_a(i)/n)²·σ_a(i)².
  double unlogged_variance = 0;
  /// For the sample, beside the parts: the covariance with every policy that was evaluated (in
  /// their order) of what the model expects its effects to leave. Empty where it has no idea.
  std::vector<double> imbalance;
  std::size_t place = 0;  ///< of this policy among them
  /// The standard error for the sample with all of the residuals taken for noise: no word of the
  /// model is believed. NaN where it is not known.
  double predictive_error = std::numeric_limits<double>::quiet_NaN();
  /// For the population.
  std::vector<double> population;
  /// Of the standard error by the spread over repeats, which is in no node's part.
  double inflation = 1;
};

/// A standard error by one idea of how nodes depend on each other.
struct DependentError {
  Dependence dependence = Dependence::kIndependent;
  double standard_error = 0;
  double noise = 0;      ///< relative standard error of the variance it comes from
  std::string unusable;  ///< why it is not used; empty where it may be
};

struct Estimate {
  std::string estimator;
  Target target = Target::kPopulation;  ///< of standard_error and interval
  double value = 0;
  double standard_error = 0;  ///< NaN where none is valid; then the interval is too
  std::pair<double, double> sampling_interval;
  double level = 0.95;
  /// For the target "the population", whatever `target` is.
  double population_standard_error = 0;
  std::pair<double, double> population_sampling_interval;
  /// What the standard error could be, for `target`; empty where nodes are taken as independent for
  /// want of a network. standard_error and interval are by `dependence`.
  std::vector<DependentError> errors_by_dependence;
  Dependence dependence = Dependence::kIndependent;
  /// Standard deviation of the value over repeats with other seeds; none where nothing was
  /// repeated.
  std::optional<double> seed_sd;
  ErrorParts parts;  ///< for whoever goes on; not in the record
  /// The interval widened on both sides by the bias that a hidden confounder as strong as what the
  /// network itself shows could cause. NaN where the network shows nothing to go by.
  std::pair<double, double> sensitivity_interval = {std::numeric_limits<double>::quiet_NaN(),
                                                    std::numeric_limits<double>::quiet_NaN()};
  double confounding_bias_bound = std::numeric_limits<double>::quiet_NaN();
  std::optional<double> effective_sample_size;  ///< none where no weights are involved
  std::optional<double> max_weight;
  double clipped_fraction = 0;  ///< nodes whose weight a bound, a clip or a switch changed
  /// Of w = π(t)/e(t) before any clip: near 1 where the propensities are right and the log could
  /// have done what the policy does. None where no propensities are known.
  std::optional<double> mean_weight;
  /// The policy's probability, averaged over the nodes, of an arm that the log never takes: of
  /// given propensity 0, of fitted propensity below the bound. None as above.
  std::optional<double> off_support_fraction;
  EstimateStatus status = EstimateStatus::kOk;
  std::vector<std::string> warnings;
};

/// Value, standard error, interval, diagnostics and warnings of one estimator for one policy.
///
/// There is no standard error where it would take the outcome model as exact: the direct method on
/// networks or on given predictions, and switch_dr and dr_shrinkage without implied weights. Nor
/// have estimators by weights one where the log lacks much of what the policy does.
Estimate estimate(const EstimatorInfo& estimator, const Evidence& evidence,
                  const EstimatorOptions& options);

/// The same for what kernel balancing found on the nodes of the sample.
Estimate estimate_balanced(const EstimatorInfo& estimator, const Evidence& evidence,
                           const BalancedValue& balanced, const EstimatorOptions& options);

}  // namespace cone
