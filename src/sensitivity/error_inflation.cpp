#include "sensitivity/error_inflation.hpp"

#include <cmath>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "cone/estimate.hpp"

#include "estimate/degrees_of_freedom.hpp"
#include "inference/dependent_errors.hpp"
#include "nuisance/residual_variance.hpp"

namespace cone {

struct ErrorInflation::Parts {
  LoggedSample sample;
  LoggedTables tables;
  DependenceKernels kernels;
  ModelNoise noise;
  Dependence wanted;
};

ErrorInflation::ErrorInflation(const Context& context, const Dataset& data,
                               const LoggedTables& tables, Dependence wanted) {
  std::vector<NodeIndex> nodes(data.num_nodes());
  std::iota(nodes.begin(), nodes.end(), NodeIndex{0});
  LoggedSample sample = take_sample(data, nodes);
  DependenceKernels kernels = find_dependence(context, data);
  ModelNoise noise =
      describe_noise(context, relative_degrees(data, sample), sample, tables.mu, &kernels);
  parts_ = std::make_unique<Parts>(
      Parts{std::move(sample), tables, std::move(kernels), std::move(noise), wanted});
}

ErrorInflation::~ErrorInflation() = default;

InflatedError ErrorInflation::measure(const Context& context, const Contrast& contrast,
                                      const ContrastEstimate& estimate, Target target) const {
  const LoggedTables& tables = parts_->tables;
  ErrorParts errors{.sample = estimate.influence,
                    .unlogged_variance = estimate.unlogged_variance,
                    .population = estimate.population_influence};
  Matrix<double> weights(tables.mu.rows(), tables.mu.cols());
  for (std::size_t i = 0; i < weights.rows(); ++i) {
    const Arm t = tables.arm[i];
    double elsewhere = 0;
    for (std::size_t a = 0; a < weights.cols(); ++a) {
      weights(i, a) = contrast.weight(i, a);
      if (a != t) elsewhere += weights(i, a);
    }
    const double residual = tables.outcome[i] - tables.mu(i, t);
    errors.grouped.push_back(errors.sample[i] - elsewhere * residual);
    errors.coefficient.push_back(weights(i, t) * (1 - tables.e(i, t)) / tables.e(i, t));
  }
  std::vector<double> of_outcomes = errors.coefficient;  // δ_T/e_T
  for (std::size_t i = 0; i < weights.rows(); ++i) of_outcomes[i] += weights(i, tables.arm[i]);
  errors.sample_degrees = count_arm_degrees(parts_->sample, of_outcomes, {});
  errors.population_degrees = errors.sample_degrees;
  const ErrorParts* const one = &errors;
  const Matrix<double>* const table = &weights;
  const std::optional<JointErrors> joint =
      join_errors(context, parts_->kernels, parts_->sample, target, {&one, 1}, {&table, 1},
                  &parts_->noise, parts_->wanted);
  if (!joint || !(joint->design_effect() > 0)) return {};
  return {.factor = std::sqrt(joint->design_effect()), .degrees_of_freedom = joint->degrees_of(0)};
}

}  // namespace cone
