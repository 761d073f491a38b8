#include <vector>

#include "cone/estimate.hpp"
#include "cone/options.hpp"

#include "base/numeric.hpp"
#include "exec/statistics.hpp"

namespace cone {
namespace {

/// Survey weight of a node.
double count_units(std::span<const double> units, std::size_t node) {
  return units.empty() ? 1 : units[node];
}

double sum_products(std::span<const double> weights, std::span<const double> x,
                    const Communicator& comm) {
  CompensatedSum total;
  for (std::size_t i = 0; i < x.size(); ++i) total.add(weights[i] * x[i]);
  return comm.allreduce(total.value());
}

}  // namespace

ValueAndInfluence arm_means(std::span<const Arm> arm, std::span<const double> outcome,
                            MatrixView<const double> policy, std::span<const double> units,
                            const Communicator& comm) {
  const std::size_t n = arm.size();
  const double num_nodes = comm.count(n);
  const std::size_t num_arms = policy.cols();
  std::vector<CompensatedSum> sums(num_arms);
  std::vector<double> arm_count(num_arms, 0.0);
  for (std::size_t i = 0; i < n; ++i) {
    sums[arm[i]].add(count_units(units, i) * outcome[i]);
    arm_count[arm[i]] += count_units(units, i);
  }
  comm.allreduce(arm_count);
  std::vector<double> arm_mean(num_arms);
  for (std::size_t a = 0; a < num_arms; ++a) {
    arm_mean[a] = comm.allreduce(sums[a].value()) / arm_count[a];
  }
  // The control arm gets the remainder, so that the shares sum to 1.
  std::vector<double> policy_share(num_arms, 1.0);
  for (std::size_t a = 1; a < num_arms; ++a) {
    policy_share[a] = mean(arm_column(policy, static_cast<Arm>(a)), comm);
    policy_share[0] -= policy_share[a];
  }

  ValueAndInfluence out;
  out.value = dot(policy_share, arm_mean);
  out.influence.resize(n);
  for (std::size_t i = 0; i < n; ++i) {
    const Arm t = arm[i];
    const double own = count_units(units, i);
    const double weight = own * policy_share[t] * num_nodes / arm_count[t];
    const double expected = dot(policy.row(i), arm_mean);
    out.influence[i] = expected - own * out.value + weight * (outcome[i] - arm_mean[t]);
  }
  return out;
}

ValueAndInfluence inverse_propensity(std::span<const double> weights,
                                     std::span<const double> outcome, std::span<const double> units,
                                     const Communicator& comm) {
  ValueAndInfluence out;
  out.value = sum_products(weights, outcome, comm) / comm.count(outcome.size());
  out.influence.resize(outcome.size());
  for (std::size_t i = 0; i < outcome.size(); ++i) {
    out.influence[i] = weights[i] * outcome[i] - count_units(units, i) * out.value;
  }
  return out;
}

ValueAndInfluence self_normalised(std::span<const double> weights, std::span<const double> outcome,
                                  const Communicator& comm) {
  ValueAndInfluence out;
  out.value = sum_products(weights, outcome, comm) / sum(weights, comm);
  out.influence.resize(outcome.size());
  const double mean_weight = mean(weights, comm);
  for (std::size_t i = 0; i < outcome.size(); ++i) {
    out.influence[i] = weights[i] * (outcome[i] - out.value) / mean_weight;
  }
  return out;
}

std::vector<double> expected_outcome(MatrixView<const double> policy, MatrixView<const double> mu) {
  std::vector<double> expected(policy.rows());
  for (std::size_t i = 0; i < policy.rows(); ++i) expected[i] = dot(policy.row(i), mu.row(i));
  return expected;
}

std::vector<double> residuals(std::span<const Arm> arm, std::span<const double> outcome,
                              MatrixView<const double> mu) {
  std::vector<double> out(outcome.size());
  for (std::size_t i = 0; i < outcome.size(); ++i) out[i] = outcome[i] - mu(i, arm[i]);
  return out;
}

Matrix<double> doubly_robust_scores(std::span<const Arm> arm, std::span<const double> outcome,
                                    MatrixView<const double> mu,
                                    MatrixView<const double> propensity) {
  Matrix<double> scores(mu.rows(), mu.cols());
  for (std::size_t i = 0; i < mu.rows(); ++i) {
    for (std::size_t a = 0; a < mu.cols(); ++a) scores(i, a) = mu(i, a);
    const Arm t = arm[i];
    scores(i, t) += (outcome[i] - mu(i, t)) / propensity(i, t);
  }
  return scores;
}

ValueAndInfluence direct_method(std::span<const double> expected, std::span<const double> units,
                                const Communicator& comm) {
  ValueAndInfluence out;
  out.value = mean(expected, comm);
  out.influence.resize(expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    out.influence[i] = expected[i] - count_units(units, i) * out.value;
  }
  return out;
}

ValueAndInfluence doubly_robust(std::span<const double> expected, std::span<const double> weights,
                                std::span<const double> residual, Correction correction,
                                std::span<const double> units, const Communicator& comm) {
  ValueAndInfluence out = direct_method(expected, units, comm);
  const ValueAndInfluence correcting = correction == Correction::kPlain
                                           ? inverse_propensity(weights, residual, units, comm)
                                           : self_normalised(weights, residual, comm);
  const double scale = correction == Correction::kLiteral ? 1.0 / comm.count(expected.size()) : 1.0;
  out.value += scale * correcting.value;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    out.influence[i] += scale * correcting.influence[i];
  }
  return out;
}

CautiousCorrection correct_cautiously(std::span<const double> expected,
                                      std::span<const double> weights,
                                      std::span<const double> residual,
                                      std::span<const double> units, const Communicator& comm) {
  CautiousCorrection out;
  out.direct = direct_method(expected, units, comm);
  // Without weight there is nothing to correct by.
  if (!(sum(weights, comm) > 0)) return out;
  const ValueAndInfluence correcting = self_normalised(weights, residual, comm);
  out.correction = correcting.value;
  out.correction_error = standard_error(correcting.influence, comm);
  const double noise = out.correction_error * out.correction_error;
  const double signal = out.correction * out.correction;
  out.factor = signal > noise ? 1 - noise / signal : 0;
  return out;
}

}  // namespace cone
