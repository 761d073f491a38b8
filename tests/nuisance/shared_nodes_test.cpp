// Learners on nodes that are distributed over several ranks.

#include <gtest/gtest.h>

#include "nuisance/linear_learner.hpp"
#include "nuisance/logistic_learner.hpp"
#include "nuisance/simulated_data.hpp"
#include "support/two_alike.hpp"

namespace cone {
namespace {

using testing::simulate;
using testing::twice;
using testing::TwoAlike;

/// Sparse and dense columns, and more columns than nodes.
std::vector<Dataset> sparse_dense_and_wide() {
  std::vector<Dataset> all;
  all.push_back(simulate({.nodes = 150, .features = 8, .density = 0.2}, 1).data);
  all.push_back(simulate({.nodes = 150, .features = 8}, 2).data);
  all.back().features.matrix =
      store_full_columns_densely(all.back().features.matrix.to_sparse(), 8);
  all.push_back(simulate({.nodes = 60, .features = 150, .density = 0.2}, 3).data);
  return all;
}

void expect_near(const Matrix<double>& shared, const Matrix<double>& alone) {
  ASSERT_EQ(shared.cols(), alone.cols());
  ASSERT_EQ(2 * shared.rows(), alone.rows());
  for (std::size_t i = 0; i < shared.rows(); ++i) {
    for (std::size_t a = 0; a < shared.cols(); ++a) {
      EXPECT_NEAR(shared(i, a), alone(i, a), 1e-9) << i << ", arm " << a;
    }
  }
}

TEST(SharedNodes, RegressionsAndTheirWeightsAreThoseOfAllRanks) {
  const TwoAlike comm;
  const Context context({.threads = 1});
  const Context shared = context.shared_by(comm);
  for (const Dataset& data : sparse_dense_and_wide()) {
    const std::size_t n = data.num_nodes();
    const Dataset all = twice(data);
    const FitPlan plan = cross_fit_plan(data, 3, 3, 1);
    const FitPlan plan_of_all = twice(plan, n);
    Matrix<double> policy(n, 2, 0.5);
    for (std::size_t i = 0; i < n; i += 3) policy(i, 0) = 1 - (policy(i, 1) = 0.9);
    Matrix<double> policy_of_all(2 * n, 2);
    for (std::size_t i = 0; i < 2 * n; ++i) {
      std::ranges::copy(policy.row(i % n), policy_of_all.row(i).begin());
    }
    for (const LinearModel model : {LinearModel::kOls1, LinearModel::kOls2, LinearModel::kRidge}) {
      SCOPED_TRACE(std::string(enum_name(model)) +
                   ", features: " + std::to_string(data.features.matrix.cols()));
      const LinearLearner learner(model, {});
      const OutcomeTable own = *learner.fit(shared, data, plan).outcome;
      const OutcomeTable expected = *learner.fit(context, all, plan_of_all).outcome;
      EXPECT_EQ(own.chosen_strengths, expected.chosen_strengths);
      expect_near(own.mu, expected.mu);
      const MatrixView<const double> view = policy.view();
      const MatrixView<const double> view_of_all = policy_of_all.view();
      const ImpliedWeights weights = own.variance->imply_weights(shared, {&view, 1}).front();
      const ImpliedWeights of_all =
          expected.variance->imply_weights(context, {&view_of_all, 1}).front();
      for (std::size_t i = 0; i < n; ++i) {
        EXPECT_NEAR(weights.weights[i], of_all.weights[i], 1e-8) << i;
      }
      EXPECT_NEAR(weights.variance, of_all.variance, 1e-9 * of_all.variance);
    }
  }
}

TEST(SharedNodes, PropensitiesAreThoseOfAllRanks) {
  const TwoAlike comm;
  const Context context({.threads = 1});
  for (const Dataset& data : sparse_dense_and_wide()) {
    SCOPED_TRACE(data.features.matrix.cols());
    const FitPlan plan = cross_fit_plan(data, 3, 3, 1);
    const LogisticLearner learner({});
    const PropensityTable own = *learner.fit(context.shared_by(comm), data, plan).propensity;
    const PropensityTable expected =
        *learner.fit(context, twice(data), twice(plan, data.num_nodes())).propensity;
    EXPECT_EQ(own.chosen_strengths, expected.chosen_strengths);
    EXPECT_EQ(own.bounds.low, expected.bounds.low);
    EXPECT_DOUBLE_EQ(own.clipped_fraction, expected.clipped_fraction);
    EXPECT_EQ(own.warnings, expected.warnings);
    expect_near(own.e, expected.e);
  }
}

TEST(SharedNodes, PositivityViolationsAreFoundOverAllRanks) {
  // 20 nodes of a subgroup may be chance on one rank, 40 are not.
  Dataset data = simulate({.nodes = 60, .features = 2}, 5).data;
  Matrix<double> x(60, 2);
  for (std::size_t i = 0; i < 60; ++i) {
    x(i, 0) = i < 20 ? 1 : 2;
    x(i, 1) = static_cast<double>(i % 7);
    data.treatment[i] = i < 20 ? 0 : static_cast<Arm>(i % 2);
  }
  data.features.matrix = FeatureMatrix(std::move(x));
  const FitPlan plan = cross_fit_plan(data, 2, 2, 1);
  const Context context({.threads = 1});
  const LogisticLearner learner({});
  const PropensityTable alone = *learner.fit(context, data, plan).propensity;
  const TwoAlike comm;
  const PropensityTable shared = *learner.fit(context.shared_by(comm), data, plan).propensity;
  EXPECT_EQ(alone.violates_positivity(0, 1), 0);
  EXPECT_EQ(shared.violates_positivity(0, 1), 1);
  EXPECT_EQ(shared.violates_positivity(30, 1), 0);
  ASSERT_FALSE(shared.warnings.empty());
  EXPECT_NE(shared.warnings.back().find("(40 of 120 nodes)"), std::string::npos)
      << shared.warnings.back();
}

}  // namespace
}  // namespace cone
