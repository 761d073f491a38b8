// Invariances of the network ridge, identities of its weights, and which outcomes it may use.

#include <numeric>

#include <gtest/gtest.h>

#include "data/split.hpp"
#include "network_ridge/network_ridge.hpp"
#include "network_ridge/ridge_world.hpp"
#include "support/small_network.hpp"

namespace cone {
namespace {

using testing::answer;
using testing::kRidgeNumeric;
using testing::largest_difference;
using testing::ridge_world;
using testing::RidgeAnswer;
using testing::RidgeWorld;
using testing::solved_by;

constexpr auto kBothSolvers = {RidgeSolverChoice::kDense, RidgeSolverChoice::kIterative};

double sd_of(const Dataset& data) { return std::sqrt(variance(data.outcome, 0)); }

FitPlan folds_of(const Dataset& data) { return cross_fit_plan(data, 3, 2, 1); }

Split thirds_of(std::size_t num_nodes) {
  Split split;
  for (NodeIndex i = 0; i < num_nodes; ++i) {
    (i % 3 == 0 ? split.test : i % 3 == 1 ? split.validation : split.train).push_back(i);
  }
  return split;
}

void expect_same_answer(const RidgeAnswer& found, const RidgeAnswer& expected, double sd,
                        double tolerance = 1e-6) {
  EXPECT_LT(largest_difference(found.mu.values(), expected.mu.values()), tolerance * sd);
  EXPECT_LT(largest_difference(found.implied.weights, expected.implied.weights), tolerance * 10);
  EXPECT_NEAR(found.implied.variance / expected.implied.variance, 1, 10 * tolerance);
  EXPECT_NEAR(*found.implied.variance_for_sample / *expected.implied.variance_for_sample, 1,
              10 * tolerance);
}

// ---- invariances -----------------------------------------------------------------------------

TEST(RidgeProperties, TheOrderOfTheNodesDoesNotMatter) {
  const Dataset data = ridge_world({.nodes = 400}, 1).data;
  const std::vector<NodeIndex> order = Rng(3, Stream::kTest).permutation(400);
  Dataset permuted = testing::with_nodes_permuted(data, order);
  permuted.arms = data.arms;
  for (const auto solver : kBothSolvers) {
    const RidgeAnswer expected = answer(data, folds_of(data), solved_by(solver));
    const RidgeAnswer found = answer(permuted, folds_of(permuted), solved_by(solver));
    for (std::size_t i = 0; i < 400; ++i) {
      for (std::size_t a = 0; a < 2; ++a) {
        ASSERT_NEAR(found.mu(i, a), expected.mu(order[i], a), 1e-6) << i;
      }
    }
  }
}

TEST(RidgeProperties, RelabelledArmsSwapThePredictions) {
  const Dataset data = ridge_world({.nodes = 300, .arms = 3}, 2).data;
  const FitPlan plan = folds_of(data);
  const std::vector<Arm> renamed = {2, 0, 1};
  Dataset other = data;
  for (Arm& arm : other.treatment) arm = renamed[arm];
  for (const auto solver : kBothSolvers) {
    const RidgeAnswer expected = answer(data, plan, solved_by(solver));
    const RidgeAnswer found = answer(other, plan, solved_by(solver));
    for (std::size_t i = 0; i < 300; ++i) {
      for (std::size_t a = 0; a < 3; ++a) {
        ASSERT_NEAR(found.mu(i, renamed[a]), expected.mu(i, a), 1e-6 * sd_of(data));
      }
    }
  }
}

TEST(RidgeProperties, ShiftedAndScaledOutcomesShiftAndScaleThePredictions) {
  const Dataset data = ridge_world({.nodes = 300}, 3).data;
  const FitPlan plan = folds_of(data);
  for (const auto& [factor, shift] : {std::pair{1.0, 1000.0}, {1e-6, 0.0}, {-250.0, 7.0}}) {
    Dataset moved = data;
    for (double& y : moved.outcome) y = shift + factor * y;
    for (const auto solver : kBothSolvers) {
      const RidgeAnswer expected = answer(data, plan, solved_by(solver));
      const RidgeAnswer found = answer(moved, plan, solved_by(solver));
      for (std::size_t k = 0; k < found.mu.values().size(); ++k) {
        ASSERT_NEAR((found.mu.values()[k] - shift) / factor, expected.mu.values()[k],
                    1e-6 * sd_of(data))
            << factor;
      }
      EXPECT_LT(largest_difference(found.implied.weights, expected.implied.weights), 1e-5);
      EXPECT_NEAR(found.implied.variance / factor / factor / expected.implied.variance, 1, 1e-5);
    }
  }
}

class SameAnswer : public ::testing::Test {
 protected:
  SameAnswer() : world(ridge_world({.nodes = 300}, 4)), plan(folds_of(world.data)) {}

  /// After a change of the rows.
  void expect_no_change(double tolerance = 1e-6) {
    const RidgeWorld before = ridge_world({.nodes = 300}, 4);
    world.store_features();
    for (const auto solver : kBothSolvers) {
      expect_same_answer(answer(world.data, plan, solved_by(solver)),
                         answer(before.data, plan, solved_by(solver)), sd_of(world.data),
                         tolerance);
    }
  }

  RidgeWorld world;
  FitPlan plan;
};

TEST_F(SameAnswer, WithShiftedAndRescaledNumericFeatures) {
  for (auto& row : world.rows) {
    row[0] = 1990 + 6 * row[0];
    row[1] *= -4e4;
  }
  expect_no_change();
}

TEST_F(SameAnswer, WithARecodedCategory) {
  for (auto& row : world.rows) row[2] = 2 - row[2];
  expect_no_change();
}

TEST_F(SameAnswer, WithAConstantColumn) {
  for (auto& row : world.rows) row.insert(row.begin() + 1, 0.1);
  world.data.features.num_dense = kRidgeNumeric + 1;
  world.data.features.names.insert(world.data.features.names.begin(), "constant");
  expect_no_change();
}

TEST_F(SameAnswer, WithAColumnDuplicatedInAnotherUnit) {
  for (auto& row : world.rows) {
    row.insert(row.begin() + 1, 7 - 3.5 * row[1]);
    row.insert(row.begin(), row[0]);
  }
  world.data.features.num_dense = kRidgeNumeric + 2;
  world.data.features.names.insert(world.data.features.names.begin(), {"copy", "in_dollars"});
  expect_no_change();
}

TEST_F(SameAnswer, WithColumnsInAnotherOrder) {
  for (auto& row : world.rows) {
    std::swap(row[0], row[2]);
    std::reverse(row.begin() + kRidgeNumeric, row.end());
  }
  expect_no_change();
}

TEST_F(SameAnswer, WithCountsInAnotherUnit) {
  for (auto& row : world.rows) {
    for (std::size_t w = kRidgeNumeric; w < row.size(); ++w) row[w] *= 12;
  }
  expect_no_change();
}

TEST_F(SameAnswer, WithACountFeatureThatIsAlwaysZero) {
  for (auto& row : world.rows) row.push_back(0);
  world.data.features.names.emplace_back("never");
  expect_no_change();
}

// ---- identities of the weights ---------------------------------------------------------------

void expect_weights_to_add_up(const Dataset& data, const FitPlan& plan,
                              const NetworkRidgeOptions& options) {
  const Matrix<double> policy = testing::some_policy(data.num_nodes(), data.num_arms());
  const RidgeAnswer found = answer(data, plan, options);
  const auto size = static_cast<double>(plan.scored.size());
  EXPECT_NEAR(dot(found.implied.weights, data.outcome) / size, found.value(policy, plan),
              1e-7 * sd_of(data));
  // The weights of every arm balance the fixed effects exactly: 1, d/mean, √(d/mean).
  const RidgeInputs inputs =
      prepare_inputs(Context({.threads = 2}), data, {.smooth = false, .curves = false});
  const auto effect = [&](std::size_t i, int c) {
    const double relative = inputs.relative_degree[inputs.position_of[i]];
    return c == 0 ? 1 : c == 1 ? relative : std::sqrt(relative);
  };
  for (std::size_t a = 0; a < data.num_arms(); ++a) {
    for (const int c : {0, 1, 2}) {
      double carried = 0;
      double wanted = 0;
      for (std::size_t i = 0; i < data.num_nodes(); ++i) {
        if (data.treatment[i] == a) carried += found.implied.weights[i] * effect(i, c);
      }
      for (const NodeIndex i : plan.scored) wanted += policy(i, a) * effect(i, c);
      EXPECT_NEAR(carried / size, wanted / size, 1e-7) << "arm " << a << " effect " << c;
    }
  }
}

TEST(RidgeProperties, ImpliedWeightsGiveTheValueAndBalanceTheFixedEffects) {
  const Dataset data = ridge_world({.nodes = 300, .arms = 3}, 5).data;
  for (const FitPlan& plan : {folds_of(data), split_plan(thirds_of(300))}) {
    for (const auto solver : kBothSolvers) {
      NetworkRidgeOptions options = solved_by(solver);
      expect_weights_to_add_up(data, plan, options);
      options.ridge_variances = VarianceFits::kPerFold;
      expect_weights_to_add_up(data, plan, options);
    }
  }
}

// ---- cross-fitting ---------------------------------------------------------------------------

TEST(RidgeProperties, WithVariancesPerFoldAFoldNeverSeesItsOwnOutcomes) {
  const Dataset data = ridge_world({.nodes = 240}, 6).data;
  const FitPlan plan = folds_of(data);
  Dataset changed = data;
  for (const NodeIndex i : plan.tasks[1].score) {
    changed.outcome[i] = 50 - 3 * data.outcome[i];
  }
  for (const auto solver : kBothSolvers) {
    NetworkRidgeOptions options = solved_by(solver);
    options.ridge_variances = VarianceFits::kPerFold;
    const RidgeAnswer before = answer(data, plan, options);
    const RidgeAnswer after = answer(changed, plan, options);
    for (const NodeIndex i : plan.tasks[1].score) {
      EXPECT_EQ(before.mu(i, 0), after.mu(i, 0));
      EXPECT_EQ(before.mu(i, 1), after.mu(i, 1));
    }
    EXPECT_GT(largest_difference(before.mu.values(), after.mu.values()), 1) << "other folds do";
  }
}

TEST(RidgeProperties, WithVariancesLearntOnceTheCoefficientsNeverSeeTheirFold) {
  const Dataset data = ridge_world({.nodes = 240}, 7).data;
  const FitPlan plan = folds_of(data);
  const Context context({.threads = 2});
  for (const auto solver : kBothSolvers) {
    const NetworkRidge ridge = learn_network_ridge(context, data, plan, solved_by(solver));
    const RidgePart& part = *ridge.parts.front();
    Dataset changed = data;
    for (const NodeIndex i : plan.tasks[1].score) changed.outcome[i] = 50 - 3 * data.outcome[i];
    const RidgeSolution before = solve_outcomes(context, part, data);
    const RidgeSolution after = solve_outcomes(context, part, changed);
    for (std::size_t a = 0; a < 2; ++a) {
      const Matrix<double> was = predict_arm(context, part, before, a);
      const Matrix<double> is = predict_arm(context, part, after, a);
      for (std::size_t p = 0; p < was.rows(); ++p) {
        EXPECT_EQ(was(p, 1), is(p, 1));
      }
      EXPECT_GT(largest_difference(was.values(), is.values()), 1) << "other folds do";
    }
  }
}

TEST(RidgeProperties, TheSelectionNodesOfASplitAreFittedOn) {
  const Dataset data = ridge_world({.nodes = 300}, 8).data;
  const Split split = thirds_of(300);
  const FitPlan plan = split_plan(split);
  for (const auto solver : kBothSolvers) {
    const RidgeAnswer found = answer(data, plan, solved_by(solver));
    for (const NodeIndex i : split.train) EXPECT_NE(found.implied.weights[i], 0);
    for (const NodeIndex i : split.validation) EXPECT_NE(found.implied.weights[i], 0);
    for (const NodeIndex i : split.test) EXPECT_EQ(found.implied.weights[i], 0);
    EXPECT_EQ(found.summary.arms[0].num_nodes + found.summary.arms[1].num_nodes,
              split.train.size() + split.validation.size());
  }
}

TEST(RidgeProperties, AnArmWithoutScoredNodesStillHasNoise) {
  const Dataset data = ridge_world({.nodes = 300}, 9).data;
  Split split;
  for (NodeIndex i = 0; i < 300; ++i) {
    (i % 3 == 0 && data.treatment[i] == 0 ? split.test : split.train).push_back(i);
  }
  split.validation.assign(split.train.begin(), split.train.begin() + 40);
  split.train.erase(split.train.begin(), split.train.begin() + 40);
  const FitPlan plan = split_plan(split);
  const Nuisances learnt = NetworkRidgeLearner({}).fit(Context({.threads = 2}), data, plan);
  Matrix<double> treat_all(300, 2);
  for (std::size_t i = 0; i < 300; ++i) treat_all(i, 1) = 1;
  const ImpliedWeights implied = learnt.outcome->variance->imply_weights(
      Context({.threads = 2}), std::vector<MatrixView<const double>>{treat_all.view()})[0];
  // At least the variance from the noise of that many new outcomes alone.
  const ArmVariances& arm = learnt.outcome->network_ridge->arms[1];
  EXPECT_GT(arm.noise + arm.noise_growth, 0);
  EXPECT_GT(implied.variance, 0);
  EXPECT_GT(*implied.variance_for_sample, 0);
}

}  // namespace
}  // namespace cone
