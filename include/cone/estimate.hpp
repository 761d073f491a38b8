#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cone/context.hpp"
#include "cone/dataset.hpp"
#include "cone/learn.hpp"
#include "cone/matrix.hpp"
#include "cone/options.hpp"

/// \file
/// The estimators: formulas on arrays, one estimate with its intervals and warnings, and
/// comparisons of policies.

namespace cone {

// With survey weights, importance weights come multiplied by `units` (estimate.hpp). Bounds apply
// to the weight of one unit.

/// w_i = π(t_i | i) / e(t_i | i), from tables of nodes × arms.
std::vector<double> importance_weights(std::span<const Arm> arm, MatrixView<const double> policy,
                                       MatrixView<const double> propensity);

/// Where a weight counts as large: as given, otherwise 5 times the number of arms. Under uniform
/// random assignment every weight is the number of arms, so the limit grows with it.
double limit_of_weights(AutoNumber given, std::size_t num_arms);

/// min(w, bound) (Ionides 2008, Truncated importance sampling).
std::vector<double> clipped_weights(std::span<const double> weights, double bound,
                                    std::span<const double> units = {});
/// w where w ≤ threshold, else 0: beyond it Switch-DR uses the outcome model alone (Wang, Agarwal
/// and Dudík 2017, Optimal and adaptive off-policy evaluation in contextual bandits).
std::vector<double> switched_weights(std::span<const double> weights, double threshold,
                                     std::span<const double> units = {});
/// λ·w / (w² + λ), optimistic shrinkage (Su, Dimakopoulou, Krishnamurthy and Dudík 2020, Doubly
/// robust off-policy evaluation with shrinkage). λ → ∞ is DR, λ → 0 the direct method.
std::vector<double> shrunk_weights(std::span<const double> weights, double lambda,
                                   std::span<const double> units = {});

/// A power of two that brings the largest value near 1, so that squares neither overflow nor vanish
/// and no digit changes.
double scale_for_squares(std::span<const double> values, const Communicator& comm);

/// (Σ w)² / Σ w²: the number of equally weighted nodes with the same variance (Kish 1965, Survey
/// sampling). 0 without weight.
double effective_sample_size(std::span<const double> weights,
                             const Communicator& comm = Communicator::self());

}  // namespace cone

// The formulas, each a pure function of spans of one length n (the evaluation nodes). Where a value
// does not exist (no weight at all, an arm without nodes) it is NaN; nothing throws.
//
// `units` are survey weights over their mean; empty means equal weights. Policies, weights and
// expected outcomes then come multiplied by them (weigh_rows), and weighted means are plain means
// of the products.
//
// In distributed runs spans hold the nodes of one rank, and `comm` sums over all ranks.

namespace cone {

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
  kCautiousCorrection,  ///< doubly robust, the correction shrunk by its own standard error
  kJointModel,          ///< direct, moved by the joint model of treatment and outcome
  kKernelBalancing,
};

/// Names the learner that fits the nuisances of an estimator. A view: of a literal, or of the
/// catalogue that the learner was added to.
class LearnerId {
 public:
  constexpr LearnerId() = default;
  constexpr explicit LearnerId(std::string_view name) : name_(name) {}

  constexpr std::string_view name() const { return name_; }
  auto operator<=>(const LearnerId&) const = default;

  static const LearnerId kNone;
  static const LearnerId kGiven;     ///< the user's own columns
  static const LearnerId kLogistic;  ///< propensities on features
  static const LearnerId kOls1;
  static const LearnerId kOls2;
  static const LearnerId kRidge;
  static const LearnerId kNetworks;      ///< outcomes on features
  static const LearnerId kKernel;        ///< balance on features
  static const LearnerId kCone;          ///< outcomes, propensities or balance on representations
  static const LearnerId kNetworkRidge;  ///< outcomes on features and network
  static const LearnerId kNetworkTreatment;  ///< propensities on features and network
  static const LearnerId kCohesion;          ///< outcomes, by regression with network cohesion
  static const LearnerId kSpectral;  ///< outcomes, propensities on features and eigenvectors

 private:
  std::string_view name_;
};

inline constexpr LearnerId LearnerId::kNone;
inline constexpr LearnerId LearnerId::kGiven{"given"};
inline constexpr LearnerId LearnerId::kLogistic{"features"};
inline constexpr LearnerId LearnerId::kOls1{"ols1"};
inline constexpr LearnerId LearnerId::kOls2{"ols2"};
inline constexpr LearnerId LearnerId::kRidge{"ridge"};
inline constexpr LearnerId LearnerId::kNetworks{"nn"};
inline constexpr LearnerId LearnerId::kKernel{"okb"};
inline constexpr LearnerId LearnerId::kCone{"cone"};
inline constexpr LearnerId LearnerId::kNetworkRidge{"network_ridge"};
inline constexpr LearnerId LearnerId::kNetworkTreatment{"network_treatment"};
inline constexpr LearnerId LearnerId::kCohesion{"cohesion"};
inline constexpr LearnerId LearnerId::kSpectral{"spectral"};

/// Whether own outcomes do not correct the predictions of the outcome model, or not completely.
constexpr bool rests_on_model(Method method) {
  return method == Method::kDirect || method == Method::kJointModel ||
         method == Method::kCautiousCorrection;
}

/// One row of the method table (DEVELOPING.md shows it with formulas).
struct EstimatorInfo {
  std::string_view name;
  Method method;
  LearnerId outcome;  ///< learner of its outcome model; kGiven only with given nuisances
  LearnerId weights;  ///< learner of its propensities or balancing weights
  std::string_view summary;

  bool needs_outcome_model() const { return outcome != LearnerId::kNone; }
  bool needs_balance() const { return method == Method::kKernelBalancing; }
  bool needs_propensity() const { return weights != LearnerId::kNone && !needs_balance(); }
  bool needs(LearnerId learner) const { return outcome == learner || weights == learner; }
  bool runs_by_default() const;
};

/// Every built-in estimator, in the order in which tables list them; a Catalogue (evaluate.hpp)
/// may have further ones.
std::span<const EstimatorInfo> estimator_catalogue();

/// Of the built-in ones; nullptr for an unknown name.
const EstimatorInfo* find_estimator(std::string_view name);

/// The name of the doubly robust estimator with this outcome model, which has a standard error for
/// any model.
std::string_view doubly_robust_on(LearnerId outcome);

/// The estimators that run by default: everything that is fitted here, or, with given nuisances,
/// one row per method (the outcome model is the same whatever the row's name).
std::vector<std::string_view> default_estimators(bool given_nuisances);

/// A value with its influence function at each node. The influences φ_i have mean zero; the
/// standard error is sd(φ) / √n with n − 1 in the variance. Differences of two policies on the same
/// nodes are differences of influences.
struct ValueAndInfluence {
  double value = 0;
  std::vector<double> influence;
};

/// Σ_a π̄_a·ȳ_a: the unadjusted estimator, biased under confounding. A benchmark for the others.
ValueAndInfluence arm_means(std::span<const Arm> arm, std::span<const double> outcome,
                            MatrixView<const double> policy, std::span<const double> units = {},
                            const Communicator& comm = Communicator::self());

/// mean of w·y: inverse propensity weighting (Horvitz and Thompson 1952, A generalization of
/// sampling without replacement from a finite universe).
ValueAndInfluence inverse_propensity(std::span<const double> weights,
                                     std::span<const double> outcome,
                                     std::span<const double> units = {},
                                     const Communicator& comm = Communicator::self());

/// Σ w·y / Σ w: self-normalised (Hájek 1971; Swaminathan and Joachims 2015, The self-normalized
/// estimator for counterfactual learning). Influence by the delta method for a ratio:
/// w (y − τ̂) / w̄.
ValueAndInfluence self_normalised(std::span<const double> weights, std::span<const double> outcome,
                                  const Communicator& comm = Communicator::self());

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

/// mean of m: the direct method, or regression (plug-in) estimator. The influence holds the spread
/// of m only: the estimation error of the outcome model is added by its learner.
ValueAndInfluence direct_method(std::span<const double> expected,
                                std::span<const double> units = {},
                                const Communicator& comm = Communicator::self());

/// mean of m + the correction of residuals r by weights w: AIPW (Robins, Rotnitzky and Zhao 1994,
/// Estimation of regression coefficients when some regressors are not always observed; Dudík,
/// Langford and Li 2011, Doubly robust policy evaluation and learning).
ValueAndInfluence doubly_robust(std::span<const double> expected, std::span<const double> weights,
                                std::span<const double> residual, Correction correction,
                                std::span<const double> units = {},
                                const Communicator& comm = Communicator::self());

/// The same with a shrunken correction: multiplied by `factor` = max(0, 1 − v/c²), where c is the
/// self-normalised correction and v its squared standard error. A correction within its standard
/// error is dropped; one far beyond it counts almost in full.
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
                                      const Communicator& comm = Communicator::self());

/// The inputs of one estimate. Tables have the rows of the sample.
struct Evidence {
  const LoggedSample& sample;
  /// Sample × arms; rows times the survey weights where the sample has weights (weigh_rows).
  MatrixView<const double> policy;
  const OutcomeTable* outcome = nullptr;
  /// For importance weights, and for the overlap diagnostics of estimators that need no weights;
  /// nullptr where unknown.
  const PropensityTable* propensity = nullptr;
  /// Of this policy, by the outcome model; nullptr where unknown.
  const ImpliedWeights* implied = nullptr;
  /// Variance of the outcome's noise, sample × arms (estimate_noise); nullptr where unknown.
  const Matrix<double>* noise = nullptr;
  std::size_t policy_index = 0;  ///< in ImpliedWeights::imbalance
};

enum class EstimateStatus {
  kOk,
  kCaution,    ///< there is a value, with a warning
  kUndefined,  ///< no value exists: no overlap with this policy
};

template <>
struct EnumNames<EstimateStatus> {
  static constexpr std::array<std::pair<EstimateStatus, std::string_view>, 3> kNames = {
      {{EstimateStatus::kOk, "ok"},
       {EstimateStatus::kCaution, "caution"},
       {EstimateStatus::kUndefined, "undefined"}}};
};

/// Each node's contribution to the error of a value, one per row of the sample: value − truth is
/// about the mean of the contributions.
struct ErrorParts {
  /// For the sample: (v_i − π_T(i))·r_i, where v_i/n is the weight of node i's outcome in the
  /// value, T its arm and r its residual, scaled to the model's noise variance. Empty where the
  /// estimator has no outcome model, and where nodes outside of the sample contribute (split
  /// protocol).
  std::vector<double> sample;
  std::vector<double> coefficient;  ///< v_i − π_T(i)
  /// For the sample, where members of a given cluster share noise: a node's contribution to the
  /// error of its cluster, (v_i − Σ_a π_a(i))·r_i, as the noise is shared under every arm. The full
  /// residual is used, because the model has no cluster effects. Empty without given clusters.
  std::vector<double> grouped;
  /// `sample` and the unlogged variance with residuals as they are, not scaled to the model's noise
  /// variance; empty and 0 where the others are unscaled anyway.
  std::vector<double> unscaled;
  double unscaled_unlogged_variance = 0;
  /// For the sample, in addition: the variance of the potential outcomes under arms that were not
  /// received, Σ_i Σ_{a≠T} (π_a(i)/n)²·σ_a(i)².
  double unlogged_variance = 0;
  /// For the sample, in addition: the model-expected covariance of the residual imbalance (bias)
  /// with every policy that was evaluated, in their order. Empty where the model has none.
  std::vector<double> imbalance;
  std::size_t policy_index = 0;  ///< of this policy in `imbalance`
  /// The residual-based (model-free) standard error for the sample: all residual variance counts as
  /// noise. NaN where it is not known.
  double predictive_error = std::numeric_limits<double>::quiet_NaN();
  /// For the population.
  std::vector<double> population;
  /// Degrees of freedom of every arm's part of the variance, for each target; empty where they are
  /// not known.
  std::vector<double> sample_degrees, population_degrees;
  /// Factor on the standard error for the spread over repeats, which no node's contribution has.
  double inflation = 1;
};

/// A standard error under one assumption about the dependence between nodes.
struct DependentError {
  Dependence dependence = Dependence::kIndependent;
  double standard_error = 0;
  double noise = 0;      ///< relative standard error of the variance estimate
  std::string unusable;  ///< why it is not used; empty where it is usable
};

/// The bias that an outcome model has by shrinkage, estimated at its own fit.
struct SmoothingBias {
  double bias = 0;  ///< of the value: it is too high by this
  double standard_error = 0;
};

/// A value under another assumption: it is `shift` higher, and its error has further independent
/// parts with these standard deviations. Both are linear in the policy.
struct AlternativeValue {
  double shift = 0;
  std::vector<double> deviations = {};  ///< signed, for differences

  /// √(standard_error² + Σ deviations²)
  double error_with(double standard_error) const;
  /// Whether it is the value itself.
  bool is_same() const;
};
/// Of one value: the first one without its smoothing bias, then those of the joint model, in the
/// same order for all values. Empty where the value is the same under all assumptions.
using Alternatives = std::vector<AlternativeValue>;

/// Those of a linear combination of values.
Alternatives combine(std::span<const double> weights, std::span<const Alternatives> values);

/// The smallest interval that contains value ± factor · standard_error and, for every alternative,
/// value + shift ± factor · its standard error.
std::pair<double, double> enclose(double value, double standard_error, double factor,
                                  std::span<const AlternativeValue> alternatives);

/// The smallest interval that contains both.
std::pair<double, double> hull(std::pair<double, double> a, std::pair<double, double> b);

/// By how much a value may be too high and too low.
struct BiasBound {
  double too_high = 0;
  double too_low = 0;

  double largest() const { return std::max(too_high, too_low); }
};
BiasBound operator+(const BiasBound& a, const BiasBound& b);
/// Of a difference: what is too low in the second value makes the difference too high.
BiasBound operator-(const BiasBound& a, const BiasBound& b);

/// An interval under all assumptions that also allows for a confounding bias up to the bound
/// around the value without the joint model.
std::pair<double, double> enclose_confounded(double value, double standard_error, double factor,
                                             std::span<const AlternativeValue> alternatives,
                                             const BiasBound& bias);

/// The least distance of 0 from the value under any assumption, over its standard error; 0 where
/// their signs differ.
double least_statistic(double value, double standard_error,
                       std::span<const AlternativeValue> alternatives);

/// One arm of the joint model of treatment and outcome (docs/joint_model.md).
struct JointArm {
  std::string arm;
  /// Of the log odds of receiving the arm on its predicted outcome, in units of the outcome's
  /// residual standard deviation.
  double slope = 0;
  double slope_error = 0;
  double trust = 0;              ///< factor on the change of predictions, from 0 to 1
  std::string reason;            ///< why the trust is 0
  double equal_slopes_p = 1;     ///< Cochran's Q over the parts of the prediction
  bool has_equal_slopes = true;  ///< not rejected; otherwise network_joint leaves the arm as it is
  /// Of the outcome beyond own features, the share of variance that the network explains, and the
  /// share of that which predictions recover (the reliability of the network groups).
  double network_share = 0;
  double network_reliability = 1;
  /// The slope of the network's contribution to the prediction, beside that of the rest, over its
  /// standard error.
  double network_statistic = 0;
  /// Share of the noise that grows with the degree on which treatment depends, and its error.
  double noise_share = 0;
  double noise_share_error = 0;
};

struct Estimate {
  std::string estimator;
  Target target = Target::kPopulation;  ///< of standard_error and interval
  double value = 0;
  double standard_error = 0;  ///< NaN where there is no valid one; then the interval is too
  /// value ± t · standard_error, t the quantile with these degrees of freedom.
  std::pair<double, double> sampling_interval;
  double degrees_of_freedom = std::numeric_limits<double>::infinity();
  double level = 0.95;
  /// For the population, whatever `target` is.
  double population_standard_error = 0;
  std::pair<double, double> population_sampling_interval;
  /// For the sample, whatever `target` is; NaN where the estimator has none.
  double sample_standard_error = std::numeric_limits<double>::quiet_NaN();
  std::pair<double, double> sample_sampling_interval = {std::numeric_limits<double>::quiet_NaN(),
                                                        std::numeric_limits<double>::quiet_NaN()};
  /// Of penalised outcome models whose value is linear in the outcomes; none for others.
  std::optional<SmoothingBias> smoothing_bias;
  double bias() const { return smoothing_bias ? smoothing_bias->bias : 0; }
  /// By the joint model of treatment and outcome; empty for other estimators.
  Alternatives joint;
  /// Without the smoothing bias, then `joint`.
  Alternatives alternatives() const;
  /// The interval of the value: encloses the sampling interval and those of all alternatives.
  std::pair<double, double> interval() const;
  std::pair<double, double> population_interval() const;
  std::pair<double, double> sample_interval() const;
  /// Whether the smoothing bias is clear and exceeds the standard error, that for the sample where
  /// there is one.
  bool is_oversmoothed() const;
  /// Standard errors under each dependence, for `target`; empty without a network, where nodes are
  /// taken as independent. standard_error and interval are by `dependence`.
  std::vector<DependentError> errors_by_dependence;
  Dependence dependence = Dependence::kIndependent;
  /// Standard deviation of the value over repeats with other seeds; none without repeats.
  std::optional<double> seed_sd;
  ErrorParts parts;  ///< for comparisons of policies; not in the record
  /// Encloses interval() and the sampling interval (extended by the smoothing bias) widened by the
  /// bias bound for an unmeasured confounder as strong as what the network reveals. NaN where the
  /// network gives no strength.
  std::pair<double, double> sensitivity_interval = {std::numeric_limits<double>::quiet_NaN(),
                                                    std::numeric_limits<double>::quiet_NaN()};
  std::optional<BiasBound> confounding_bias_bound;
  /// The bound, plus what the residual-based sampling error is above the model's.
  std::optional<BiasBound> sensitivity_widening;
  std::optional<double> effective_sample_size;  ///< none where no weights are involved
  std::optional<double> max_weight;
  double clipped_fraction = 0;  ///< share of nodes whose weight a bound, clip or switch changed
  /// Of w = π(t)/e(t) before any clipping: near 1 where the propensities are right and overlap
  /// holds. None where no propensities are known.
  std::optional<double> mean_weight;
  /// The policy's mean probability of arms without overlap (off support): given propensity 0, or
  /// fitted propensity below the bound. None as above.
  std::optional<double> off_support_fraction;
  EstimateStatus status = EstimateStatus::kOk;
  std::vector<std::string> warnings;
};

/// Value, standard error, interval, diagnostics and warnings of one estimator for one policy.
///
/// There is no standard error where it would take the outcome model as exact: the direct method on
/// networks or on given predictions, and switch_dr and dr_shrinkage without implied weights. Nor do
/// weighting estimators have one where the policy lacks overlap with the logged data.
Estimate estimate(const EstimatorInfo& row, const Evidence& evidence,
                  const EstimatorOptions& options);

/// The same for kernel balancing on the nodes of the sample.
Estimate estimate_balanced(const EstimatorInfo& estimator, const Evidence& evidence,
                           const BalancedValue& balanced, const EstimatorOptions& options);

/// The verdict on a comparison of two policies.
enum class ComparisonVerdict {
  kNotShown,     ///< the interval of the difference contains 0, or is not to be relied on
  kConditional,  ///< it excludes 0, conditional on no unmeasured confounding
  kSupported,    ///< and so does the sensitivity interval, or treatment was assigned at random
};

template <>
struct EnumNames<ComparisonVerdict> {
  static constexpr std::array kNames = {
      std::pair{ComparisonVerdict::kNotShown, std::string_view("not_shown")},
      std::pair{ComparisonVerdict::kConditional, std::string_view("conditional")},
      std::pair{ComparisonVerdict::kSupported, std::string_view("supported")}};
};

/// What a verdict can rest on.
enum class VerdictBasis {
  kNothing,     ///< nothing says how strong an unmeasured confounder may be
  kBenchmark,   ///< the sensitivity interval: the network clearly predicts the treatment
  kRandomised,  ///< treatment was assigned at random: there is none
};

/// By the interval of a difference and, with a benchmark, by its sensitivity interval.
ComparisonVerdict judge_comparison(std::pair<double, double> interval,
                                   const std::optional<std::pair<double, double>>& sensitivity,
                                   VerdictBasis basis);

/// How many times the bound of the confounding bias explains a difference away: the distance from 0
/// to its interval over the bound. None where the interval contains 0, and without a bound.
std::optional<double> strength_to_overturn(std::pair<double, double> interval,
                                           const BiasBound& bias);

/// One policy among several.
struct RankedPolicy {
  /// Joint: all of them cover at once with the given level; the band is for sampling error alone.
  std::pair<double, double> joint_interval;
  std::pair<double, double> band;
  std::size_t best_rank = 1;  ///< 1 is the best value: the highest, or the lowest
  std::size_t worst_rank = 1;
  bool may_be_best = true;  ///< in the confidence set of the best
  /// The same where every difference may have a confounding bias up to its bound; without bounds
  /// every rank is possible.
  std::size_t sensitivity_best_rank = 1;
  std::size_t sensitivity_worst_rank = 1;
  bool sensitivity_may_be_best = true;
  /// Upper bound at the joint level of the loss against the best of the others; 0 where it is
  /// significantly better than all of them.
  double regret = 0;
};

/// Two policies, first less second.
struct PolicyDifference {
  std::size_t first = 0;
  std::size_t second = 0;
  double difference = 0;
  double standard_error = 0;
  /// Under all assumptions (Alternatives): of this difference alone, and jointly for all pairs.
  std::pair<double, double> interval;
  std::pair<double, double> joint_interval;
  std::pair<double, double> sampling_interval;  ///< the same for sampling error alone
  std::pair<double, double> sampling_joint_interval;
  /// Two-sided, adjusted for all pairs by step-down; of no difference under any assumption.
  double p = 1;
  /// The intervals widened by the bound of the confounding bias; none without a bound.
  std::optional<std::pair<double, double>> sensitivity_interval;
  std::optional<std::pair<double, double>> sensitivity_joint_interval;
  /// Of the interval without the joint model, around which the bound is: below 1 where the
  /// sensitivity interval contains 0.
  std::optional<double> overturning_strength;
  ComparisonVerdict verdict =
      ComparisonVerdict::kNotShown;  ///< by the intervals of this pair alone
};

struct PolicyComparison {
  std::vector<RankedPolicy> policies;
  std::vector<PolicyDifference> differences;  ///< of pairs first < second, in this order
  /// Bands are value ± factor · standard error with infinite degrees of freedom; with fewer, the t
  /// of the same tail probability is the factor.
  double band_factor = 0;
  double pair_factor = 0;  ///< joint intervals of differences likewise
};

/// Which pairs PolicyComparison::differences lists. Their number grows with the square of the
/// policies.
enum class ListedPairs { kAll, kWithFirst };

/// The largest confounding bias of the difference of two values, by their indices; none where it is
/// not known.
using PairBias = std::function<std::optional<BiasBound>(std::size_t first, std::size_t second)>;

inline constexpr int kComparisonDraws = 1000;

/// Options of compare_policies(); spans have one entry per value, or none.
struct ComparisonOptions {
  ListedPairs listed = ListedPairs::kAll;
  int draws = kComparisonDraws;
  PairBias bias = {};
  /// 1 for values whose intervals are not to be relied on: no comparison with them changes a rank.
  std::span<const std::uint8_t> unreliable = {};
  /// Of the values under independent units, or none: no difference has a smaller variance. A
  /// dependence that is chosen for the values may understate the variance of their differences.
  MatrixView<const double> least_covariance = {};
  /// Of each value's variance, infinite where empty; a pair has the fewer ones of its two. A
  /// statistic is compared with the draws by the normal value of the same tail probability, so that
  /// each interval, joint or not, is by Student's t.
  std::span<const double> degrees_of_freedom = {};
  /// Of the values. Intervals of differences enclose those under all assumptions, and ranks,
  /// regrets and p values are by these.
  std::span<const Alternatives> alternatives = {};
  bool lower_is_better = false;  ///< reverses ranks and regrets, and nothing else
};

/// Compares values with a joint covariance by draws from the normal distribution with that
/// covariance. Ranks: Mogstad, Romano, Shaikh and Wilhelm 2024, Inference for ranks with
/// applications to mobility across neighbourhoods and academic achievement across countries.
/// Step-down p values: Romano and Wolf 2005, Exact and approximate stepdown methods for multiple
/// hypothesis testing. Policies whose difference has variance 0 are tied. The draws depend on
/// nothing but the seed and the number of values. All pairs are compared, whichever are listed:
/// time grows with draws times their number, memory is 48 bytes for each. Throws Error(kInternal)
/// unless the covariance is square, symmetric and as large as the values are many.
PolicyComparison compare_policies(const Context& context, std::span<const double> values,
                                  MatrixView<const double> covariance, double level,
                                  const ComparisonOptions& options = {});

}  // namespace cone
