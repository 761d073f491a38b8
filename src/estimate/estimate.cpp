#include "cone/estimate.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "cone/error.hpp"
#include "cone/options.hpp"

#include "balance/kernel_balancing.hpp"
#include "base/numeric.hpp"
#include "estimate/degrees_of_freedom.hpp"
#include "estimate/diagnose.hpp"
#include "estimate/error_parts.hpp"
#include "estimate/overlap.hpp"
#include "estimate/significance.hpp"
#include "estimate/smoothing_bias.hpp"
#include "exec/statistics.hpp"

namespace cone {
namespace {

/// The weights of outcomes or residuals, before and after the estimator's own bound.
struct WeightsUsed {
  std::vector<double> raw;
  std::vector<double> used;
};

WeightsUsed weights_of(Method method, const Evidence& evidence, const EstimatorOptions& options) {
  const auto limit = [&](AutoNumber given) {
    return limit_of_weights(given, evidence.sample.num_arms());
  };
  WeightsUsed weights;
  weights.raw =
      importance_weights(evidence.sample.arm, evidence.policy, evidence.propensity->e.view());
  switch (method) {
    case Method::kClippedInversePropensity:
      weights.used = clipped_weights(weights.raw, limit(options.clip), evidence.sample.weight);
      break;
    case Method::kSwitch:
      weights.used =
          switched_weights(weights.raw, limit(options.switch_threshold), evidence.sample.weight);
      break;
    case Method::kShrinkage:
      weights.used = shrunk_weights(weights.raw, options.shrinkage_lambda, evidence.sample.weight);
      break;
    default:
      weights.used = weights.raw;
  }
  return weights;
}

ValueAndInfluence without_value(std::size_t num_nodes) {
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  return {kNone, std::vector<double>(num_nodes, kNone)};
}

ValueAndInfluence linearise(Method method, const Evidence& evidence,
                            const EstimatorOptions& options, std::span<const double> weights) {
  const LoggedSample& sample = evidence.sample;
  const Communicator& comm = *sample.comm;
  const auto expected = [&] {
    return expected_outcome(evidence.policy, evidence.outcome->mu.view());
  };
  const auto residual = [&] {
    return residuals(sample.arm, sample.outcome, evidence.outcome->mu.view());
  };
  switch (method) {
    case Method::kArmMeans:
      return arm_means(sample.arm, sample.outcome, evidence.policy, sample.weight, comm);
    case Method::kInversePropensity:
    case Method::kClippedInversePropensity:
      // Where no logged arm is one that the policy assigns, a mean of zeros is no estimate.
      return sum(weights, comm) == 0
                 ? without_value(weights.size())
                 : inverse_propensity(weights, sample.outcome, sample.weight, comm);
    case Method::kSelfNormalised:
      return self_normalised(weights, sample.outcome, comm);
    case Method::kDirect:
      return direct_method(expected(), sample.weight, comm);
    case Method::kDoublyRobust:
      return doubly_robust(expected(), weights, residual(), options.correction, sample.weight,
                           comm);
    case Method::kSwitch:
    case Method::kShrinkage:
      return doubly_robust(expected(), weights, residual(), Correction::kPlain, sample.weight,
                           comm);
    case Method::kCautiousCorrection: {
      CautiousCorrection corrected =
          correct_cautiously(expected(), weights, residual(), sample.weight, comm);
      corrected.direct.value += corrected.factor * corrected.correction;
      return corrected.direct;
    }
    case Method::kJointModel:  // of kDirect
    case Method::kKernelBalancing:
      break;  // estimate_balanced
  }
  return {};
}

void check_input(const EstimatorInfo& estimator, const Evidence& evidence) {
  const std::size_t n = evidence.sample.size();
  const auto fits = [&](MatrixView<const double> table) {
    return table.rows() == n && table.cols() == evidence.sample.num_arms();
  };
  require(fits(evidence.policy) && evidence.sample.comm->count(n) > 0,
          "estimate: the policy has other nodes or arms than the sample");
  require(evidence.sample.weight.empty() || evidence.sample.weight.size() == n,
          "estimate: the weights have another length than the sample");
  require(!estimator.needs_propensity() ||
              (evidence.propensity != nullptr && fits(evidence.propensity->e.view())),
          "estimate: the estimator needs a propensity for every node and arm");
  require(!estimator.needs_outcome_model() ||
              (evidence.outcome != nullptr && fits(evidence.outcome->mu.view())),
          "estimate: the estimator needs an outcome model for every node and arm");
}

/// `weights`: see count_arm_degrees.
void set_intervals(const Evidence& evidence, std::span<const double> weights, double level,
                   Estimate& out) {
  ErrorParts& parts = out.parts;
  const bool is_split = !parts.imbalance.empty();  // see ErrorParts::sample
  parts.population_degrees = count_arm_degrees(evidence.sample, weights, {});
  parts.sample_degrees =
      is_split ? count_arm_degrees(evidence.sample, weights, evidence.implied->noise_share)
               : parts.population_degrees;
  const double for_population =
      satterthwaite_degrees(evidence.sample, parts.population, parts.population_degrees);
  const bool has_parts = evidence.sample.comm->any(!parts.sample.empty());
  const double for_sample =
      has_parts ? satterthwaite_degrees(evidence.sample, parts.sample, parts.sample_degrees)
                : for_population;
  const auto around_value = [&](double error, double degrees_of_freedom) {
    const double half_width = two_sided_t_quantile(level, degrees_of_freedom) * error;
    return std::pair{out.value - half_width, out.value + half_width};
  };
  out.level = level;
  out.sample_sampling_interval = around_value(out.sample_standard_error, for_sample);
  out.population_sampling_interval = around_value(out.population_standard_error, for_population);
  const bool is_sample = out.target == Target::kSample;
  out.degrees_of_freedom = is_sample ? for_sample : for_population;
  out.sampling_interval =
      is_sample ? out.sample_sampling_interval : out.population_sampling_interval;
}

/// Whether the value is a linear function of the outcomes with known weights.
bool rests_on_implied_weights(const EstimatorInfo& estimator, const Evidence& evidence) {
  return evidence.implied != nullptr &&
         (estimator.method == Method::kDirect || estimator.method == Method::kCautiousCorrection ||
          estimator.method == Method::kSwitch || estimator.method == Method::kShrinkage);
}

/// Standard error of the shrunken correction, beside that of the direct method. A correction that
/// counts in full removes errors of the model and adds its own: the sum of both is conservative.
double error_of_correction(const EstimatorInfo& estimator, const Evidence& evidence) {
  if (estimator.method != Method::kCautiousCorrection) return 0;
  const CautiousCorrection corrected = correct_cautiously(
      expected_outcome(evidence.policy, evidence.outcome->mu.view()),
      importance_weights(evidence.sample.arm, evidence.policy, evidence.propensity->e.view()),
      residuals(evidence.sample.arm, evidence.sample.outcome, evidence.outcome->mu.view()),
      evidence.sample.weight, *evidence.sample.comm);
  return corrected.factor * corrected.correction_error;
}

/// What raise_arm_noise adds to the variance of the implied weights. Those of nodes outside of the
/// sample have no out-of-fold residuals to raise.
double raised_variance(const Evidence& evidence) {
  const LoggedSample& sample = evidence.sample;
  if (sample.comm->any(evidence.implied->weights.size() != sample.size())) return 0;
  const std::vector<double> raised = residuals_for_errors(evidence);
  CompensatedSum total;
  for (std::size_t i = 0; i < sample.size(); ++i) {
    const double r = sample.outcome[i] - evidence.outcome->mu(i, sample.arm[i]);
    const double weight = evidence.implied->weights[i];
    total.add(weight * weight * (raised[i] * raised[i] - r * r));
  }
  const double n = sample.comm->count(sample.size());
  return sample.comm->allreduce(total.value()) / (n * n);
}

/// For the population: the variance of sampling units (`influence`) plus the estimation error of
/// the outcome model. For the sample: see error_parts.hpp.
void set_standard_errors(const EstimatorInfo& estimator, const Evidence& evidence,
                         std::span<const double> influence, Target target, Estimate& out) {
  const Communicator& comm = *evidence.sample.comm;
  const bool has_parts = comm.any(!out.parts.sample.empty());
  out.target = Target::kPopulation;
  out.population_standard_error = standard_error(influence, comm);
  out.sample_standard_error = has_parts ? error_for_sample(out.parts, comm) : kNaN;
  if (rests_on_implied_weights(estimator, evidence)) {
    const double spread =
        standard_error(direct_method(expected_outcome(evidence.policy, evidence.outcome->mu.view()),
                                     evidence.sample.weight, comm)
                           .influence,
                       comm);
    // Implied weights of all nodes of the sample include the correction; others do not.
    const double correction = has_parts ? 0 : error_of_correction(estimator, evidence);
    out.population_standard_error = std::sqrt(spread * spread + evidence.implied->variance +
                                              raised_variance(evidence) + correction * correction);
    if (!has_parts && evidence.implied->variance_for_sample) {
      out.sample_standard_error =
          std::hypot(std::sqrt(*evidence.implied->variance_for_sample), correction);
    }
  }
  out.standard_error = out.population_standard_error;
  if (target == Target::kSample && !std::isnan(out.sample_standard_error)) {
    out.target = Target::kSample;
    out.standard_error = out.sample_standard_error;
  }
}

/// Whether a standard error from the spread of predictions and weighted residuals would ignore the
/// estimation error of the outcome model. Switching and shrinking leave residuals uncorrected, and
/// so does the literal correction, which divides by n twice.
bool ignores_model_error(const EstimatorInfo& estimator, const Evidence& evidence,
                         Correction correction) {
  if (estimator.method == Method::kDoublyRobust) return correction == Correction::kLiteral;
  return estimator.needs_outcome_model() && !rests_on_implied_weights(estimator, evidence);
}

/// Names an estimator that has an interval, unless overlap is too poor for any weighting estimator.
void refuse_interval(const EstimatorInfo& estimator, bool lacks_overlap, Estimate& out) {
  drop_interval(out);
  std::string why = "no standard error: it would ignore the estimation error of the outcome model";
  if (!lacks_overlap && estimator.method == Method::kDoublyRobust) {
    why += "; another --correction has one";
  } else if (!lacks_overlap) {
    why += fmt::format("; {} has one", doubly_robust_on(estimator.outcome));
  }
  out.warnings.push_back(std::move(why));
}

/// The standard error of the mean outcome: the scale where an estimate has no standard error.
double mean_error(const LoggedSample& sample) {
  return std::sqrt(variance(sample.outcome, 0, *sample.comm) / sample.comm->count(sample.size()));
}

double error_scale(const Evidence& evidence, const Estimate& out) {
  return out.standard_error > 0 ? out.standard_error : mean_error(evidence.sample);
}

/// The value with propensities and weights as they would be without any bound.
double value_without_bounds(const EstimatorInfo& estimator, const Evidence& evidence,
                            const EstimatorOptions& options, const WeightsUsed& weights,
                            const Estimate& out) {
  const Communicator& comm = *evidence.sample.comm;
  if (evidence.propensity->given()) {
    if (!comm.any(weights.raw != weights.used)) return out.value;
    return linearise(estimator.method, evidence, options, weights.raw).value;
  }
  const std::vector<double> free = importance_weights(evidence.sample.arm, evidence.policy,
                                                      evidence.propensity->unbounded.view());
  if (!comm.any(free != weights.used)) return out.value;
  return linearise(estimator.method, evidence, options, free).value;
}

/// The value with implausible predictions treated the other way: as predicted where they were
/// bounded, bounded where they were not.
double value_of_other_predictions(const EstimatorInfo& estimator, Evidence evidence,
                                  const EstimatorOptions& options, const WeightsUsed& weights,
                                  const Estimate& out) {
  if (!evidence.sample.comm->any(!evidence.outcome->implausible.empty())) return out.value;
  OutcomeTable other{.mu = evidence.outcome->mu};
  for (const ImplausiblePrediction& p : evidence.outcome->implausible) {
    other.mu(p.row, p.arm) = evidence.outcome->bounded ? p.predicted : p.limit;
  }
  evidence.outcome = &other;
  return linearise(estimator.method, evidence, options, weights.used).value;
}

void set_status(Estimate& out) {
  if (!std::isfinite(out.value)) {
    out.status = EstimateStatus::kUndefined;
    const bool no_weight = out.effective_sample_size.value_or(1) == 0;
    out.warnings.insert(out.warnings.begin(),
                        no_weight
                            ? "no estimate: no logged node received an arm that the policy assigns"
                            : "no estimate: an arm has no nodes, or the numbers overflow");
  } else if (!out.warnings.empty()) {
    out.status = EstimateStatus::kCaution;
  }
}

}  // namespace

Estimate estimate(const EstimatorInfo& row, const Evidence& evidence,
                  const EstimatorOptions& options) {
  EstimatorInfo estimator = row;
  // The joint model moves the value of the direct method afterwards.
  if (estimator.method == Method::kJointModel) estimator.method = Method::kDirect;
  require(estimator.method != Method::kKernelBalancing, "estimate: weights must be balanced first");
  check_input(estimator, evidence);
  WeightsUsed weights;
  if (estimator.needs_propensity()) weights = weights_of(estimator.method, evidence, options);

  Estimate out;
  out.estimator = estimator.name;
  const ValueAndInfluence result = linearise(estimator.method, evidence, options, weights.used);
  out.value = result.value;
  out.parts = decompose_error(estimator, evidence, options, weights.used, result.influence);
  set_standard_errors(estimator, evidence, result.influence, options.target, out);
  if (rests_on_implied_weights(estimator, evidence) && evidence.outcome->is_penalised) {
    out.smoothing_bias = find_smoothing_bias(evidence);
  }
  set_intervals(
      evidence,
      rests_on_implied_weights(estimator, evidence) ? evidence.implied->weights : weights.used,
      options.level, out);
  const bool exact_model = ignores_model_error(estimator, evidence, options.correction);
  const double scale = exact_model ? mean_error(evidence.sample) : error_scale(evidence, out);
  const bool lacks_overlap = diagnose_overlap(estimator, evidence, scale, out);
  if (exact_model && has_interval(out)) refuse_interval(estimator, lacks_overlap, out);
  if (estimator.needs_propensity()) {
    diagnose_weights(estimator.method, weights.raw, weights.used, evidence, out);
    const double other = value_without_bounds(estimator, evidence, options, weights, out);
    diagnose_bounded_weights(estimator.method, evidence, {out.value - other, scale}, out);
  } else if (estimator.method == Method::kDirect) {
    diagnose_implied_weights(evidence, out);
  } else if (estimator.method == Method::kArmMeans) {
    diagnose_arms(evidence, out);
  }
  if (estimator.needs_outcome_model()) {
    const double other = value_of_other_predictions(estimator, evidence, options, weights, out);
    diagnose_predictions(estimator, evidence, {out.value - other, scale}, out);
    diagnose_fit(evidence, out);
  }
  diagnose_constant_arms(evidence, out);
  set_status(out);
  return out;
}

Estimate estimate_balanced(const EstimatorInfo& estimator, const Evidence& evidence,
                           const BalancedValue& balanced, const EstimatorOptions& options) {
  check_input(estimator, evidence);
  Estimate out;
  out.estimator = estimator.name;
  out.value = balanced.value;
  out.parts.population = balanced.influence;
  out.standard_error = standard_error(balanced.influence);
  out.population_standard_error = out.standard_error;
  set_intervals(evidence, balanced.weights, options.level, out);
  diagnose_overlap(estimator, evidence, error_scale(evidence, out), out);
  diagnose_balance(evidence, balanced.weights, out);
  diagnose_constant_arms(evidence, out);
  set_status(out);
  return out;
}

}  // namespace cone
