// The network ridge against its reference (ridge_fixture.hpp): predictions, weights and their
// errors.

#include <memory>
#include <set>

#include "network_ridge/arm_solver_of.hpp"
#include "network_ridge/network_ridge_variance.hpp"
#include "network_ridge/ridge_fixture.hpp"

namespace cone {
namespace {

using nlohmann::json;
using testing::Case;
using testing::exponentials_of;
using testing::kContext;
using testing::name_of;
using testing::NetworkRidgeFixture;
using testing::size_of;
using testing::vector_of;

FitPlan plan_of(const Case& it) {
  FitPlan plan;
  const auto fold = vector_of<std::size_t>(it.reference.at("fold"));
  plan.tasks.resize(size_of(it.reference, "num_folds"));
  for (NodeIndex i = 0; i < fold.size(); ++i) {
    plan.scored.push_back(i);
    for (std::size_t t = 0; t < plan.tasks.size(); ++t) {
      (fold[i] == t ? plan.tasks[t].score : plan.tasks[t].fit).push_back(i);
    }
  }
  return plan;
}

/// The model with the given variances, for either solver.
std::shared_ptr<NetworkRidge> ridge_as_given(const Case& it, const FitPlan& plan,
                                             double undersmoothing, bool is_dense) {
  auto ridge = std::make_shared<NetworkRidge>();
  ridge->inputs = it.inputs;
  auto part = std::make_unique<RidgePart>();
  RidgeSystem& system = part->system;
  system.inputs = it.inputs;
  system.groups = it.groups;
  system.undersmoothing = undersmoothing;
  for (std::size_t a = 0; a < it.data.num_arms(); ++a) {
    const std::vector<double> variances = exponentials_of(it.arm(a).at("log_variances"));
    ArmModel& model = system.arms.emplace_back();
    model.mean = it.arm(a).at("mean").get<double>();
    model.sd = it.arm(a).at("sd").get<double>();
    const auto num_groups = static_cast<std::ptrdiff_t>(it.groups.size());
    model.group_variances.assign(variances.begin(), variances.begin() + num_groups);
    model.noise = variances[it.groups.size()];
    if (variances.size() > it.groups.size() + 1) model.noise_growth = variances.back();
    model.fixed_columns = it.fixed_columns(a);
  }
  for (std::size_t t = 0; t < plan.tasks.size(); ++t) {
    part->tasks.push_back(t);
    std::vector<char>& learns = system.learns_from.emplace_back(it.data.num_nodes(), 0);
    for (const NodeIndex i : plan.tasks[t].fit) learns[it.inputs->position_of[i]] = 1;
    auto& scored = ridge->scored_positions.emplace_back();
    for (const NodeIndex i : plan.tasks[t].score) scored.push_back(it.inputs->position_of[i]);
  }
  part->method = is_dense ? RidgeMethod::kDense : RidgeMethod::kIterative;
  part->solver = testing::make_arm_solver(kContext, it.data, system, is_dense);
  ridge->parts.push_back(std::move(part));
  return ridge;
}

Matrix<double> predict(const Case& it, const FitPlan& plan, const NetworkRidge& ridge) {
  Matrix<double> mu(it.data.num_nodes(), it.data.num_arms());
  const RidgePart& part = *ridge.parts.front();
  const RidgeSolution solution = solve_outcomes(kContext, part, it.data);
  EXPECT_TRUE(solution.converged);
  for (std::size_t a = 0; a < it.data.num_arms(); ++a) {
    const Matrix<double> predicted = predict_arm(kContext, part, solution, a);
    for (std::size_t t = 0; t < plan.tasks.size(); ++t) {
      for (const NodeIndex i : plan.tasks[t].score) {
        mu(i, a) = predicted(it.inputs->position_of[i], t);
      }
    }
  }
  return mu;
}

Matrix<double> table_of(const json& rows) {
  Matrix<double> out(rows.size(), rows[0].size());
  for (std::size_t i = 0; i < out.rows(); ++i) {
    for (std::size_t c = 0; c < out.cols(); ++c) out(i, c) = rows[i][c].get<double>();
  }
  return out;
}

class NetworkRidgeFolds : public NetworkRidgeFixture {
 protected:
  static constexpr double tolerance(bool is_dense) { return is_dense ? 1e-8 : 1e-6; }
};

TEST_P(NetworkRidgeFolds, PredictionsOfBothSolversAgree) {
  const FitPlan plan = plan_of(it);
  for (const json& fold : it.reference.at("folds")) {
    const double u = fold.at("undersmoothing").get<double>();
    const Matrix<double> expected = table_of(fold.at("predictions"));
    for (const bool is_dense : {true, false}) {
      const Matrix<double> found = predict(it, plan, *ridge_as_given(it, plan, u, is_dense));
      for (std::size_t i = 0; i < expected.rows(); ++i) {
        for (std::size_t a = 0; a < expected.cols(); ++a) {
          EXPECT_NEAR(found(i, a), expected(i, a), tolerance(is_dense))
              << "u " << u << " node " << i << " arm " << a << " dense " << is_dense;
        }
      }
    }
  }
}

TEST_P(NetworkRidgeFolds, ImpliedWeightsOfBothSolversAgree) {
  const FitPlan plan = plan_of(it);
  const Matrix<double> policy = table_of(it.reference.at("policy"));
  const std::vector<MatrixView<const double>> policies = {policy.view(), policy.view()};
  const auto n = static_cast<double>(it.data.num_nodes());
  for (const json& fold : it.reference.at("folds")) {
    const double u = fold.at("undersmoothing").get<double>();
    const auto expected = vector_of(fold.at("weights"));
    for (const bool is_dense : {true, false}) {
      const auto ridge = ridge_as_given(it, plan, u, is_dense);
      const NetworkRidgeVariance variance(ridge, it.data, plan, predict(it, plan, *ridge));
      for (const ImpliedWeights& found : variance.imply_weights(kContext, policies)) {
        EXPECT_TRUE(found.converged);
        for (std::size_t i = 0; i < expected.size(); ++i) {
          EXPECT_NEAR(found.weights[i] / n, expected[i], tolerance(is_dense)) << "node " << i;
        }
        const double value = std::inner_product(found.weights.begin(), found.weights.end(),
                                                it.data.outcome.begin(), 0.0) /
                             n;
        EXPECT_NEAR(value, fold.at("value").get<double>(), tolerance(is_dense));
      }
    }
  }
}

/// The reference has the formulas with given noise variances; here they are estimated from the
/// residuals.
TEST_P(NetworkRidgeFolds, ErrorVariancesFollowTheFormulas) {
  const FitPlan plan = plan_of(it);
  const auto ridge = ridge_as_given(it, plan, 0.1, true);
  const Matrix<double> mu = predict(it, plan, *ridge);
  const Matrix<double> policy = table_of(it.reference.at("policy"));
  const auto implied = NetworkRidgeVariance(ridge, it.data, plan, mu)
                           .imply_weights(kContext, std::vector{policy.view()})[0];
  std::vector<ResidualVariance> noise;
  for (std::size_t a = 0; a < it.data.num_arms(); ++a) {
    std::vector<double> residual;
    std::vector<double> degree;
    for (std::size_t i = 0; i < it.data.num_nodes(); ++i) {
      if (it.data.treatment[i] != a) continue;
      residual.push_back(it.data.outcome[i] - mu(i, a));
      degree.push_back(it.inputs->relative_degree[it.inputs->position_of[i]]);
    }
    noise.push_back(fit_residual_variance(residual, degree));
  }
  const auto n = static_cast<double>(it.data.num_nodes());
  double independent = 0;
  double fitted = 0;
  for (std::size_t i = 0; i < it.data.num_nodes(); ++i) {
    const double degree = it.inputs->relative_degree[it.inputs->position_of[i]];
    const Arm own = it.data.treatment[i];
    const double weight = implied.weights[i] / n;
    fitted += weight * weight * noise[own].at(degree);
    for (std::size_t a = 0; a < it.data.num_arms(); ++a) {
      const double off = policy(i, a) / n - (a == own ? weight : 0);
      independent += off * off * noise[a].at(degree);
    }
  }
  EXPECT_NEAR(implied.variance / fitted, 1, 1e-10);
  EXPECT_NEAR(implied.variance_for_sample.value() / independent, 1, 1e-10);
}

INSTANTIATE_TEST_SUITE_P(Datasets, NetworkRidgeFolds, ::testing::Values(0U, 1U, 2U), name_of);

}  // namespace
}  // namespace cone
