#include "sensitivity/error_inflation.hpp"

#include <cmath>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "cone/estimate.hpp"

#include "estimate/significance.hpp"
#include "inference/dependent_errors.hpp"
#include "nuisance/residual_variance.hpp"

namespace cone {

struct ErrorInflation::Parts {
  LoggedSample sample;
  LoggedTables tables;
  DependenceKernels kernels;
  ModelNoise noise;
  Dependence wanted;
  double level;
};

ErrorInflation::ErrorInflation(const Context& context, const Dataset& data,
                               const LoggedTables& tables, Dependence wanted, double level) {
  std::vector<NodeIndex> nodes(data.num_nodes());
  std::iota(nodes.begin(), nodes.end(), NodeIndex{0});
  LoggedSample sample = take_sample(data, nodes);
  DependenceKernels kernels(context, data.graph, cluster_nodes(context, data));
  ModelNoise noise =
      describe_noise(context, relative_degrees(data.graph, sample), sample, tables.mu, &kernels);
  parts_ = std::make_unique<Parts>(
      Parts{std::move(sample), tables, std::move(kernels), std::move(noise), wanted, level});
}

ErrorInflation::~ErrorInflation() = default;

double ErrorInflation::factor(const Context& context, const Contrast& contrast,
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
  const ErrorParts* const one = &errors;
  const Matrix<double>* const table = &weights;
  const std::optional<JointErrors> joint =
      join_errors(context, parts_->kernels, parts_->sample, target, {&one, 1}, {&table, 1},
                  &parts_->noise, parts_->wanted);
  if (!joint || !(joint->design_effect() > 0)) return 1;
  const double quantiles = two_sided_t_quantile(parts_->level, joint->best().degrees_of_freedom) /
                           two_sided_normal_quantile(parts_->level);
  return quantiles * std::sqrt(joint->design_effect());
}

}  // namespace cone
