#include "estimate/error_parts.hpp"

#include <cmath>

#include "base/numeric.hpp"
#include "estimate/weights.hpp"

namespace cone {
namespace {

/// Variance of the outcomes of every arm.
std::vector<double> arm_variances(const LoggedSample& sample) {
  std::vector<std::vector<double>> outcomes(sample.num_arms());
  for (std::size_t i = 0; i < sample.size(); ++i) {
    outcomes[sample.arm[i]].push_back(sample.outcome[i]);
  }
  std::vector<double> variances;
  for (const std::vector<double>& y : outcomes) {
    variances.push_back(y.size() > 1 ? variance(y, 1) : kNaN);
  }
  return variances;
}

template <class Noise>
double sum_unlogged(const Evidence& evidence, const Noise& noise) {
  const LoggedSample& sample = evidence.sample;
  CompensatedSum total;
  for (std::size_t i = 0; i < sample.size(); ++i) {
    for (std::size_t a = 0; a < sample.num_arms(); ++a) {
      const double p = evidence.policy(i, a);
      if (a != sample.arm[i] && p != 0) total.add(p * p * noise(i, a));
    }
  }
  const auto n = static_cast<double>(sample.size());
  return total.value() / (n * n);
}

void set_parts(const Evidence& evidence, std::span<const double> weights,
               std::span<const double> residual, double centre, ErrorParts& out) {
  const LoggedSample& sample = evidence.sample;
  for (std::size_t i = 0; i < sample.size(); ++i) {
    const double taken = evidence.policy(i, sample.arm[i]);
    out.coefficient.push_back(weights[i] - taken);
    out.these.push_back(weights[i] * (residual[i] - centre) - taken * residual[i]);
  }
}

/// The means of the arms as the outcome model.
void take_arm_means_apart(const Evidence& evidence, ErrorParts& out) {
  const LoggedSample& sample = evidence.sample;
  const std::size_t num_arms = sample.num_arms();
  std::vector<double> share(num_arms, 0.0);
  std::vector<double> total(num_arms, 0.0);
  std::vector<double> count(num_arms, 0.0);
  for (std::size_t i = 0; i < sample.size(); ++i) {
    for (std::size_t a = 0; a < num_arms; ++a) share[a] += evidence.policy(i, a);
    total[sample.arm[i]] += sample.outcome[i];
    ++count[sample.arm[i]];
  }
  std::vector<double> weights;
  std::vector<double> residual;
  for (std::size_t i = 0; i < sample.size(); ++i) {
    const Arm t = sample.arm[i];
    weights.push_back(share[t] / count[t]);
    residual.push_back(sample.outcome[i] - total[t] / count[t]);
  }
  const std::vector<double> noise = arm_variances(sample);
  out.unlogged_variance = sum_unlogged(evidence, [&](std::size_t, std::size_t a) {
    return noise[a];
  });
  set_parts(evidence, weights, residual, 0, out);
}

}  // namespace

std::vector<double> residual_weights(const EstimatorInfo& estimator, const Evidence& evidence,
                                     const EstimatorOptions& options) {
  std::vector<double> weights =
      importance_weights(evidence.sample.arm, evidence.policy, evidence.propensity->e.view());
  if (estimator.method == Method::kSwitch) {
    return switched_weights(weights, options.switch_threshold);
  }
  if (estimator.method == Method::kShrinkage) {
    return shrunk_weights(weights, options.shrinkage_lambda);
  }
  if (estimator.method == Method::kCautiousCorrection) {
    const double factor =
        correct_cautiously(expected_outcome(evidence.policy, evidence.outcome->mu.view()), weights,
                           residuals(evidence.sample.arm, evidence.sample.outcome,
                                     evidence.outcome->mu.view()))
            .factor;
    const double scale = factor > 0 ? factor / mean(weights) : 0;
    for (double& w : weights) w *= scale;
  }
  return weights;
}

Matrix<double> uncorrected_part(const Evidence& evidence, std::span<const double> weights) {
  Matrix<double> table(evidence.policy.rows(), evidence.policy.cols());
  for (std::size_t i = 0; i < table.rows(); ++i) {
    for (std::size_t a = 0; a < table.cols(); ++a) table(i, a) = evidence.policy(i, a);
    table(i, evidence.sample.arm[i]) -= weights[i];
  }
  return table;
}

ErrorParts take_error_apart(const EstimatorInfo& estimator, const Evidence& evidence,
                            const EstimatorOptions& options, std::span<const double> weights,
                            std::vector<double> influence) {
  ErrorParts out;
  out.population = std::move(influence);
  const LoggedSample& sample = evidence.sample;
  if (estimator.method == Method::kArmMeans) {
    take_arm_means_apart(evidence, out);
    return out;
  }
  if (!estimator.needs_outcome_model() || evidence.noise == nullptr) return out;
  const std::vector<double> residual =
      residuals(sample.arm, sample.outcome, evidence.outcome->mu.view());
  if (estimator.method == Method::kDoublyRobust) {
    if (options.correction == Correction::kLiteral) return out;
    std::vector<double> scaled(weights.begin(), weights.end());
    double centre = 0;
    if (options.correction == Correction::kSelfNormalised) {
      const double total = sum(weights);
      CompensatedSum corrected;
      for (std::size_t i = 0; i < scaled.size(); ++i) corrected.add(weights[i] * residual[i]);
      centre = corrected.value() / total;
      for (double& w : scaled) w *= static_cast<double>(scaled.size()) / total;
    }
    set_parts(evidence, scaled, residual, centre, out);
  } else {
    // The weights of nodes outside of the sample would be missing.
    if (evidence.implied == nullptr || evidence.implied->weights.size() != sample.size()) {
      return out;
    }
    set_parts(evidence, evidence.implied->weights, residual, 0, out);
    for (std::size_t i = 0; i < sample.size(); ++i) {
      out.population[i] = dot(evidence.policy.row(i), evidence.outcome->mu.row(i));
    }
    const double centre = mean(out.population);
    for (std::size_t i = 0; i < sample.size(); ++i) {
      out.population[i] += evidence.implied->weights[i] * residual[i] - centre;
    }
  }
  out.unlogged_variance = sum_unlogged(
      evidence, [&](std::size_t i, std::size_t a) { return (*evidence.noise)(i, a); });
  return out;
}

double error_of_these(const ErrorParts& parts) {
  const auto n = static_cast<double>(parts.these.size());
  return std::sqrt(variance(parts.these, 1) / n + parts.unlogged_variance);
}

}  // namespace cone
