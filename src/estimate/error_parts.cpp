#include "estimate/error_parts.hpp"

#include <cmath>

#include "cone/estimate.hpp"

#include "base/numeric.hpp"
#include "exec/statistics.hpp"
#include "nuisance/residual_variance.hpp"

namespace cone {
namespace {

/// Variance of the outcomes of every arm.
std::vector<double> arm_variances(const LoggedSample& sample) {
  std::vector<std::vector<double>> outcomes(sample.num_arms());
  for (std::size_t i = 0; i < sample.size(); ++i) {
    outcomes[sample.arm[i]].push_back(sample.outcome[i]);
  }
  std::vector<double> variances;
  variances.reserve(outcomes.size());
  for (const std::vector<double>& y : outcomes) {
    const bool has_spread = sample.comm->count(y.size()) > 1;
    variances.push_back(has_spread ? variance(y, 1, *sample.comm) : kNaN);
  }
  return variances;
}

/// The variance of the potential outcomes under arms that were not received. `coefficient`: of the
/// observed outcomes, with which their noise may be correlated.
template <class Noise>
double sum_unlogged(const Evidence& evidence, ArmNoise arm_noise,
                    std::span<const double> coefficient, const Noise& noise) {
  if (arm_noise == ArmNoise::kShared) return 0;  // already in the coefficient
  const LoggedSample& sample = evidence.sample;
  CompensatedSum total;
  for (std::size_t i = 0; i < sample.size(); ++i) {
    double worst = 0;  // Σ π_a·σ_a
    for (std::size_t a = 0; a < sample.num_arms(); ++a) {
      const double p = evidence.policy(i, a);
      if (a == sample.arm[i] || p == 0) continue;
      if (arm_noise == ArmNoise::kIndependent) total.add(p * p * noise(i, a));
      worst += p * std::sqrt(noise(i, a));
    }
    if (arm_noise == ArmNoise::kWorstCase && worst > 0) {
      const double own = std::abs(coefficient[i]) * std::sqrt(noise(i, sample.arm[i]));
      total.add(worst * (worst + 2 * own));
    }
  }
  const double n = sample.comm->count(sample.size());
  return sample.comm->allreduce(total.value()) / (n * n);
}

/// `taken`: the share of a unit's observed noise that its outcome under the policy would have, π_T
/// or, where arms share their noise, all of it.
void set_parts(const Evidence& evidence, ArmNoise arm_noise, std::span<const double> weights,
               std::span<const double> residual, double centre, ErrorParts& out) {
  const LoggedSample& sample = evidence.sample;
  for (std::size_t i = 0; i < sample.size(); ++i) {
    const double taken =
        arm_noise == ArmNoise::kShared ? sample.weight_of(i) : evidence.policy(i, sample.arm[i]);
    out.coefficient.push_back(weights[i] - taken);
    out.sample.push_back(weights[i] * (residual[i] - centre) - taken * residual[i]);
    if (sample.is_grouped) {
      out.grouped.push_back(out.sample[i] - (sample.weight_of(i) - taken) * residual[i]);
    }
  }
}

/// With the arm means as the outcome model.
void decompose_arm_means(const Evidence& evidence, ArmNoise arm_noise, ErrorParts& out) {
  const LoggedSample& sample = evidence.sample;
  const std::size_t num_arms = sample.num_arms();
  std::vector<double> share(num_arms, 0.0);
  std::vector<double> total(num_arms, 0.0);
  std::vector<double> count(num_arms, 0.0);
  for (std::size_t i = 0; i < sample.size(); ++i) {
    for (std::size_t a = 0; a < num_arms; ++a) share[a] += evidence.policy(i, a);
    total[sample.arm[i]] += sample.weight_of(i) * sample.outcome[i];
    count[sample.arm[i]] += sample.weight_of(i);
  }
  for (std::vector<double>* sums : {&share, &total, &count}) sample.comm->allreduce(*sums);
  std::vector<double> weights;
  std::vector<double> residual;
  for (std::size_t i = 0; i < sample.size(); ++i) {
    const Arm t = sample.arm[i];
    weights.push_back(sample.weight_of(i) * share[t] / count[t]);
    residual.push_back(sample.outcome[i] - total[t] / count[t]);
  }
  const std::vector<double> noise = arm_variances(sample);
  set_parts(evidence, arm_noise, weights, residual, 0, out);
  out.unlogged_variance = sum_unlogged(evidence, arm_noise, out.coefficient,
                                       [&](std::size_t, std::size_t a) { return noise[a]; });
}

/// Splits the residual variance as the model does: its noise variance stays in the contributions,
/// and effects that the weights do not balance count as imbalance.
void scale_to_noise(const Evidence& evidence, ArmNoise arm_noise, ErrorParts& out) {
  const LoggedSample& sample = evidence.sample;
  const std::vector<double>& share = evidence.implied->noise_share;
  if (sample.is_grouped) out.unscaled = out.sample;
  out.unscaled_unlogged_variance = out.unlogged_variance;
  for (std::size_t i = 0; i < sample.size(); ++i) {
    out.sample[i] *= std::sqrt(share[sample.arm[i]]);
  }
  out.unlogged_variance = sum_unlogged(
      evidence, arm_noise, out.coefficient,
      [&](std::size_t i, std::size_t a) { return share[a] * (*evidence.noise)(i, a); });
  out.imbalance = evidence.implied->imbalance;
  out.policy_index = evidence.policy_index;
}

}  // namespace

std::vector<double> residual_weights(const EstimatorInfo& estimator, const Evidence& evidence,
                                     const EstimatorOptions& options) {
  std::vector<double> weights =
      importance_weights(evidence.sample.arm, evidence.policy, evidence.propensity->e.view());
  if (estimator.method == Method::kSwitch) {
    const double limit = limit_of_weights(options.switch_threshold, evidence.sample.num_arms());
    return switched_weights(weights, limit, evidence.sample.weight);
  }
  if (estimator.method == Method::kShrinkage) {
    return shrunk_weights(weights, options.shrinkage_lambda, evidence.sample.weight);
  }
  if (estimator.method == Method::kCautiousCorrection) {
    const double factor =
        correct_cautiously(
            expected_outcome(evidence.policy, evidence.outcome->mu.view()), weights,
            residuals(evidence.sample.arm, evidence.sample.outcome, evidence.outcome->mu.view()),
            evidence.sample.weight, *evidence.sample.comm)
            .factor;
    const double scale = factor > 0 ? factor / mean(weights, *evidence.sample.comm) : 0;
    for (double& w : weights) w *= scale;
  }
  return weights;
}

std::vector<double> residuals_for_errors(const Evidence& evidence) {
  const LoggedSample& sample = evidence.sample;
  std::vector<double> residual = residuals(sample.arm, sample.outcome, evidence.outcome->mu.view());
  const std::vector<double> factor = raise_arm_noise(sample, residual);
  for (std::size_t i = 0; i < residual.size(); ++i) residual[i] *= factor[sample.arm[i]];
  return residual;
}

Matrix<double> uncorrected_part(const Evidence& evidence, std::span<const double> weights) {
  Matrix<double> table(evidence.policy.rows(), evidence.policy.cols());
  for (std::size_t i = 0; i < table.rows(); ++i) {
    for (std::size_t a = 0; a < table.cols(); ++a) table(i, a) = evidence.policy(i, a);
    table(i, evidence.sample.arm[i]) -= weights[i];
  }
  return table;
}

ErrorParts decompose_error(const EstimatorInfo& estimator, const Evidence& evidence,
                           const EstimatorOptions& options, std::span<const double> weights,
                           std::vector<double> influence) {
  ErrorParts out;
  out.population = std::move(influence);
  const LoggedSample& sample = evidence.sample;
  const Communicator& comm = *sample.comm;
  if (estimator.method == Method::kArmMeans) {
    decompose_arm_means(evidence, options.arm_noise, out);
    return out;
  }
  if (!estimator.needs_outcome_model() || evidence.noise == nullptr) return out;
  const std::vector<double> residual = residuals_for_errors(evidence);
  if (estimator.method == Method::kDoublyRobust) {
    if (options.correction == Correction::kLiteral) return out;
    std::vector<double> scaled(weights.begin(), weights.end());
    double centre = 0;
    if (options.correction == Correction::kSelfNormalised) {
      const double total = sum(weights, comm);
      CompensatedSum corrected;
      for (std::size_t i = 0; i < scaled.size(); ++i) corrected.add(weights[i] * residual[i]);
      centre = comm.allreduce(corrected.value()) / total;
      const double n = comm.count(scaled.size());
      for (double& w : scaled) w *= n / total;
    }
    set_parts(evidence, options.arm_noise, scaled, residual, centre, out);
  } else {
    // Otherwise the weights of nodes outside of the sample would be missing.
    if (evidence.implied == nullptr || evidence.implied->weights.size() != sample.size()) {
      return out;
    }
    set_parts(evidence, options.arm_noise, evidence.implied->weights, residual, 0, out);
    for (std::size_t i = 0; i < sample.size(); ++i) {
      out.population[i] = dot(evidence.policy.row(i), evidence.outcome->mu.row(i));
    }
    const double centre = mean(out.population, comm);
    for (std::size_t i = 0; i < sample.size(); ++i) {
      out.population[i] +=
          evidence.implied->weights[i] * residual[i] - sample.weight_of(i) * centre;
    }
  }
  const auto noise = [&](std::size_t i, std::size_t a) { return (*evidence.noise)(i, a); };
  out.unlogged_variance = sum_unlogged(evidence, options.arm_noise, out.coefficient, noise);
  out.predictive_error = error_for_sample(out, comm);
  if (estimator.method != Method::kDoublyRobust && !evidence.implied->imbalance.empty()) {
    scale_to_noise(evidence, options.arm_noise, out);
  }
  return out;
}

double error_for_sample(const ErrorParts& parts, const Communicator& comm) {
  const double n = comm.count(parts.sample.size());
  const double imbalance = parts.imbalance.empty() ? 0 : parts.imbalance[parts.policy_index];
  return std::sqrt(variance(parts.sample, 1, comm) / n + parts.unlogged_variance + imbalance);
}

}  // namespace cone
