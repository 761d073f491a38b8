#include "nuisance/outcome_model.hpp"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>
#include <omp.h>

#include "base/error.hpp"
#include "nuisance/simulated_data.hpp"

namespace cone {
namespace {

using testing::same_bits;
using testing::simulate;
using testing::three_policies;

constexpr OutcomeModel kModels[] = {OutcomeModel::kOls1, OutcomeModel::kOls2, OutcomeModel::kRidge};

OutcomePredictions predict(const Dataset& data, const FitPlan& plan, OutcomeModel model,
                           int threads = 2) {
  return predict_outcomes(Context(0, threads), data, plan, model,
                          three_policies(data.num_nodes()).view(), {});
}

Split thirds(std::size_t num_nodes) {
  Split split;
  for (NodeIndex i = 0; i < num_nodes; ++i) {
    (i % 3 == 0 ? split.test : i % 6 == 1 ? split.validation : split.train).push_back(i);
  }
  return split;
}

/// Tall, wide and rank-deficient: the three ways through the solver.
std::vector<Dataset> shapes() {
  std::vector<Dataset> all;
  all.push_back(simulate({.nodes = 150, .features = 8}, 1).data);
  all.push_back(simulate({.nodes = 60, .features = 90, .density = 0.2}, 2).data);
  testing::Simulated duplicate = simulate({.nodes = 120, .features = 10}, 3);
  for (auto& row : duplicate.x) row[4] = row[9];
  duplicate.data.features.matrix = testing::sparse_from_rows(duplicate.x);
  all.push_back(duplicate.data);
  return all;
}

TEST(OutcomeModel, TheDirectMethodIsTheWeightedSumOfTheLoggedOutcomes) {
  for (const Dataset& data : shapes()) {
    const std::size_t n = data.num_nodes();
    const Matrix<double> policies = three_policies(n);
    for (const FitPlan& plan : {cross_fit_plan(data, 4, 3, 1), split_plan(thirds(n))}) {
      for (const OutcomeModel model : kModels) {
        const OutcomePredictions out = predict(data, plan, model);
        for (std::size_t k = 0; k < policies.rows(); ++k) {
          double direct = 0;
          for (const NodeIndex i : plan.scored) {
            direct += policies(k, i) * out.mu1[i] + (1 - policies(k, i)) * out.mu0[i];
          }
          double weighted = 0;
          for (std::size_t j = 0; j < n; ++j) {
            weighted += out.implied_weights(k, j) * data.outcome[j];
          }
          const auto num_scored = static_cast<double>(plan.scored.size());
          EXPECT_NEAR(direct / num_scored, weighted / num_scored, 1e-9) << enum_name(model);
          EXPECT_NEAR(sum(out.implied_weights.row(k)), num_scored, 1e-8 * num_scored);
        }
      }
    }
  }
}

TEST(OutcomeModel, ScoresThePlannedNodesAndNoOthers) {
  const Dataset data = simulate({.nodes = 90}, 1).data;
  const FitPlan plan = split_plan(thirds(90));
  for (const OutcomeModel model : kModels) {
    const OutcomePredictions out = predict(data, plan, model);
    for (NodeIndex i = 0; i < 90; ++i) {
      EXPECT_EQ(std::isnan(out.mu0[i]), i % 3 != 0);
      EXPECT_EQ(std::isnan(out.mu1[i]), i % 3 != 0);
      EXPECT_EQ(out.implied_weights(2, i) != 0, i % 3 != 0 && i % 6 != 1);
    }
  }
}

TEST(OutcomeModel, IsBitwiseEqualAtAnyNumberOfThreads) {
  for (const Dataset& data : shapes()) {
    const FitPlan plan = cross_fit_plan(data, 4, 2, 1);
    for (const OutcomeModel model : kModels) {
      const OutcomePredictions one = predict(data, plan, model, 1);
      for (const int threads : {2, 5}) {
        const OutcomePredictions many = predict(data, plan, model, threads);
        EXPECT_TRUE(same_bits(one.mu0, many.mu0));
        EXPECT_TRUE(same_bits(one.mu1, many.mu1));
        EXPECT_TRUE(same_bits(one.implied_weights.values(), many.implied_weights.values()));
        EXPECT_TRUE(same_bits(one.model_variance, many.model_variance));
        EXPECT_EQ(one.chosen_strengths, many.chosen_strengths);
      }
    }
  }
}

TEST(OutcomeModel, IsBitwiseEqualWhateverNumberOfThreadsBlasWouldUse) {
  // Large enough for OpenBLAS to use threads of its own, if it were let.
  const Dataset data = simulate({.nodes = 1200, .features = 400, .density = 0.1}, 12).data;
  const FitPlan plan = split_plan(thirds(1200));
  const int before = omp_get_max_threads();
  omp_set_num_threads(1);
  const OutcomePredictions one = predict(data, plan, OutcomeModel::kOls1, 1);
  omp_set_num_threads(4);
  const OutcomePredictions four = predict(data, plan, OutcomeModel::kOls1, 1);
  EXPECT_EQ(omp_get_max_threads(), 4) << "the caller's setting is put back";
  omp_set_num_threads(before);
  EXPECT_TRUE(same_bits(one.mu0, four.mu0));
  EXPECT_TRUE(same_bits(one.implied_weights.values(), four.implied_weights.values()));
}

TEST(OutcomeModel, ANodesOwnOutcomeAndTreatmentNeverReachItsPrediction) {
  const Dataset data = simulate({.nodes = 120}, 4).data;
  const FitPlan plan = cross_fit_plan(data, 4, 3, 1);
  constexpr NodeIndex kNode = 17;
  Dataset changed = data;
  changed.outcome[kNode] += 1000;
  changed.treatment[kNode] = 1 - changed.treatment[kNode];
  for (const OutcomeModel model : kModels) {
    const OutcomePredictions before = predict(data, plan, model);
    const OutcomePredictions after = predict(changed, plan, model);
    EXPECT_EQ(before.mu0[kNode], after.mu0[kNode]);
    EXPECT_EQ(before.mu1[kNode], after.mu1[kNode]);
    EXPECT_FALSE(same_bits(before.mu0, after.mu0)) << "other folds learn from the node";
  }
}

TEST(OutcomeModel, ShiftedOutcomesShiftThePredictions) {
  for (const Dataset& data : shapes()) {
    const FitPlan plan = cross_fit_plan(data, 4, 3, 1);
    Dataset shifted = data;
    for (double& y : shifted.outcome) y += 25;
    for (const OutcomeModel model : kModels) {
      const OutcomePredictions base = predict(data, plan, model);
      const OutcomePredictions moved = predict(shifted, plan, model);
      for (std::size_t i = 0; i < data.num_nodes(); ++i) {
        EXPECT_NEAR(moved.mu0[i], base.mu0[i] + 25, 1e-8);
        EXPECT_NEAR(moved.mu1[i], base.mu1[i] + 25, 1e-8);
      }
      EXPECT_NEAR(moved.model_variance[2] / base.model_variance[2], 1, 1e-6);
    }
  }
}

TEST(OutcomeModel, SwappedArmsSwapThePredictions) {
  for (const Dataset& data : shapes()) {
    const FitPlan plan = cross_fit_plan(data, 4, 3, 1);
    const Dataset swapped = testing::with_arms_swapped(data);
    for (const OutcomeModel model : kModels) {
      const OutcomePredictions base = predict(data, plan, model);
      const OutcomePredictions other = predict(swapped, plan, model);
      for (std::size_t i = 0; i < data.num_nodes(); ++i) {
        EXPECT_NEAR(other.mu0[i], base.mu1[i], 1e-8);
        EXPECT_NEAR(other.mu1[i], base.mu0[i], 1e-8);
      }
    }
  }
}

TEST(OutcomeModel, TheOrderOfTheFeaturesDoesNotMatter) {
  const testing::Simulated simulated = simulate({.nodes = 150, .features = 12}, 5);
  const FitPlan plan = cross_fit_plan(simulated.data, 4, 3, 1);
  const Dataset reversed = testing::with_columns_reversed(simulated);
  for (const OutcomeModel model : kModels) {
    const OutcomePredictions base = predict(simulated.data, plan, model);
    const OutcomePredictions other = predict(reversed, plan, model);
    for (std::size_t i = 0; i < 150; ++i) {
      EXPECT_NEAR(other.mu0[i], base.mu0[i], 1e-9);
      EXPECT_NEAR(other.mu1[i], base.mu1[i], 1e-9);
    }
  }
}

TEST(OutcomeModel, OneRegressionAnArmFindsBothResponses) {
  const testing::Simulated simulated = simulate({.nodes = 4000, .features = 4}, 6);
  const FitPlan plan = cross_fit_plan(simulated.data, 5, 3, 1);
  for (const OutcomeModel model : {OutcomeModel::kOls2, OutcomeModel::kRidge}) {
    const OutcomePredictions out = predict(simulated.data, plan, model);
    for (std::size_t i = 0; i < 4000; ++i) {
      EXPECT_NEAR(out.mu0[i], testing::expected_outcome(simulated.x[i], 0), 0.25);
      EXPECT_NEAR(out.mu1[i], testing::expected_outcome(simulated.x[i], 1), 0.25);
    }
  }
}

double mean_squared_error(const testing::Simulated& simulated, const OutcomePredictions& out) {
  double total = 0;
  for (std::size_t i = 0; i < simulated.x.size(); ++i) {
    total += std::pow(out.mu0[i] - testing::expected_outcome(simulated.x[i], 0), 2) +
             std::pow(out.mu1[i] - testing::expected_outcome(simulated.x[i], 1), 2);
  }
  return total / static_cast<double>(2 * simulated.x.size());
}

TEST(OutcomeModel, RidgeBeatsLeastSquaresWhereFeaturesAreManyAndNoiseIsStrong) {
  const testing::Simulated simulated = simulate({.nodes = 300, .features = 120, .noise = 2}, 7);
  const FitPlan plan = cross_fit_plan(simulated.data, 5, 3, 1);
  EXPECT_LT(
      mean_squared_error(simulated, predict(simulated.data, plan, OutcomeModel::kRidge)),
      0.5 * mean_squared_error(simulated, predict(simulated.data, plan, OutcomeModel::kOls2)));
}

TEST(OutcomeModel, RidgeFallsBackToTheMeanOfEachArmWhereFeaturesSayNothing) {
  Dataset data = simulate({.nodes = 200, .features = 30, .treatment_slope = 0}, 8).data;
  for (std::size_t i = 0; i < 200; ++i) {
    data.outcome[i] = 5 * data.treatment[i] + Rng(3, Stream::kTest, i).normal();
  }
  const OutcomePredictions out = predict(data, cross_fit_plan(data, 5, 4, 1), OutcomeModel::kRidge);
  for (std::size_t i = 0; i < 200; ++i) {
    EXPECT_NEAR(out.mu0[i], 0, 0.6);
    EXPECT_NEAR(out.mu1[i], 5, 0.6);
  }
}

TEST(OutcomeModel, WithoutFeaturesEveryModelIsTheMeanOfTheArm) {
  Dataset data = simulate({.nodes = 60}, 13).data;
  data.features.matrix = testing::sparse_from_rows(std::vector<std::vector<double>>(60));
  data.features.names.clear();
  const FitPlan plan = split_plan(thirds(60));
  double total[] = {0, 0};
  double count[] = {0, 0};
  for (const NodeIndex i : plan.tasks[0].fit) {
    total[data.treatment[i]] += data.outcome[i];
    ++count[data.treatment[i]];
  }
  for (const OutcomeModel model : kModels) {
    const OutcomePredictions out = predict(data, plan, model);
    EXPECT_NEAR(out.mu0[0], total[0] / count[0], 1e-12);
    EXPECT_NEAR(out.mu1[0], total[1] / count[1], 1e-12);
  }
}

/// Redraws the noise of the outcomes, all else fixed: the spread of the direct-method value is what
/// model_variance estimates.
TEST(OutcomeModel, ModelVarianceIsTheVarianceOverNoise) {
  constexpr int kDraws = 300;
  const testing::Simulated simulated = simulate({.nodes = 150, .features = 6}, 9);
  const std::size_t n = simulated.x.size();
  const Matrix<double> policies = three_policies(n);
  for (const FitPlan& plan : {cross_fit_plan(simulated.data, 5, 3, 1), split_plan(thirds(n))}) {
    for (const OutcomeModel model : {OutcomeModel::kOls2, OutcomeModel::kRidge}) {
      std::vector<double> values;
      double mean_variance = 0;
      Dataset data = simulated.data;
      for (int draw = 0; draw < kDraws; ++draw) {
        Rng rng(100, Stream::kTest, static_cast<std::uint64_t>(draw));
        for (std::size_t i = 0; i < n; ++i) {
          data.outcome[i] =
              testing::expected_outcome(simulated.x[i], data.treatment[i]) + rng.normal();
        }
        const OutcomePredictions out = predict(data, plan, model, 1);
        double value = 0;
        for (const NodeIndex i : plan.scored) {
          value += policies(2, i) * out.mu1[i] + (1 - policies(2, i)) * out.mu0[i];
        }
        values.push_back(value / static_cast<double>(plan.scored.size()));
        mean_variance += out.model_variance[2] / kDraws;
      }
      EXPECT_NEAR(mean_variance / variance(values, 1), 1, 0.3) << enum_name(model);
    }
  }
}

TEST(OutcomeModel, SaysWhereAnInterpolationLeavesTheVarianceUnknown) {
  const Dataset data = simulate({.nodes = 90, .features = 200}, 10).data;
  const OutcomePredictions out = predict(data, split_plan(thirds(90)), OutcomeModel::kOls2);
  EXPECT_TRUE(std::isnan(out.model_variance[0]));
  EXPECT_TRUE(std::isfinite(out.mu1[0]));
  ASSERT_EQ(out.warnings.size(), 2U);
  EXPECT_NE(out.warnings[0].find("unknown"), std::string::npos);
  const OutcomePredictions ridge = predict(data, split_plan(thirds(90)), OutcomeModel::kRidge);
  EXPECT_TRUE(std::isfinite(ridge.model_variance[0]));
}

TEST(OutcomeModel, RefusesAFoldWithoutAnArmAndDataWithoutALog) {
  Dataset data = simulate({.nodes = 30}, 11).data;
  const FitPlan plan = split_plan(thirds(30));
  for (const NodeIndex i : plan.tasks[0].fit) data.treatment[i] = 1;
  for (const OutcomeModel model : kModels) EXPECT_THROW(predict(data, plan, model), Error);
  data.treatment.clear();
  data.outcome.clear();
  EXPECT_THROW(predict(data, plan, OutcomeModel::kOls1), Error);
}

}  // namespace
}  // namespace cone
