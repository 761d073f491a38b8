#include "nuisance/linear_variance.hpp"

#include <utility>

#include "cone/error.hpp"

#include "base/numeric.hpp"

namespace cone {
namespace {

/// The sums over a policy's prediction points that LinearSmoother::weights needs.
struct PolicySums {
  Matrix<double> points;       ///< policies × columns of the design: Σ_i q_i x_i
  std::vector<double> weight;  ///< Σ_i q_i
};

/// A regression of one arm predicts at x_i with the policy's probability of the arm.
PolicySums total_one_arm(const LinearInputs& inputs, const LinearUnit& unit,
                         std::span<const MatrixView<const double>> policies) {
  PolicySums sums{Matrix<double>(policies.size(), inputs.x.cols()),
                  std::vector<double>(policies.size(), 0.0)};
  for (std::size_t k = 0; k < policies.size(); ++k) {
    for (const NodeIndex i : inputs.plan.tasks[unit.task].score) {
      const double weight = policies[k](i, *unit.arm);
      add_scaled(weight, inputs.x.row(i), sums.points.row(k));
      sums.weight[k] += weight;
    }
  }
  return sums;
}

/// Σ_a π_a·μ_a is the prediction at x_i and the policy's mean of the arms' corners.
PolicySums total_all_arms(const LinearInputs& inputs, const LinearUnit& unit,
                          std::span<const MatrixView<const double>> policies) {
  const std::vector<NodeIndex>& score = inputs.plan.tasks[unit.task].score;
  const std::size_t num_features = inputs.x.cols();
  const Matrix<double> corners = arm_corners(inputs.data.num_arms());
  PolicySums sums{Matrix<double>(policies.size(), num_features + corners.cols()),
                  std::vector<double>(policies.size(), 0.0)};
  for (std::size_t k = 0; k < policies.size(); ++k) {
    for (const NodeIndex i : score) {
      const double weight = total_probability(policies[k].row(i));
      add_scaled(weight, inputs.x.row(i), sums.points.row(k));
      sums.weight[k] += weight;
      for (std::size_t j = 0; j < corners.cols(); ++j) {
        for (std::size_t a = j + 1; a < corners.rows(); ++a) {  // zero before
          sums.points(k, num_features + j) += policies[k](i, a) * corners(a, j);
        }
      }
    }
  }
  return sums;
}

}  // namespace

double noise_variance(const Context& context, std::span<const double> weights,
                      std::span<const double> squared_residuals, std::size_t num_scored) {
  CompensatedSum total;
  for (std::size_t j = 0; j < weights.size(); ++j) {
    if (weights[j] != 0) total.add(weights[j] * weights[j] * squared_residuals[j]);
  }
  const double count = context.comm().count(num_scored);
  return context.comm().allreduce(total.value()) / (count * count);
}

LinearVariance::LinearVariance(std::shared_ptr<const LinearInputs> inputs,
                               std::vector<LinearUnit> units,
                               std::vector<std::unique_ptr<LinearSmoother>> smoothers,
                               std::vector<double> squared_residuals)
    : inputs_(std::move(inputs)),
      units_(std::move(units)),
      smoothers_(std::move(smoothers)),
      squared_residuals_(std::move(squared_residuals)) {}

Matrix<double> LinearVariance::imply_unit_weights(
    const Context& context, std::size_t unit, std::span<const MatrixView<const double>> policies,
    bool& converged) const {
  PolicySums sums = units_[unit].all_arms() ? total_all_arms(*inputs_, units_[unit], policies)
                                            : total_one_arm(*inputs_, units_[unit], policies);
  context.comm().allreduce(sums.points.values());
  context.comm().allreduce(sums.weight);
  const auto weights_of = [&](LinearSmoother& smoother) {
    Matrix<double> weights = smoother.weights(sums.points, sums.weight);
    converged = smoother.converged();
    return weights;
  };
  if (smoothers_[unit] != nullptr) return weights_of(*smoothers_[unit]);
  const auto smoother =
      make_smoother(context, *inputs_, units_[unit], choose_nodes(*inputs_, units_[unit]));
  smoother->set_strength(units_[unit].strength);
  return weights_of(*smoother);
}

std::vector<ImpliedWeights> LinearVariance::imply_weights(
    const Context& context, std::span<const MatrixView<const double>> policies) const {
  for (const MatrixView<const double>& policy : policies) {
    require(policy.rows() == inputs_->data.num_nodes() && policy.cols() == inputs_->data.num_arms(),
            "implied weights: a policy of other nodes or arms");
  }
  std::vector<Matrix<double>> parts(units_.size());
  std::vector<char> converged(units_.size(), 1);
  context.for_each_task("computing implied weights", units_.size(), [&](std::size_t u) {
    bool solved = true;
    parts[u] = imply_unit_weights(context, u, policies, solved);
    converged[u] = solved ? 1 : 0;
  });
  std::vector<ImpliedWeights> out(policies.size());
  for (ImpliedWeights& implied : out) implied.weights.assign(inputs_->data.num_nodes(), 0.0);
  for (std::size_t u = 0; u < units_.size(); ++u) {
    const std::vector<NodeIndex> nodes = choose_nodes(*inputs_, units_[u]);
    for (std::size_t k = 0; k < policies.size(); ++k) {
      for (std::size_t j = 0; j < nodes.size(); ++j) out[k].weights[nodes[j]] += parts[u](k, j);
      out[k].converged = out[k].converged && converged[u] != 0;
    }
  }
  for (ImpliedWeights& implied : out) {
    implied.variance =
        noise_variance(context, implied.weights, squared_residuals_, inputs_->plan.scored.size());
  }
  return out;
}

}  // namespace cone
