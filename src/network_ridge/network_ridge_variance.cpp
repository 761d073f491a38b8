#include "network_ridge/network_ridge_variance.hpp"

#include <algorithm>
#include <array>

#include "cone/context.hpp"
#include "cone/error.hpp"

#include "base/numeric.hpp"
#include "network_ridge/kernel_products.hpp"

namespace cone {

NetworkRidgeVariance::NetworkRidgeVariance(std::shared_ptr<const NetworkRidge> model,
                                           const Dataset& data, const FitPlan& plan,
                                           const Matrix<double>& mu)
    : model_(std::move(model)), data_(data), plan_(plan) {
  for (std::size_t a = 0; a < data.num_arms(); ++a) {
    std::vector<double> residual;
    std::vector<double> degree;
    for (std::size_t k = 0; k < plan.scored.size(); ++k) {
      const NodeIndex i = plan.scored[k];
      if (data.treatment[i] != a) continue;
      residual.push_back(data.outcome[i] - mu(k, a));
      degree.push_back(model_->inputs->relative_degree[model_->inputs->position_of[i]]);
    }
    const Communicator& comm = *model_->inputs->comm;
    if (comm.count(residual.size()) == 0) {
      // No node of this arm is scored (a small split): use the noise variance of the likelihood.
      const ArmModel& arm = model_->parts.front()->system.arms[a];
      residual_.push_back({arm.sd * arm.sd * arm.noise, arm.sd * arm.sd * arm.noise_growth});
    } else {
      residual_.push_back(fit_residual_variance(residual, degree, comm));
    }
  }
}

double NetworkRidgeVariance::noise_at(NodeIndex node, std::size_t arm) const {
  return residual_[arm].at(model_->inputs->relative_degree[model_->inputs->position_of[node]]);
}

void NetworkRidgeVariance::add_part(const Context& context, const RidgePart& part,
                                    std::span<const MatrixView<const double>> policies,
                                    std::vector<std::vector<double>>& weights,
                                    bool& converged) const {
  const RidgeSystem& system = part.system;
  const RidgeInputs& inputs = *system.inputs;
  const std::size_t num_tasks = part.tasks.size();
  const std::size_t width = policies.size() * num_tasks;
  const std::size_t num_arms = system.arms.size();
  Matrix<double> f(inputs.num_nodes(), width);
  Matrix<double> g(num_arms * RidgeSystem::kNumFixed, width);
  std::vector<std::size_t> tasks;
  for (std::size_t k = 0; k < width; ++k) tasks.push_back(k % num_tasks);
  for (std::size_t a = 0; a < num_arms; ++a) {
    Matrix<double> policy_weight(inputs.num_nodes(), width);  // of the prediction at a position
    for (std::size_t t = 0; t < num_tasks; ++t) {
      for (const std::uint32_t p : model_->scored_positions[part.tasks[t]]) {
        for (std::size_t k = 0; k < policies.size(); ++k) {
          const std::size_t column = k * num_tasks + t;
          policy_weight(p, column) = policies[k](inputs.node_at[p], a);
          for (std::size_t c = 0; c < RidgeSystem::kNumFixed; ++c) {
            g(a * RidgeSystem::kNumFixed + c, column) +=
                policy_weight(p, column) * system.fixed_effect(p, c);
          }
        }
      }
    }
    const Matrix<double> reached = multiply_kernel(context, system, a, policy_weight);
    for (std::size_t p = inputs.arm_begin[a]; p < inputs.arm_begin[a + 1]; ++p) {
      std::ranges::copy(reached.row(p), f.row(p).begin());
    }
  }
  inputs.comm->allreduce(g.values());
  const RidgeSolution solution = part.solver->solve(context, f, g, tasks);
  converged = converged && solution.converged;
  for (std::size_t p = 0; p < inputs.num_nodes(); ++p) {
    for (std::size_t k = 0; k < width; ++k) {
      weights[k / num_tasks][inputs.node_at[p]] += solution.x(p, k);
    }
  }
}

Matrix<double> NetworkRidgeVariance::expect_imbalance(
    const Context& context, std::span<const MatrixView<const double>> policies,
    const std::vector<std::vector<double>>& weights) const {
  // Apart from noise, the error of a policy value is Σ_a Σ_i d_a(i)·f_a(i) with d_a(i) =
  // v_i·1{T_i = a} − π_a(i) and f_a the random effects, whose covariance is K_a. Where variances
  // are learnt per fold, those of the first fold are used.
  const RidgeSystem& system = model_->parts.front()->system;
  const RidgeInputs& inputs = *system.inputs;
  const std::size_t num_policies = policies.size();
  std::vector<char> is_scored(data_.num_nodes(), 0);
  for (const NodeIndex i : plan_.scored) is_scored[i] = 1;
  Matrix<double> out(num_policies, num_policies, 0.0);
  const double size = inputs.comm->count(plan_.scored.size());
  for (std::size_t a = 0; a < system.arms.size(); ++a) {
    Matrix<double> d(inputs.num_nodes(), num_policies, 0.0);
    for (std::size_t p = 0; p < inputs.num_nodes(); ++p) {
      const NodeIndex i = inputs.node_at[p];
      for (std::size_t k = 0; k < num_policies; ++k) {
        if (data_.treatment[i] == a) d(p, k) += weights[k][i];
        if (is_scored[i] != 0) d(p, k) -= policies[k](i, a);
      }
    }
    const Matrix<double> reached = multiply_kernel(context, system, a, d);
    const double unit = system.arms[a].sd * system.arms[a].sd / (size * size);
    context.for_each_range(num_policies, 1, [&](std::size_t k, std::size_t) {
      for (std::size_t l = 0; l <= k; ++l) {
        CompensatedSum total;
        for (std::size_t p = 0; p < inputs.num_nodes(); ++p) total.add(d(p, k) * reached(p, l));
        out(k, l) += unit * total.value();
      }
    });
  }
  inputs.comm->allreduce(out.values());
  for (std::size_t k = 0; k < num_policies; ++k) {
    for (std::size_t l = 0; l < k; ++l) out(l, k) = out(k, l);
  }
  return out;
}

std::vector<double> NetworkRidgeVariance::noise_to_residual_ratio() const {
  const RidgeSystem& system = model_->parts.front()->system;
  const RidgeInputs& inputs = *system.inputs;
  std::vector<double> share;
  for (std::size_t a = 0; a < system.arms.size(); ++a) {
    const ArmModel& arm = system.arms[a];
    std::array<double, 2> sums{};
    auto& [noise, residual] = sums;
    for (std::size_t p = inputs.arm_begin[a]; p < inputs.arm_begin[a + 1]; ++p) {
      noise += arm.sd * arm.sd * (arm.noise + arm.noise_growth * inputs.relative_degree[p]);
      residual += noise_at(inputs.node_at[p], a);
    }
    inputs.comm->allreduce(sums);
    share.push_back(residual > 0 ? std::min(1.0, noise / residual) : 1.0);
  }
  return share;
}

std::vector<ImpliedWeights> NetworkRidgeVariance::imply_weights(
    const Context& context, std::span<const MatrixView<const double>> policies) const {
  const std::size_t n = data_.num_nodes();
  for (const MatrixView<const double>& policy : policies) {
    require(policy.rows() == n && policy.cols() == data_.num_arms(),
            "implied weights: the policy is not of these nodes and arms");
  }
  std::vector<std::vector<double>> weights(policies.size(), std::vector<double>(n, 0.0));
  bool converged = true;
  const StageScope stage(context, "weights of policies",
                         expect_progress(model_->parts.front()->method).predicted, 1);
  for (const auto& part : model_->parts) add_part(context, *part, policies, weights, converged);
  std::vector<char> is_scored(n, 0);
  for (const NodeIndex i : plan_.scored) is_scored[i] = 1;
  const Communicator& comm = *model_->inputs->comm;
  const double size = comm.count(plan_.scored.size());
  const Matrix<double> imbalance = expect_imbalance(context, policies, weights);
  const std::vector<double> noise_share = noise_to_residual_ratio();
  std::vector<ImpliedWeights> out(policies.size());
  for (std::size_t k = 0; k < policies.size(); ++k) {
    CompensatedSum fitted;     // Σ ω²σ²
    CompensatedSum of_sample;  // Σ (ω − π_T)²σ² + Σ_{a≠T} π_a²σ_a²
    for (std::size_t i = 0; i < n; ++i) {
      const auto node = static_cast<NodeIndex>(i);
      const Arm own = data_.treatment[i];
      const double weight = weights[k][i];
      fitted.add(weight * weight * noise_at(node, own));
      const double taken = is_scored[i] != 0 ? policies[k](i, own) : 0;
      of_sample.add((weight - taken) * (weight - taken) * noise_at(node, own));
      if (is_scored[i] == 0) continue;
      for (std::size_t a = 0; a < data_.num_arms(); ++a) {
        if (a != own) of_sample.add(policies[k](i, a) * policies[k](i, a) * noise_at(node, a));
      }
    }
    out[k].weights = std::move(weights[k]);
    std::array<double, 2> sums = {fitted.value(), of_sample.value()};
    comm.allreduce(sums);
    out[k].variance = sums[0] / (size * size);
    out[k].variance_for_sample = sums[1] / (size * size);
    out[k].converged = converged;
    out[k].imbalance.assign(imbalance.row(k).begin(), imbalance.row(k).end());
    out[k].noise_share = noise_share;
  }
  return out;
}

}  // namespace cone
